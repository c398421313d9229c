import { randomUUID } from 'node:crypto'
import { acquireWriterLease } from '../../ingest/append/writer-lease.js'
import { startGateway } from '../../ingest/server.js'
import { connectPostgres } from '../../postgres/driver/client.js'
import { collectWhenQuiet } from '../../runtime/collect-garbage.js'
import type { TracingConfig } from '../../runtime/config.js'
import { createLogger, type LogLevel } from '../../runtime/logger.js'
import { type Channel, reportFailure, serveStage } from '../../runtime/stage-ipc.js'
import { startTracing } from '../../runtime/tracing.js'
import { STOP_SIGNALS, surviveClosedOutput } from '../lifecycle/process-endings.js'
import { processRegistry } from '../lifecycle/registry.js'
import { type LogOptions, openLog } from '../stores/log.js'
import { faultPointOf } from './fault-point.js'

/**
 * A gateway in its own process, started by a program and connected to it by IPC. It also stops when that
 * program is gone: an orphan would go on accepting events that nothing reads.
 */
export interface GatewayOptions {
  readonly kind: 'start'
  readonly name: string
  /** Unique, and the same after a restart. */
  readonly instance: string
  readonly log: LogOptions
  readonly postgresUrl: string
  readonly secretKey: Uint8Array
  readonly host: string
  readonly port: number
  readonly exclusivePort: boolean
  readonly trustedProxies: readonly string[]
  readonly logLevel: LogLevel
  readonly tracing: TracingConfig | undefined
  readonly faultPoint: string | undefined
}

/** Rejected requests come by the thousand. */
const REPEAT_LOG_MS = 1_000

const channel: Channel = {
  post: (message) => {
    // If the parent is gone, `disconnect` handles it.
    process.send?.(message, () => {})
  },
  listen: (receive) => process.on('message', receive),
}

// A terminal sends Ctrl-C to the whole group; the parent decides when this process stops.
for (const signal of STOP_SIGNALS) process.on(signal, () => {})
surviveClosedOutput()

process.once('message', (message) => {
  void run(message as GatewayOptions).catch((error: unknown) => {
    reportFailure(channel, error)
    setTimeout(() => process.exit(1), 100)
  })
})

async function run(options: GatewayOptions): Promise<void> {
  const logger = createLogger(options.logLevel, options.name, REPEAT_LOG_MS)
  const faultPoint = faultPointOf(options.faultPoint)
  collectWhenQuiet()
  const stopTracing = await startTracing(options.tracing)
  const log = await openLog(options.log, { instance: options.instance, logger, faultPoint })
  const sql = connectPostgres({
    url: options.postgresUrl,
    applicationName: `svc ${options.name}`,
    maxConnections: 6,
    statementMs: 5_000,
  })
  const registry = processRegistry(options.name)
  const lease = await acquireWriterLease({
    sql,
    log,
    name: options.instance,
    logger,
    clock: () => performance.now(),
    now: Date.now,
    id: randomUUID(),
  })
  const stage = await startGateway({
    log: lease.log,
    sql,
    secretKey: options.secretKey,
    host: options.host,
    port: options.port,
    exclusivePort: options.exclusivePort,
    trustedProxies: options.trustedProxies,
    logger,
    registry,
    now: Date.now,
    faultPoint,
  })
  const leave = async (): Promise<void> => {
    await lease.release()
    await log.close()
    await sql.end({ timeout: 2 })
    await stopTracing()
    process.exit(0)
  }
  serveStage(stage, channel, () => void leave())
  process.on('disconnect', () => {
    logger.warn('Parent process is gone: the gateway stops')
    void stage.stop().then(leave, leave)
  })
}
