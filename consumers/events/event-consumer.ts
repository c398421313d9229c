import { ClickHouseError } from '../../clickhouse/port.js'
import type { PartitionHandler, StoredRecord } from '../../log/port.js'
import { countLetterChanges, deadPositions } from '../../postgres/tables/dead-letters.js'
import { SerialQueue } from '../../runtime/concurrency/serial-queue.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import { type BlockLimits, cutIntoBlocks } from '../blocks/block.js'
import { type ParsedRecord, parseRecord } from '../blocks/parse-record.js'
import type { DeadPositions } from '../blocks/read-rows.js'
import { commit, type LeasedPartition, mayBePartlyInserted, rowRangeOf } from '../partitions/block-writer.js'
import {
  acquirePartition,
  advancePosition,
  amendIntent,
  FencedError,
  type Intent,
} from '../partitions/checkpoint.js'
import { tryCompleteViews, tryRepairVocabulary } from '../partitions/complete-views.js'
import {
  endOfInsertedRows,
  findInsertedRows,
  NONE_INSERTED,
  type RowRange,
} from '../partitions/inserted-rows.js'
import {
  markStored,
  type PipelineDependencies,
  type PreparedBlock,
  prepareBlock,
} from '../partitions/prepare-block.js'
import {
  endOf,
  insertedRowsOf,
  processRecords,
  processRefusedRecords,
  storeBlock,
} from './process-records.js'

/** Dead letters that are stored between two blocks of the log. */
export interface PartitionReplays {
  /** Repeats a replay whose intent was written and that is not finished. */
  resume(lease: LeasedPartition): Promise<void>
  /** Stores the next letters that wait for the partition. False if none wait. */
  next(lease: LeasedPartition): Promise<boolean>
}

export interface EventConsumerOptions {
  readonly limits: BlockLimits
  /** How long after the last block, with nothing more to read, it is committed. Milliseconds. */
  readonly commitAfterMs: number
}

interface ConsumedPartition extends LeasedPartition {
  /** An intent of an earlier owner, or of a failed attempt, that must be replayed first. */
  pendingIntent: PendingIntent | undefined
  timer: NodeJS.Timeout | undefined
  committing: Promise<void>
  /** Batches of the log and replays take turns. */
  readonly queue: SerialQueue
  /** Whether no intent of a replay can be open. Only then may anything else be stored. */
  replaysFinished: boolean
  /** Erasures of dead letters whose insertIds memory knows. */
  letterErasures: number
}

interface PendingIntent {
  readonly intent: Intent
  readonly dead: DeadPositions
  readonly records: ParsedRecord[]
}

const COMMIT_RETRY_MS = 1_000

/** Reads the event partitions of a log into ClickHouse, by the protocol of block-writer.ts. */
export class EventConsumer implements PartitionHandler {
  private readonly leases = new Map<number, ConsumedPartition>()
  /** The last lease of each partition, which tells whether another owner came in between. */
  private readonly previousLeases = new Map<number, ConsumedPartition>()
  private readonly finalCommits = new Set<Promise<void>>()
  /** Partitions assigned to this process, also while they have no lease or their events wait for a store. */
  private readonly assignedPartitions = new Set<number>()
  private readonly problems = new Map<number, string>()

  constructor(
    private readonly deps: PipelineDependencies,
    private readonly replays: PartitionReplays,
    private readonly options: EventConsumerOptions,
  ) {}

