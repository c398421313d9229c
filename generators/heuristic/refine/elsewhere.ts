import { isInFocus } from '../../filter.js'
import { ground } from '../../ground.js'
import { endsWithName, filesNamedIn, naming } from '../../named-files.js'
import { type Candidate, Drops, type Generator, type Proposal, type RefineRequest } from '../../port.js'
import { isSameIdea, shareSurface } from '../../same-idea.js'
import { isPagePath } from '../../surface-rank.js'
import { wordsOf } from '../../words.js'

/** A focus of filler words: what is small is found too, since it is asked for. */
const ALL = 'page'
const MAX_NAMED = 8

/** The same idea on another surface: what the same rule found there; or why there is none, with the surfaces that there are. */
export async function elsewhere(
  request: RefineRequest,
  where: string | null,
  propose: Generator['propose'],
  signal?: AbortSignal,
): Promise<Candidate | string> {
  const { proposal, inFlight, repository } = request
  const all: Candidate[] = []
  for await (const one of propose({ ...request, focus: ALL, count: 20 }, new Drops(), signal)) all.push(one)
  const pattern = patternOf(proposal, all)
  if (pattern === null)
    return 'Which rule made this proposal cannot be told any more, so that nothing tells where else it holds.'
  const others = all
    .filter(
      (one) =>
        ruleOf(one.pattern) === ruleOf(pattern) &&
        one.mechanism === proposal.mechanism &&
        !shareSurface(one.surfaces, proposal.surfaces) &&
        !inFlight.some((other) => shareSurface(other.surfaces, one.surfaces)),
    )
    .sort((a, b) => Number(b.pattern === pattern) - Number(a.pattern === pattern) || b.score - a.score)
  const fitting = where === null ? others : await at(where, others, request)
  let against = ''
  for (const one of fitting) {
    const grounded = await ground(one, { read: (path) => repository.read(path), mayChange: () => true })
    if (grounded.ok) return one
    against ||= ` (${grounded.message})`
  }
  const place = where === null ? 'another surface' : `“${where.slice(0, 120)}”`
  return `Nothing of the kind (${proposal.mechanism ?? 'no mechanism'}) was found for ${place}${against}. ${placesSaid(others)}`
}

/** The rule that found a proposal: kept with it, or that of the candidate that says the same in the same place; `null` where none does. */
function patternOf(proposal: Proposal, all: readonly Candidate[]): string | null {
  if (proposal.pattern !== undefined && proposal.pattern !== '') return proposal.pattern
  const alike = all.filter(
    (one) => one.mechanism === proposal.mechanism && shareSurface(one.surfaces, proposal.surfaces),
  )
  const idea = { ...proposal, alternatives: [] }
  const [only, ...more] = alike
  const best =
    alike.find(({ name }) => name === proposal.name) ??
    (more.length === 0 ? only : alike.find((one) => isSameIdea(one, idea)))
  return best?.pattern ?? null
}

/** A pattern without what its place is for: `submit-label sign up` and `submit-label contact` are one rule. */
const ruleOf = (pattern: string): string => pattern.split(' ')[0] ?? ''

const FILLERS =
  /^(the|a|an|our|page|screen|form|section|file|der|die|das|dem|seite|formular|la|le|les|el|los|p[aá]gina|formulario|formulaire)$/

/** Those at a place: on the file that is named, else on the page that goes by these words, else where all of them are spoken of. */
async function at(
  where: string,
  others: readonly Candidate[],
  { repository }: RefineRequest,
): Promise<Candidate[]> {
  if (filesNamedIn(where).length > 0) return others.filter((one) => isInFocus(one, where))
  const on = others.filter(({ surfaces }) =>
    surfaces.some(({ path }) => where.includes('/') && endsWithName(path, where)),
  )
  if (on.length > 0) return on
  const words = wordsOf(where).filter((word) => !FILLERS.test(word))
  const named = (path: string): number => naming(path, words)
  let best = 0
  for await (const { path } of repository.files(() => false))
    if (isPagePath(path)) best = Math.max(best, named(path))
  if (best > 0) {
    const rank = ({ surfaces }: Candidate): number => Math.max(0, ...surfaces.map(({ path }) => named(path)))
    return others.filter((one) => rank(one) === best)
  }
  return words.length === 0 ? [] : others.filter((one) => words.every((word) => isInFocus(one, word)))
}

function placesSaid(others: readonly Candidate[]): string {
  const places = [...new Set(others.map(({ surfaces }) => surfaces[0]?.path ?? ''))].filter(
    (path) => path !== '',
  )
  if (places.length === 0) return 'There is no other surface for it.'
  const more = places.length > MAX_NAMED ? `, and ${places.length - MAX_NAMED} more` : ''
  return `There is: ${places.slice(0, MAX_NAMED).join(', ')}${more}.`
}
