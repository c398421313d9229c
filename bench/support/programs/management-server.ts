import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { v7 } from 'uuid'
import { startApi } from '../../../api/server.js'
import { openEmbeddedClickHouse } from '../../../clickhouse/embedded/open.js'
import { migrateClickHouse } from '../../../clickhouse/migrate.js'
import { connectPostgres } from '../../../postgres/driver/client.js'
import { createLogger } from '../../../runtime/logger.js'

interface ManagementServerTask {
  readonly postgresUrl: string
  readonly folder: string
  /** In base64. */
  readonly secretKey: string
}

interface ManagementServer {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

/** The management API in its own process, so that its CPU is separate from Postgres' and the client's. */
export async function startManagementServer(task: ManagementServerTask): Promise<ManagementServer> {
  const child = spawn(process.execPath, [import.meta.filename, JSON.stringify(task)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (chunk) => resolve(String(chunk).trim()))
    child.once('exit', (code) => reject(new Error(`the server of the bench ended with ${code}`)))
  })
  return {
    url,
    pid: child.pid ?? 0,
    stop() {
      child.stdin?.end()
      return ended
    },
  }
}

/** In the process: prints the address of the API, and ends with its standard input. */
async function serve({ postgresUrl, folder, secretKey }: ManagementServerTask): Promise<void> {
  const sql = connectPostgres({
    url: postgresUrl,
    applicationName: 'svc api',
    maxConnections: 10,
    statementMs: 10_000,
  })
  const clickhouse = await openEmbeddedClickHouse({ path: join(folder, 'clickhouse') })
  await migrateClickHouse(clickhouse)
  const api = await startApi({
    sql,
    clickhouse,
    secretKey: Buffer.from(secretKey, 'base64'),
    host: '127.0.0.1',
    port: 0,
    // Measures the service, not its limit.
    requestsPerSecond: 1_000_000,
    logger: createLogger('warn', 'bench'),
    registry: new Registry(),
    now: Date.now,
    newId: v7,
  })
  process.stdout.write(`${api.url}\n`)
  process.stdin.resume()
  process.stdin.once('end', () => {
    void Promise.all([api.stop(), sql.end({ timeout: 1 }), clickhouse.close()]).finally(() => process.exit(0))
  })
}

if (process.argv[2] !== undefined && process.argv[1]?.endsWith('management-server.js'))
  serve(JSON.parse(process.argv[2]) as ManagementServerTask).catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`)
    process.exit(1)
  })
