import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { connectPostgres } from '../../driver/client.js'
import { startEmbeddedPostgres } from '../../embedded/start.js'
import { migratePostgres } from '../../migrate.js'

/**
 * A migrated, stopped database that test files copy instead of making their own: initdb and all migrations
 * cost a second of processor, a copy a tenth of it. The runner makes it once (`node template.js FOLDER`) and
 * names it in TEST_POSTGRES; without it each file makes its own.
 */
export function copyTemplate(folder: string): void {
  const template = process.env.TEST_POSTGRES
  if (template !== undefined) execFileSync('cp', ['-a', join(template, 'postgres'), folder])
}

async function makeTemplate(folder: string): Promise<void> {
  const server = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), durable: false })
  const sql = connectPostgres({ url: server.url, applicationName: 'svc test', maxConnections: 1 })
  await migratePostgres(sql)
  await sql.end()
  await server.stop()
}

const [, program, folder] = process.argv
if (program === import.meta.filename && folder !== undefined) await makeTemplate(folder)
