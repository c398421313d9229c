import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { snapshotEngine } from '../clickhouse/embedded/snapshot.js'
import { lockPartitions } from '../consumers/partitions/checkpoint.js'
import type { LogSnapshot } from '../log/embedded/snapshot.js'
import type { Sql, Transaction } from '../postgres/driver/client.js'
import { lockRemovals } from '../postgres/tables/erasures.js'
import { DataDirectoryError, LOCK_FILE, lockDataDirectory } from '../runtime/data-directory.js'
import { BackupError } from './manifest.js'

/** The embedded stores at one moment, while svc goes on. */
export interface StoreSnapshot {
  /** Reads Postgres as it was then. */
  readonly tx: Transaction
  /** A folder of hard links for the engine, which may change them. */
  readonly clickhouse: string
  readonly log: LogSnapshot
}

/** In the data directory, because links do not reach another file system. */
const SNAPSHOTS = 'snapshots'

/**
 * Takes a snapshot of the embedded stores and runs `work` with it. Events are accepted all the time.
 *
 * Nothing may be stored between the moments of the three stores, or an event would be missing, or stored
 * twice after a restore. Each block and each group of links begins and ends with a write to
 * `log_partitions`, so a lock on that table holds the consumers up. A removal counts its rows once and then
 * removes them: a count between the moments would be lost, and the counts of the restored stores differ for
 * ever. It ends with a write to `erasures` or `retention`. These are locked first, as no transaction writes
 * to `log_partitions` before them. Under the locks, in this order:
 *
 *   1  Postgres: a transaction begins to read. Every position it sees is final for this snapshot.
 *   2  ClickHouse: has all rows below those positions. A block with an open intent may be there, in part or
 *      not at all: the start after a restore looks its rows up, as after a power cut.
 *   3  The log: nothing at or after those positions has been trimmed. It may hold events that were accepted
 *      since; they are stored after the restore like those before.
 *
 * Then the locks are released; the files are read afterwards.
 *
 * @param sql with two connections or more, without a limit for statements
 */
export async function withSnapshot<T>(
  { sql, dataDir }: { readonly sql: Sql; readonly dataDir: string },
  work: (snapshot: StoreSnapshot) => Promise<T>,
): Promise<T> {
  const folder = join(dataDir, SNAPSHOTS)
  const release = lockSnapshots(folder)
  const mine = join(folder, randomUUID())
  const { openLogSnapshot } = await import('../log/embedded/snapshot.js')
  let log: LogSnapshot | undefined
  const interrupted = (): void => clear(folder)
  process.once('exit', interrupted)
  try {
    mkdirSync(mine, { mode: 0o700 })
    const clickhouse = join(mine, 'clickhouse')
    let result: { readonly value: T } | undefined
    await sql.begin('isolation level repeatable read read only', async (tx) => {
      // It waits while files are copied and ClickHouse counts. Settings take no snapshot.
      await tx`set local idle_in_transaction_session_timeout = 0`
      log = await sql.begin(async (locked) => {
        await lockRemovals(locked)
        await lockPartitions(locked)
        // The first statement chooses what the transaction sees.
        await tx`select 1`
        snapshotEngine(join(dataDir, 'clickhouse'), clickhouse)
        return openLogSnapshot(join(dataDir, 'log'))
      })
      result = { value: await work({ tx, clickhouse, log }) }
    })
    if (result === undefined) throw new Error('a transaction ended without its work')
    return result.value
  } finally {
    process.off('exit', interrupted)
    await log?.close()
    clear(folder)
    release()
  }
}

function lockSnapshots(folder: string): () => void {
  try {
    const release = lockDataDirectory(folder)
    clear(folder)
    return release
  } catch (error) {
    if (!(error instanceof DataDirectoryError && error.inUse)) throw error
    throw new BackupError('another backup or verification is running: wait until it has ended', {
      cause: error,
    })
  }
}

/** Removes what killed commands have left, unless a command is running. For the start of svc. */
export function clearSnapshots(dataDir: string): void {
  const folder = join(dataDir, SNAPSHOTS)
  if (!existsSync(folder)) return
  try {
    lockSnapshots(folder)()
  } catch (error) {
    if (!(error instanceof BackupError)) throw error
  }
}

/** Removes snapshots, also those that killed commands have left. */
function clear(folder: string): void {
  for (const name of readdirSync(folder))
    if (name !== LOCK_FILE) rmSync(join(folder, name), { recursive: true, force: true })
}
