import { dropReasonLabel } from '../domain/text/labels.js'
import { setOf, stemOf, wordsOf } from './lexicon/words.js'
import { endsWithName, filesNamedIn, wordsOfPath } from './named-files.js'
import { isForbidden } from './notes.js'
import { decoded } from './page/message-links.js'
import type {
  BatchRecord,
  Candidate,
  ChangedText,
  DropReason,
  PastIdea,
  Refusal,
  Request,
  RevisedCandidate,
} from './port.js'
import { changedTexts, changeSameText, isSameIdea, samePlace } from './same-place.js'

type Memory = Pick<Request, 'notes' | 'dismissals' | 'lessons' | 'inFlight' | 'focus'>

/** The candidates worth storing, best first, at most `count`. Every other one is counted with its reason. */
export function filterCandidates(
  candidates: readonly Candidate[],
  memory: Memory & Pick<Request, 'count'>,
  record: BatchRecord,
): Candidate[] {
  const kept: Candidate[] = []
  const drop = (left: readonly Candidate[], stays: readonly Candidate[], reason: DropReason): void => {
    for (const one of left) if (!stays.includes(one)) record.drop(one.name, refusal(reason))
  }
  for (const candidate of candidates.map((one) => withLesson(one, memory)).sort(byScore)) {
    const reason = reasonAgainst(candidate, memory) ?? (repeats(candidate, kept) ? 'duplicate' : null)
    if (reason === null) kept.push(candidate)
    else record.drop(candidate.name, refusal(reason))
  }
  const few = fewOfARule(kept)
  drop(kept, few, 'much_alike')
  const chosen = varied(few, memory.count)
  drop(few, chosen, 'beyond_count')
  return chosen
}

const refusal = (reason: DropReason): Refusal => ({ reason, message: `It is ${dropReasonLabel(reason)}.` })

/** As `reasonAgainst`, with a sentence. */
export function refusalOf(candidate: RevisedCandidate, memory: Memory): Refusal | null {
  const reason = reasonAgainst(candidate, memory)
  return reason === null ? null : refusal(reason)
}

export const byScore = (a: Candidate, b: Candidate): number =>
  b.score - a.score || (orderOf(a) < orderOf(b) ? -1 : orderOf(a) > orderOf(b) ? 1 : 0)
const orderOf = ({ surfaces, name }: Candidate): string =>
  `${surfaces[0]?.path ?? ''} ${surfaces[0]?.anchor ?? ''} ${name}`

/** Why the workspace has something against a candidate, `null` if it has nothing. */
export function reasonAgainst(given: RevisedCandidate, memory: Memory): DropReason | null {
  const { notes, dismissals, lessons, inFlight, focus } = memory
  const candidate = withFinds(given)
  const isSame = (one: PastIdea) =>
    isSameIdea(one, candidate) || changeSameText(one.finds ?? [], candidate.finds)
  if (inFlight.some((one) => samePlace(one, candidate, true) || isSame(one))) return 'in_flight'
  const taught = dismissals.filter(({ reasons }) => reasons.some((reason) => reason !== 'replaced'))
  if (taught.some(isSame)) return 'dismissed'
  if (
    lessons.some(
      (one) => one.outcome === 'lost' && (isSameIdea(one, candidate) || isSameRuleInFile(one, candidate)),
    )
  )
    return 'lesson_lost'
  // The code has the change that won by now. The lesson is for the same idea at another place.
  if (
    lessons.some(
      (one) =>
        one.mechanism === candidate.mechanism && one.outcome !== 'lost' && samePlace(one, candidate, true),
    )
  )
    return 'lesson_known'
  if (isForbidden(candidate, notes)) return 'note'
  if (focus !== null && !isInFocus(candidate, focus)) return 'outside_focus'
  return null
}

const withFinds = <T extends RevisedCandidate>(candidate: T): T & { finds: readonly ChangedText[] } => ({
  ...candidate,
  finds: candidate.finds ?? changedTexts(candidate.files),
})

const isSameRule = (one: PastIdea, candidate: RevisedCandidate): boolean =>
  one.ruleId !== undefined && one.ruleId !== '' && one.ruleId === candidate.ruleId

const isSameRuleInFile = (one: PastIdea, candidate: RevisedCandidate): boolean =>
  isSameRule(one, candidate) &&
  one.surfaces.some(({ path }) => candidate.surfaces.some((other) => other.path === path))

/** A lesson that won speaks for the same rule at the next place, whose hypothesis names it. */
function withLesson(candidate: Candidate, { lessons }: Memory): Candidate {
  const won = lessons.find(
    (one) =>
      one.outcome === 'won' &&
      !samePlace(one, withFinds(candidate), true) &&
      (isSameRule(one, candidate) || (one.ruleId === undefined && one.mechanism === candidate.mechanism)),
  )
  if (won === undefined) return candidate
  const where = won.surfaces[0]?.path
  const said = `${candidate.mechanism} won in the experiment ${won.key}${where === undefined ? '' : ` on ${where}`}`
  return {
    ...candidate,
    score: candidate.score * 1.5,
    hypothesis: `${candidate.hypothesis} The same mechanism won in the experiment ${won.key}.`,
    reasons: [...candidate.reasons, `${said}; this is the next surface for it.`],
  }
}

