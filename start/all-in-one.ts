import { join } from 'node:path'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { v7 } from 'uuid'
import { startApi } from '../api/server.js'
import { openEmbeddedClickHouse } from '../clickhouse/embedded.js'
import { migrateClickHouse } from '../clickhouse/migrate.js'
import type { ClickHouse } from '../clickhouse/port.js'
import { openRemoteClickHouse } from '../clickhouse/remote.js'
import { registerLog } from '../consumers/register-log.js'
import { openEmbeddedLog } from '../log/embedded.js'
import { connectPostgres } from '../postgres/client.js'
import { keepEmbeddedPostgres } from '../postgres/kept.js'
import { migratePostgres } from '../postgres/migrate.js'
import { startAdminServer } from '../runtime/admin-server.js'
import { type Config, ConfigError } from '../runtime/config.js'
import { takeDataDirectory } from '../runtime/data-directory.js'
import { createLogger } from '../runtime/logger.js'
import { loadSecretKey } from '../runtime/secret.js'
import type { Stage } from '../runtime/stage.js'
import { superviseConsumers, superviseGateway } from './children.js'
import type { EmbeddedShare, RemoteAddress } from './consumers-worker.js'
import { writeDevKeys } from './dev-keys.js'
import { requireFreePort } from './ports.js'

/** One partition: with one consumer beside one ClickHouse more would only make smaller blocks. */
const EMBEDDED_PARTITIONS = 1
const EMBEDDED_IDENTITY_PARTITIONS = 1
const DRAIN_LIMIT_MS = 30_000

/**
 * Runs gateway, consumers and management API over embedded stores (or external Postgres and ClickHouse where their addresses are given) until SIGTERM
 * or SIGINT, then drains. Resolves with the exit code; throws where the start fails, after giving back what it had taken.
 */
export async function runAllInOne(config: Config): Promise<number> {
  if (config.kafkaBrokers !== undefined)
    throw new ConfigError(
      'SVC_KAFKA_BROKERS',
      'is set, but this version has the embedded log only: leave it out',
    )
  const logger = createLogger(config.logLevel, 'main')
  const cleanup: Array<{ readonly name: string; run(): unknown }> = []
  const stopSignal = waitForSignal()
  const stages: Stage[] = []
  try {
    const giveBack = takeDataDirectory(config.dataDir)
    cleanup.push({ name: 'lock', run: giveBack })
    await requireFreePort('SVC_API_PORT', config.host, config.apiPort)
    await requireFreePort('SVC_INGEST_PORT', config.host, config.ingestPort)
    await requireFreePort('SVC_ADMIN_PORT', config.adminHost, config.adminPort)
    const secretKey = loadSecretKey({ fromEnvironment: config.secretKey, dataDir: config.dataDir })

    let postgresUrl = config.postgresUrl
    if (postgresUrl === undefined) {
      const postgres = await keepEmbeddedPostgres({ dataDir: join(config.dataDir, 'postgres'), logger })
      cleanup.push({ name: 'postgres', run: () => postgres.stop() })
      postgresUrl = postgres.url
    }
    await migrate(postgresUrl)
    const sql = connectPostgres({
      url: postgresUrl,
      applicationName: 'svc api',
      maxConnections: 10,
      statementMs: 10_000,
    })
    cleanup.push({ name: 'postgres connections', run: () => sql.end({ timeout: 2 }) })
    if (config.postgresUrl === undefined) await writeDevKeys(sql, secretKey, config.dataDir)

    const { clickhouse, forConsumers } = await openClickHouse(config)
    cleanup.push({ name: 'clickhouse', run: () => clickhouse.close() })
    await migrateClickHouse(clickhouse)

    const logPath = join(config.dataDir, 'log')
    const shape = { partitions: EMBEDDED_PARTITIONS, identityPartitions: EMBEDDED_IDENTITY_PARTITIONS }
    const log = await openEmbeddedLog({ path: logPath, ...shape, logger })
    cleanup.push({ name: 'log', run: () => log.close() })
    await registerLog(sql, log)

    const registry = new Registry()
    registry.setDefaultLabels({ process: 'main' })
    collectDefaultMetrics({ register: registry, prefix: 'svc_' })
    const api = await startApi({
      sql,
      clickhouse,
      log,
      secretKey,
      host: config.host,
      port: config.apiPort,
      settlingHours: config.settlingHours,
      logger: logger.child({ stage: 'api' }),
      registry,
      now: Date.now,
      newId: v7,
    })
    cleanup.push({ name: 'api', run: () => api.stop() })
    stages.push(api)

    const common = {
      logPath,
      ...shape,
      postgresUrl,
      logLevel: config.logLevel,
      faultPoint: config.faultPoint,
    }
    const consumers = await superviseConsumers(
      () => ({ ...common, clickhouse: forConsumers(), dedupMemoryMb: config.dedupMemoryMb }),
      logger,
    )
    cleanup.push({ name: 'consumers', run: () => consumers.stop() })
    stages.push(consumers)

    let ingestUrl: string | undefined
    for (let worker = 1; worker <= config.ingestWorkers; worker++) {
      const gateway = await superviseGateway(
        {
          ...common,
          kind: 'start',
          name: `gateway-${worker}`,
          secretKey,
          host: config.host,
          // The first one finds the port, the others share it.
          port: ingestUrl === undefined ? config.ingestPort : Number(new URL(ingestUrl).port),
          exclusivePort: config.ingestWorkers === 1,
        },
        logger,
      )
      cleanup.push({ name: `gateway-${worker}`, run: () => gateway.stop() })
      stages.push(gateway)
      ingestUrl ??= gateway.url
    }

    const admin = await startAdminServer({
      host: config.adminHost,
      port: config.adminPort,
      stages: () => stages,
    })
    cleanup.push({ name: 'admin', run: () => admin.stop() })
    process.stdout.write(`svc ready api=${api.url} ingest=${ingestUrl} admin=${admin.url}\n`)
    const reason = await stopSignal
    logger.info({ reason }, 'stopping: new requests are refused, what was accepted is kept')
  } finally {
    await unwind(cleanup, logger)
  }
  return 0
}

