import { setImmediate } from 'node:timers/promises'
import { runPartition } from '../../partition-runner.js'
import type { ConsumeOptions, LogLogger, PartitionHandler } from '../../port.js'
import type { BrokerConnections } from '../protocol/connections.js'
import type { LeaderCache } from '../protocol/leader-cache.js'
import { Fetcher } from './fetcher.js'
import { Membership, type MembershipTiming } from './membership.js'
import type { PartitionBuffer } from './partition-buffer.js'

export interface ConsumptionOptions {
  readonly options: ConsumeOptions
  readonly handler: PartitionHandler
  readonly groupId: string
  readonly leaders: LeaderCache
  readonly partitions: number
  readonly first: number
  /** Separate connections for reading and for the group, because joining may block its connection. */
  readonly fetchLinks: BrokerConnections
  readonly groupLinks: BrokerConnections
  readonly timing: MembershipTiming
  readonly logger: LogLogger | undefined
}

/** How long a batch waits for records that the broker has but does not send. */
const BEHIND_MS = 200
const IDLE_MS = 60_000
const AHEAD_BYTES = 8 * 2 ** 20

/** Reads the partitions that the group assigns to this process, until the signal aborts. */
export async function consume(consumption: ConsumptionOptions, signal: AbortSignal): Promise<void> {
  const { fetchLinks, groupLinks, leaders, logger, groupId, partitions, timing } = consumption
  const fetcher = new Fetcher(fetchLinks, leaders, logger)
  const owned = new Map<number, { readonly stop: AbortController; readonly ended: Promise<void> }>()
  /** The last run of each partition here. The next one starts after it. */
  const lives = new Map<number, Promise<void>>()

  const begin = (index: number): void => {
    const stop = new AbortController()
    const before = lives.get(index) ?? Promise.resolve()
    const either = AbortSignal.any([stop.signal, signal])
    const ended = before.then(() => readPartition(consumption, fetcher, membership, index, either))
    lives.set(index, ended)
    owned.set(index, { stop, ended })
  }

  const assign = (given: ReadonlySet<number>): Promise<void> | undefined => {
    const ending: Promise<void>[] = []
    for (const [index, { stop, ended }] of owned) {
      if (given.has(index)) continue
      stop.abort()
      owned.delete(index)
      ending.push(ended)
    }
    if (!signal.aborted) for (const index of given) if (!owned.has(index)) begin(index)
    return ending.length === 0 ? undefined : Promise.all(ending).then(() => undefined)
  }

  const leaving = new AbortController()
  const membership = new Membership({
    links: groupLinks,
    groupId,
    topic: leaders.topic,
    partitions,
    timing,
    logger,
    assign,
  })
  const belonging = membership.run(leaving.signal)
  const reading = fetcher.run(signal)
  if (!signal.aborted)
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  // A request that waits for records would delay the end.
  fetchLinks.close()
  // Leave the group after the current batches, so that the next owners start behind them.
  await Promise.all(lives.values())
  leaving.abort()
  await Promise.all([belonging, reading])
  groupLinks.close()
}

function readPartition(
  { options, handler, logger, first }: ConsumptionOptions,
  fetcher: Fetcher,
  membership: Membership,
  index: number,
  signal: AbortSignal,
): Promise<void> {
  const partition = first + index
  const beforeAcquire = () => membership.confirm(signal)
  return runPartition({ handler, partition, logger, signal, beforeAcquire }, async (position, handled) => {
    const buffer = fetcher.open(index, position, options.maxBatchBytes)
    try {
      await deliver({ options, handler }, buffer, partition, signal, handled)
    } finally {
      buffer.close()
    }
  })
}

async function deliver(
  { options, handler }: Pick<ConsumptionOptions, 'options' | 'handler'>,
  buffer: PartitionBuffer,
  partition: number,
  signal: AbortSignal,
  handled: () => void,
): Promise<void> {
  const { maxBatchBytes, lingerMs, enoughBytes = maxBatchBytes } = options
  let told = buffer.position
  let deliveredAt = Number.NEGATIVE_INFINITY
  while (!signal.aborted) {
    if (buffer.isEmpty) {
      if (buffer.position > told) {
        // Further such offsets may arrive meanwhile.
        const { position } = buffer
        await handler.skipTo?.(partition, position)
        told = position
      } else await buffer.waitForMore(IDLE_MS, signal)
      continue
    }
    const wait = deliveredAt + lingerMs - performance.now()
    if (buffer.bytes < enoughBytes && wait > 0) {
      await buffer.waitForMore(wait, signal)
      continue
    }
    if (buffer.bytes < maxBatchBytes && buffer.isBehind) {
      const before = buffer.bytes
      await buffer.waitForMore(BEHIND_MS, signal)
      if (buffer.bytes > before) continue
    }
    if (signal.aborted) return
    const { records, next } = buffer.take(maxBatchBytes)
    buffer.readUpTo(Math.min(AHEAD_BYTES, maxBatchBytes))
    told = next
    deliveredAt = performance.now()
    await handler.handle(partition, records, signal, next)
    handled()
    buffer.readUpTo(maxBatchBytes)
    // A handler that never waits would block the thread.
    await setImmediate()
  }
}