/** Whether a candidate changes the same place as another one, or does the same in another file. */
export const repeats = (candidate: Candidate, kept: readonly Candidate[]): boolean =>
  kept.some(
    (other) =>
      sameEdits(other, candidate) || changeSameText(withFinds(other).finds, withFinds(candidate).finds),
  )

const editsText = ({ files }: Candidate): string =>
  JSON.stringify(files.flatMap(({ edits }) => edits.map(({ find, replace }) => [find, replace])))

const sameEdits = (a: Candidate, b: Candidate): boolean => editsText(a) === editsText(b)

const EMPTY_FOCUS = setOf(
  'the a an of on in for to and or our more page pages please improve increase better',
)

/**
 * Whether a candidate is in a file that the focus names, or is about one of its words. Fillers do not count.
 */
export function isInFocus(candidate: RevisedCandidate, focus: string): boolean {
  const files = filesNamedIn(focus)
  if (files.length > 0)
    return candidate.surfaces.some(({ path }) => files.some((file) => endsWithName(path, file)))
  const wanted = wordsOf(focus)
    .filter((word) => !EMPTY_FOCUS.has(word))
    .map(stemOf)
  if (wanted.length === 0) return true
  const { surfaces, topics, mechanism, name, conversionTargets, alternatives } = candidate
  const said = [
    ...surfaces.flatMap(({ path, anchor }) => [...wordsOfPath(path), anchor ?? '']),
    ...topics,
    ...alternatives,
    ...conversionTargets.map(({ eventName }) => eventName),
    mechanism,
    name,
  ]
  const about = new Set(wordsOf(said.join(' ').replace(/([a-z])([A-Z])/g, '$1 $2')).map(stemOf))
  return wanted.some(
    (word) => about.has(word) || [...about].some((one) => word.length > 3 && one.startsWith(word)),
  )
}

const MAX_OF_A_RULE = 2

/** The words of the addresses that a candidate writes: the number of a call, the address on a map. */
const addressesOf = ({ files }: Candidate): ReadonlySet<string> => {
  const written = files.flatMap(({ edits }) => edits.flatMap(({ replace }) => [...replace.matchAll(WRITTEN)]))
  return new Set(wordsOf(written.map(([, address = '']) => decoded(address)).join(' ')))
}
const WRITTEN = /\bhref="(?:tel:|https:[^"]*&destination=)([^"]+)"/g
/** `24 Bd Notre Dame, 13006 Marseille` and `24 boulevard Notre Dame` are one place. */
const SHARED = 0.75

function isSameAddress(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const shared = [...one].filter((word) => other.has(word)).length
  return shared > 0 && shared >= SHARED * Math.min(one.size, other.size)
}

/** The best places that one rule found. The same name, reason, or address is one idea. */
function fewOfARule(candidates: readonly Candidate[]): Candidate[] {
  const found = new Map<string, number>()
  const seen = new Set<string>()
  const linked: { ruleId: string; addresses: ReadonlySet<string> }[] = []
  return candidates.filter((candidate) => {
    const { ruleId, evidence, name } = candidate
    if (ruleId === '') return true
    const addresses = addressesOf(candidate)
    if (linked.some((one) => one.ruleId === ruleId && isSameAddress(one.addresses, addresses))) return false
    linked.push({ ruleId, addresses })
    const said = [JSON.stringify([ruleId, 'name', name])]
    if (evidence !== undefined) said.push(JSON.stringify([ruleId, 'evidence', evidence]))
    if (said.some((one) => seen.has(one))) return false
    for (const one of said) seen.add(one)
    const count = (found.get(ruleId) ?? 0) + 1
    found.set(ruleId, count)
    return count <= MAX_OF_A_RULE
  })
}

/**
 * The best, and of different kinds: a second one of a rule comes after the first of each other rule, and each
 * further one of a mechanism, a rule or a file counts for less.
 */
function varied(candidates: readonly Candidate[], count: number): Candidate[] {
  const rest = [...candidates]
  const chosen: Candidate[] = []
  while (chosen.length < count && rest.length > 0) {
    let best = 0
    let bestWorth = Number.NEGATIVE_INFINITY
    const isSecond = ({ ruleId }: Candidate): boolean =>
      ruleId !== '' && chosen.some((other) => other.ruleId === ruleId)
    const hasFirst = rest.some((one) => !isSecond(one))
    for (const [index, candidate] of rest.entries()) {
      if (hasFirst && isSecond(candidate)) continue
      const worth = candidate.score * weightBeside(candidate, chosen)
      if (worth > bestWorth) [best, bestWorth] = [index, worth]
    }
    chosen.push(...rest.splice(best, 1))
  }
  return chosen
}

const weightBeside = (candidate: Candidate, chosen: readonly Candidate[]): number => {
  const path = candidate.surfaces[0]?.path
  return chosen.reduce((weight, other) => {
    const sameFile = other.surfaces[0]?.path === path ? 0.85 : 1
    const sameRule = other.ruleId === candidate.ruleId ? 0.6 : 1
    return weight * sameFile * sameRule * (other.mechanism === candidate.mechanism ? 0.85 : 1)
  }, 1)
}
