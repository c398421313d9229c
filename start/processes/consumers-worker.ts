import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { Registry } from 'prom-client'
import { connectSharedClickHouse } from '../../clickhouse/embedded/shared.js'
import type { LinkStorage } from '../../clickhouse/port.js'
import { openRemoteClickHouse } from '../../clickhouse/remote/open.js'
import { startConsumers } from '../../consumers/start.js'
import { connectPostgres } from '../../postgres/driver/client.js'
import { collectWhenQuiet } from '../../runtime/collect-garbage.js'
import type { TracingConfig } from '../../runtime/config.js'
import { createLogger, type LogLevel } from '../../runtime/logger.js'
import { type Channel, reportFailure, serveStage } from '../../runtime/stage-ipc.js'
import { startTracing } from '../../runtime/tracing.js'
import { type LogOptions, openLog } from '../stores/log.js'
import { faultPointOf } from './fault-point.js'

/**
 * The consumers on a thread of the all-in-one program. The embedded ClickHouse allows one process only, so
 * they share it with the management API, whose event loop must not wait while rows are prepared. Statements
 * go to its connections over a port.
 */
export interface EmbeddedShare {
  readonly kind: 'embedded'
  readonly path: string
  /** From the engine on the main thread. */
  readonly port: MessagePort
}

export interface RemoteAddress {
  readonly kind: 'remote'
  readonly url: string
  readonly cluster: string | undefined
  readonly links: LinkStorage
}

export interface ConsumersOptions {
  readonly log: LogOptions
  readonly postgresUrl: string
  readonly clickhouse: EmbeddedShare | RemoteAddress
  readonly dedupMemoryMb: number
  readonly dedupFolder: string
  readonly logLevel: LogLevel
  readonly tracing: TracingConfig | undefined
  readonly faultPoint: string | undefined
}

const port = portToParent()
const channel: Channel = {
  post: (message) => port.postMessage(message),
  listen: (receive) => port.on('message', receive),
}

function portToParent(): MessagePort {
  if (parentPort === null) throw new Error('this file runs as a worker thread')
  return parentPort
}

void run(workerData as ConsumersOptions).catch((error: unknown) => {
  reportFailure(channel, error)
  port.close()
})

async function run(options: ConsumersOptions): Promise<void> {
  collectWhenQuiet()
  const logger = createLogger(options.logLevel, 'consumers')
  const stopTracing = await startTracing(options.tracing)
  const { clickhouse: store } = options
  const clickhouse =
    store.kind === 'embedded' ? connectSharedClickHouse(store) : await openRemoteClickHouse(store)
  const log = await openLog(options.log, { logger })
  const sql = connectPostgres({
    url: options.postgresUrl,
    applicationName: 'svc consumers',
    maxConnections: 6,
    statementMs: 10_000,
  })
  const registry = new Registry()
  const stage = await startConsumers({
    log,
    sql,
    clickhouse,
    dedupMemoryBytes: options.dedupMemoryMb * 1_048_576,
    dedupFolder: options.dedupFolder,
    logger,
    registry,
    now: Date.now,
    faultPoint: faultPointOf(options.faultPoint),
  })
  serveStage(stage, channel, () => {
    void Promise.allSettled([log.close(), clickhouse.close(), sql.end({ timeout: 2 }), stopTracing()]).then(
      () => port.close(),
    )
  })
}