/** Over a connection of its own: a change to a large table may take its time, which no request has. */
async function migrate(postgresUrl: string): Promise<void> {
  const sql = connectPostgres({
    url: postgresUrl,
    applicationName: 'svc migrations',
    maxConnections: 1,
    statementMs: 600_000,
  })
  try {
    await migratePostgres(sql)
  } finally {
    await sql.end({ timeout: 2 })
  }
}

interface OpenedClickHouse {
  readonly clickhouse: ClickHouse
  /** What a thread of consumers needs to reach the same store. */
  forConsumers(): EmbeddedShare | RemoteAddress
}

async function openClickHouse(config: Config): Promise<OpenedClickHouse> {
  const { clickhouseUrl: url, clickhouseCluster: cluster } = config
  if (url !== undefined)
    return {
      clickhouse: await openRemoteClickHouse({ url, cluster }),
      forConsumers: () => ({ kind: 'remote', url, cluster }),
    }
  const path = join(config.dataDir, 'clickhouse')
  const clickhouse = await openEmbeddedClickHouse({ path })
  return { clickhouse, forConsumers: () => ({ kind: 'embedded', path, port: clickhouse.share() }) }
}

/** Undoes the start in reverse order; one step that fails or hangs does not keep the others from running. */
async function unwind(
  cleanup: ReadonlyArray<{ readonly name: string; run(): unknown }>,
  logger: { warn(fields: object, text: string): void },
): Promise<void> {
  for (const { name, run } of [...cleanup].reverse()) {
    let timer: NodeJS.Timeout | undefined
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`not stopped within ${DRAIN_LIMIT_MS} ms`)), DRAIN_LIMIT_MS)
    })
    try {
      await Promise.race([run(), limit])
    } catch (error) {
      logger.warn({ part: name, err: error }, 'a part did not stop as it should')
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Resolves with the name of the first signal that asks to stop. */
function waitForSignal(): Promise<string> {
  return new Promise((resolve) => {
    // Kept for good: a second signal must not end the process before the stores are closed.
    for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => resolve(signal))
  })
}
