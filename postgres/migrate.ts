import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Migration, pendingMigrations, readMigrations } from '../runtime/migrations.js'
import { packageRoot } from '../runtime/package-root.js'
import type { Sql } from './driver/client.js'
import { toDatabaseError } from './driver/errors.js'

/**
 * A file with this as its first line is one statement, repeated in its own transactions until it changes
 * nothing.
 */
const REPEAT = '-- @repeat\n'

/** @throws Error if the file names the mark elsewhere, because it would then run only once */
function isRepeated({ name, sql }: Migration): boolean {
  const isFirst = sql.startsWith(REPEAT)
  if (!isFirst && sql.includes('@repeat'))
    throw new Error(`the first line of the migration ${name} must be ${REPEAT.trim()} and nothing else`)
  return isFirst
}

/** Any number that nothing else in this database locks. */
const MIGRATION_LOCK = 7_341_520_918

/**
 * A change to a table waits for its users, and everything later waits behind the change. So it gives up after
 * this time, lets the others pass, and tries again. It is shorter than `deadlock_timeout` (1 s), after which
 * Postgres might end another transaction instead.
 */
const LOCK_MS = 500
const PAUSE_MS = 1_000
const TRIES = 120

/** Every so many attempts one waits for longer than that second: an autovacuum only gives way then. */
const PATIENT_EVERY = 5
const PATIENT_MS = 1_500

/**
 * Tables to lock before a file that would otherwise lock them last, or upgrade its lock: their users then
 * wait at the start, instead of holding them while they wait for what the file has locked. In the order in
 * which requests lock them.
 */
const LOCKED_FIRST: ReadonlyMap<string, string> = new Map([
  ['measurements', 'lock table experiments in access exclusive mode'],
  [
    'repositories',
    `lock table experiments in access exclusive mode;
    lock table workspaces in share row exclusive mode;
    lock table audit_entries in access exclusive mode`,
  ],
  // Deleting an experiment deletes its measurements.
  ['results', 'lock table experiments, experiment_measurements in access exclusive mode'],
  // Writing an experiment also locks generation_runs, because a column refers to it.
  ['generation', 'lock table experiments in share row exclusive mode'],
])

/** The folder of the schema's files. */
export const POSTGRES_SCHEMA = join(packageRoot(), 'postgres', 'schema')

/**
 * Brings the schema up to date while an older version serves. Each file is one transaction (or many, if it
 * says so) under an advisory lock, so that of several starting processes one migrates and the others wait.
 *
 * @param wanted the versions of the schema to apply @default all of them
 * @throws MigrationError if a newer, or another, svc has migrated the database
 */
export async function migratePostgres(
  sql: Sql,
  folder = POSTGRES_SCHEMA,
  wanted: (version: number) => boolean = () => true,
): Promise<void> {
  const known = readMigrations(folder).filter(({ version }) => wanted(version))
  for (const migration of known) isRepeated(migration)
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

/**
 * Applies the first pending file, or its next part, and returns how many are left.
 *
 * @param lockMs how long to wait for each lock
 */
async function applyNext(sql: Sql, known: readonly Migration[], lockMs: number): Promise<number> {
  return await sql.begin(async (transaction) => {
    // Waiting for another migrating process, or a long migration, is not a runaway statement.
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
    if (isRepeated(next) && count > 0) return rest.length + 1
    await transaction`
      insert into schema_migrations (version, name, checksum) values (${next.version}, ${next.name}, ${next.checksum})`
    return rest.length
  })
}
