import { join } from 'node:path'
import { Registry } from 'prom-client'
import { startApi } from '../../api/server.js'
import type { ClickHouse } from '../../clickhouse/port.js'
import { SCOPES } from '../../domain/key.js'
import { connectPostgres } from '../../postgres/driver/client.js'
import { startEmbeddedPostgres } from '../../postgres/embedded/start.js'
import { migratePostgres } from '../../postgres/migrate.js'
import { createKey } from '../../postgres/tables/keys.js'
import { createWorkspace, newId } from '../../postgres/tables/workspaces.js'
import { createLogger } from '../../runtime/logger.js'
import { openHttpConnection, requestText } from './load/http-connection.js'

export const SECRET_KEY = new Uint8Array(32).fill(5)

/** Sends a request with the workspace's key and returns the body of the answer. */
export type CallApi = (method: string, path: string, body?: unknown) => Promise<string>

/** Runs `measure` with the API in this process, on a new Postgres with one workspace, and ends both. */
export async function withQueryApi<T>(
  folder: string,
  clickhouse: ClickHouse,
  workspaceId: string,
  measure: (ask: CallApi, postgresPid: number) => Promise<T>,
): Promise<T> {
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') })
  const sql = connectPostgres({ url: postgres.url, applicationName: 'svc bench', maxConnections: 4 })
  try {
    await migratePostgres(sql)
    const now = new Date()
    await createWorkspace(sql, {
      id: workspaceId,
      name: 'Bench',
      personId: newId(),
      ownerName: 'Owner',
      ownerEmail: 'owner@example.com',
      now,
    })
    const made = { id: newId(), workspaceId, type: 'api', name: 'Bench', scopes: SCOPES, now } as const
    const { key } = await createKey(sql, SECRET_KEY, made)
    const api = await startApi({
      sql,
      clickhouse,
      secretKey: SECRET_KEY,
      host: '127.0.0.1',
      port: 0,
      logger: createLogger('silent', 'bench'),
      registry: new Registry(),
      now: Date.now,
      newId,
    })
    try {
      return await measure(async (method, path, body) => {
        // A connection for each request: the server closes one that rests while others are measured.
        const connection = await openHttpConnection(api.url ?? '')
        const { status, text } = await connection.exchange(requestText(method, path, key, body))
        connection.close()
        if (status !== 200 && status !== 201) throw new Error(`${method} ${path}: ${text}`)
        return text.slice(text.indexOf('\r\n\r\n') + 4)
      }, postgres.pid)
    } finally {
      await api.stop()
    }
  } finally {
    await sql.end({ timeout: 1 })
    await postgres.stop()
  }
}
