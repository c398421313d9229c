import { nameProblem, normalizeName } from '../../domain/name.js'
import type { Candidate } from '../../generators/port.js'
import { isRemark, saysUnstated } from '../../generators/refine/marked-notes.js'
import {
  type Change,
  type ConversionTarget,
  EXPERIMENT_LIMITS as LIMITS,
  type Variant,
} from '../experiments/index.js'
import type { Idea } from './proposals.js'

type Proposed = Omit<Candidate, 'mechanism'> & { readonly mechanism: string | null }

/** A candidate as an experiment. Null if it breaks a limit, or has text that Postgres cannot store. */
export function proposalOf(candidate: Proposed) {
  const proposal = {
    name: cut(normalizeName(candidate.name), LIMITS.name),
    mechanism: cut(candidate.mechanism ?? '', LIMITS.mechanism),
    notes: cut(linesOf(candidate).join('\n'), LIMITS.notes),
    hypothesis: cut(candidate.hypothesis, LIMITS.hypothesis),
    priority: candidate.priority,
    variants: variantsOf(candidate),
    conversionTargets: candidate.conversionTargets.map(targetOf),
    surfaces: candidate.surfaces.map(({ path, anchor }) => ({
      path,
      anchor: anchor === null ? null : cut(anchor, LIMITS.anchor),
    })),
    changes: candidate.files.map(
      ({ path, edits }): Change => ({ path, action: 'modify', edits: edits.map((edit) => ({ ...edit })) }),
    ),
    idea: keptIdea(candidate),
  }
  return fits(proposal) ? proposal : null
}

/** Lines of the notes: why the proposal was made, and the event that the site has to send. */
function linesOf({ reasons, eventToSend }: Pick<Idea, 'reasons' | 'eventToSend'>): string[] {
  const send =
    eventToSend === null
      ? []
      : [`Send \`${eventToSend.eventName}\` when ${eventToSend.when.replace(/^when\s+/i, '')}.`]
  return [...reasons, ...send].flatMap((reason) => reason.split('\n'))
}

/**
 * The notes of a proposal after a revision. New lines of the generator replace its old ones. Lines of people
 * stay. If none of the old lines is left, only warnings about unstated facts and the remark are added.
 */
export function notesAfter(notes: string, before: Idea | null, now: Idea): string {
  const lines = notes.split('\n').filter((line) => !isRemark(line))
  const old = new Set(before === null ? [] : linesOf(before))
  const first = lines.findIndex((line) => old.has(line))
  const isNew = (line: string): boolean => !lines.includes(line) && (saysUnstated(line) || isRemark(line))
  const after =
    first < 0
      ? [...(notes === '' ? [] : lines), ...linesOf(now).filter(isNew)]
      : [...lines.slice(0, first), ...linesOf(now), ...lines.slice(first).filter((line) => !old.has(line))]
  return cut(after.join('\n'), LIMITS.notes)
}

function variantsOf({ variants }: Proposed): Variant[] {
  const controlFirst = [...variants].sort((a, b) => Number(b.isControl) - Number(a.isControl))
  return controlFirst.map(({ key, displayName, trafficSplit }) => ({
    key,
    displayName: cut(normalizeName(displayName), LIMITS.displayName),
    trafficSplit,
  }))
}

function targetOf(target: Proposed['conversionTargets'][number]): ConversionTarget {
  return { ...target, name: cut(target.name, LIMITS.targetName), filters: [...target.filters] }
}

function keptIdea({ ruleId, topics, alternatives, eventToSend, score, reasons }: Proposed): Idea {
  return { ruleId, topics, alternatives, eventToSend, score, reasons }
}

function fits(proposal: {
  readonly name: string
  readonly variants: readonly Variant[]
  readonly conversionTargets: readonly ConversionTarget[]
  readonly surfaces: readonly unknown[]
  readonly changes: readonly Change[]
}): boolean {
  const { name, variants, conversionTargets, surfaces, changes } = proposal
  const splits = variants.reduce((sum, { trafficSplit }) => sum + trafficSplit, 0)
  return (
    [name, ...variants.map(({ displayName }) => displayName)].every(
      (one) => nameProblem(one) === undefined,
    ) &&
    variants.length >= 2 &&
    variants.length <= LIMITS.variants &&
    splits === 100 &&
    variants[0]?.trafficSplit !== 0 &&
    conversionTargets.length >= 1 &&
    conversionTargets.length <= LIMITS.targets &&
    surfaces.length <= LIMITS.surfaces &&
    changes.length >= 1 &&
    changes.length <= LIMITS.changes &&
    changes.every(({ edits = [] }) => edits.length >= 1 && edits.length <= LIMITS.edits) &&
    isStorable(proposal)
  )
}

/** Postgres cannot store NUL or unpaired surrogates. */
const UNSTORABLE = /\0|\p{Cs}/u

function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !UNSTORABLE.test(value)
  return typeof value !== 'object' || value === null || Object.values(value).every(isStorable)
}

/** Cuts a text to a number of characters. */
function cut(text: string, most: number): string {
  const whole = text.replace(/\0|\p{Cs}/gu, '')
  const characters = [...whole]
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : whole
}
