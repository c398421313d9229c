import { backoffMs } from '../../../runtime/backoff.js'
import { pause } from '../../../runtime/concurrency/pause.js'
import { isLogError, type LogLogger } from '../../port.js'
import { type BrokerConnections, kafkaError } from '../protocol/connections.js'
import type { LeaderCache } from '../protocol/leader-cache.js'
import { listOffset } from '../protocol/offsets.js'
import { readCommitted } from '../protocol/record-batch.js'
import { type FetchedPartition, fetchRequest } from './fetch-request.js'
import { PartitionBuffer } from './partition-buffer.js'

const OFFSET_OUT_OF_RANGE = 1
/** How long a broker holds a request without records. A partition opened meanwhile waits for the next one. */
const WAIT_MS = 250
/** While a full partition is left out of the request. */
const SHORT_WAIT_MS = 40
const MAX_BYTES = 16 * 2 ** 20
/** With much less each partition needs many rounds, which is slow. */
const MAX_PARTITION_BYTES = 2 * 2 ** 20
const PAUSES = { initialIntervalMs: 50, maxIntervalMs: 1_000 } as const

/**
 * Reads the partitions of one topic, with one request at a time to each broker for all partitions it leads.
 * Retries failing brokers with pauses and follows new leaders.
 */
export class Fetcher {
  private readonly buffers = new Set<PartitionBuffer>()
  private readonly rounds = new Map<string, Promise<void>>()
  private finding: Promise<void> | undefined
  private wake: (() => void) | undefined
  private dirty = false
  private turn = 0
  private failures = 0
  private backingOff: Promise<void> | undefined

  constructor(
    private readonly links: BrokerConnections,
    private readonly leaders: LeaderCache,
    private readonly logger: LogLogger | undefined,
  ) {}

  /** Starts to read a partition. Close the buffer when it is no longer needed. */
  open(index: number, position: number, limitBytes: number): PartitionBuffer {
    const buffer = new PartitionBuffer(index, position, limitBytes, () => this.changed())
    this.buffers.add(buffer)
    this.changed()
    return buffer
  }

  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.changed(), { once: true })
    while (!signal.aborted) {
      this.dirty = false
      this.findLeaders(signal)
      for (const address of this.leading()) {
        if (this.rounds.has(address)) continue
        const round = this.round(address, signal).finally(() => {
          this.rounds.delete(address)
          this.changed()
        })
        this.rounds.set(address, round)
      }
      if (!this.dirty && !signal.aborted)
        await new Promise<void>((resolve) => {
          this.wake = resolve
        })
    }
    await Promise.all([...this.rounds.values(), this.finding])
  }

  private changed(): void {
    this.dirty = true
    this.wake?.()
  }

  /** The brokers that lead a partition whose buffer wants more. */
  private leading(): Set<string> {
    const addresses = new Set<string>()
    for (const buffer of this.buffers) {
      if (!buffer.isOpen) this.buffers.delete(buffer)
      const address = buffer.wanted === undefined ? undefined : this.leaders.of(buffer.index)
      if (address !== undefined) addresses.add(address)
    }
    return addresses
  }

  private findLeaders(signal: AbortSignal): void {
    const { leaders } = this
    const lost = [...this.buffers].some((buffer) => buffer.isOpen && leaders.of(buffer.index) === undefined)
    if (this.finding !== undefined || (leaders.isFresh && !lost)) return
    this.finding = this.refreshLeaders(signal).finally(() => {
      this.finding = undefined
      this.changed()
    })
  }

  private async refreshLeaders(signal: AbortSignal): Promise<void> {
    const { leaders, logger } = this
    await this.backingOff
    if (signal.aborted) return
    try {
      await leaders.refresh()
      if ([...this.buffers].every((buffer) => !buffer.isOpen || leaders.of(buffer.index) !== undefined))
        return
    } catch (error) {
      if (signal.aborted) return
      if (isLogError(error, 'layout')) for (const buffer of this.buffers) buffer.fail(buffer.position, error)
      logger?.warn({ err: error, topic: leaders.topic }, 'Finding partition leaders failed; retrying')
    }
    this.backOff(signal)
    await this.backingOff
  }

  private async round(address: string, signal: AbortSignal): Promise<void> {
    const { links, leaders } = this
    await this.backingOff
    if (signal.aborted) return
    const mine = [...this.buffers].filter((buffer) => leaders.of(buffer.index) === address)
    const asked = mine.flatMap((buffer) =>
      buffer.wanted === undefined ? [] : [{ buffer, index: buffer.index, offset: buffer.wanted }],
    )
    if (asked.length === 0) return
    // The broker serves them in order until the response is full, so rotate them.
    const first = this.turn++ % asked.length
    const partitions = [...asked.slice(first), ...asked.slice(0, first)]
    const left = mine.some((buffer) => buffer.isOpen && buffer.wanted === undefined)
    try {
      const fetched = await links.send(
        address,
        fetchRequest({
          topic: leaders.topic,
          maxWaitMs: left ? SHORT_WAIT_MS : WAIT_MS,
          maxBytes: MAX_BYTES,
          maxPartitionBytes: MAX_PARTITION_BYTES,
          partitions,
        }),
      )
      for (const partition of fetched) {
        const { buffer, offset } = asked.find(({ index }) => index === partition.index) ?? {}
        if (buffer === undefined || offset === undefined) continue
        if (partition.error === 0) await this.put(buffer, offset, partition)
        else await this.handleFetchError(buffer, offset, partition, address, signal)
      }
      this.failures = 0
    } catch (error) {
      if (signal.aborted) return
      this.backOff(signal)
      const fields = { err: error, broker: address, topic: leaders.topic }
      this.logger?.warn(fields, 'Fetching records from a broker failed; retrying')
      leaders.invalidate()
    }
  }

  private async put(buffer: PartitionBuffer, asked: number, partition: FetchedPartition): Promise<void> {
    const { stableEnd, aborted, bytes } = partition
    try {
      const { records, next } = await readCommitted(bytes, aborted, asked)
      buffer.put(asked, records, next, stableEnd)
    } catch (error) {
      buffer.fail(asked, error instanceof Error ? error : new Error(String(error)))
    }
  }

  private async handleFetchError(
    buffer: PartitionBuffer,
    asked: number,
    partition: FetchedPartition,
    address: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { links, leaders, logger } = this
    const { index, error } = partition
    if (error !== OFFSET_OUT_OF_RANGE) throw kafkaError(error)
    this.backOff(signal)
    const earliest = await listOffset(links, address, leaders.topic, index, 'earliest')
    const latest = await listOffset(links, address, leaders.topic, index, 'latest')
    if (asked > latest)
      buffer.fail(
        asked,
        new Error(
          `partition ${index} of ${leaders.topic} is read from offset ${asked}, and it ends at ${latest}: it has lost records`,
        ),
      )
    else if (asked < earliest) {
      // Harmless if they were trimmed. If the brokers removed them by their own rule, they are lost.
      logger?.warn(
        { topic: leaders.topic, partition: index, from: asked, to: earliest },
        'Records before this position are gone; continuing behind them',
      )
      buffer.put(asked, [], earliest, latest)
    }
  }

  /** Pauses all requests, longer each time in a row. */
  private backOff(signal: AbortSignal): void {
    if (this.backingOff !== undefined) return
    const pauseMs = backoffMs(PAUSES, this.failures)
    this.failures++
    this.backingOff = pause(pauseMs, signal).then(() => {
      this.backingOff = undefined
      this.changed()
    })
  }
}
