import { ClickHouseFailure } from '../../clickhouse/port.js'
import type { PartitionHandler, StoredRecord } from '../../log/port.js'
import { recordCount } from '../../log/record.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import { deadLettersBetween } from '../dead-letters/letter.js'
import { Replayer } from '../dead-letters/replay-letters.js'
import { type BlockLimits, cutIntoBlocks } from '../pipeline/block.js'
import {
  endOf,
  makeNamesWhole,
  NONE_PRESENT,
  type PipelineDependencies,
  prepareBlock,
  presentRows,
  processRecords,
  processRefused,
  storeBlock,
} from '../pipeline/pipeline.js'
import type { KnownDead } from '../pipeline/read.js'
import { advance, FencedError, type Intent, takeOver } from './checkpoint.js'
import { mayBePresent, type Ownership, settle } from './store.js'

export interface EventsOptions {
  readonly limits: BlockLimits
  /** How long after the last block, with nothing more to read, it is marked as done. */
  readonly settleAfterMs: number
}

export interface EventsHandler extends PartitionHandler {
  /** First offset not yet stored, by partition. */
  positions(): ReadonlyMap<number, number>
  /**
   * Stores the next dead letters that wait for this partition, between two blocks. False where there are none, or where the partition cannot be
   * written here and now; rejects where infrastructure fails.
   */
  replay(partition: number): Promise<boolean>
  /**
   * Why ClickHouse does not take the events that wait, undefined where it takes them. A store with a full disk answers questions all the same.
   */
  problem(): string | undefined
  /** Marks the last block of every partition as done. After the last `handle`. */
  settleAll(): Promise<void>
}

interface OwnedPartition extends Ownership {
  /** A block of an earlier owner, or of an attempt that failed, that has to be carried out first. */
  carry: Carry | undefined
  timer: NodeJS.Timeout | undefined
  settling: Promise<void>
  /** Batches of the log and replays take turns. */
  turn: Promise<unknown>
  /** Whether no announced replay can be open: only then may anything else be stored. */
  replaysClosed: boolean
}

interface Carry {
  readonly intent: Intent
  readonly dead: KnownDead
  /** Its records as far as they have been read. */
  readonly records: StoredRecord[]
}

const SETTLE_AGAIN_MS = 1_000

/** Reads the event partitions of a log into ClickHouse. */
export function createEventsHandler(deps: PipelineDependencies, options: EventsOptions): EventsHandler {
  return new EventPartitions(deps, options)
}

/** The partitions that this process has, each with its place in the protocol of store.ts. */
class EventPartitions implements EventsHandler {
  private readonly replayer: Replayer
  private readonly owned = new Map<number, OwnedPartition>()
  /** How the last ownership of a partition stood: to tell whether anyone has been in between. */
  private readonly last = new Map<number, OwnedPartition>()
  private readonly leaving = new Set<Promise<void>>()
  /** Partitions given to this process, also while they cannot be taken over or their events wait for a store. */
  private readonly held = new Set<number>()
  /** By partition, while its events wait for ClickHouse. */
  private readonly problems = new Map<number, string>()

  constructor(
    private readonly deps: PipelineDependencies,
    private readonly options: EventsOptions,
  ) {
    this.replayer = new Replayer(deps)
  }

