import { reasonAgainst } from './filter.js'
import { type Ground, ground } from './ground.js'
import type { Generator, Proposal, RefineRequest, Revised, Revision } from './port.js'
import { newTexts } from './runs.js'

/**
 * A proposal rewritten by instructions: the whole of it, to be stored in the place of what was there, or why not. What comes of it stands on the code
 * as a new proposal does, and is no second experiment on a place where one runs or which the team keeps off.
 */
export async function refineCandidate(
  generator: Generator,
  request: RefineRequest,
  { mayChange, signal }: Pick<Ground, 'mayChange'> & { signal?: AbortSignal },
): Promise<Revised> {
  const revised = await generator.refine(request, signal)
  if (!revised.ok) return revised
  const { candidate } = revised
  const grounded = await ground(candidate, {
    read: (path) => request.repository.read(path),
    mayChange,
    stated: [request.instructions, ...saidAlready(request.proposal)].join('\n'),
  })
  if (!grounded.ok) return { ok: false, message: `It cannot be written: ${grounded.message}` }
  const { notes, inFlight } = request
  const reason = hasMoved(request, candidate)
    ? reasonAgainst(candidate, { notes, inFlight, dismissals: [], lessons: [], focus: null })
    : null
  if (reason === 'in_flight') return { ok: false, message: 'An experiment is under way at that place.' }
  if (reason === 'note') return { ok: false, message: 'A note of the team keeps experiments off that place.' }
  return revised
}

/** What a proposal says was held against the code when it was made: where that states it, nobody has kept. */
const saidAlready = ({ files, variants }: Proposal): string[] =>
  variants.flatMap(({ key }) => newTexts(files, key))

const placesOf = ({ surfaces }: Pick<Revision, 'surfaces'>): string =>
  JSON.stringify(surfaces.map(({ path, anchor }) => [path, anchor]))

/** A proposal that stays where it is was judged when it was made. */
const hasMoved = ({ proposal }: RefineRequest, candidate: Revision): boolean =>
  placesOf(proposal) !== placesOf(candidate)
