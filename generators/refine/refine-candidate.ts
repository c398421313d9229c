import { reasonAgainst } from '../filter.js'
import { unstatedIn } from '../grounding/claims.js'
import { TypeCheck } from '../grounding/type-check.js'
import { type ValidationContext, validateCandidate } from '../grounding/validate-candidate.js'
import { addedTexts } from '../page/visible-text.js'
import type { Generator, Proposal, RefineRequest, Revised, RevisedCandidate } from '../port.js'
import { AS_WORDED, saysUnstated } from './marked-notes.js'

/**
 * Rewrites a proposal by instructions, or says why not. The result passes the same checks as a new proposal,
 * and does not move to a place where an experiment runs or that a note forbids.
 */
export async function refineCandidate(
  generator: Generator,
  request: RefineRequest,
  { mayChange, signal }: Pick<ValidationContext, 'mayChange'> & { signal?: AbortSignal },
): Promise<Revised> {
  const revised = await generator.refine(request, signal)
  if (!revised.ok) return revised
  const before = saidAlready(request.proposal)
  const read = (path: string): Promise<string | null> => request.repository.read(path)
  const refusal = await validateCandidate(revised.candidate, {
    read,
    mayChange,
    // Rules write plain words, and know no site.
    ...(revised.site === undefined ? {} : { types: new TypeCheck(read) }),
    stated: [request.instructions, ...before].join('\n'),
    site: revised.site,
  })
  if (refusal !== null) return { ok: false, message: `It cannot be written: ${refusal.message}` }
  const { notes, inFlight } = request
  const reason = hasMoved(request, revised.candidate)
    ? reasonAgainst(revised.candidate, { notes, inFlight, dismissals: [], lessons: [], focus: null })
    : null
  if (reason === 'in_flight') return { ok: false, message: 'An experiment is under way at that place.' }
  if (reason === 'note') return { ok: false, message: 'A note of the team keeps experiments off that place.' }
  return withUnstated(revised, request, before)
}

/** The proposal's own texts, which were checked against the code when it was made. */
const saidAlready = ({ files }: Pick<Proposal, 'files'>): string[] =>
  files.flatMap(({ edits }) => edits.flatMap((edit) => addedTexts(edit).map(({ text }) => text)))

/** Accepts words that state what the code does not, and warns of it in the summary and the notes. */
async function withUnstated(
  revised: Revised & { ok: true },
  { proposal, repository }: RefineRequest,
  before: readonly string[],
): Promise<Revised> {
  const { candidate, summary } = revised
  const known = [...before, ...(candidate.evidence ?? []).map(({ says }) => says)]
  for (const { path } of candidate.files) known.push((await repository.read(path)) ?? '')
  const stated = known.join('\n')
  const texts = [...new Set([...candidate.alternatives, ...saidAlready(candidate)])]
  const fresh = texts
    .map((text) => ({ text, unstated: unstatedIn(text, stated) }))
    .filter(({ unstated }) => unstated.length > 0)
    .map(
      ({ text, unstated }) =>
        `“${text}”${AS_WORDED}${candidate.surfaces[0]?.path ?? 'the code'} does not state ${unstated.map((one) => `“${one}”`).join(', ')}. Make sure that it holds.`,
    )
  const stands = (reason: string): boolean => texts.some((text) => reason.startsWith(`“${text}”${AS_WORDED}`))
  const kept = (proposal.reasons ?? []).filter((reason) => saysUnstated(reason) && stands(reason))
  return {
    ok: true,
    candidate: {
      ...candidate,
      reasons: [...new Set([...candidate.reasons.filter((one) => !saysUnstated(one)), ...kept, ...fresh])],
    },
    summary: [summary, ...fresh].join(' '),
  }
}

const placesOf = ({ surfaces }: Pick<RevisedCandidate, 'surfaces'>): string =>
  JSON.stringify(surfaces.map(({ path, anchor }) => [path, anchor]))

/** A proposal that stays at its place was checked when it was made. */
const hasMoved = ({ proposal }: RefineRequest, candidate: RevisedCandidate): boolean =>
  placesOf(proposal) !== placesOf(candidate)
