import { join } from 'node:path'
import { type Migration, pendingMigrations, readMigrations } from '../runtime/migrations.js'
import { packageRoot } from '../runtime/package-root.js'
import type { Sql } from './client.js'

/** Any number will do, as long as nothing else in this database locks it. */
const MIGRATION_LOCK = 7_341_520_918

/**
 * Brings the schema up to date: each file in one transaction, each transaction under an advisory lock, so that of several processes that
 * start at once one migrates and the others wait. Throws MigrationRefused for a database of a newer or another svc.
 */
export async function migratePostgres(
  sql: Sql,
  folder = join(packageRoot(), 'postgres', 'schema'),
): Promise<void> {
  const known = readMigrations(folder)
  while ((await applyNext(sql, known)) > 0);
}

/** Applies the first pending file and returns how many are left. */
async function applyNext(sql: Sql, known: readonly Migration[]): Promise<number> {
  return await sql.begin(async (transaction) => {
    // Waiting for another migrating process is no runaway statement, nor is a long migration.
    await transaction`select set_config('statement_timeout', '0', true)`
    await transaction`select pg_advisory_xact_lock(${MIGRATION_LOCK})`
    await transaction`
      create table if not exists schema_migrations (
        version integer primary key,
        name text not null,
        checksum text not null,
        applied_at timestamptz(3) not null default now()
      )`
    const applied = await transaction<{ version: number; checksum: string }[]>`
      select version, checksum from schema_migrations order by version`
    const [next, ...rest] = pendingMigrations('Postgres', known, applied)
    if (next === undefined) return 0
    await transaction.unsafe(next.sql)
    await transaction`
      insert into schema_migrations (version, name, checksum) values (${next.version}, ${next.name}, ${next.checksum})`
    return rest.length
  })
}
