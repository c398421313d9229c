import { statSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { connectPostgres, type Sql } from '../../postgres/driver/client.js'
import {
  EmbeddedPostgresError,
  findEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../postgres/embedded/start.js'
import { migratePostgres } from '../../postgres/migrate.js'
import { openSecretKey } from '../../postgres/tables/hashing-key.js'
import type { Config } from '../../runtime/config.js'
import {
  DataDirectoryError,
  lockDataDirectory,
  refuseUnfinishedRestore,
} from '../../runtime/data-directory.js'
import { loadSecretKeys, type SecretKey } from '../../runtime/secret-key.js'

export interface AdminDatabase {
  readonly sql: Sql
  readonly secretKey: SecretKey
  /** True if svc was not running, so that this command started the embedded Postgres. */
  readonly startedHere: boolean
  /** Disconnects, and stops the embedded Postgres if this command started it. */
  close(): Promise<void>
}

const WAIT_MS = 60_000
const INTERRUPTIONS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** How long one statement of a command may take. Milliseconds. */
const STATEMENT_MS = { short: 30_000, long: 24 * 3_600_000 }

/**
 * Opens the database of SVC_POSTGRES_URL, or the embedded one of SVC_DATA_DIR, started if needed.
 *
 * @param duration `long` lets a command read whole tables, and other commands run beside it while svc runs
 */
export async function openAdminDatabase(
  config: Config,
  duration: 'short' | 'long' = 'short',
): Promise<AdminDatabase> {
  // An embedded Postgres that this command creates is for this user alone.
  process.umask(0o077)
  // Called in reverse order.
  const closers: (() => unknown)[] = []
  const close = async (): Promise<void> => {
    for (let closer = closers.pop(); closer !== undefined; closer = closers.pop()) await closer()
  }
  const interruption = new AbortController()
  const opening =
    config.postgresUrl === undefined
      ? openEmbedded(config.dataDir, closers, interruption.signal, duration)
      : Promise.resolve({ url: config.postgresUrl, startedHere: false })
  // On an interrupt, stop the Postgres that this command started or is starting.
  const interrupted = (signal: NodeJS.Signals): void => {
    interruption.abort()
    void opening
      // The command itself reports a failed opening.
      .catch(() => {})
      .then(close)
      .finally(() => process.exit(128 + constants.signals[signal]))
  }
  for (const signal of INTERRUPTIONS) process.once(signal, interrupted)
  const unlisten = (): void => {
    for (const signal of INTERRUPTIONS) process.off(signal, interrupted)
  }
  try {
    const { url, startedHere } = await opening
    const configuredKeys = loadSecretKeys(config)
    const sql = connectPostgres({
      url,
      applicationName: 'svc admin',
      maxConnections: 2,
      statementMs: STATEMENT_MS[duration],
    })
    closers.push(() => sql.end({ timeout: 5 }))
    await migratePostgres(sql)
    const secretKey = await openSecretKey(sql, configuredKeys)
    return { sql, secretKey, startedHere, close: () => close().finally(unlisten) }
  } catch (error) {
    await close().finally(unlisten)
    throw error
  }
}

/**
 * Runs one command at a time on embedded data. So a running Postgres belongs to the servers, and no command
 * uses one that another command is about to stop.
 */
async function openEmbedded(
  dataDir: string,
  closers: (() => unknown)[],
  interruption: AbortSignal,
  duration: 'short' | 'long',
): Promise<{ readonly url: string; readonly startedHere: boolean }> {
  const folder = join(dataDir, 'postgres')
  const end = Date.now() + WAIT_MS
  const owner = statSync(dataDir, { throwIfNoEntry: false })?.uid
  const own = process.getuid?.()
  if (owner !== undefined && own !== 0 && owner !== own)
    throw new EmbeddedPostgresError(
      `the data directory ${dataDir} belongs to another user (uid ${owner}): run this as that user or as root, or set SVC_DATA_DIR`,
    )
  refuseUnfinishedRestore(dataDir)
  const release = await retryWhileInUse(end, interruption, async () =>
    lockDataDirectory(join(folder, 'admin')),
  )
  closers.push(release)
  return await retryWhileInUse(end, interruption, async () => {
    const running = await findEmbeddedPostgres({ dataDir: folder })
    if (running !== undefined) {
      if (duration === 'long') release()
      return { url: running.url, startedHere: false }
    }
    // Fails while svc is starting on the folder; its Postgres is found on a later attempt.
    const started = await startEmbeddedPostgres({ dataDir: folder, lockWaitMs: 0 })
    closers.push(() => started.stop())
    return { url: started.url, startedHere: true }
  })
}

async function retryWhileInUse<T>(
  end: number,
  interruption: AbortSignal,
  attempt: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof DataDirectoryError && error.inUse) || Date.now() >= end) throw error
    }
    await delay(50, undefined, { signal: interruption })
  }
}