  async assigned(partition: number): Promise<number> {
    const { sql, clickhouse, log, logger, deduplicator: seen, timing } = this.deps
    this.dropLease(partition)
    const before = this.previousLeases.get(partition)
    const acquired = acquirePartition(sql, log.id, partition)
    const what = 'Postgres, acquiring a partition'
    const { epoch, doneOffset, open } = await withTimeout(timing.postgresMs, what, acquired)
    const { erasures, replayed } = await withTimeout(timing.postgresMs, what, countLetterChanges(sql))
    seen.noteReplayedLetters(partition, replayed)
    const continued = before !== undefined && before.epoch === epoch - 1
    // Another owner may have stored more since. Only ClickHouse knows.
    if (!continued) seen.dropPartition(partition)
    const end = await log.end(partition)
    if (end < (open?.to ?? doneOffset))
      throw new Error(
        `partition ${partition} of log ${log.id} ends at ${end}, but records up to ${open?.to ?? doneOffset} have been stored: this is an older copy of the log`,
      )
    const partlyStoredBelow =
      open !== undefined && mayBePartlyInserted(open.token)
        ? await endOfInsertedRows(clickhouse, { logId: log.id, logPartition: partition, from: open.to })
        : 0
    const lease: ConsumedPartition = {
      logId: log.id,
      partition,
      epoch,
      position: doneOffset,
      committed: doneOffset,
      open: undefined,
      pendingIntent: undefined,
      timer: undefined,
      committing: Promise.resolve(),
      queue: new SerialQueue(),
      replaysFinished: false,
      partlyStoredBelow,
      isLost: false,
      letterErasures: continued ? before.letterErasures : erasures,
    }
    if (open !== undefined) {
      const inserted = continued && before.open?.state === 'inserted' && before.open.token === open.token
      if (inserted || open.counts.stored === 0) {
        lease.open = { ...open, state: 'inserted', confirmedAt: performance.now() }
        lease.position = open.to
        await this.commitWhole(lease)
      } else {
        const dead = await deadPositions(sql, log.id, partition, doneOffset, open.to)
        lease.pendingIntent = { intent: open, dead, records: [] }
      }
    }
    this.leases.set(partition, lease)
    this.previousLeases.set(partition, lease)
    this.assignedPartitions.add(partition)
    logger.info(
      { partition, epoch, position: lease.position, pendingIntent: lease.pendingIntent?.intent.to },
      'Partition acquired',
    )
    return lease.position
  }

  async handle(
    partition: number,
    records: readonly StoredRecord[],
    signal: AbortSignal,
    next?: number,
  ): Promise<void> {
    const lease = this.leaseOf(partition)
    if (records.length > 0)
      await lease.queue.run(() => this.handleBatch(lease, records, signal, next ?? endOf(records)))
  }

  /** Rare: offsets without records usually come together with some that have them. */
  async skipTo(partition: number, offset: number): Promise<void> {
    const lease = this.leaseOf(partition)
    await lease.queue.run(async () => {
      clearTimeout(lease.timer)
      try {
        await this.beforeNextBlock(lease)
        if (lease.pendingIntent !== undefined) await this.replayIntent(lease, lease.pendingIntent, [], offset)
        // Records follow of an open block, or of one stored in part, which passes these offsets, too.
        if (lease.pendingIntent !== undefined || Math.max(lease.position, offset) < lease.partlyStoredBelow)
          return
        await commit(this.deps, lease)
        if (lease.position >= offset) return
        const advanced = advancePosition(this.deps.sql, lease, lease.position, offset)
        const what = 'Postgres, skipping offsets without records'
        await withTimeout(this.deps.timing.postgresMs, what, advanced)
        lease.position = offset
        lease.committed = offset
      } catch (error) {
        this.dropLease(partition)
        throw error
      }
    })
  }

  committedTo(partition: number): number | undefined {
    return this.leases.get(partition)?.committed
  }

  private leaseOf(partition: number): ConsumedPartition {
    const lease = this.leases.get(partition)
    if (lease === undefined) throw new FencedError(`partition ${partition} is not owned here`)
    return lease
  }

  private async beforeNextBlock(lease: ConsumedPartition): Promise<void> {
    await lease.committing
    // That commit may have found that the lease is lost.
    if (this.leases.get(lease.partition) !== lease)
      throw new FencedError(`partition ${lease.partition} has been lost`)
    await this.finishOpenReplays(lease)
  }

  /** Reads a partition's ids anew if an erasure has removed dead letters, whose ids were never stored. */
  private async learnErasedIds(lease: ConsumedPartition): Promise<void> {
    const { sql, deduplicator, timing } = this.deps
    const what = 'Postgres, counting erasures and replays'
    const { erasures, replayed } = await withTimeout(timing.postgresMs, what, countLetterChanges(sql))
    deduplicator.noteReplayedLetters(lease.partition, replayed)
    if (lease.letterErasures !== erasures) deduplicator.dropPartition(lease.partition)
    lease.letterErasures = erasures
  }

