import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { openEmbeddedLog } from '../../../log/embedded/log.js'
import type { EventLog, LogRecord } from '../../../log/port.js'
import { connectPostgres, type Sql } from '../../../postgres/driver/client.js'
import { startEmbeddedPostgres } from '../../../postgres/embedded/start.js'
import { migratePostgres } from '../../../postgres/migrate.js'
import { createKey } from '../../../postgres/tables/keys.js'
import { createWorkspace, newId } from '../../../postgres/tables/workspaces.js'
import type { Stage } from '../../../runtime/stage.js'
import { startGateway } from '../../server.js'
import { type Faults, faultyLog } from './faulty-log.js'
import { type StoreProxy, startProxy } from './proxy.js'

export interface Stores {
  readonly url: string
  /** The test's own connection. */
  readonly sql: Sql
  readonly secretKey: Uint8Array
  readonly folder: string
  stop(): Promise<void>
}

/** A real Postgres with the schema, in a temporary folder. */
export async function startStores(): Promise<Stores> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-ingest-'))
  const server = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), durable: false })
  const sql = connectPostgres({ url: server.url, applicationName: 'ingest test', maxConnections: 4 })
  await migratePostgres(sql)
  return {
    url: server.url,
    sql,
    folder,
    secretKey: randomBytes(32),
    async stop() {
      await sql.end({ timeout: 1 })
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export interface TestWorkspace {
  readonly id: string
  readonly keyId: string
  readonly serverKey: string
  readonly publishableKey: string
  readonly apiKey: string
}

export async function makeWorkspace(stores: Stores): Promise<TestWorkspace> {
  const id = newId()
  const now = new Date()
  await createWorkspace(stores.sql, {
    id,
    name: 'test',
    personId: newId(),
    ownerName: 'Owner',
    ownerEmail: `${id}@example.com`,
    now,
  })
  const key = (type: 'server' | 'publishable' | 'api') =>
    createKey(stores.sql, stores.secretKey, {
      id: newId(),
      workspaceId: id,
      type,
      name: type,
      scopes: [],
      now,
    })
  const server = await key('server')
  return {
    id,
    keyId: server.id,
    serverKey: server.key,
    publishableKey: (await key('publishable')).key,
    apiKey: (await key('api')).key,
  }
}

export interface TestGateway {
  readonly stage: Stage
  readonly url: string
  readonly port: number
  /** The gateway's Postgres connection goes through it. */
  readonly proxy: StoreProxy
  readonly faults: Faults
  readonly log: EventLog
  readonly appended: LogRecord[]
  readonly logged: string[]
  stop(): Promise<void>
}

export async function makeGateway(
  stores: Stores,
  options: Partial<
    Pick<Parameters<typeof startGateway>[0], 'now' | 'clock' | 'maxBytesInFlight' | 'trustedProxies'>
  > = {},
): Promise<TestGateway> {
  const address = new URL(stores.url)
  const proxy = await startProxy({ host: address.hostname, port: Number(address.port) })
  address.port = String(proxy.port)
  const sql = connectPostgres({ url: address.href, applicationName: 'ingest', maxConnections: 4 })
  const folder = mkdtempSync(join(stores.folder, 'log-'))
  const real = await openEmbeddedLog({ path: folder, partitions: 4, identityPartitions: 2 })
  const { log, faults, appended } = faultyLog(real)
  const logged: string[] = []
  const stage = await startGateway({
    log,
    sql,
    secretKey: stores.secretKey,
    host: '127.0.0.1',
    port: 0,
    exclusivePort: true,
    logger: pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) }),
    registry: new Registry(),
    now: Date.now,
    ...options,
  })
  const url = stage.url ?? ''
  let stopping: Promise<void> | undefined
  return {
    stage,
    url,
    port: Number(new URL(url).port),
    proxy,
    faults,
    log,
    appended,
    logged,
    stop: () => {
      stopping ??= (async () => {
        await stage.stop()
        await sql.end({ timeout: 1 })
        await proxy.close()
        await real.close()
      })()
      return stopping
    },
  }
}

/** The value of a metric with these labels; 0 if there is none. */
export async function metric(
  gateway: TestGateway,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  for (const found of await gateway.stage.metrics())
    if (found.name === name)
      return found.values
        .filter((value) =>
          Object.entries(labels).every(([label, expected]) => String(value.labels[label]) === expected),
        )
        .reduce((sum, value) => sum + value.value, 0)
  return 0
}
