import { endsWithName, filesNamedIn, wordsOfPath } from './named-files.js'
import { isForbidden } from './notes.js'
import type { Candidate, DropReason, Drops, PastIdea, Request, Revision } from './port.js'
import { isSameIdea, shareSurface } from './same-idea.js'
import { stemOf, wordsOf } from './words.js'

type Memory = Pick<Request, 'notes' | 'dismissals' | 'lessons' | 'inFlight' | 'focus'>

/** The candidates that are worth storing, best first, at most `count`; every other one is counted with its reason. */
export function choose(
  candidates: readonly Candidate[],
  memory: Memory & Pick<Request, 'count'>,
  drops: Drops,
): Candidate[] {
  const kept: Candidate[] = []
  let pending = 0
  for (const candidate of candidates.map((one) => withLesson(one, memory)).sort(byWorth(memory))) {
    const reason = reasonAgainst(candidate, memory) ?? (repeats(candidate, kept) ? 'duplicate' : null)
    if (reason === null) kept.push(candidate)
    else drops.add(reason)
    // What is pending or under way is on the table already.
    if (reason === 'in_flight') pending += 1
  }
  const few = fewOfAKind(kept, memory)
  for (let left = kept.length - few.length; left > 0; left--) drops.add('much_alike')
  const larger = few.filter((one) => rankOfSize(one, memory) === 0)
  const chosen = varied(larger, memory.count)
  for (let left = larger.length - chosen.length; left > 0; left--) drops.add('beyond_count')
  for (const [rank, most] of [THIN, 1].entries()) {
    const small = few.filter((one) => rankOfSize(one, memory) === rank + 1)
    const filling = varied(small, Math.max(0, Math.min(memory.count, most - pending) - chosen.length), chosen)
    for (let left = small.length - filling.length; left > 0; left--) drops.add('little_effect')
    chosen.push(...filling)
  }
  return chosen
}

const SIZES: readonly Candidate['size'][] = [undefined, 'small', 'smallest']

/** How small a candidate is: 0 for what is proposed by itself, or where a focus asks for it. */
export const rankOfSize = ({ size }: Candidate, { focus }: Pick<Memory, 'focus'>): number =>
  focus === null ? SIZES.indexOf(size) : 0

/** With fewer proposals than this a batch is thin, and the best of what is small fills it up. */
export const THIN = 5

/** What is small comes last, however good its place. */
export const byWorth =
  (memory: Pick<Memory, 'focus'>) =>
  (a: Candidate, b: Candidate): number =>
    rankOfSize(a, memory) - rankOfSize(b, memory) || byScore(a, b)

const byScore = (a: Candidate, b: Candidate): number =>
  b.score - a.score || (orderOf(a) < orderOf(b) ? -1 : orderOf(a) > orderOf(b) ? 1 : 0)
const orderOf = ({ surfaces, name }: Candidate): string =>
  `${surfaces[0]?.path ?? ''} ${surfaces[0]?.anchor ?? ''} ${name}`

/** Why a candidate is not to be proposed by what the workspace knows, or `null`. */
export function reasonAgainst(candidate: Revision, memory: Memory): DropReason | null {
  const { notes, dismissals, lessons, inFlight, focus } = memory
  if (inFlight.some((one) => shareSurface(one.surfaces, candidate.surfaces) || isSameIdea(one, candidate)))
    return 'in_flight'
  const taught = dismissals.filter(({ reasons }) => reasons.some((reason) => reason !== 'replaced'))
  if (taught.some((one) => isSameIdea(one, candidate))) return 'dismissed'
  if (
    lessons.some(
      (one) => one.outcome === 'lost' && (isSameIdea(one, candidate) || isSamePattern(one, candidate)),
    )
  )
    return 'lesson_lost'
  // What won stands in the code by now, or the team has its reason; the same words elsewhere are what the lesson is for.
  if (
    lessons.some(
      (one) =>
        one.mechanism === candidate.mechanism &&
        one.outcome !== 'lost' &&
        shareSurface(one.surfaces, candidate.surfaces),
    )
  )
    return 'lesson_known'
  if (isForbidden(candidate, notes)) return 'note'
  if (focus !== null && !isInFocus(candidate, focus)) return 'outside_focus'
  return null
}

