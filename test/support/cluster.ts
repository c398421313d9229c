import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventLog } from '../../log/port.js'
import { connectPostgres, type Sql } from '../../postgres/driver/client.js'
import { migratePostgres } from '../../postgres/migrate.js'
import { parseConfig } from '../../runtime/config.js'
import { createLogger } from '../../runtime/logger.js'
import { packageRoot } from '../../runtime/package-root.js'
import { writeDevKeys } from '../../start/stores/dev-keys.js'
import { logOptions, openLog } from '../../start/stores/log.js'
import type { ClickHouseServer } from './clickhouse/server.js'
import { SHARDS_CLUSTER, startClickHouseShards } from './clickhouse/shards.js'
import { type StageKind, StageProgram } from './cluster/stage-program.js'
import { type KafkaCluster, type KafkaOptions, startKafka } from './kafka.js'
import { type FaultProxy, startFaultProxy } from './network/fault-proxy.js'
import { freePort } from './network/free-port.js'
import { type PostgresServer, startPostgresServer } from './postgres-server.js'
import { compiledRoot, type DevKeys, readDevKeys, temporaryDataDir } from './service.js'

export type { StageKind, StageProgram } from './cluster/stage-program.js'

export interface ClusterOptions {
  /** Folder of Postgres and ClickHouse; the caller removes it. By default `close` removes a temporary one. */
  readonly dataDir?: string
  /** Real ones. Look at `kafkaProblem()` first. */
  readonly brokers: 1 | 3
  /** Of ClickHouse, one server each; one by default. */
  readonly shards?: number | undefined
  /** A listener of the brokers with TLS and a login, by which the stages reach them. `env` has the login. */
  readonly secure?: KafkaOptions['secure']
  /** Number of processes of each stage that start together; one by default. */
  readonly gateways?: number
  readonly consumers?: number
  readonly apis?: number
  /** Variables of every stage, and in place of those that the cluster sets. */
  readonly env?: Readonly<Record<string, string>>
  /** `warn` by default. */
  readonly logLevel?: string
  /**
   * Other compiled stages than those beside these tests: the folder of `ingest.js`, `consumers.js` and
   * `api.js`.
   */
  readonly programs?: string | undefined
}

/**
 * The service on one machine as it is on many: Kafka, Postgres and ClickHouse as servers, and any number of
 * processes of each stage, all of which can be stopped, killed, frozen and started again by themselves. The
 * stages reach Postgres and ClickHouse through proxies that can take them away.
 */
export interface Cluster {
  /** Of a workspace made beforehand. */
  readonly keys: DevKeys
  /** Of the service's keys, in base64. */
  readonly secretKey: string
  readonly kafka: KafkaCluster
  readonly postgres: PostgresServer
  /** Of ClickHouse. */
  readonly shards: readonly Shard[]
  /** The first shard's. */
  readonly clickhouse: ClickHouseServer
  readonly postgresProxy: FaultProxy
  /** The first shard's. */
  readonly clickhouseProxy: FaultProxy
  /** Past the proxy. */
  readonly sql: Sql
  /** `http://user@host:port/database` of the first shard past the proxy. */
  readonly clickhouseUrl: string
  /** Variables with which `svc admin` and the stages reach the stores. */
  readonly environment: Readonly<Record<string, string>>
  /** Those of a kind, or all, in the order in which they were added, running or not. */
  stages(kind?: StageKind): readonly StageProgram[]
  /** Starts one more. It is called `KIND-NUMBER`, which is also its SVC_INSTANCE. */
  add(kind: StageKind, env?: Readonly<Record<string, string>>): Promise<StageProgram>
  /** The log, beside the stages. */
  withLog<T>(use: (log: EventLog) => Promise<T>): Promise<T>
  /**
   * Resolves with the outcome of all accepted events, once all are processed, links too. Rejects after
   * `limitMs` with the missing ones.
   */
  settled(limitMs: number): Promise<Ledger>
  /** Kills every process and removes the data. */
  close(): Promise<void>
}

