import { dropReasonLabel } from './labels.js'

interface Count {
  readonly label: string
  readonly count: number
}

/** Reasons that are about a file or a question to a model, not about an idea. */
const SKIPPED: Readonly<Record<string, string>> = {
  file_too_large: 'files too large to read',
  file_unreadable: 'files that cannot be read',
  secret: 'files with a secret',
  page_without_idea: 'pages without an idea',
  types_unchecked: 'files whose types were not checked',
  unanswered: 'questions that the model did not answer',
}

/** The counts of a run so that they add up: `found` is `stored` plus all `dropped`; `skipped` was no idea. */
export function countRun(run: {
  readonly survived: number
  readonly dropped: readonly { readonly reason: string; readonly count: number }[]
}): { found: number; stored: number; dropped: Count[]; skipped: Count[] } {
  const dropped: Count[] = []
  const skipped: Count[] = []
  for (const { reason, count } of run.dropped) {
    const skip = SKIPPED[reason]
    if (skip === undefined) dropped.push({ label: ofOne(dropReasonLabel(reason), count), count })
    else skipped.push({ label: ofOne(skip, count), count })
  }
  const found = dropped.reduce((sum, { count }) => sum + count, run.survived)
  return { found, stored: run.survived, dropped, skipped }
}

const ofOne = (label: string, count: number): string =>
  count === 1
    ? label.replace(/^(fault|file|page|question)s\b/, '$1').replace('which need ', 'which needs ')
    : label
