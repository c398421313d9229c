import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openEmbeddedClickHouse } from '../../clickhouse/embedded/open.js'
import { migrateClickHouse } from '../../clickhouse/migrate.js'
import type { ClickHouse } from '../../clickhouse/port.js'
import { openRemoteClickHouse } from '../../clickhouse/remote/open.js'
import { openEmbeddedLog } from '../../log/embedded/log.js'
import type { EventLog } from '../../log/port.js'
import { type ClusterOptions, type Ledger, startCluster } from './cluster.js'
import { type DevKeys, startService, temporaryDataDir, until } from './service.js'
import type { Teardown } from './stores.js'

type Variables = Readonly<Record<string, string>>

/** The service in either of its forms, as a suite that holds for both sees it. */
export interface Deployment {
  readonly api: string
  readonly ingest: string
  readonly keys: DevKeys
  /** In which `svc admin` finds it. */
  readonly environment: Variables
  /** Resolves with the outcome of all accepted events, once all are processed. */
  settled(): Promise<Ledger>
  /** Stops everything in good order, and starts it again. Resolves with the exit codes. */
  restart(env?: Variables): Promise<readonly (number | null)[]>
  /** The same, with work on its stores in between. */
  restartAfter(
    work: (stores: { readonly clickhouse: ClickHouse }) => Promise<void>,
    env?: Variables,
  ): Promise<readonly (number | null)[]>
  /** The log, which other programs use too. */
  withLog<T>(use: (log: EventLog) => Promise<T>): Promise<T>
  /** Kills all processes together, and starts them again. */
  crash(env?: Variables): Promise<void>
  /** Resolves when a process has ended by a fault point. */
  struck(): Promise<unknown>
  /** Of the first process of the last start. */
  readonly pid: number | undefined
  /** Resolves with the exit codes. */
  stop(): Promise<readonly (number | null)[]>
}

const SETTLE_SECONDS = 120
const READY_MS = 60_000

/** `npm start` on embedded stores. */
export async function deployEmbedded(t: Teardown, env: Variables = {}): Promise<Deployment> {
  const data = temporaryDataDir()
  t.teardown(() => data.remove())
  const start = (more: Variables) => startService(data.path, { env: { ...env, ...more } })
  let service = await start({})
  t.teardown(() => service.kill())
  const ledger = async () => {
    const text = await (await fetch(`${service.admin}/metrics`)).text()
    const value = (name: string): number =>
      Number(new RegExp(`^svc_ledger_${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1])
    return {
      accepted: value('accepted'),
      stored: value('stored'),
      duplicates: value('duplicates'),
      dead: value('dead_letters'),
    }
  }
  return {
    get api() {
      return service.api
    },
    get ingest() {
      return service.ingest
    },
    get keys() {
      return service.keys
    },
    environment: { SVC_DATA_DIR: data.path },
    async settled() {
      // The service remembers the figures of its ledger for a tenth of a second.
      await sleep(200)
      const { accepted: _, ...sums } = await until(
        ledger,
        // Dead links count among the dead letters, though they are no events.
        ({ accepted, stored, duplicates, dead }) => stored + duplicates + dead >= accepted,
        SETTLE_SECONDS,
      )
      return sums
    },
    async restart(more = {}) {
      const code = await service.stop()
      service = await start(more)
      return [code]
    },
    async withLog(use) {
      const log = await openEmbeddedLog({
        path: join(data.path, 'log'),
        partitions: 1,
        identityPartitions: 1,
      })
      return use(log).finally(() => log.close())
    },
    async restartAfter(work, more = {}) {
      const code = await service.stop()
      const clickhouse = await openEmbeddedClickHouse({ path: join(data.path, 'clickhouse'), readers: 1 })
      try {
        await migrateClickHouse(clickhouse)
        await work({ clickhouse })
      } finally {
        await clickhouse.close()
      }
      service = await start(more)
      return [code]
    },
    async crash(more = {}) {
      await service.kill()
      service = await start(more)
    },
    struck: () => new Promise((resolve) => service.process.once('exit', resolve)),
    get pid() {
      return service.process.pid
    },
    stop: async () => [await service.stop()],
  }
}

/** Separate stages on Kafka, Postgres and ClickHouse. Look at `kafkaProblem()` first. */
export async function deployCluster(t: Teardown, options: Partial<ClusterOptions> = {}): Promise<Deployment> {
  const cluster = await startCluster({ brokers: 1, ...options })
  t.teardown(() => cluster.close())
  const all = () => cluster.stages()
  const start = async (env: Variables): Promise<void> => {
    await Promise.all(all().map((stage) => stage.start(env)))
    await Promise.all(all().map((stage) => stage.ready(READY_MS)))
  }
  const stop = () => Promise.all(all().map((stage) => stage.stop()))
  const urlOf = (kind: 'api' | 'ingest'): string => {
    const urls = cluster.stages(kind).flatMap(({ url }) => (url === undefined ? [] : [url]))
    return urls[requests++ % urls.length] ?? ''
  }
  let requests = 0
  return {
    get api() {
      return urlOf('api')
    },
    get ingest() {
      return urlOf('ingest')
    },
    keys: cluster.keys,
    environment: cluster.environment,
    settled: () => cluster.settled(SETTLE_SECONDS * 1_000),
    withLog: (use) => cluster.withLog(use),
    async restart(env = {}) {
      const codes = await stop()
      await start(env)
      return codes
    },
    async restartAfter(work, env = {}) {
      const codes = await stop()
      const clickhouse = await openRemoteClickHouse({ url: cluster.clickhouseUrl })
      try {
        await work({ clickhouse })
      } finally {
        await clickhouse.close()
      }
      await start(env)
      return codes
    },
    async crash(env = {}) {
      await Promise.all(all().map((stage) => stage.kill()))
      await start(env)
    },
    struck: () => Promise.race(cluster.stages().map(({ ended }) => ended)),
    get pid() {
      return all()[0]?.pid
    },
    stop,
  }
}
