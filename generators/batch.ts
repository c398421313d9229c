import { byScore, filterCandidates, reasonAgainst } from './filter.js'
import { type ValidationContext, validateCandidate } from './grounding/validate-candidate.js'
import { type Candidate, type DropReason, Drops, type Generator, type Request } from './port.js'

export interface Batch {
  /** how many a generator came up with, before anything was dropped */
  generated: number
  proposals: Candidate[]
  dropped: { reason: DropReason; count: number }[]
}

export type BatchStep = 'propose' | 'ground' | 'filter'

/** Candidates beyond this many are not tried: the best of so many are enough, and each costs milliseconds. */
const MAX_GROUNDED = 400
/** At most this many of one rule are tried, since fewer are kept. */
const MAX_OF_A_RULE = 12

/**
 * One batch of proposals, from reading to ranking. Every candidate is returned or dropped with a reason.
 * @throws what reading throws, and the signal's reason if it is aborted
 */
export async function batchOf(
  generator: Generator,
  request: Request,
  {
    mayChange,
    signal,
    onStep,
  }: Pick<ValidationContext, 'mayChange'> & { signal?: AbortSignal; onStep?: (step: BatchStep) => void },
): Promise<Batch> {
  const drops = new Drops()
  const candidates: Candidate[] = []
  onStep?.('propose')
  for await (const candidate of generator.propose(request, drops, signal)) candidates.push(candidate)
  onStep?.('ground')
  const grounded: Candidate[] = []
  const read = lastRead((path) => request.repository.read(path))
  const perRule = new Map<string, number>()
  let tried = 0
  for (const candidate of [...candidates].sort(byScore)) {
    signal?.throwIfAborted()
    // What the workspace has something against is counted with its reason below, and need not be tried.
    if (reasonAgainst(candidate, request) !== null) {
      grounded.push(candidate)
      continue
    }
    const { ruleId } = candidate
    if (tried >= MAX_GROUNDED || (ruleId !== '' && (perRule.get(ruleId) ?? 0) >= MAX_OF_A_RULE)) {
      drops.add(tried >= MAX_GROUNDED ? 'beyond_count' : 'much_alike')
      continue
    }
    tried += 1
    const result = await validateCandidate(candidate, { read, mayChange })
    if (result.ok) {
      grounded.push(candidate)
      perRule.set(ruleId, (perRule.get(ruleId) ?? 0) + 1)
    } else drops.add(result.reason)
    await new Promise((resolve) => setImmediate(resolve))
  }
  onStep?.('filter')
  const proposals = filterCandidates(grounded, request, drops)
  return { generated: candidates.length, proposals, dropped: drops.list() }
}

/** Candidates of one file often follow each other. */
function lastRead(read: ValidationContext['read']): ValidationContext['read'] {
  let known: { path: string; text: string | null } | null = null
  return async (path) => {
    if (known?.path !== path) known = { path, text: await read(path) }
    return known.text
  }
}
