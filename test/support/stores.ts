import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { connectPostgres, type Sql } from '../../postgres/driver/client.js'
import { startEmbeddedPostgres } from '../../postgres/embedded/start.js'
import { migratePostgres } from '../../postgres/migrate.js'
import { writeDevKeys } from '../../start/stores/dev-keys.js'
import { type ClickHouseServer, startClickHouseServer } from './clickhouse/server.js'
import { type FaultProxy, startFaultProxy } from './network/fault-proxy.js'
import { type RunningService, startService, temporaryDataDir } from './service.js'

/** The part of a test that the helper uses. Teardowns run last in, first out. */
export interface Teardown {
  teardown(fn: () => unknown): unknown
}

/**
 * A service whose Postgres or ClickHouse is a separate server, reached through a proxy that can take it away.
 */
export interface ServiceOnServers {
  readonly service: RunningService
  /** Proxy in front of the store that is a server. */
  readonly proxy: FaultProxy
}

export interface ServiceOnPostgres extends ServiceOnServers {
  /** A connection past the proxy. */
  readonly sql: Sql
  /** The service's own. */
  readonly secretKey: Uint8Array
  /** Stops the server as an administrator does and starts it again on the same port. */
  restart(): Promise<void>
}

/** The service with everything embedded but Postgres. */
export async function startOnPostgres(
  t: Teardown,
  env: Readonly<Record<string, string>> = {},
): Promise<ServiceOnPostgres> {
  const data = temporaryDataDir()
  t.teardown(() => data.remove())
  const dataDir = join(data.path, 'postgres')
  let server = await startEmbeddedPostgres({ dataDir, durable: false })
  t.teardown(() => server.stop())
  const address = new URL(server.url)
  const sql = connectPostgres({ url: server.url, applicationName: 'svc test', maxConnections: 2 })
  t.teardown(() => sql.end({ timeout: 1 }))
  const port = Number(address.port)
  const proxy = await startFaultProxy({ host: '127.0.0.1', port })
  t.teardown(() => proxy.close())

  const serviceDir = join(data.path, 'service')
  mkdirSync(serviceDir)
  const secretKey = randomBytes(32)
  await migratePostgres(sql)
  await writeDevKeys(sql, secretKey, serviceDir)
  address.port = String(proxy.port)
  const service = await startService(serviceDir, {
    env: { SVC_POSTGRES_URL: address.href, SVC_SECRET_KEY: secretKey.toString('base64'), ...env },
  })
  t.teardown(() => service.kill())
  return {
    service,
    proxy,
    sql,
    secretKey,
    async restart() {
      await server.stop()
      server = await startEmbeddedPostgres({ dataDir, durable: false, choosePort: async () => port })
    },
  }
}

export interface ServiceOnClickHouse extends ServiceOnServers {
  /** Behind the proxy. */
  readonly clickhouse: ClickHouseServer
}

/** The service with everything embedded but ClickHouse. */
export async function startOnClickHouse(
  t: Teardown,
  env: Readonly<Record<string, string>> = {},
): Promise<ServiceOnClickHouse> {
  const data = temporaryDataDir()
  t.teardown(() => data.remove())
  const clickhouse = await startClickHouseServer(join(data.path, 'clickhouse'))
  t.teardown(() => clickhouse.kill())
  const address = new URL(`${clickhouse.url}/svc`)
  const proxy = await startFaultProxy({ host: '127.0.0.1', port: Number(address.port) })
  t.teardown(() => proxy.close())
  address.port = String(proxy.port)
  const serviceDir = join(data.path, 'service')
  mkdirSync(serviceDir)
  const service = await startService(serviceDir, { env: { SVC_CLICKHOUSE_URL: address.href, ...env } })
  t.teardown(() => service.kill())
  return { service, proxy, clickhouse }
}
