import { statfs } from 'node:fs/promises'
import { constants } from 'node:os'
import { join } from 'node:path'
import { type Database, open, type RootDatabase } from 'lmdb'
import { v7 } from 'uuid'
import { SerialQueue } from '../../runtime/concurrency/serial-queue.js'
import { errorCode, errorMessage } from '../../runtime/errors.js'
import {
  assertPartition,
  type ConsumeOptions,
  type EventLog,
  LogError,
  type LogLogger,
  LogOutcomeUnknownError,
  type LogRecord,
  LogUnavailableError,
  type PartitionHandler,
  type StoredRecord,
} from '../port.js'
import { consumePartitions, type PartitionSource, Ticker } from './consume.js'
import type { CopyBufferPool } from './copy-buffer-pool.js'
import { containsAny, overwriteFreePages } from './free-pages.js'
import { GroupCommit } from './group-commit.js'
import {
  bookkeepingKey,
  decodeGroup,
  decodeOffsets,
  encodeGroups,
  encodeOffsets,
  groupKey,
  MAX_PARTITIONS,
  readGroupKey,
} from './group-format.js'

export interface EmbeddedLogOptions {
  readonly path: string
  readonly partitions: number
  readonly identityPartitions: number
  readonly logger?: Pick<LogLogger, 'warn'>
  /** How often a consumer that has read everything polls. Milliseconds. */
  readonly pollMs?: number
  /** Payload bytes that may wait to be written. `append` refuses more at once. */
  readonly maxBytesInFlight?: number
  /** Appends are refused while fewer bytes than this are free, on the disk and in the file together. */
  readonly reserveBytes?: number
  /** How long a transaction may take before its outcome counts as unknown. Milliseconds. */
  readonly patienceMs?: number
  /** The clock, for the id of a new log. */
  readonly now?: () => number
  /** Called inside the write transaction after its first put, for crash tests. */
  readonly faultPoint?: (name: 'log:writing') => void
}

/** Initial size of the map. LMDB enlarges it as the file grows, so only the disk is a limit. */
const MAP_BYTES = 64 * 2 ** 30
const MAX_GROUP_BYTES = 4 * 2 ** 20
/**
 * Pause between transactions while each has several records; one costs half a millisecond of CPU whatever it
 * holds. Requests of one event over 256 connections, CPU of the gateway in µs (p50 ms):
 *
 *   ms between transactions    0           3           5
 *   10,000 a second            76 (0.6)    54 (1.7)    45 (2.9)
 *   18,000 a second            49 (1.2)    37 (3.7)    36 (3.4)
 *   closed loop                33 (8.0)    30 (7.5)    26 (6.5)
 */
const GATHER_MS = 5
const ENOUGH_BYTES = 64 * 1024
const MAX_BYTES_IN_FLIGHT = 64 * 2 ** 20
const RESERVE_BYTES = 128 * 2 ** 20
const SPACE_CHECK_MS = 250
const GROUPS_PER_REMOVAL = 512
const ERASING_PASSES = 5
const FORMAT = 1

const LAYOUT_KEY = bookkeepingKey('layout')
const OFFSETS_KEY = bookkeepingKey('offsets')
const EVENTS_KEY = bookkeepingKey('events')
const PING_KEY = bookkeepingKey('ping')

/**
 * Opens the log of one machine, and creates it if there is none. Processes and threads may open the same path
 * side by side, with the same counts. Another count or format throws LogError `layout`.
 *
 * `overlappingSync` is off: a transaction is synced to the disk before any process can see it. So
 * acknowledged records outlive power cuts, and a consumer never reads what a power cut could take back.
 *
 * Offsets are read and written inside the write transaction, one at a time across processes. They stay when
 * records are trimmed.
 *
 * On a full disk the transaction fails whole, its requests reject with LogUnavailableError, and the log goes
 * on once there is space. Trimming needs a few pages, so appending stops `reserveBytes` earlier. The file
 * never shrinks, but its pages are reused.
 */
