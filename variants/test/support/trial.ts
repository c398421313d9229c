import { cleanUp } from '../../clean-up.js'
import type { Edit, HelperReference, Region, SplitExperiment } from '../../port.js'
import { writeVariants } from '../../write.js'

export const hero: SplitExperiment = experimentOf('hero', ['b'])

export function experimentOf(key: string, others: readonly string[]): SplitExperiment {
  const share = Math.floor(100 / (others.length + 1))
  return {
    key,
    variants: [
      { key: 'control', trafficSplit: 100 - share * others.length, isControl: true },
      ...others.map((other) => ({ key: other, trafficSplit: share, isControl: false })),
    ],
  }
}

export const PAGE: HelperReference = { scriptSrc: '/svc-experiments.js', stateSrc: '/_svc/state.js' }
export const SOURCE: HelperReference = { importPath: './svc-experiments.js' }

/** For sources in `app/`, of Server Components. */
const ON_SERVER: HelperReference = { ...SOURCE, rendersOnServer: true, hasServerComponents: true }

export const helperFor = (path: string): HelperReference =>
  /\.html?$/.test(path) ? PAGE : /^app\/.*\.[jt]sx$/.test(path) ? ON_SERVER : SOURCE

/** The written text. Throws the problems. */
export function written(
  path: string,
  text: string,
  edits: readonly Edit[],
  experiment: SplitExperiment = hero,
): { text: string; regions: Region[] } {
  const result = writeVariants({ path, text, experiment, edits, helper: helperFor(path) })
  if (!result.ok) throw new Error(JSON.stringify(result.problems, null, 2))
  return result
}

/** The problems as text, or the written text. */
export function refusal(
  path: string,
  text: string,
  edits: readonly Edit[],
  experiment: SplitExperiment = hero,
): string {
  const result = writeVariants({ path, text, experiment, edits, helper: helperFor(path) })
  return result.ok
    ? `written: ${result.text}`
    : result.problems.map(({ message, units }) => [message, ...(units ?? [])].join(' | ')).join('\n')
}

/** The text without the experiment. Throws conflicts. */
export function cleaned(
  path: string,
  text: string,
  regions: readonly Region[],
  shipped: string | null,
  experiment: SplitExperiment = hero,
): string {
  const result = cleanUp({
    path,
    text,
    shipped,
    experiment: experiment.key,
    file: { action: 'modify', regions: [...regions] },
  })
  if (result.conflicts.length > 0 || result.text === null)
    throw new Error(JSON.stringify(result.conflicts, null, 2))
  return result.text
}

/** The edits of one variant and the plain ones, made by find and replace. */
export function edited(text: string, edits: readonly Edit[], variant: string): string {
  let result = text
  for (const edit of edits)
    if (edit.variant === undefined || edit.variant === variant)
      result = result.split(edit.find).join(edit.replace)
  return result
}
