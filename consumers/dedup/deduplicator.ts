import type { ClickHouse } from '../../clickhouse/port.js'
import type { EventLog } from '../../log/port.js'
import { pause } from '../../runtime/concurrency/pause.js'
import type { Logger } from '../../runtime/logger.js'
import { type DedupSet, SEEN } from './dedup-set.js'
import { type CachedIdSet, IdSetCache } from './id-set-cache.js'
import { indexHashes } from './index-hashes.js'
import type { PendingHashes } from './pending-hashes.js'
import { countStored, fillFromStore, findStored } from './stored-ids.js'

/** A month with fewer ids is read as a whole for a look-up: some 30 ms. */
const INDEX_ABOVE = 2_000_000
/** How long a block waits for the ids of a month: most are there by then. */
const FILL_WAIT_MS = 250

/** The ids of one partition and month, for one block. */
export interface MonthIds {
  /** Stored in ClickHouse. */
  readonly seen: DedupSet
  /** In the block: one for all its months. */
  readonly pending: PendingHashes
  /** Rows of the block of which memory cannot tell whether they are stored. */
  readonly doubtful: number[]
}

export interface Deduplicator {
  /**
   * The ids of each month, from ClickHouse where they are not in memory. Only rows of this partition below offset `before` count
   * as stored: later ones belong to a block that is being carried out again and must come out as it did.
   *
   * Reading the ids of a large month takes seconds, for which it waits a moment only: until they are there every row is doubtful, which costs look-ups.
   */
  idsOf(partition: number, months: Iterable<number>, before: number): Promise<Map<number, MonthIds>>
  /**
   * Asks ClickHouse about the doubtful rows of a block, hashes as four words at `row * 4`. Returns the rows that are duplicates.
   *
   * @param repeated whether rows from `before` on may be stored, see `findStored`
   */
  findDuplicates(
    hashes: Int32Array,
    partition: number,
    months: ReadonlyMap<number, MonthIds>,
    before: number,
    repeated: boolean,
  ): Promise<readonly number[]>
  /** Forgets a partition's ids: another owner may have stored more since. */
  dropPartition(partition: number): void
  /** Brings memory back within the bound. What is in `keep` may become smaller but stays. */
  evict(keep: ReadonlySet<MonthIds>): Promise<void>
  size(): { readonly entries: number; readonly bytes: number }
}

export interface DeduplicatorOptions {
  readonly logger?: Pick<Logger, 'info' | 'warn'>
  /** Ids of a month above which look-ups get an index. */
  readonly indexAbove?: number
  /** How long a block waits for the ids of a month. */
  readonly fillWaitMs?: number
}

/**
 * Which ids have been stored, by partition and month: in memory, filled from ClickHouse, which is the truth, when first
 * needed, and dropped by disuse, never by the clock: backlogs and replays come late. While a set is being filled it says no of nothing, so events are seen soon after a start, whatever the month
 * holds.
 *
 * Within the bound memory is exact, above it less and less so (`IdSetCache`): what it cannot decide is asked of ClickHouse, block by block. So any bound gives exact results, and
 * less memory costs speed.
 */
export function createDeduplicator(
  clickhouse: ClickHouse,
  log: Pick<EventLog, 'id' | 'partitions'>,
  memoryBytes: number,
  options: DeduplicatorOptions = {},
): Deduplicator {
  const { logger, indexAbove = INDEX_ABOVE, fillWaitMs: patienceMs = FILL_WAIT_MS } = options
  const indexed = new Set<number>()
  const memory = new IdSetCache(memoryBytes)

  async function fill(cached: CachedIdSet, month: number, before: number): Promise<void> {
    const scope = { partition: cached.partition, month, before }
    cached.seen.isFilling = true
    try {
      const stored = await countStored(clickhouse, log, scope)
      const keep = new Set([cached.seen])
      cached.seen.reserve(stored)
      // Before it is filled: what will not fit is made a filter while it is empty.
      await memory.evict(keep)
      if (cached.seen.isBlind) return
      await fillFromStore(clickhouse, log, scope, cached.seen, { stored, added: () => memory.evict(keep) })
      cached.seen.isFilling = false
    } catch (error) {
      memory.release(cached)
      logger?.info({ err: error, month }, 'the ids of a month could not be read: the next block begins anew')
      throw error
    }
  }

  /** Until the set has all ids, or long enough. A failure that comes later is told to nobody: what has been released says no of nothing. */
  async function waitFor({ seen, ready }: CachedIdSet): Promise<void> {
    if (!seen.isFilling) return
    const waiting = new AbortController()
    try {
      await Promise.race([ready, pause(patienceMs, waiting.signal)])
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
    async idsOf(partition, months, before) {
      const pending = memory.pending(partition)
      const found = new Map<number, MonthIds>()
      for (const month of months) {
        const cached = memory.getOrFill(partition, month, (cached) => fill(cached, month, before))
        // Also where another call has begun to fill it.
        await waitFor(cached)
        found.set(month, { seen: cached.seen, pending, doubtful: [] })
      }
      return found
    },

    async findDuplicates(hashes, partition, months, before, repeated) {
      const duplicates: number[] = []
      for (const [month, { doubtful, seen }] of months) {
        if (doubtful.length === 0) continue
        if (seen.known > indexAbove && !seen.isFilling) index(month)
        const scope = { partition, month, before }
        const stored = await findStored(clickhouse, log, scope, hashes, doubtful, repeated)
        for (const row of doubtful) {
          const at = row * 4
          const found = stored.has(
            hashes[at] as number,
            hashes[at + 1] as number,
            hashes[at + 2] as number,
            hashes[at + 3] as number,
          )
          if (found === SEEN.yes) duplicates.push(row)
        }
      }
      return duplicates
    },

    dropPartition: (partition) => memory.dropPartition(partition),
    evict: (keep) => memory.evict(new Set([...keep].map(({ seen }) => seen))),
    size: () => memory.size(),
  }
}
