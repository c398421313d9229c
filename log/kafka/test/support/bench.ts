import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import type { KafkaCluster } from '../../../../test/support/kafka.js'
import { waitUntil } from '../../../../test/support/wait-until.js'
import { LogOutcomeUnknownError, LogUnavailableError } from '../../../port.js'
import { OPTIONS, record } from '../../../test/support/contract.js'
import { type KafkaLogOptions, openKafkaLog } from '../../log.js'
import { newKafkaLog } from './log.js'
import { portTo, SharedPositions, sharedHandler } from './shared.js'

/** A log with a constant appender, and the writes of its consumers. */
export interface ConsumerBench {
  readonly options: KafkaLogOptions
  /** Of its consumers. */
  readonly groupId: string
  readonly positions: SharedPositions
  /** A consumer in this process; resolves when it reads, to what makes it leave. */
  join(instance: string, handleMs?: number): Promise<() => Promise<void>>
  /**
   * Stops appending and waits for the writes. Returns records that were not written once, or not in order.
   */
  finish(): Promise<string[]>
}

export async function consumerBench(
  t: Test,
  kafka: KafkaCluster,
  { partitions, sessionMs }: { readonly partitions: number; readonly sessionMs: number },
): Promise<ConsumerBench> {
  const timing = { sessionMs, heartbeatMs: 200, rebalanceMs: sessionMs }
  const { log, options, destroy } = await newKafkaLog(kafka, { partitions, timing })
  t.teardown(destroy)
  const positions = new SharedPositions()
  const sent: string[] = []
  const unknown: string[] = []
  let appending = true
  t.teardown(() => {
    appending = false
  })
  const appender = (async () => {
    for (let i = 0; appending; i++) {
      const payloads = Array.from({ length: partitions }, (_, partition) => `${partition}:${i}`)
      try {
        await log.append(payloads.map((payload, partition) => record(partition, payload)))
        sent.push(...payloads)
      } catch (error) {
        if (error instanceof LogOutcomeUnknownError) unknown.push(...payloads)
        else if (!(error instanceof LogUnavailableError)) throw error
      }
      await pause(5)
    }
  })()
  return {
    options,
    groupId: `${options.topicPrefix}-${log.id}-events`,
    positions,
    join: async (instance, handleMs = 0) => {
      const own = await openKafkaLog({ ...options, instance: undefined })
      t.teardown(() => own.close())
      const abort = new AbortController()
      const handler = sharedHandler(portTo(positions, instance), handleMs)
      const consuming = own.consume(OPTIONS, handler, abort.signal)
      return async () => {
        abort.abort()
        await consuming
        await own.close()
      }
    },
    finish: async () => {
      appending = false
      await appender
      await waitUntil(() => sent.every((payload) => positions.written.has(payload)))
      const found = unknown.filter((payload) => positions.written.has(payload))
      return positions.faults([...sent, ...found])
    },
  }
}
