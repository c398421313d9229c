import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { EventLog } from '../../log/port.js'
import type { Config, KafkaConfig } from '../../runtime/config.js'
import type { Logger } from '../../runtime/logger.js'

/** The choice of log as plain data, for other threads and processes of the program. */
export type LogOptions =
  | {
      readonly kind: 'embedded'
      readonly path: string
      readonly partitions: number
      readonly identityPartitions: number
    }
  | { readonly kind: 'kafka'; readonly kafka: KafkaConfig }

/** With one consumer beside one ClickHouse, more partitions would only make smaller blocks. */
const EMBEDDED_PARTITIONS = 1
const EMBEDDED_IDENTITY_PARTITIONS = 1

export function logOptions(config: Pick<Config, 'kafka' | 'dataDir'>): LogOptions {
  if (config.kafka !== undefined) return { kind: 'kafka', kafka: config.kafka }
  return {
    kind: 'embedded',
    path: join(config.dataDir, 'log'),
    partitions: EMBEDDED_PARTITIONS,
    identityPartitions: EMBEDDED_IDENTITY_PARTITIONS,
  }
}

/**
 * Opens the log, and creates it if it does not exist. Only the adapter in use is loaded.
 *
 * @param use.instance unique name of this process among all that append, the same after a restart: Kafka
 *   finishes what its last life left open. Undefined for reading only
 */
export async function openLog(
  options: LogOptions,
  use: {
    readonly instance?: string
    readonly logger: Logger
    readonly faultPoint?: (name: string) => void
  },
): Promise<EventLog> {
  if (options.kind === 'embedded') {
    const { openEmbeddedLog } = await import('../../log/embedded/log.js')
    const { path, partitions, identityPartitions } = options
    return openEmbeddedLog({ path, partitions, identityPartitions, ...use })
  }
  const { openKafkaLog, toKafkaLogOptions } = await import('../../log/kafka/log.js')
  return openKafkaLog({ ...toKafkaLogOptions(options.kafka), ...use, instance: use.instance })
}

/**
 * The unique name of this program. Without a fixed port it cannot be recognised after a restart, so the name
 * is new each time.
 */
export function instanceOf(config: Pick<Config, 'instance' | 'ingestPort'>): string {
  if (config.instance !== undefined) return config.instance
  return `${hostname()}:${config.ingestPort === 0 ? randomUUID().slice(0, 8) : config.ingestPort}`
}
