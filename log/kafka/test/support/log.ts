import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { KafkaCluster } from '../../../../test/support/kafka.js'
import { type EventLog, LogUnavailableError } from '../../../port.js'
import type { OpenedLog } from '../../../test/support/contract.js'
import { type KafkaLogOptions, openKafkaLog } from '../../log.js'

/** Opens a log like a started program: a busy broker may answer late, so it retries for half a minute. */
export async function openPatiently(options: KafkaLogOptions): Promise<EventLog> {
  for (const end = performance.now() + 30_000; ; await pause(100))
    try {
      return await openKafkaLog(options)
    } catch (error) {
      if (!(error instanceof LogUnavailableError) || performance.now() > end) throw error
    }
}

/** A new log on a cluster, with new topics and short sessions. */
export async function newKafkaLog(
  kafka: KafkaCluster,
  options: Partial<KafkaLogOptions> = {},
): Promise<OpenedLog & { readonly options: KafkaLogOptions }> {
  const all: KafkaLogOptions = {
    brokers: kafka.brokers.split(','),
    instance: 'test',
    partitions: 3,
    identityPartitions: 2,
    topicPrefix: `t${randomBytes(6).toString('hex')}`,
    trimMs: 50,
    timing: { sessionMs: 3_000, heartbeatMs: 200, rebalanceMs: 3_000 },
    ...options,
  }
  let log = await openPatiently(all)
  return {
    log,
    options: all,
    reopen: async () => {
      await log.close()
      log = await openPatiently(all)
      return log
    },
    destroy: () => log.close(),
  }
}