const isSamePattern = (one: PastIdea, candidate: Revision): boolean =>
  one.pattern !== undefined && one.pattern !== '' && one.pattern === candidate.pattern

/** A lesson that won speaks for the same thing on the next surface, and is named there. */
function withLesson(candidate: Candidate, { lessons }: Memory): Candidate {
  const won = lessons.find(
    (one) =>
      one.outcome === 'won' &&
      !shareSurface(one.surfaces, candidate.surfaces) &&
      (isSamePattern(one, candidate) || (one.pattern === undefined && one.mechanism === candidate.mechanism)),
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

const repeats = (candidate: Candidate, kept: readonly Candidate[]): boolean =>
  kept.some(
    (other) => isSameIdea(other, candidate) || sameEdits(other, candidate) || sharesText(other, candidate),
  )

const editsText = ({ files }: Candidate): string =>
  JSON.stringify(files.flatMap(({ edits }) => edits.map(({ find, replace }) => [find, replace])))

const sameEdits = (a: Candidate, b: Candidate): boolean => editsText(a) === editsText(b)

/** Two experiments of one batch that change the same text could not both be approved. */
const sharesText = (a: Candidate, b: Candidate): boolean =>
  a.files.some((one) =>
    b.files.some(
      (other) =>
        one.path === other.path &&
        one.edits.some((edit) =>
          other.edits.some(({ find }) => find.includes(edit.find) || edit.find.includes(find)),
        ),
    ),
  )

const EMPTY_FOCUS = new Set(
  'the a an of on in for to and or our more page pages please improve increase better'.split(' '),
)

/** Whether a candidate is on a file that the focus names; else whether any word of it stands in what the candidate is about. A focus of filler words is none. */
export function isInFocus(candidate: Revision, focus: string): boolean {
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

const MAX_OF_A_KIND = 2

/** What one rule found in many places is one thing to talk about: the best places, as they are ranked; of what only fills up a batch the best one. */
function fewOfAKind(candidates: readonly Candidate[], memory: Pick<Memory, 'focus'>): Candidate[] {
  const found = new Map<string, number>()
  const reasons = new Set<string>()
  return candidates.filter((candidate) => {
    const { pattern, evidence, name } = candidate
    // The same said for the same reason is one idea, though the words around it differ; and so is what goes by the same name in two files.
    const said = pattern === '' ? [] : [JSON.stringify([pattern, 'name', name])]
    if (evidence !== undefined) said.push(JSON.stringify([pattern, 'evidence', evidence]))
    if (said.some((one) => reasons.has(one))) return false
    for (const one of said) reasons.add(one)
    const isSmall = rankOfSize(candidate, memory) > 0
    // A rule says beside its name of which kind a place is.
    const kind = isSmall ? (pattern.split(' ')[0] ?? '') : pattern
    const count = (found.get(kind) ?? 0) + 1
    found.set(kind, count)
    return pattern === '' || count <= (isSmall ? 1 : MAX_OF_A_KIND)
  })
}

/** The best, and of different kinds: each further one of a mechanism, a pattern or a file counts for less, those that are there already included. */
function varied(
  candidates: readonly Candidate[],
  count: number,
  there: readonly Candidate[] = [],
): Candidate[] {
  const rest = [...candidates]
  const chosen: Candidate[] = []
  while (chosen.length < count && rest.length > 0) {
    let best = 0
    let bestWorth = Number.NEGATIVE_INFINITY
    for (const [index, candidate] of rest.entries()) {
      const worth = candidate.score * weightBeside(candidate, [...there, ...chosen])
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
    const samePattern = other.pattern === candidate.pattern ? 0.6 : 1
    return weight * sameFile * samePattern * (other.mechanism === candidate.mechanism ? 0.85 : 1)
  }, 1)
}