export async function openEmbeddedLog(options: EmbeddedLogOptions): Promise<EventLog> {
  const { partitions, identityPartitions } = options
  if (!(partitions >= 1 && identityPartitions >= 1 && partitions + identityPartitions < MAX_PARTITIONS))
    throw new RangeError(
      `a log cannot have ${partitions} event and ${identityPartitions} identity partitions`,
    )
  let database: RootDatabase<Uint8Array, Uint8Array> | undefined
  try {
    database = open<Uint8Array, Uint8Array>({
      path: options.path,
      noSubdir: false,
      overlappingSync: false,
      mapSize: MAP_BYTES,
      maxDbs: 1,
      maxReaders: 256,
      encoding: 'binary',
      keyEncoding: 'binary',
      // If on, lmdb 3.5 leaves a promise of each batch unhandled, and a full disk would end the process.
      eventTurnBatching: false,
    })
    return new EmbeddedLog(database, readLayout(database, options), options)
  } catch (error) {
    await database?.close()
    // LMDB's codes are the system's numbers.
    if (Number(errorCode(error)) !== constants.errno.ENOSPC) throw error
    throw new LogError('disk_full', `the log at ${options.path} cannot be opened: ${errorMessage(error)}`, {
      cause: error,
    })
  }
}

interface Layout {
  readonly format: number
  readonly id: string
  readonly partitions: number
  readonly identityPartitions: number
}

function readLayout(database: RootDatabase<Uint8Array, Uint8Array>, options: EmbeddedLogOptions): Layout {
  const { partitions, identityPartitions } = options
  return database.transactionSync(() => {
    const stored = database.getBinary(LAYOUT_KEY)
    if (stored === undefined) {
      const msecs = (options.now ?? Date.now)()
      const layout: Layout = { format: FORMAT, id: v7({ msecs }), partitions, identityPartitions }
      database.putSync(LAYOUT_KEY, Buffer.from(JSON.stringify(layout)))
      database.putSync(OFFSETS_KEY, encodeOffsets(new Array(partitions + identityPartitions).fill(0)))
      return layout
    }
    const layout = JSON.parse(Buffer.from(stored).toString()) as Layout
    if (layout.format !== FORMAT)
      throw new LogError(
        'layout',
        `the log at ${options.path} has format ${layout.format}, and this svc knows ${FORMAT}: start the version of svc that wrote it`,
      )
    if (layout.partitions !== partitions || layout.identityPartitions !== identityPartitions)
      throw new LogError(
        'layout',
        `the log at ${options.path} has ${layout.partitions} event and ${layout.identityPartitions} identity partitions, not ${partitions} and ${identityPartitions}: the counts are fixed for the life of a log`,
      )
    return layout
  })
}

class EmbeddedLog implements EventLog, PartitionSource {
  readonly id: string
  readonly partitions: number
  readonly identityPartitions: number
  private readonly commits: GroupCommit
  private readonly ticker: Ticker
  private readonly pollMs: number
  private readonly closing = new AbortController()
  private readonly consuming = new Set<Promise<void>>()
  private readonly removals = new SerialQueue()
  private closed: Promise<void> | undefined
  private spaceCheckedAt = Number.NEGATIVE_INFINITY
  private spaceProblem: string | undefined

  constructor(
    private readonly database: Database<Uint8Array, Uint8Array>,
    layout: Layout,
    private readonly options: EmbeddedLogOptions,
  ) {
    this.id = layout.id
    this.partitions = layout.partitions
    this.identityPartitions = layout.identityPartitions
    this.pollMs = options.pollMs ?? 20
    this.ticker = new Ticker(this.pollMs, join(options.path, 'data.mdb'))
    this.commits = new GroupCommit({
      transaction: (take) => this.write(take),
      gatherMs: GATHER_MS,
      enoughBytes: ENOUGH_BYTES,
      maxGroupBytes: MAX_GROUP_BYTES,
      maxBytesInFlight: options.maxBytesInFlight ?? MAX_BYTES_IN_FLIGHT,
      patienceMs: options.patienceMs ?? 4_000,
    })
  }

  async append(records: readonly LogRecord[]): Promise<void> {
    for (const { partition } of records) assertPartition(partition, this.partitions + this.identityPartitions)
    if (records.length > 0) await this.commits.submit(records)
  }

  /** A transaction like any other that does not grow the file. */
  async ping(): Promise<void> {
    await this.commits.submit([])
  }

  async end(partition: number): Promise<number> {
    assertPartition(partition, this.partitions + this.identityPartitions)
    this.refresh()
    return this.endOf(partition)
  }

  async appendedEvents(): Promise<number> {
    this.refresh()
    return this.countEvents()
  }

