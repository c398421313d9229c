import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Migration, pendingMigrations, readMigrations } from '../runtime/migrations.js'
import { packageRoot } from '../runtime/package-root.js'
import type { Sql } from './driver/client.js'
import { toDatabaseError } from './errors.js'

/** A file that begins so is one statement, run in a transaction of its own again and again until it changes nothing. */
const REPEAT = '-- @repeat\n'

/** Any number will do, as long as nothing else in this database locks it. */
const MIGRATION_LOCK = 7_341_520_918

/**
 * A change to a table waits for those who use it, and all who come later wait behind the change. So it gives up after so long, lets them pass, and
 * tries again. Shorter than the second after which Postgres looks for deadlocks, which could end the work of another.
 */
const LOCK_MS = 500
const PAUSE_MS = 1_000
const TRIES = 120

/** Each so many-th try waits for longer than that second: a vacuum that Postgres runs by itself gives way only then. */
const PATIENT_EVERY = 5
const PATIENT_MS = 1_500

/**
 * Tables to lock before a file that would come to them last, or again in a stronger mode: whoever uses them meanwhile waits, in place of holding them while it waits
 * for what the file has locked by then. In the order in which requests come to them.
 */
const LOCKED_FIRST: ReadonlyMap<string, string> = new Map([
  ['measurements', 'lock table experiments in access exclusive mode'],
  [
    'repositories',
    `lock table experiments in access exclusive mode;
    lock table workspaces in share row exclusive mode;
    lock table audit_entries in access exclusive mode`,
  ],
  // An experiment that is deleted takes its measurements with it.
  ['results', 'lock table experiments, experiment_measurements in access exclusive mode'],
  // Writing an experiment also opens generation_runs, which a column of it refers to.
  ['generation', 'lock table experiments in share row exclusive mode'],
])

/**
 * Brings the schema up to date while an older version serves: each file in one transaction (or many, where it says so), each transaction under an advisory lock, so that of several
 * processes that start at once one migrates and the others wait. Throws MigrationRefused for a database of a newer or another svc.
 */
export async function migratePostgres(
  sql: Sql,
  folder = join(packageRoot(), 'postgres', 'schema'),
): Promise<void> {
  const known = readMigrations(folder)
  for (let left = 1, tries = 1; left > 0; ) {
    try {
      left = await applyNext(sql, known, tries % PATIENT_EVERY === 0 ? PATIENT_MS : LOCK_MS)
      tries = 1
    } catch (error) {
      if (!isLockedOut(error) || tries++ >= TRIES) throw error
      await sleep(PAUSE_MS)
    }
  }
}

function isLockedOut(error: unknown): boolean {
  return toDatabaseError(error)?.code === 'conflict'
}

/** Applies the first pending file, or its next part, and returns how many are left. Waits so many milliseconds for each lock. */
async function applyNext(sql: Sql, known: readonly Migration[], lockMs: number): Promise<number> {
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
    await transaction`select set_config('lock_timeout', ${String(lockMs)}, true)`
    const first = LOCKED_FIRST.get(next.name)
    if (first !== undefined) await transaction.unsafe(first)
    const { count } = await transaction.unsafe(next.sql)
    if (next.sql.startsWith(REPEAT) && count > 0) return rest.length + 1
    await transaction`
      insert into schema_migrations (version, name, checksum) values (${next.version}, ${next.name}, ${next.checksum})`
    return rest.length
  })
}
