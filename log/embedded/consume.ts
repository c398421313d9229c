import { type FSWatcher, watch } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { pause } from '../../runtime/concurrency/pause.js'
import { batchLength, runPartition } from '../partition-runner.js'
import {
  type ConsumeOptions,
  isLogError,
  LogError,
  type LogLogger,
  type PartitionHandler,
  type StoredRecord,
} from '../port.js'
import { CopyBufferPool } from './copy-buffer-pool.js'

/** The source of records. Synchronous, because LMDB is a memory map. */
export interface PartitionSource {
  /** Makes the following calls see what is committed by now. */
  refresh(): void
  endOf(partition: number): number
  nextPoll(): Promise<void>
  /** Copies records from an offset on into the pool: whole groups until `maxBytes`, at least one record. */
  read(partition: number, from: number, maxBytes: number, pool: CopyBufferPool): StoredRecord[]
}

/** After so many ticks without a record the file is watched instead. */
const QUIET_TICKS = 50
/** Polls a watched file as well, because network file systems may not report changes. */
const QUIET_MS = 500

/**
 * Wakes all waiting partitions every `intervalMs` while records come. A timer costs far more than a look into
 * the map, so partitions share it. While nothing comes, they wait for a change of the file.
 */
export class Ticker {
  private waiting: (() => void)[] = []
  private timer: NodeJS.Timeout | undefined
  private quietTicks = 0
  private watcher: FSWatcher | undefined
  private changed = false

  /** @param file that every writer writes to; if undefined, the interval is kept forever */
  constructor(
    private readonly intervalMs: number,
    private readonly file?: string,
    private readonly quietMs = QUIET_MS,
  ) {}

  next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.waiting.push(resolve) === 1)
        this.wakeIn(this.watcher === undefined || this.changed ? this.intervalMs : this.quietMs)
    })
  }

  busy(): void {
    this.quietTicks = 0
    this.close()
  }

  close(): void {
    this.watcher?.close()
    this.watcher = undefined
  }

  private wakeIn(ms: number): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.wake(), ms)
  }

  private wake(): void {
    // Before they look, so that anything later counts as a change.
    if (++this.quietTicks % QUIET_TICKS === 0) this.watcher ??= this.watch()
    this.changed = false
    for (const resolve of this.waiting.splice(0)) resolve()
  }

  private watch(): FSWatcher | undefined {
    if (this.file === undefined) return undefined
    try {
      const watcher = watch(this.file, { persistent: false }, () => {
        if (this.changed || this.watcher !== watcher) return
        this.changed = true
        if (this.waiting.length > 0) this.wakeIn(this.intervalMs)
      })
      watcher.on('error', () => {
        if (this.watcher === watcher) this.close()
      })
      return watcher
    } catch {
      // The system may have no watch left to give.
      return undefined
    }
  }
}

export interface PartitionsOptions extends Omit<ConsumeOptions, 'kind'> {
  readonly source: PartitionSource
  readonly partitions: readonly number[]
  readonly handler: PartitionHandler
  readonly pollMs: number
  readonly logger: Pick<LogLogger, 'warn'> | undefined
  readonly signal: AbortSignal
}

/** Copied out of the map before other work of the thread runs. */
const READ_BYTES = 4 * 2 ** 20

/** Delivers partitions side by side until `signal` aborts. Damage ends all of it with LogError `damaged`. */
export async function consumePartitions(options: PartitionsOptions): Promise<void> {
  const failed = new AbortController()
  const signal = AbortSignal.any([options.signal, failed.signal])
  const results = await Promise.allSettled(
    options.partitions.map(async (partition) => {
      try {
        await consumePartition({ ...options, signal }, partition)
      } catch (error) {
        failed.abort()
        throw error
      }
    }),
  )
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

function consumePartition(options: PartitionsOptions, partition: number): Promise<void> {
  const { handler, logger, signal } = options
  const isFinal = (error: unknown): boolean => isLogError(error, 'damaged')
  return runPartition({ handler, partition, logger, signal, isFinal }, (position, handled) =>
    deliver(options, partition, position, handled),
  )
}

async function deliver(
  options: PartitionsOptions,
  partition: number,
  position: number,
  handled: () => void,
): Promise<void> {
  const { source, handler, signal, maxBatchBytes, lingerMs, enoughBytes = maxBatchBytes, pollMs } = options
  let next = position
  let pending: StoredRecord[] = []
  let pendingBytes = 0
  let deliveredAt = Number.NEGATIVE_INFINITY
  // One pool for each delivery: a handler that failed may still use what it was given.
  const pool = new CopyBufferPool()
  while (!signal.aborted) {
    source.refresh()
    const end = source.endOf(partition)
    if (next > end)
      throw new LogError(
        'damaged',
        `partition ${partition} is read from offset ${next}, and the log ends at ${end}: it has lost records or is another one`,
      )
    if (next < end && pendingBytes < maxBatchBytes) {
      const records = source.read(partition, next, Math.min(READ_BYTES, maxBatchBytes - pendingBytes), pool)
      for (const record of records) pendingBytes += record.payload.length
      // Everything below the end was trimmed, so there is nothing to read before it.
      next = records.length === 0 ? end : (records.at(-1)?.offset ?? next) + 1
      pending = pending.length === 0 ? records : pending.concat(records)
      if (next < end && pendingBytes < maxBatchBytes) {
        await setImmediate()
        continue
      }
    }
    if (pending.length === 0) {
      pool.release()
      await source.nextPoll()
      continue
    }
    const wait = deliveredAt + lingerMs - performance.now()
    if (wait > 0 && pendingBytes < enoughBytes) {
      await pause(Math.min(pollMs, wait), signal)
      continue
    }
    const count = batchLength(pending, maxBatchBytes)
    const batch = pending.slice(0, count)
    pending = pending.slice(count)
    for (const record of batch) pendingBytes -= record.payload.length
    deliveredAt = performance.now()
    await handler.handle(partition, batch, signal)
    handled()
    // Records read beyond the batch, at most one group.
    pending = pending.map(({ offset, payload }) => ({ offset, payload: new Uint8Array(payload) }))
    pool.reuse()
    // A handler that never waits would block the thread.
    await setImmediate()
  }
}