export interface Shard {
  readonly server: ClickHouseServer
  readonly proxy: FaultProxy
  /** `http://user@host:port/database` past the proxy. */
  readonly url: string
}

/** Events by the consumers' books. */
export interface Ledger {
  readonly stored: number
  readonly duplicates: number
  readonly dead: number
}

const DATABASE = 'svc'
const PARTITIONS = 6
const IDENTITY_PARTITIONS = 2
const POLL_MS = 50
const READY_MS = 120_000

/** Resolves when everything is ready. If it rejects, nothing is left. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const undo: (() => unknown)[] = []
  let dataDir = options.dataDir
  if (dataDir === undefined) {
    const data = temporaryDataDir()
    undo.push(() => data.remove())
    dataDir = data.path
  }
  const close = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  try {
    const [kafka, postgres, servers] = await allOrNone(undo, [
      startKafka({
        brokers: options.brokers,
        ...(options.secure === undefined ? {} : { secure: options.secure }),
      }),
      startPostgresServer(join(dataDir, 'postgres')),
      startClickHouseShards(join(dataDir, 'clickhouse'), options.shards ?? 1),
    ])
    const sql = connectPostgres({ url: postgres.url, applicationName: 'svc test', maxConnections: 2 })
    undo.push(() => sql.end({ timeout: 1 }))
    await migratePostgres(sql)
    const secret = randomBytes(32)
    await writeDevKeys(sql, secret, dataDir)

    const before = async (url: string): Promise<{ proxy: FaultProxy; url: URL }> => {
      const address = new URL(url)
      const target = { host: '127.0.0.1', port: Number(address.port) }
      const proxy = await startFaultProxy(target, await freePort())
      undo.push(() => proxy.close())
      address.port = String(proxy.port)
      return { proxy, url: address }
    }
    const beforePostgres = await before(postgres.url)
    const shards = await Promise.all(
      servers.map(async (server) => {
        const url = `${server.url}/${DATABASE}`
        const { proxy, url: proxyUrl } = await before(url)
        return { server, proxy, url, proxyUrl: proxyUrl.href }
      }),
    )
    const [firstShard] = shards
    if (firstShard === undefined) throw new RangeError('a cluster has at least one shard')
    const secretKey = secret.toString('base64')
    const environment = {
      SVC_POSTGRES_URL: beforePostgres.url.href,
      SVC_CLICKHOUSE_URL: shards.map(({ proxyUrl }) => proxyUrl).join(','),
      ...(shards.length === 1 ? {} : { SVC_CLICKHOUSE_CLUSTER: SHARDS_CLUSTER }),
      SVC_KAFKA_BROKERS: options.secure === undefined ? kafka.brokers : kafka.secureBrokers,
      SVC_SECRET_KEY: secretKey,
      SVC_DATA_DIR: dataDir,
      SVC_API_PORT: '0',
      SVC_INGEST_PORT: '0',
      SVC_ADMIN_PORT: '0',
      SVC_LOG_LEVEL: options.logLevel ?? 'warn',
      // One process unless a test asks for more, so that a test that kills it has killed all of them.
      SVC_INGEST_WORKERS: '1',
      SVC_KAFKA_PARTITIONS: String(PARTITIONS),
      SVC_KAFKA_IDENTITY_PARTITIONS: String(IDENTITY_PARTITIONS),
      ...options.env,
    }
    let opened: Promise<EventLog> | undefined
    const withLog = async <T>(use: (log: EventLog) => Promise<T>): Promise<T> => {
      opened ??= openLog(logOptions(parseConfig(environment)), {
        instance: 'test',
        logger: createLogger('error', 'test'),
      })
      return use(await opened)
    }
    undo.push(() =>
      opened?.then(
        (log) => log.close(),
        () => {},
      ),
    )
    const folder = options.programs ?? join(packageRoot(), compiledRoot(), 'start')
    const stages: StageProgram[] = []
    undo.push(() => Promise.all(stages.map((stage) => stage.kill())))
    const make = (kind: StageKind): StageProgram => {
      const name = `${kind}-${1 + stages.filter((stage) => stage.kind === kind).length}`
      const stage = new StageProgram(kind, name, folder, { ...environment, SVC_INSTANCE: name })
      stages.push(stage)
      return stage
    }
    const counts = { ingest: options.gateways, consumers: options.consumers, api: options.apis }
    const first = (Object.keys(counts) as StageKind[]).flatMap((kind) =>
      Array.from({ length: counts[kind] ?? 1 }, () => make(kind)),
    )
    await Promise.all(first.map((stage) => stage.start()))
    await Promise.all(first.map((stage) => stage.ready(READY_MS)))
    return {
      keys: readDevKeys(dataDir),
      secretKey,
      kafka,
      postgres,
      shards,
      clickhouse: firstShard.server,
      postgresProxy: beforePostgres.proxy,
      clickhouseProxy: firstShard.proxy,
      sql,
      clickhouseUrl: firstShard.url,
      environment,
      stages: (kind) => stages.filter((stage) => kind === undefined || stage.kind === kind),
      async add(kind, env) {
        const stage = make(kind)
        await stage.start(env)
        return stage
      },
      withLog,
      async settled(limitMs) {
        for (const end = Date.now() + limitMs; ; await sleep(POLL_MS)) {
          // A store may still be coming back.
          const missing = await withLog((log) => missingOf(sql, log)).catch((error: unknown) => String(error))
          if (missing === undefined) return ledgerOf(sql)
          if (Date.now() < end) continue
          const said = stages
            .filter(({ kind }) => kind === 'consumers')
            .map((stage) => stage.output().slice(-4_000))
          throw new Error(`not carried out after ${limitMs} ms: ${missing}\n${said.join('\n')}`)
        }
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Starts the stores side by side; each is stopped at the end, also where another one did not start. */
async function allOrNone(
  undo: (() => unknown)[],
  starting: [Promise<KafkaCluster>, Promise<PostgresServer>, Promise<ClickHouseServer[]>],
): Promise<[KafkaCluster, PostgresServer, ClickHouseServer[]]> {
  const [kafka, postgres, shards] = starting
  undo.push(
    () =>
      shards.then(
        (servers) => Promise.all(servers.map((server) => server.kill())),
        () => {},
      ),
    () =>
      postgres.then(
        (server) => server.stop(),
        () => {},
      ),
    () =>
      kafka.then(
        (cluster) => cluster.close(),
        () => {},
      ),
  )
  return Promise.all(starting)
}

