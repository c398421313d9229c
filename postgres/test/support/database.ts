import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectPostgres, type Sql } from '../../driver/client.js'
import { startEmbeddedPostgres } from '../../embedded/start.js'
import { migratePostgres } from '../../migrate.js'
import { copyTemplate } from './template.js'

export interface TestDatabase {
  readonly sql: Sql
  readonly url: string
  /** The folder of the running server. */
  readonly cluster: string
}

/**
 * A migrated, empty Postgres of one's own for a test file: started in a temporary folder, without fsync,
 * stopped and removed when the test `t` ends. Give it the file's root test to share one among all its
 * subtests.
 */
export async function withDatabase(t: { teardown(fn: () => unknown): unknown }): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-postgres-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  copyTemplate(folder)
  const server = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), durable: false })
  // A test file that fails or is timed out before its teardowns leaves no server behind.
  const abandon = (): void => {
    process.kill(server.pid, 'SIGKILL')
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 })
  }
  const terminate = (): void => process.exit(143)
  process.once('exit', abandon).once('SIGTERM', terminate).once('SIGINT', terminate)
  // Teardowns run last in, first out.
  t.teardown(async () => {
    await server.stop()
    process.off('exit', abandon).off('SIGTERM', terminate).off('SIGINT', terminate)
  })
  const sql = connectPostgres({ url: server.url, applicationName: 'svc test', maxConnections: 10 })
  t.teardown(() => sql.end({ timeout: 1 }))
  await migratePostgres(sql)
  return { sql, url: server.url, cluster: join(folder, 'postgres', 'cluster') }
}