  async assigned(partition: number): Promise<number> {
    const { sql, log, logger, seen, timing } = this.deps
    this.forget(partition)
    const before = this.last.get(partition)
    const checkpoint = await withTimeout(
      timing.postgresMs,
      'Postgres, taking a partition over',
      takeOver(sql, log.id, partition),
    )
    const { epoch, doneOffset, open } = checkpoint
    const continued = before !== undefined && before.epoch === epoch - 1
    // Another owner may have stored more since: only ClickHouse knows.
    if (!continued) seen.drop(partition)
    const end = await log.end(partition)
    if (end < (open?.to ?? doneOffset))
      throw new Error(
        `partition ${partition} of log ${log.id} ends at ${end}, but records up to ${open?.to ?? doneOffset} have been stored: this is an older copy of the log`,
      )
    const own: OwnedPartition = {
      logId: log.id,
      partition,
      epoch,
      position: doneOffset,
      open: undefined,
      carry: undefined,
      timer: undefined,
      settling: Promise.resolve(),
      turn: Promise.resolve(),
      replaysClosed: false,
    }
    if (open !== undefined) {
      const inserted = continued && before.open?.state === 'inserted' && before.open.token === open.token
      if (inserted || open.counts.stored === 0) {
        own.open = { ...open, state: 'inserted', confirmedAt: performance.now() }
        own.position = open.to
        await settle(this.deps, own)
      } else {
        const dead = await deadLettersBetween(sql, log.id, partition, doneOffset, open.to)
        own.carry = { intent: open, dead, records: [] }
      }
    }
    this.owned.set(partition, own)
    this.last.set(partition, own)
    this.held.add(partition)
    logger.info(
      { partition, epoch, position: own.position, carry: own.carry?.intent.to },
      'partition taken over',
    )
    return own.position
  }

  async handle(
    partition: number,
    records: readonly StoredRecord[],
    signal: AbortSignal,
    next?: number,
  ): Promise<void> {
    const own = this.ownedHere(partition)
    if (records.length > 0)
      await this.inTurn(own, () => this.handleInTurn(own, records, signal, next ?? endOf(records)))
  }

  /** Seldom: offsets without records usually lie before some that come, or come with them. */
  async skipTo(partition: number, offset: number): Promise<void> {
    const own = this.ownedHere(partition)
    await this.inTurn(own, async () => {
      clearTimeout(own.timer)
      try {
        await this.mayGoOn(own)
        if (own.carry !== undefined) await this.carryOut(own, own.carry, [], offset)
        await settle(this.deps, own)
        if (own.position >= offset) return
        await withTimeout(
          this.deps.timing.postgresMs,
          'Postgres, passing offsets without records',
          advance(this.deps.sql, own, own.position, offset),
        )
        own.position = offset
      } catch (error) {
        this.forget(partition)
        throw error
      }
    })
  }

  private ownedHere(partition: number): OwnedPartition {
    const own = this.owned.get(partition)
    if (own === undefined) throw new FencedError(`partition ${partition} is not owned here`)
    return own
  }

  /** Waits for the last mark and finishes replays that were announced. */
  private async mayGoOn(own: OwnedPartition): Promise<void> {
    await own.settling
    // Settling may have found that the partition is lost.
    if (this.owned.get(own.partition) !== own)
      throw new FencedError(`partition ${own.partition} has been lost`)
    await this.closeReplays(own)
  }

  private async handleInTurn(
    own: OwnedPartition,
    records: readonly StoredRecord[],
    signal: AbortSignal,
    next: number,
  ): Promise<void> {
    const { partition } = own
    clearTimeout(own.timer)
    try {
      await this.mayGoOn(own)
      const rest = own.carry === undefined ? records : await this.carryOut(own, own.carry, records, next)
      for (const block of cutIntoBlocks(rest, this.options.limits, (record) => recordCount(record.payload))) {
        if (signal.aborted) break
        await processRecords(this.deps, own, block, block.at(-1) === rest.at(-1) ? next : endOf(block))
      }
      this.problems.delete(partition)
      this.settleLater(own, this.options.settleAfterMs)
    } catch (error) {
      if (error instanceof ClickHouseFailure) this.problems.set(partition, error.message)
      else this.problems.delete(partition)
      // Whatever is half done is carried out again after `assigned`.
      this.forget(partition)
      throw error
    }
  }

  /**
   * A replay begins where the log's last block is marked, so never both are open. Where it fails, it is carried out again before the next block: no
   * other owner is asked for.
   */
  async replay(partition: number): Promise<boolean> {
    const own = this.owned.get(partition)
    if (own === undefined) return false
    return this.inTurn(own, async () => {
      clearTimeout(own.timer)
      await own.settling
      clearTimeout(own.timer)
      if (this.owned.get(partition) !== own || own.carry !== undefined) return false
      try {
        await settle(this.deps, own)
        await this.closeReplays(own)
        own.replaysClosed = false
        const any = await this.replayer.next(own)
        own.replaysClosed = true
        return any
      } catch (error) {
        if (error instanceof FencedError && this.owned.get(partition) === own) this.forget(partition)
        throw error
      } finally {
        if (this.owned.get(partition) === own) this.settleLater(own, this.options.settleAfterMs)
      }
    })
  }