/** Describes unfinished work, `undefined` if there is none. */
async function missingOf(sql: Sql, log: EventLog): Promise<string | undefined> {
  const partitions = Array.from({ length: log.partitions + log.identityPartitions }, (_, i) => i)
  const ends = await Promise.all(partitions.map((partition) => log.end(partition)))
  const rows = await sql<{ partition: number; done: string; open: string | null }[]>`
    select log_partition as partition, done_offset as done, open_to as open from log_partitions
    where log_id = ${log.id}`
  const [outbox] = await sql<{ links: string }[]>`select count(*) as links from link_outbox`
  const problems = ends.flatMap((end, partition) => {
    const row = rows.find((known) => known.partition === partition)
    const done = Number(row?.done ?? 0)
    if (row?.open != null) return [`partition ${partition} has a block open from ${done}`]
    return done < end ? [`partition ${partition} is at ${done} of ${end}`] : []
  })
  const links = Number(outbox?.links)
  if (links > 0) problems.push(`${links} links on the way to ClickHouse`)
  return problems.length === 0 ? undefined : problems.join('; ')
}

async function ledgerOf(sql: Sql): Promise<Ledger> {
  const [sums] = await sql<{ stored: string; duplicates: string; dead: string }[]>`
    select sum(total_stored + open_stored) as stored, sum(total_duplicates + open_duplicates) as duplicates,
      sum(total_dead + open_dead) as dead
    from log_partitions`
  return { stored: Number(sums?.stored), duplicates: Number(sums?.duplicates), dead: Number(sums?.dead) }
}