  consume(options: ConsumeOptions, handler: PartitionHandler, signal: AbortSignal): Promise<void> {
    const { kind, ...limits } = options
    const first = kind === 'events' ? 0 : this.partitions
    const count = kind === 'events' ? this.partitions : this.identityPartitions
    const running = consumePartitions({
      source: this,
      partitions: Array.from({ length: count }, (_, i) => first + i),
      handler,
      ...limits,
      pollMs: this.pollMs,
      logger: this.options.logger,
      signal: AbortSignal.any([signal, this.closing.signal]),
    })
    // Closing only waits for the end; the caller handles the failure.
    const settled = running.then(ignore, ignore).finally(() => this.consuming.delete(settled))
    this.consuming.add(settled)
    return running
  }

  async trim(partition: number, beforeOffset: number): Promise<void> {
    assertPartition(partition, this.partitions + this.identityPartitions)
    await this.removals.run(() => this.remove(partition, beforeOffset))
  }

  async eraseTrimmed(texts: readonly string[]): Promise<void> {
    const file = join(this.options.path, 'data.mdb')
    // Pages that a reader may still see are free only in a later pass.
    for (let pass = 0; pass < ERASING_PASSES && (await containsAny(file, texts)); pass++)
      await this.removals.run(() => overwriteFreePages(this.database))
  }

  close(): Promise<void> {
    this.closed ??= this.shutDown()
    return this.closed
  }

  private async shutDown(): Promise<void> {
    this.closing.abort()
    this.ticker.close()
    const [settled] = await Promise.all([this.commits.close(), ...this.consuming])
    // A thread still waits for the lock inside LMDB. Closing would wait too, or crash.
    if (!settled) return
    await this.removals.idle()
    await this.database.close()
  }

  /** Reads use one snapshot until this is called or the event loop turns. */
  refresh(): void {
    this.database.resetReadTxn()
  }

  nextPoll(): Promise<void> {
    return this.ticker.next()
  }

  endOf(partition: number): number {
    return this.readOffsets()[partition] ?? 0
  }

  read(partition: number, from: number, maxBytes: number, pool: CopyBufferPool): StoredRecord[] {
    const records: StoredRecord[] = []
    let bytes = 0
    const start = this.groupAt(partition, from)
    for (const name of this.database.getKeys({ start, end: groupKey(partition + 1, 0, 0) })) {
      const value = this.database.getBinaryFast(name)
      if (value === undefined) continue
      const key = readGroupKey(name)
      // LMDB's own `length` shadows the real one. The plain view is valid until the next value is read.
      const copy = pool.copy(new Uint8Array(value.buffer, value.byteOffset, value.length))
      let offset = key.firstOffset
      for (const payload of decodeGroup(key, copy)) {
        if (offset >= from) {
          records.push({ offset, payload })
          bytes += payload.length
        }
        offset++
      }
      if (bytes >= maxBytes) break
    }
    if (records.length > 0) this.ticker.busy()
    return records
  }

  /** The key of the group that holds `offset`, or where the next one would be. */
  private groupAt(partition: number, offset: number): Buffer {
    const before = this.database.getKeys({
      start: groupKey(partition, offset, 0xffffffff),
      end: groupKey(partition, 0, 0),
      reverse: true,
      limit: 1,
    })
    for (const bytes of before) {
      const key = readGroupKey(bytes)
      if (key.firstOffset + key.count > offset) return groupKey(partition, key.firstOffset, key.count)
    }
    return groupKey(partition, offset, 0)
  }

  private async write(take: () => readonly LogRecord[]): Promise<void> {
    await this.checkSpace()
    let before: readonly number[] | undefined
    try {
      // A child transaction, so that an error between two puts undoes the first.
      await this.database.childTransaction(() => {
        const offsets = this.readOffsets()
        before = [...offsets]
        this.putRecords(take(), offsets)
      })
    } catch (error) {
      const failure = await this.explain(error, before)
      await this.turnPages()
      throw failure
    }
  }

  /**
   * LMDB reuses freed pages from the second transaction on. On a full disk appends would fail without them. A
   * transaction that fits into the last pages brings that forward.
   */
  private async turnPages(): Promise<void> {
    try {
      await this.database.childTransaction(() => void this.database.putSync(PING_KEY, PING_KEY))
    } catch (error) {
      await causeOf(error)
    }
  }

