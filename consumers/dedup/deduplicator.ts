import type { ClickHouse } from '../../clickhouse/port.js'
import type { EventLog } from '../../log/port.js'
import { pause } from '../../runtime/concurrency/pause.js'
import type { Logger } from '../../runtime/logger.js'
import { type DedupSet, SEEN } from './dedup-set.js'
import { type CachedIdSet, IdSetCache } from './id-set-cache.js'
import { indexHashes } from './index-hashes.js'
import type { PendingHashes } from './pending-hashes.js'
import { countStored, fillFromStore, findStored } from './stored-ids.js'

/** For a smaller month a look-up reads the whole month, in some 30 ms. */
const INDEX_ABOVE = 2_000_000
/** How long a block waits for the ids of a month. Most are there by then. */
const FILL_WAIT_MS = 250

/** The ids of one partition and month, for one block. */
export interface MonthIds {
  readonly seen: DedupSet
  /** Earlier in the block; shared by all its months. */
  readonly pending: PendingHashes
  /** Rows of the block that memory cannot decide. */
  readonly doubtful: number[]
}

export interface DeduplicatorOptions {
  readonly logger?: Pick<Logger, 'info' | 'warn'>
  /** @default 2,000,000 ids, above which a month gets an index for look-ups */
  readonly indexAbove?: number
  /** @default 250 ms, which a block waits for the ids of a month */
  readonly fillWaitMs?: number
}

/**
 * Knows which ids are stored, by partition and month. Memory is filled from ClickHouse when a month is first
 * needed, and dropped by disuse, never by the clock, because backlogs and replays come late. While a set is
 * being filled it answers "maybe", so events become visible soon after a start.
 *
 * Memory is exact within its bound and less so above it (`IdSetCache`). ClickHouse decides what memory
 * cannot. So results are exact for any bound, and less memory costs speed.
 */
export class Deduplicator {
  private readonly memory: IdSetCache
  private readonly indexed = new Set<number>()

  constructor(
    private readonly clickhouse: ClickHouse,
    private readonly log: Pick<EventLog, 'id' | 'partitions'>,
    memoryBytes: number,
    private readonly options: DeduplicatorOptions = {},
  ) {
    this.memory = new IdSetCache(memoryBytes)
  }

  /**
   * The ids of each month. Only rows of this partition below offset `before` count as stored: later ones
   * belong to a block that is repeated. Until a large month is there, every row is doubtful.
   */
  async idsOf(partition: number, months: Iterable<number>, before: number): Promise<Map<number, MonthIds>> {
    const pending = this.memory.pending(partition)
    const found = new Map<number, MonthIds>()
    for (const month of months) {
      const cached = this.memory.getOrFill(partition, month, (cached) => this.fill(cached, month, before))
      // Another call may have started to fill it.
      await this.waitFor(cached)
      found.set(month, { seen: cached.seen, pending, doubtful: [] })
    }
    return found
  }

  /**
   * Asks ClickHouse about the doubtful rows of a block. Returns the rows that are duplicates.
   *
   * @param hashes of the block's rows, four words at `row * 4`
   * @param repeated whether rows from `before` on may be stored, see `findStored`
   */
  async findDuplicates(
    hashes: Int32Array,
    partition: number,
    months: ReadonlyMap<number, MonthIds>,
    before: number,
    repeated: boolean,
  ): Promise<readonly number[]> {
    const { indexAbove = INDEX_ABOVE } = this.options
    const duplicates: number[] = []
    for (const [month, { doubtful, seen }] of months) {
      if (doubtful.length === 0) continue
      if (seen.known > indexAbove && !seen.isFilling) this.index(month)
      const scope = { partition, month, before }
      const stored = await findStored(this.clickhouse, this.log, scope, hashes, doubtful, repeated)
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
  }

  /** Forgets a partition's ids, because another owner may have stored more since. */
  dropPartition(partition: number): void {
    this.memory.dropPartition(partition)
  }

  /** Brings memory back within its bound. Sets in `keep` may become smaller but stay. */
  evict(keep: ReadonlySet<MonthIds>): Promise<void> {
    return this.memory.evict(new Set([...keep].map(({ seen }) => seen)))
  }

  size(): { readonly entries: number; readonly bytes: number } {
    return this.memory.size()
  }

  private async fill(cached: CachedIdSet, month: number, before: number): Promise<void> {
    const { clickhouse, log, memory } = this
    const { partition, seen } = cached
    const scope = { partition, month, before }
    seen.isFilling = true
    try {
      const stored = await countStored(clickhouse, log, scope)
      const keep = new Set([seen])
      seen.reserve(stored)
      // Before filling: tables that will not fit become filters while they are empty.
      await memory.evict(keep)
      if (seen.isBlind) return
      await fillFromStore(clickhouse, log, scope, seen, { stored, added: () => memory.evict(keep) })
      seen.isFilling = false
    } catch (error) {
      memory.release(cached)
      this.options.logger?.info(
        { err: error, month },
        'Reading the ids of a month failed; the next block retries',
      )
      throw error
    }
  }

  /** Waits for all ids, or long enough. A later failure does no harm: a released set answers "maybe". */
  private async waitFor({ seen, ready }: CachedIdSet): Promise<void> {
    if (!seen.isFilling) return
    const waiting = new AbortController()
    try {
      await Promise.race([ready, pause(this.options.fillWaitMs ?? FILL_WAIT_MS, waiting.signal)])
    } finally {
      waiting.abort()
    }
  }

  /** Once per month and process, in the background. Without the index look-ups only take longer. */
  private index(month: number): void {
    const { logger } = this.options
    if (this.indexed.has(month)) return
    this.indexed.add(month)
    indexHashes(this.clickhouse, month).then(
      () => logger?.info({ month }, 'Deduplication memory is full; indexing the hashes of the month'),
      (error: unknown) => logger?.warn({ err: error, month }, 'Indexing the hashes of a month failed'),
    )
  }
}
