import { join } from 'node:path'
import { v7 } from 'uuid'
import { clearSnapshots } from '../../backup/snapshot.js'
import { openEmbeddedClickHouse } from '../../clickhouse/embedded/open.js'
import { migrateClickHouse } from '../../clickhouse/migrate.js'
import type { ClickHouse } from '../../clickhouse/port.js'
import { recoverFromUncleanShutdown } from '../../consumers/partitions/unclean-shutdown.js'
import { CODE_MINUTES, SignInCodes } from '../../management/sessions/index.js'
import type { Sql } from '../../postgres/driver/client.js'
import { superviseEmbeddedPostgres } from '../../postgres/embedded/supervisor.js'
import { openSecretKey } from '../../postgres/tables/hashing-key.js'
import { availableCpus } from '../../runtime/available-cpus.js'
import type { Config } from '../../runtime/config.js'
import { lockDataDirectory, refuseUnfinishedRestore } from '../../runtime/data-directory.js'
import { detectReboot } from '../../runtime/reboot-detection.js'
import { loadSecretKeys } from '../../runtime/secret-key.js'
import { queryThreads } from '../../runtime/thread-pool-config.js'
import { requireFreePort } from '../lifecycle/ports.js'
import { type Program, runProgram } from '../lifecycle/program.js'
import { processRegistry } from '../lifecycle/registry.js'
import type { EmbeddedShare, RemoteAddress } from '../processes/consumers-worker.js'
import { gatewayWorkers, startGateways } from '../processes/gateways.js'
import { superviseConsumers } from '../processes/supervisor.js'
import { writeDevKeys } from '../stores/dev-keys.js'
import { instanceOf, logOptions } from '../stores/log.js'
import { connectDatabase, migrateDatabase, openRegisteredLog, openServer } from '../stores/stores.js'
import { startApiStage } from './api-stage.js'

/**
 * Runs gateway, consumers and management API until SIGTERM or SIGINT, then drains. Each store is embedded
 * unless its address is configured.
 *
 * @returns the exit code
 * @throws if the start fails, after it has stopped what was started
 */
export function runAllInOne(config: Config): Promise<number> {
  return runProgram(config, 'main', (program) => startAll(program, config))
}

async function startAll(program: Program, config: Config): Promise<string> {
  const { logger } = program
  program.onStop('lock', lockDataDirectory(config.dataDir))
  refuseUnfinishedRestore(config.dataDir)
  clearSnapshots(config.dataDir)
  await requireFreePort('SVC_API_PORT', config.host, config.apiPort)
  await requireFreePort('SVC_INGEST_PORT', config.host, config.ingestPort)
  const configuredKeys = loadSecretKeys(config)
  const adminUrl = await program.openAdmin()

  const postgresUrl = config.postgresUrl ?? (await startPostgres(program, config))
  await migrateDatabase(program, postgresUrl)
  const sql = connectDatabase(program, {
    url: postgresUrl,
    applicationName: 'svc api',
    maxConnections: 10,
  })
  const secretKey = await openSecretKey(sql, configuredKeys)
  const firstKeys =
    config.postgresUrl === undefined ? await writeDevKeys(sql, secretKey, config.dataDir) : undefined
  const signInCodes = new SignInCodes({ sql, secretKey, now: Date.now, newId: v7 })

  const { clickhouse, forConsumers } = await openClickHouse(program, config)

  const instance = instanceOf(config)
  const logShape = logOptions(config)
  const log = await openRegisteredLog(program, sql, logShape)
  program.onStop('log', () => log.close())
  if (config.clickhouseUrl === undefined) await recoverIfRebooted(program, config.dataDir, sql, clickhouse)

  let ingestUrl: string | undefined
  const own = {
    sql,
    clickhouse,
    log,
    secretKey,
    logger: logger.child({ stage: 'api' }),
    registry: processRegistry('main'),
    signInCodes,
  }
  // In parallel: each loads its own program on a thread or in a process, and they do not depend on each
  // other.
  const starting = [
    startApiStage(program, config, own, () => ingestUrl),
    program.startStage(
      'consumers',
      superviseConsumers(
        () => ({
          log: logShape,
          postgresUrl,
          clickhouse: forConsumers(),
          dedupMemoryMb: config.dedupMemoryMb,
          dedupFolder: join(config.dataDir, 'dedup'),
          logLevel: config.logLevel,
          tracing: config.tracing,
          faultPoint: config.faultPoint,
        }),
        logger,
      ),
    ),
  ] as const
  const gateways = startGateways(program, config, {
    postgresUrl,
    secretKey,
    log: logShape,
    instance,
    workers: gatewayWorkers(availableCpus(), 'stores'),
  })
  const [api] = await Promise.all([...starting, gateways])
  ingestUrl = await gateways
  if (firstKeys !== undefined) invite(config.host, api.url ?? '', signInCodes.issue(firstKeys.workspaceId))
  return `api=${api.url} ingest=${ingestUrl} admin=${adminUrl}`
}

/** Prints where to sign in after the first start. Browsers never send what follows the `#` to a server. */
function invite(host: string, apiUrl: string, code: string): void {
  const address = new URL(apiUrl)
  // A wildcard address is reachable as loopback.
  if (host === '0.0.0.0' || host === '::') address.hostname = '127.0.0.1'
  process.stderr.write(
    `Open ${address.origin}/#code=${code} to look around. The link signs in once, within ${CODE_MINUTES} minutes.\n`,
  )
}

/** The embedded ClickHouse may have lost what was not on the disk when the machine stopped. */
async function recoverIfRebooted(
  { logger }: Program,
  dataDir: string,
  sql: Sql,
  clickhouse: ClickHouse,
): Promise<void> {
  const { rebooted, acknowledge } = detectReboot(dataDir)
  if (rebooted) await recoverFromUncleanShutdown({ sql, clickhouse, logger })
  acknowledge()
}

async function startPostgres(program: Program, config: Config): Promise<string> {
  const postgres = await superviseEmbeddedPostgres({
    dataDir: join(config.dataDir, 'postgres'),
    logger: program.logger,
  })
  program.onStop('postgres', () => postgres.stop())
  return postgres.url
}

interface OpenedClickHouse {
  readonly clickhouse: ClickHouse
  /** Everything that the consumers' thread needs to reach the same store. */
  forConsumers(): EmbeddedShare | RemoteAddress
}

async function openClickHouse(program: Program, config: Config): Promise<OpenedClickHouse> {
  const { clickhouseUrl: url, clickhouseCluster: cluster, clickhouseLinks: links } = config
  if (url !== undefined)
    return {
      clickhouse: await openServer(program, url, config),
      forConsumers: () => ({ kind: 'remote', url, cluster, links }),
    }
  const path = join(config.dataDir, 'clickhouse')
  const clickhouse = await openEmbeddedClickHouse({ path, readers: queryThreads() })
  program.onStop('clickhouse', () => clickhouse.close())
  await migrateClickHouse(clickhouse)
  return { clickhouse, forConsumers: () => ({ kind: 'embedded', path, port: clickhouse.share() }) }
}