  private putRecords(records: readonly LogRecord[], offsets: number[]): void {
    const byPartition = new Map<number, Uint8Array[]>()
    let events = 0
    for (const { partition, payload, events: held = 0 } of records) {
      events += held
      const payloads = byPartition.get(partition)
      if (payloads === undefined) byPartition.set(partition, [payload])
      else payloads.push(payload)
    }
    for (const [partition, payloads] of byPartition) {
      let offset = offsets[partition] ?? 0
      for (const group of encodeGroups(payloads)) {
        this.database.putSync(groupKey(partition, offset, group.count), group.value)
        this.options.faultPoint?.('log:writing')
        offset += group.count
      }
      offsets[partition] = offset
    }
    if (events > 0) this.database.putSync(EVENTS_KEY, encodeOffsets([this.countEvents() + events]))
    if (byPartition.size === 0) this.database.putSync(PING_KEY, PING_KEY)
    else this.database.putSync(OFFSETS_KEY, encodeOffsets(offsets))
  }

  /**
   * The error that a failed transaction means to its requests. If the offsets did not change, nothing was
   * written.
   */
  private async explain(error: unknown, before: readonly number[] | undefined): Promise<Error> {
    const cause = await causeOf(error)
    const message = errorMessage(cause)
    try {
      this.refresh()
      const after = this.readOffsets()
      if (before === undefined || before.every((offset, partition) => offset === after[partition]))
        return new LogUnavailableError(`the log could not be written: ${message}`, { cause })
    } catch {
      // Reading fails as well, so the outcome is unknown.
    }
    return new LogOutcomeUnknownError(`the log could not be written: ${message}`, { cause })
  }

  private async checkSpace(): Promise<void> {
    const now = performance.now()
    if (now - this.spaceCheckedAt > SPACE_CHECK_MS) {
      this.spaceCheckedAt = now
      this.spaceProblem = await this.findSpaceProblem()
    }
    if (this.spaceProblem !== undefined) throw new LogUnavailableError(this.spaceProblem)
  }

  private async findSpaceProblem(): Promise<string | undefined> {
    const { path, reserveBytes = RESERVE_BYTES } = this.options
    try {
      const disk = await statfs(path)
      const left = disk.bavail * disk.bsize
      if (left >= reserveBytes || left + this.unusedBytes() >= reserveBytes) return undefined
    } catch (error) {
      return `the disk of the log at ${path} does not answer: ${error instanceof Error ? error.message : error}`
    }
    return `fewer than ${reserveBytes} bytes are left for the log at ${path}`
  }

  private unusedBytes(): number {
    const stats = this.database.getStats() as Readonly<Record<'free' | 'root', PageCounts>> & {
      readonly lastPageNumber: number
    }
    const pages = (counts: PageCounts): number =>
      counts.treeBranchPageCount + counts.treeLeafPageCount + counts.overflowPages
    return (stats.lastPageNumber - pages(stats.root) - pages(stats.free)) * stats.root.pageSize
  }

  private countEvents(): number {
    const stored = this.database.getBinary(EVENTS_KEY)
    return stored === undefined ? 0 : (decodeOffsets(stored, 1)[0] ?? 0)
  }

  private readOffsets(): number[] {
    const stored = this.database.getBinary(OFFSETS_KEY)
    if (stored === undefined)
      throw new LogError('damaged', `the log at ${this.options.path} has lost its offsets`)
    return decodeOffsets(stored, this.partitions + this.identityPartitions)
  }

  /** Removes the groups below `offset`, some hundreds in a transaction. */
  private async remove(partition: number, offset: number): Promise<void> {
    for (;;) {
      const keys: Uint8Array[] = []
      this.refresh()
      const range = {
        start: groupKey(partition, 0, 0),
        end: groupKey(partition, offset, 0),
        limit: GROUPS_PER_REMOVAL,
      }
      for (const bytes of this.database.getKeys(range)) {
        const key = readGroupKey(bytes)
        if (key.firstOffset + key.count > offset) break
        keys.push(groupKey(partition, key.firstOffset, key.count))
      }
      if (keys.length === 0) return
      try {
        await this.database.childTransaction(() => {
          for (const key of keys) this.database.removeSync(key)
        })
      } catch (error) {
        const cause = await causeOf(error)
        const message = errorMessage(cause)
        throw new LogUnavailableError(`records could not be removed: ${message}`, { cause })
      }
      if (keys.length < GROUPS_PER_REMOVAL) return
    }
  }
}

interface PageCounts {
  readonly pageSize: number
  readonly treeBranchPageCount: number
  readonly treeLeafPageCount: number
  readonly overflowPages: number
}

/** lmdb reports a failed commit as an error whose `commitError` rejects with the reason. */
async function causeOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error && 'commitError' in error)) return error
  try {
    await error.commitError
    return error
  } catch (cause) {
    return cause
  }
}

function ignore(): void {}
