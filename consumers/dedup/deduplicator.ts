import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ClickHouse, ClickHouseError } from '../../clickhouse/port.js'
import type { EventLog } from '../../log/port.js'
import { pause } from '../../runtime/concurrency/pause.js'
import { errorCode } from '../../runtime/errors.js'
import type { Logger } from '../../runtime/logger.js'
import { type DedupSet, SEEN, type Seen } from './dedup-set.js'
import { DamagedRunError, filterMemory, type RunInfo } from './id-run.js'
import { type IdSet, RunPage } from './id-set.js'
import { type CachedIdSet, ID_BYTES, IdSetCache } from './id-set-cache.js'
import { type IdSnapshot, readIdSnapshot, tidyFolder } from './id-snapshot.js'
import { indexHashes } from './index-hashes.js'
import type { PendingHashes } from './pending-hashes.js'
import { PublishedIds } from './published-ids.js'
import {
  countStored,
  fillFromStore,
  findStored,
  isStored,
  PAGE_HASHES,
  type StoredScope,
} from './stored-ids.js'

/** For a smaller month a look-up reads the whole month, in some 30 ms. */
const INDEX_ABOVE = 2_000_000
/** How long a block waits for the ids of a month. Most are there by then. */
const FILL_WAIT_MS = 250
/** From so many ids in memory on, a month brings them to the disk. With less memory, earlier. */
const RUN_IDS = 1_000_000
/** For a smaller month, reading its ids again at the next start takes less than a second. */
const MIN_SAVED_IDS = 100_000
/** A snapshot that lacks more ids than so many runs is not worth reading. */
const MAX_RUNS_BEHIND = 4
/** One new id in 250 passes each filter, and ClickHouse has to decide. */
const MAX_FILTERS = 32
/** How long reading the disk may block other work. */
const TURN_MS = 20

/** The ids of one partition and month, for one block. */
export interface MonthIds {
  readonly seen: IdSet
  /** Earlier in the block. Shared by the months of a partition, one after the other. */
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
  /** For files of ids (`openIdFolder`). Without it, ids are in memory only. */
  readonly folder?: string | undefined
  /** @default 1,000,000 ids, or fewer if memory is small */
  readonly runIds?: number
  /** @default 100,000 ids, below which a month is not saved at the end */
  readonly minSavedIds?: number
  /**
   * Whether snapshots go to ClickHouse too, for other machines, and are read from there.
   * @default whether ClickHouse is on servers
   */
  readonly publishes?: boolean
  /** Bytes of a filter in one row of ClickHouse. @default 4 MiB */
  readonly chunkBytes?: number
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
  /** By partition. The letters are those that were replayed when the partition was surely owned here. */
  private readonly committedTo = new Map<number, { offset: number; replayed: number | undefined }>()
  /** Letters that were ever replayed, as the owner of a partition saw it last, its own replays included. */
  private readonly replayedLetters = new Map<number, number>()
  private readonly runIds: number
  /** Undefined if ids are not published. */
  private readonly publishedIds: PublishedIds | undefined
  private readonly closing = new AbortController()
  private publishing: Promise<void> = Promise.resolve()
  private publishingFailed = false

  constructor(
    private readonly clickhouse: ClickHouse,
    private readonly log: Pick<EventLog, 'id' | 'partitions'>,
    private readonly memoryBytes: number,
    private readonly options: DeduplicatorOptions = {},
  ) {
    const { folder, logger, runIds } = options
    // Some eight sets may have that many.
    this.runIds = runIds ?? Math.min(RUN_IDS, Math.floor(memoryBytes / ID_BYTES / 8))
    const onDiskFailure = (err: unknown) =>
      logger?.warn({ err, folder }, 'Writing ids to the disk failed; deduplication goes on without new files')
    this.memory = new IdSetCache({ maxBytes: memoryBytes, runIds: this.runIds, folder, onDiskFailure })
    const { publishes = clickhouse.schema.kind === 'server', chunkBytes } = options
    this.publishedIds = publishes ? new PublishedIds(clickhouse, log.id, chunkBytes) : undefined
  }

