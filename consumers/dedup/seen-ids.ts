import { setTimeout as delay } from 'node:timers/promises'
import type { ClickHouse } from '../../clickhouse/port.js'
import type { EventLog } from '../../log/port.js'
import type { Logger } from '../../runtime/logger.js'
import { type Block, OUTCOME } from '../blocks/block.js'
import { type DedupSet, SEEN } from './dedup-set.js'
import { type Held, HeldIds } from './held-ids.js'
import { indexHashes } from './index-hashes.js'
import type { PendingHashes } from './pending-hashes.js'
import { countStored, fillFromStore, findStored } from './stored-ids.js'

/** A month with fewer ids is read as a whole for a look-up: some 30 ms. */
const INDEX_ABOVE = 2_000_000
/** How long a block waits for the ids of a month: most are there by then. */
const PATIENCE_MS = 250

/** The ids of one partition and month, for one block. */
export interface MonthIds {
  /** Stored in ClickHouse. */
  readonly seen: DedupSet
  /** In the block: one for all its months. */
  readonly pending: PendingHashes
  /** Rows of the block of which memory cannot tell whether they are stored. */
  readonly doubtful: number[]
}

export interface SeenIds {
  /**
   * The ids of each month, from ClickHouse where they are not in memory. Only rows of this partition below offset `before` count
   * as stored: later ones belong to a block that is being carried out again and must come out as it did.
   *
   * Reading the ids of a large month takes seconds, for which it waits a moment only: until they are there every row is doubtful, which costs look-ups.
   */
  open(partition: number, months: Iterable<number>, before: number): Promise<Map<number, MonthIds>>
  /** Asks ClickHouse about the doubtful rows of a block. `again`: rows from `before` on may be stored, see `findStored`. */
  decide(
    block: Block,
    partition: number,
    months: ReadonlyMap<number, MonthIds>,
    before: number,
    again: boolean,
  ): Promise<void>
  /** Forgets a partition's ids: another owner may have stored more since. */
  drop(partition: number): void
  /** Brings memory back within the bound. What is in `keep` may become smaller but stays. */
  shrink(keep: ReadonlySet<MonthIds>): Promise<void>
  size(): { readonly entries: number; readonly bytes: number }
}

export interface SeenIdsOptions {
  readonly logger?: Pick<Logger, 'info' | 'warn'>
  /** Ids of a month above which look-ups get an index. */
  readonly indexAbove?: number
  /** How long a block waits for the ids of a month. */
  readonly patienceMs?: number
}

/**
 * Which ids have been stored, by partition and month: in memory, filled from ClickHouse, which is the truth, when first
 * needed, and dropped by disuse, never by the clock: backlogs and replays come late. While a set is being filled it says no of nothing, so events are seen soon after a start, whatever the month
 * holds.
 *
 * Within the bound memory is exact, above it less and less so (`HeldIds`): what it cannot decide is asked of ClickHouse, block by block. So any bound gives exact results, and
 * less memory costs speed.
 */
export function createSeenIds(
  clickhouse: ClickHouse,
  log: Pick<EventLog, 'id' | 'partitions'>,
  memoryBytes: number,
  options: SeenIdsOptions = {},
): SeenIds {
  const { logger, indexAbove = INDEX_ABOVE, patienceMs = PATIENCE_MS } = options
  const indexed = new Set<number>()
  const memory = new HeldIds(memoryBytes)

  async function fill(held: Held, month: number, before: number): Promise<void> {
    const scope = { partition: held.partition, month, before }
    held.seen.isFilling = true
    try {
      const stored = await countStored(clickhouse, log, scope)
      const keep = new Set([held.seen])
      held.seen.reserve(stored)
      // Before it is filled: what will not fit is made a filter while it is empty.
      await memory.makeFit(keep)
      if (held.seen.isBlind) return
      await fillFromStore(clickhouse, log, scope, held.seen, { stored, added: () => memory.makeFit(keep) })
      held.seen.isFilling = false
    } catch (error) {
      memory.release(held)
      logger?.info({ err: error, month }, 'the ids of a month could not be read: the next block begins anew')
      throw error
    }
  }

  /** Until the set has all ids, or long enough. A failure that comes later is told to nobody: what has been released says no of nothing. */
  async function waitFor({ seen, ready }: Held): Promise<void> {
    if (!seen.isFilling) return
    const waiting = new AbortController()
    const late = delay(patienceMs, undefined, { signal: waiting.signal }).catch(() => {})
    try {
      await Promise.race([ready, late])
    } finally {
      waiting.abort()
    }
  }

  /** Once a month and process, beside the work: without it look-ups take longer, no more. */
  function index(month: number): void {
    if (indexed.has(month)) return
    indexed.add(month)
    indexHashes(clickhouse, month).then(
      () => logger?.info({ month }, 'ids beyond the memory bound: the month gets an index by hash'),
      (error: unknown) => logger?.warn({ err: error, month }, 'the month gets no index by hash'),
    )
  }

  return {
    async open(partition, months, before) {
      const pending = memory.pending(partition)
      const found = new Map<number, MonthIds>()
      for (const month of months) {
        const held = memory.use(partition, month, (held) => fill(held, month, before))
        // Also where another call has begun to fill it.
        await waitFor(held)
        found.set(month, { seen: held.seen, pending, doubtful: [] })
      }
      return found
    },

    async decide(block, partition, months, before, again) {
      const { hashes, outcomes } = block
      for (const [month, { doubtful, seen }] of months) {
        if (doubtful.length === 0) continue
        if (seen.known > indexAbove && !seen.isFilling) index(month)
        const scope = { partition, month, before }
        const stored = await findStored(clickhouse, log, scope, hashes, doubtful, again)
        for (const row of doubtful) {
          const at = row * 4
          const found = stored.has(
            hashes[at] as number,
            hashes[at + 1] as number,
            hashes[at + 2] as number,
            hashes[at + 3] as number,
          )
          if (found === SEEN.yes) outcomes[row] = OUTCOME.duplicate
        }
      }
    },

    drop: (partition) => memory.drop(partition),
    shrink: (keep) => memory.makeFit(new Set([...keep].map(({ seen }) => seen))),
    size: () => memory.size(),
  }
}
