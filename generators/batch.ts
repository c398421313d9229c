import { byWorth, choose, rankOfSize, reasonAgainst, THIN } from './filter.js'
import { type Ground, ground } from './ground.js'
import { type Candidate, type DropReason, Drops, type Generator, type Request } from './port.js'

export interface Batch {
  /** how many a generator came up with, before anything was dropped */
  generated: number
  proposals: Candidate[]
  dropped: { reason: DropReason; count: number }[]
}

export type BatchStep = 'propose' | 'ground' | 'filter'

/** Candidates beyond this many are not tried: the best of so many are enough, and each costs a few milliseconds. */
const MAX_GROUNDED = 400
/** Of one rule fewer are, since fewer are kept. */
const MAX_OF_A_KIND = 12
/** What is small is tried only to fill up a batch, so a few are enough. */
const MAX_SMALL = 24

/**
 * One batch of proposals, from reading to ranking. Every candidate is dropped with a reason or returned. Throws what reading throws, and the
 * signal's reason when it is aborted.
 */
export async function batchOf(
  generator: Generator,
  request: Request,
  {
    mayChange,
    signal,
    onStep,
  }: Pick<Ground, 'mayChange'> & { signal?: AbortSignal; onStep?: (step: BatchStep) => void },
): Promise<Batch> {
  const drops = new Drops()
  const candidates: Candidate[] = []
  onStep?.('propose')
  for await (const candidate of generator.propose(request, drops, signal)) candidates.push(candidate)
  onStep?.('ground')
  const grounded: Candidate[] = []
  const read = lastRead((path) => request.repository.read(path))
  const kinds = new Map<string, number>()
  let [tried, kept, small] = [0, 0, 0]
  const best = [...candidates].sort(byWorth(request))
  for (const candidate of best) {
    signal?.throwIfAborted()
    // What the workspace has something against is counted with its reason below, and need not be tried.
    const reason = reasonAgainst(candidate, request)
    if (reason !== null) {
      grounded.push(candidate)
      // What is pending or under way is on the table already.
      if (reason === 'in_flight') kept += 1
      continue
    }
    const isSmall = rankOfSize(candidate, request) > 0
    if (isSmall && (kept >= THIN || small >= MAX_SMALL)) {
      drops.add('little_effect')
      continue
    }
    const kind = candidate.pattern
    if (tried >= MAX_GROUNDED || (kind !== '' && (kinds.get(kind) ?? 0) >= MAX_OF_A_KIND)) {
      drops.add(tried >= MAX_GROUNDED ? 'beyond_count' : 'much_alike')
      continue
    }
    tried += 1
    if (isSmall) small += 1
    const result = await ground(candidate, { read, mayChange })
    if (result.ok) {
      grounded.push(candidate)
      if (!isSmall) kept += 1
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
    } else drops.add(result.reason)
    await new Promise((resolve) => setImmediate(resolve))
  }
  onStep?.('filter')
  const proposals = choose(grounded, request, drops)
  return { generated: candidates.length, proposals, dropped: drops.list() }
}

/** Candidates of one file often follow each other. */
function lastRead(read: Ground['read']): Ground['read'] {
  let known: { path: string; text: string | null } | null = null
  return async (path) => {
    if (known?.path !== path) known = { path, text: await read(path) }
    return known.text
  }
}