  /**
   * The ids of each month. Only rows of this partition below offset `before` count as stored: later ones
   * belong to a block that is repeated. Until a large month is there, every row is doubtful.
   */
  async idsOf(partition: number, months: Iterable<number>, before: number): Promise<Map<number, MonthIds>> {
    const pending = this.memory.pending(partition)
    const found = new Map<number, MonthIds>()
    // All of them at once, because the partition may have another owner after a wait.
    const sets = [...months].map((month) => ({
      month,
      cached: this.memory.getOrFill(partition, month, (cached) => this.fill(cached, month, before)),
    }))
    for (const { month, cached } of sets) {
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
    for (const [month, ids] of months) {
      const { seen } = ids
      const doubtful = await this.findOnDisk(hashes, partition, ids, duplicates)
      if (doubtful.length === 0) continue
      if (seen.known > indexAbove && !seen.isFilling) this.index(month)
      const scope = { partition, month, before }
      const stored = await findStored(this.clickhouse, this.log, scope, hashes, doubtful, repeated)
      for (const row of doubtful) if (answer(stored, hashes, row) === SEEN.yes) duplicates.push(row)
    }
    return duplicates
  }

  /** Adds the duplicates that the disk knows. Returns the rows that only ClickHouse can decide. */
  private async findOnDisk(
    hashes: Int32Array,
    partition: number,
    { seen, doubtful }: MonthIds,
    duplicates: number[],
  ): Promise<readonly number[]> {
    const undecided: number[] = []
    const disk = { has: seen.find.bind(seen) }
    let turn = performance.now()
    try {
      for (const row of doubtful) {
        const found = answer(disk, hashes, row)
        if (found === SEEN.yes) duplicates.push(row)
        else if (found === SEEN.maybe) undecided.push(row)
        if (performance.now() - turn < TURN_MS) continue
        await nextTurn()
        turn = performance.now()
      }
    } catch (error) {
      // The block fails and is repeated, and then the month is read from ClickHouse.
      for (const cached of this.memory.ofPartition(partition))
        if (cached.seen === seen) this.memory.discard(cached)
      throw error
    }
    return undecided
  }

  /**
   * Tells the owner's count of letters that were ever replayed, of all partitions. Replays store ids below
   * offsets that are saved, so another count makes what is saved useless.
   */
  noteReplayedLetters(partition: number, count: number | undefined): void {
    if (count === undefined) this.replayedLetters.delete(partition)
    else this.replayedLetters.set(partition, count)
  }

  /** The last count of `noteReplayedLetters`. */
  lettersReplayed(partition: number): number | undefined {
    return this.replayedLetters.get(partition)
  }

  /**
   * Everything of a partition below an offset is committed, and no replay is under way. Saves what is new on
   * the disk, so that a restart finds it, and publishes it in the background. Never rejects.
   *
   * @param replayed what `lettersReplayed` gave before that commit, which has confirmed the owner's epoch. A
   * count of a later time may be that of another owner.
   */
  async committed(partition: number, offset: number, replayed: number | undefined): Promise<void> {
    this.committedTo.set(partition, { offset, replayed })
    for (const cached of this.memory.ofPartition(partition)) {
      const snapshot = await this.save(cached, { offset, replayed })
      if (snapshot !== undefined) this.publish(cached, snapshot)
    }
  }

  /** Saves the ids in memory too, of months that are worth it. Call it at the end, with no block open. */
  async close(): Promise<void> {
    const { minSavedIds = MIN_SAVED_IDS } = this.options
    this.closing.abort()
    for (const [partition, committed] of this.committedTo) {
      for (const cached of this.memory.ofPartition(partition)) {
        const { seen } = cached
        if (seen.size < minSavedIds || seen.isFilling || seen.storedBelow > committed.offset) continue
        // One may be under way.
        do await seen.freeze()
        while (seen.freezable > 0)
        await this.save(cached, committed)
      }
      this.memory.dropPartition(partition)
    }
    await Promise.all([this.memory.closed(), this.publishing])
  }

  private async save(
    { seen }: CachedIdSet,
    { offset, replayed }: { readonly offset: number; readonly replayed: number | undefined },
  ): Promise<IdSnapshot | undefined> {
    if (replayed === undefined || !seen.canSave(offset)) return undefined
    try {
      return await seen.save({ partitions: this.log.partitions, replayed }, offset)
    } catch (error) {
      seen.giveUpDisk(error)
      return undefined
    }
  }

  /** Publishes a snapshot in the background, after others, if it knows many more ids than the last one. */
  private publish(cached: CachedIdSet, snapshot: IdSnapshot): void {
    const { publishedIds, closing } = this
    const { folder } = cached
    const ids = idsIn(snapshot)
    if (publishedIds === undefined || folder === undefined || ids < cached.publishedIds + this.runIds) return
    cached.publishedIds = ids
    this.publishing = this.publishing
      .then(async () => {
        await publishedIds.publish(cached, folder, snapshot, closing.signal)
        this.publishingFailed = false
      })
      .catch((err: unknown) => {
        cached.publishedIds = 0
        // Merged meanwhile, or the end: the next snapshot is published.
        if (errorCode(err) === 'ENOENT' || closing.signal.aborted || this.publishingFailed) return
        this.publishingFailed = true
        this.options.logger?.warn(
          { err, partition: cached.partition, month: cached.month },
          'Publishing filters of ids failed; until it succeeds, a take-over reads the month from ClickHouse',
        )
      })
  }

  /** Resolves when all snapshots are published that were saved so far. */
  published(): Promise<void> {
    return this.publishing
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
    const { partition, seen } = cached
    const scope = { partition, month, before }
    try {
      const since = (await this.openSnapshot(cached, scope)) ?? (await this.openPublished(cached, scope))
      if (!(await this.readStored(cached, { ...scope, since }))) return
      seen.storedBelow = Math.max(seen.storedBelow, before)
      seen.isFilling = false
    } catch (error) {
      this.memory.release(cached)
      this.options.logger?.info(
        { err: error, month },
        'Reading the ids of a month failed; the next block retries',
      )
      throw error
    }
  }

  /** Reads what is stored into a set. False if memory is too small to remember any of it. */
  private async readStored({ seen, folder }: CachedIdSet, scope: StoredScope): Promise<boolean> {
    const { clickhouse, log, memory } = this
    const stored = await countStored(clickhouse, log, scope)
    const keep = new Set([seen])
    if (folder !== undefined && scope.since === undefined && stored >= this.runIds) {
      // Half of the memory, since ids of new blocks come meanwhile.
      const pageHashes = Math.min(PAGE_HASHES, Math.ceil(this.memoryBytes / ID_BYTES / 2))
      const page = new RunPage()
      const isFilled = await seen.fillRun(stored, scope.before, async (writer) => {
        const pageAdded = () => page.moveTo(writer)
        await fillFromStore(clickhouse, log, scope, page, { stored, pageHashes, pageAdded })
      })
      if (isFilled) return true
    }
    seen.reserve(stored)
    // Before filling: tables that will not fit become filters while they are empty.
    await memory.evict(keep)
    if (seen.isBlind) return false
    await fillFromStore(clickhouse, log, scope, seen, { stored, added: () => memory.evict(keep) })
    return true
  }

  /** Opens the files of an earlier process. Returns the offset from which on ids are missing. */
  private async openSnapshot(cached: CachedIdSet, scope: StoredScope): Promise<number | undefined> {
    const { seen, folder } = cached
    if (folder === undefined) return undefined
    try {
      const snapshot = await readIdSnapshot(folder)
      const problem = snapshot === undefined ? undefined : await this.problemOf(cached, snapshot, scope)
      const usable = problem === undefined ? snapshot : undefined
      await tidyFolder(folder, usable)
      if (problem !== undefined)
        this.options.logger?.info({ folder, problem }, 'Saved ids do not apply; reading them anew')
      if (usable === undefined) return undefined
      await seen.load(usable, (info) => this.readFilter(scope, info))
      return usable.below
    } catch (error) {
      if (error instanceof ClickHouseError) throw error
      this.options.logger?.warn(
        { err: error, folder },
        'Saved ids cannot be read; reading them from ClickHouse',
      )
      await tidyFolder(folder, undefined).catch((failure: unknown) => seen.giveUpDisk(failure))
      return undefined
    }
  }

  private readFilter(scope: StoredScope, info: RunInfo): (bytes: Uint8Array) => Promise<void> {
    if (this.publishedIds === undefined) throw new DamagedRunError('filters are not published here')
    const read = this.publishedIds.reader(scope, info)
    return async (bytes) => {
      try {
        await read(bytes)
      } catch (error) {
        // Without the table, for example, what the disk names cannot be had, however often it is tried.
        if (error instanceof ClickHouseError && !error.retryable)
          throw new DamagedRunError(`${info.file} cannot be read`, { cause: error })
        throw error
      }
    }
  }

  /** Reads filters that an owner on another machine has published. Returns what `openSnapshot` does. */
  private async openPublished(cached: CachedIdSet, scope: StoredScope): Promise<number | undefined> {
    const { publishedIds } = this
    if (publishedIds === undefined) return undefined
    const { partition, month } = scope
    try {
      for (const snapshot of await publishedIds.read(scope)) {
        const problem = await this.problemOf(cached, snapshot, scope)
        if (problem === undefined) {
          await cached.seen.load(snapshot, (info) => publishedIds.reader(scope, info))
          cached.publishedIds = idsIn(snapshot)
          return snapshot.below
        }
        this.options.logger?.info({ partition, month, problem }, 'Published ids do not apply')
        // The store was restored to an earlier state, and will be past that offset later.
        if (snapshot.below > scope.before) await publishedIds.remove(snapshot.file)
      }
    } catch (err) {
      this.options.logger?.warn(
        { err, partition, month },
        'Published ids cannot be read; reading the month from ClickHouse',
      )
    }
    return undefined
  }

  /** Why a snapshot must not be used, or is not worth it. */
  private async problemOf(
    cached: CachedIdSet,
    snapshot: IdSnapshot,
    scope: StoredScope,
  ): Promise<string | undefined> {
    const { clickhouse, log } = this
    if (snapshot.partitions !== log.partitions) return 'the log had another number of partitions'
    if (snapshot.below > scope.before) return 'they are ahead of the store'
    if (snapshot.replayed !== this.replayedLetters.get(scope.partition))
      return 'dead letters were replayed since'
    if (snapshot.filters.length > MAX_FILTERS) return 'they are in too many filters'
    if (!(await isStored(clickhouse, scope.month, snapshot.newest))) return 'the store lacks their newest id'
    const since = await countStored(clickhouse, log, { ...scope, since: snapshot.below })
    if (since > this.runIds * MAX_RUNS_BEHIND) return `${since} ids were stored since`
    const bytes = snapshot.filters.reduce((sum, info) => sum + filterMemory(info), 0)
    return this.memory.reserveFilters(cached, bytes) ? undefined : 'memory is too small for their filters'
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
      () => logger?.info({ month }, 'ClickHouse is asked about ids; indexing the hashes of the month'),
      (error: unknown) => logger?.warn({ err: error, month }, 'Indexing the hashes of a month failed'),
    )
  }
}

function idsIn({ runs, filters }: IdSnapshot): number {
  return [...runs, ...filters].reduce((sum, { count }) => sum + count, 0)
}

function answer(ids: Pick<DedupSet, 'has'>, hashes: Int32Array, row: number): Seen {
  const at = row * 4
  return ids.has(
    hashes[at] as number,
    hashes[at + 1] as number,
    hashes[at + 2] as number,
    hashes[at + 3] as number,
  )
}