  private async closeReplays(own: OwnedPartition): Promise<void> {
    if (own.replaysClosed) return
    await this.replayer.resume(own)
    own.replaysClosed = true
  }

  private inTurn<T>(own: OwnedPartition, work: () => Promise<T>): Promise<T> {
    const mine = own.turn.then(work)
    own.turn = mine.catch(() => {})
    return mine
  }

  /** Carries an open intent out again once all its records have been read. Returns the records after it. */
  private async carryOut(
    own: OwnedPartition,
    carry: Carry,
    records: readonly StoredRecord[],
    next: number,
  ): Promise<readonly StoredRecord[]> {
    const { intent, dead } = carry
    const rest = records.filter((record) => record.offset >= intent.to)
    const mine = records.filter((record) => record.offset < intent.to)
    const whole = rest.length > 0 || next >= intent.to
    // Payloads are the log's again after this batch.
    carry.records.push(
      ...(whole ? mine : mine.map(({ offset, payload }) => ({ offset, payload: new Uint8Array(payload) }))),
    )
    if (!whole) return []
    const { counts } = intent
    if (carry.records.length === 0 && counts.stored + counts.duplicates + counts.dead > 0)
      this.deps.logger.error(
        { partition: own.partition, from: own.position, to: intent.to },
        'the log has lost records of a block that was announced',
      )
    const present =
      mayBePresent(intent.token) && carry.records.length > 0
        ? await presentRows(this.deps, own, carry.records)
        : NONE_PRESENT
    const range = { from: own.position, to: intent.to }
    const prepared = await prepareBlock(this.deps, own.partition, carry.records, range, { dead, present })
    // The dead letters and counts of the block were written with its intent.
    own.open = { ...intent, state: 'announced', confirmedAt: performance.now() }
    const refusal = await storeBlock(this.deps, own, prepared)
    if (refusal !== undefined) await processRefused(this.deps, own, carry.records, intent.to, dead)
    else if (present.size > 0) await makeNamesWhole(this.deps, own, range)
    own.carry = undefined
    return rest
  }

  private settleLater(own: OwnedPartition, afterMs: number): void {
    if (own.open?.state !== 'inserted') return
    own.timer = setTimeout(() => {
      own.settling = this.settleNow(own)
    }, afterMs)
  }

  /** Never rejects: what cannot be marked now is marked with the next block or later. */
  private async settleNow(own: OwnedPartition): Promise<void> {
    try {
      await settle(this.deps, own)
    } catch (error) {
      if (error instanceof FencedError) {
        this.deps.logger.warn({ err: error, partition: own.partition }, 'the partition has another owner')
        if (this.owned.get(own.partition) === own) this.owned.delete(own.partition)
        return
      }
      this.deps.logger.warn({ err: error, partition: own.partition }, 'the last block is not marked yet')
      if (this.owned.get(own.partition) === own) this.settleLater(own, SETTLE_AGAIN_MS)
    }
  }

  private forget(partition: number): void {
    clearTimeout(this.owned.get(partition)?.timer)
    this.owned.delete(partition)
  }

  revoked(partition: number): void {
    this.held.delete(partition)
    this.problems.delete(partition)
    const own = this.owned.get(partition)
    if (own === undefined) return
    this.forget(partition)
    // What is stored may still be marked: the epoch keeps it from harm where another owner was quicker.
    const marked = own.settling.then(() => this.settleNow(own)).finally(() => this.leaving.delete(marked))
    this.leaving.add(marked)
  }

  problem(): string | undefined {
    return this.problems.values().next().value
  }

  positions(): ReadonlyMap<number, number> {
    return new Map([...this.held].map((partition) => [partition, this.last.get(partition)?.position ?? 0]))
  }

  async settleAll(): Promise<void> {
    for (const own of [...this.owned.values()]) {
      this.forget(own.partition)
      await own.settling
      await this.settleNow(own)
    }
    await Promise.all(this.leaving)
  }
}