  private async handleBatch(
    lease: ConsumedPartition,
    records: readonly StoredRecord[],
    signal: AbortSignal,
    next: number,
  ): Promise<void> {
    const { partition } = lease
    clearTimeout(lease.timer)
    try {
      await this.beforeNextBlock(lease)
      await this.learnErasedIds(lease)
      const rest =
        lease.pendingIntent === undefined
          ? records
          : await this.replayIntent(lease, lease.pendingIntent, records, next)
      const parsed = rest.map(parseRecord)
      for (const block of cutIntoBlocks(parsed, this.options.limits)) {
        if (signal.aborted) break
        await processRecords(this.deps, lease, block, block.at(-1) === parsed.at(-1) ? next : endOf(block))
      }
      this.problems.delete(partition)
      this.scheduleCommit(lease, this.options.commitAfterMs)
    } catch (error) {
      if (error instanceof ClickHouseError) this.problems.set(partition, error.message)
      else this.problems.delete(partition)
      this.dropLease(partition)
      throw error
    }
  }

  /**
   * Stores the next dead letters of this partition, once the log's last block is committed. A replay that
   * fails is repeated before the next block.
   *
   * @returns false if none wait, or if the partition cannot be written here and now
   */
  async replay(partition: number): Promise<boolean> {
    const lease = this.leases.get(partition)
    if (lease === undefined) return false
    return lease.queue.run(async () => {
      clearTimeout(lease.timer)
      await lease.committing
      clearTimeout(lease.timer)
      if (this.leases.get(partition) !== lease || lease.pendingIntent !== undefined) return false
      if (lease.position < lease.partlyStoredBelow) return false
      try {
        await commit(this.deps, lease)
        await this.finishOpenReplays(lease)
        await this.learnErasedIds(lease)
        lease.replaysFinished = false
        const any = await this.replays.next(lease)
        lease.replaysFinished = true
        return any
      } catch (error) {
        if (error instanceof FencedError && this.leases.get(partition) === lease) this.dropLease(partition)
        throw error
      } finally {
        if (this.leases.get(partition) === lease) this.scheduleCommit(lease, this.options.commitAfterMs)
      }
    })
  }

  private async finishOpenReplays(lease: ConsumedPartition): Promise<void> {
    if (lease.replaysFinished) return
    await this.replays.resume(lease)
    lease.replaysFinished = true
  }

  /** Replays an open intent once all its records have been read. Returns the records after it. */
  private async replayIntent(
    lease: ConsumedPartition,
    pendingIntent: PendingIntent,
    records: readonly StoredRecord[],
    next: number,
  ): Promise<readonly StoredRecord[]> {
    const { intent, dead } = pendingIntent
    const rest = records.filter((record) => record.offset >= intent.to)
    const mine = records.filter((record) => record.offset < intent.to)
    const whole = rest.length > 0 || next >= intent.to
    const kept = whole ? mine : mine.map(({ offset, payload }) => ({ offset, payload: payload.slice() }))
    pendingIntent.records.push(...kept.map(parseRecord))
    if (!whole) return []
    const { counts } = intent
    if (pendingIntent.records.length === 0 && counts.stored + counts.duplicates + counts.dead > 0)
      this.deps.logger.error(
        { partition: lease.partition, from: lease.position, to: intent.to },
        'The log lost records of an open intent; its block is stored without them',
      )
    const inserted =
      mayBePartlyInserted(intent.token) && pendingIntent.records.length > 0
        ? await insertedRowsOf(this.deps, lease, pendingIntent.records)
        : NONE_INSERTED
    const range = { from: lease.position, to: intent.to }
    const known = { dead, inserted }
    const { deduplicator } = this.deps
    const prepared = await prepareBlock(deduplicator, lease.partition, pendingIntent.records, range, known)
    // The dead letters and counts of the block were written with its intent.
    lease.open = { ...intent, state: 'written', confirmedAt: performance.now() }
    const refusal = await storeBlock(this.deps, lease, prepared, true)
    if (refusal !== undefined)
      await processRefusedRecords(this.deps, lease, pendingIntent.records, intent.to, dead)
    else {
      const rows = rowRangeOf(lease, prepared.block)
      await tryCompleteViews(this.deps, rows)
      if (inserted.size > 0) await tryRepairVocabulary(this.deps, rows)
      await this.recount(lease, prepared, rows)
    }
    lease.pendingIntent = undefined
    return rest
  }

