import { randomBytes } from 'node:crypto'
import type { KafkaCluster } from '../../../../test/support/kafka.js'
import type { EventLog } from '../../../port.js'
import type { OpenedLog } from '../../../test/support/contract.js'
import { type KafkaLogOptions, openKafkaLog } from '../../log.js'

/** A new log on a cluster, with topics of its own and quick sessions. */
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
    releaseMs: 50,
    timing: { sessionMs: 3_000, heartbeatMs: 200, rebalanceMs: 3_000 },
    ...options,
  }
  let log: EventLog = await openKafkaLog(all)
  return {
    log,
    options: all,
    reopen: async () => {
      await log.close()
      log = await openKafkaLog(all)
      return log
    },
    destroy: () => log.close(),
  }
}
