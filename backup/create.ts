import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readPartitionTotals } from '../consumers/partitions/checkpoint.js'
import { copyTablesOut } from '../postgres/copy-tables.js'
import type { Sql, Transaction } from '../postgres/driver/client.js'
import type { AppliedMigration } from '../runtime/migrations.js'
import { KEY_FILE, NEXT_KEY_FILE } from '../runtime/secret-key.js'
import { readVersion } from '../runtime/version.js'
import { currentLogOf, openLogCopy } from './log-copy.js'
import {
  BackupError,
  type BackupFile,
  type BackupManifest,
  checksum,
  copyWithChecksum,
  type EventCounts,
  forEachFile,
  listFiles,
  MANIFEST_FORMAT,
  writeBackupManifest,
} from './manifest.js'
import { type StoreSnapshot, withSnapshot } from './snapshot.js'

/** Files of the data directory that belong to the data. */
const KEY_FILES = [KEY_FILE, NEXT_KEY_FILE, 'dev-keys.json']

export interface BackupOptions {
  /** With two connections or more, without a limit for statements. */
  readonly sql: Sql
  readonly dataDir: string
  /** The backup: a folder that does not exist. */
  readonly target: string
  readonly secretKey: BackupManifest['secretKey']
  readonly now: Date
  readonly report: (text: string) => void
}

/**
 * Writes a backup of the embedded stores, also while svc runs on them. It is written under another name and
 * renamed when it is complete and on the disk.
 *
 * @throws BackupError
 */
export async function createBackup(options: BackupOptions): Promise<BackupManifest> {
  const target = resolve(options.target)
  if (existsSync(target)) throw new BackupError(`${target} exists: name a folder that does not`)
  if (!existsSync(join(options.dataDir, 'log')))
    throw new BackupError(`${options.dataDir} holds no data yet: start svc once`)
  const draft = `${target}.unfinished`
  const remove = (): void => rmSync(draft, { recursive: true, force: true })
  // An interrupt ends the process.
  process.once('exit', remove)
  try {
    const manifest = await withSnapshot(options, async (snapshot) => {
      // Of a backup that was killed.
      remove()
      mkdirSync(draft, { recursive: true, mode: 0o700 })
      return await writeParts(options, snapshot, draft)
    })
    writeBackupManifest(draft, manifest)
    renameSync(draft, target)
    flushFolder(dirname(target))
    return manifest
  } finally {
    process.off('exit', remove)
    remove()
  }
}

async function writeParts(
  { dataDir, secretKey, now, report }: BackupOptions,
  { tx, clickhouse, log }: StoreSnapshot,
  draft: string,
): Promise<BackupManifest> {
  report('copying the log')
  await log.copyTo(join(draft, 'log'))
  report('copying Postgres')
  mkdirSync(join(draft, 'postgres'), { mode: 0o700 })
  const postgres = await copyTablesOut(tx, join(draft, 'postgres'))
  const migrations = await tx<AppliedMigration[]>`
    select version, checksum from schema_migrations order by version`
  const events = await countEvents(tx, join(draft, 'log'))
  rmSync(join(draft, 'log', 'lock.mdb'), { force: true })
  const written = await forEachFile(
    listFiles(draft).files,
    async (path): Promise<BackupFile> => ({ path, ...(await checksum(join(draft, path))) }),
  )
  report('copying ClickHouse')
  const copy = async (from: string, path: string): Promise<BackupFile> => ({
    path,
    ...(await copyWithChecksum(from, join(draft, path))),
  })
  const engine = listFiles(clickhouse)
  const parts = await forEachFile(engine.files, (path) =>
    copy(join(clickhouse, path), join('clickhouse', path)),
  )
  const keys = KEY_FILES.filter((path) => existsSync(join(dataDir, path)))
  const files = [
    ...written,
    ...parts,
    ...(await forEachFile(keys, (path) => copy(join(dataDir, path), path))),
  ]
  return {
    format: MANIFEST_FORMAT,
    svc: readVersion(),
    createdAt: now.toISOString(),
    secretKey,
    events,
    migrations: [...migrations],
    postgres,
    links: engine.links.map(({ path, target }) => ({ path: join('clickhouse', path), target })),
    files,
  }
}

/** The events of its log that the backup holds. */
async function countEvents(tx: Transaction, folder: string): Promise<EventCounts> {
  const current = await currentLogOf(tx)
  const log = await openLogCopy(folder, current)
  try {
    const sum = { stored: 0, duplicates: 0, deadLetters: 0 }
    for (const totals of await readPartitionTotals(tx)) {
      if (totals.logId !== current.id || !totals.holdsEvents) continue
      sum.stored += totals.stored
      sum.duplicates += totals.duplicates
      sum.deadLetters += totals.dead
    }
    const acknowledged = (await log.appendedEvents()) ?? 0
    return { acknowledged, ...sum, waiting: acknowledged - sum.stored - sum.duplicates - sum.deadLetters }
  } finally {
    await log.close()
  }
}

/** A rename is on the disk once its folder is. */
export function flushFolder(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