  /** Corrects the counts of a repeated block if ids of erased dead letters made its rows duplicates. */
  private async recount(lease: ConsumedPartition, { block }: PreparedBlock, range: RowRange): Promise<void> {
    const { open } = lease
    if (open === undefined || block.counts().duplicates <= open.counts.duplicates) return
    const { sql, clickhouse, newId } = this.deps
    // An earlier attempt may have stored them before they became duplicates.
    markStored(block, await findInsertedRows(clickhouse, range))
    const { byKey, ...counts } = block.counts()
    const counted = { ...open, counts }
    await amendIntent(sql, lease, { ...counted, byKey }, [], newId)
    lease.open = counted
  }

  private scheduleCommit(lease: ConsumedPartition, afterMs: number): void {
    if (lease.open?.state !== 'inserted') return
    lease.timer = setTimeout(() => {
      lease.committing = this.tryCommit(lease)
    }, afterMs)
  }

  /** Not between parts of a block: without an open intent the next owner would not know of the others. */
  private async commitWhole(lease: ConsumedPartition): Promise<boolean> {
    return lease.position >= lease.partlyStoredBelow && (await commit(this.deps, lease))
  }

  /** Never rejects. A commit that fails now is made with the next block or later. */
  private async tryCommit(lease: ConsumedPartition): Promise<void> {
    try {
      const { deduplicator } = this.deps
      const replayed = deduplicator.lettersReplayed(lease.partition)
      // Without a commit, no epoch was confirmed since the letters were counted.
      if (await this.commitWhole(lease))
        await deduplicator.committed(lease.partition, lease.position, replayed)
    } catch (error) {
      const { partition } = lease
      const isLost = error instanceof FencedError
      const message = isLost
        ? 'Partition has another owner; leaving it'
        : 'Committing the last block failed; retrying'
      this.deps.logger.warn({ err: error, partition }, message)
      if (this.leases.get(partition) !== lease) return
      if (isLost) this.dropLease(partition)
      else this.scheduleCommit(lease, COMMIT_RETRY_MS)
    }
  }

  private dropLease(partition: number): void {
    const lease = this.leases.get(partition)
    if (lease === undefined) return
    clearTimeout(lease.timer)
    lease.isLost = true
    this.leases.delete(partition)
  }

  revoked(partition: number): void {
    this.assignedPartitions.delete(partition)
    this.problems.delete(partition)
    const lease = this.leases.get(partition)
    if (lease === undefined) return
    this.dropLease(partition)
    // A stored block may still be committed. The epoch fences this if another owner was quicker.
    const marked = lease.committing
      .then(() => this.tryCommit(lease))
      .finally(() => this.finalCommits.delete(marked))
    this.finalCommits.add(marked)
  }

  /** Why ClickHouse refuses the events that wait. A server with a full disk still answers queries. */
  problem(): string | undefined {
    return this.problems.values().next().value
  }

  /** First offset not yet stored, by partition. */
  positions(): ReadonlyMap<number, number> {
    return new Map(
      [...this.assignedPartitions].map((partition) => [
        partition,
        this.previousLeases.get(partition)?.position ?? 0,
      ]),
    )
  }

  /** Commits the last block of every partition. Call it after the last `handle`. */
  async commitAll(): Promise<void> {
    for (const lease of [...this.leases.values()]) {
      this.dropLease(lease.partition)
      await lease.committing
      await this.tryCommit(lease)
    }
    await Promise.all(this.finalCommits)
  }
}
