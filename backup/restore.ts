import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, isAbsolute, join, normalize, resolve } from 'node:path'
import { copyTablesIn, tableFile } from '../postgres/copy-tables.js'
import { connectPostgres } from '../postgres/driver/client.js'
import { stopLeftover } from '../postgres/embedded/postmaster.js'
import { startEmbeddedPostgres } from '../postgres/embedded/start.js'
import { migratePostgres, POSTGRES_SCHEMA } from '../postgres/migrate.js'
import { LOCK_FILE, lockDataDirectory, RESTORE_MARK } from '../runtime/data-directory.js'
import { pendingMigrations, readMigrations } from '../runtime/migrations.js'
import { writePrivateFile } from '../runtime/private-file.js'
import { readVersion } from '../runtime/version.js'
import { flushFolder } from './create.js'
import {
  BackupError,
  type BackupFile,
  type BackupManifest,
  checksum,
  copyWithChecksum,
  forEachFile,
  MANIFEST_FORMAT,
  readBackupManifest,
} from './manifest.js'

/** A load of a large table is one statement. */
const STATEMENT_MS = 24 * 3_600_000

export interface RestoreOptions {
  readonly source: string
  /** Empty, or not there yet. */
  readonly dataDir: string
  readonly report: (text: string) => void
}

/**
 * Restores a backup into an empty data directory, whole or not at all: until the end a mark in the directory
 * keeps svc from starting on it. After a failure the directory is empty again; after a kill, a repetition
 * begins again.
 *
 * The directory has no note of a boot, so the next start looks blocks that were under way up by their
 * position, as after a power cut (unclean-shutdown.ts).
 *
 * @throws BackupError
 */
export async function restoreBackup({ source, dataDir, report }: RestoreOptions): Promise<BackupManifest> {
  const from = resolve(source)
  const manifest = readBackupManifest(from)
  refuseNewer(manifest)
  refuseEscapes(manifest)
  const release = lockDataDirectory(dataDir)
  try {
    await prepare(dataDir)
    try {
      await restoreParts(manifest, from, dataDir, report)
    } catch (error) {
      await empty(dataDir)
      throw error
    }
    flushFolder(dataDir)
    rmSync(join(dataDir, RESTORE_MARK))
    flushFolder(dataDir)
    return manifest
  } finally {
    release()
  }
}

/** An older svc would misread what a newer one has stored. */
function refuseNewer({ format, svc, migrations }: BackupManifest): void {
  const mine = readVersion()
  if (format > MANIFEST_FORMAT || compareVersions(svc, mine) > 0)
    throw new BackupError(
      `the backup was made by svc ${svc}, and this is svc ${mine}: restore it with ${svc} or a later version`,
    )
  pendingMigrations('The Postgres of the backup', readMigrations(POSTGRES_SCHEMA), migrations)
}

function compareVersions(a: string, b: string): number {
  const numbers = (version: string): number[] => version.split(/[.+-]/).slice(0, 3).map(Number)
  const [left, right] = [numbers(a), numbers(b)]
  const at = [0, 1, 2].find((i) => left[i] !== right[i])
  return at === undefined ? 0 : (left[at] ?? 0) - (right[at] ?? 0)
}

async function prepare(dataDir: string): Promise<void> {
  if (existsSync(join(dataDir, RESTORE_MARK))) await empty(dataDir)
  const there = readdirSync(dataDir).filter((name) => name !== LOCK_FILE && name !== 'lost+found')
  if (there.length > 0)
    throw new BackupError(
      `${dataDir} is not empty (${there.slice(0, 3).join(', ')}): name an empty directory with SVC_DATA_DIR`,
    )
  writePrivateFile(join(dataDir, RESTORE_MARK), '', true)
}

/** The mark goes last, so that a kill in between leaves it. */
async function empty(dataDir: string): Promise<void> {
  const cluster = join(dataDir, 'postgres', 'cluster')
  if (existsSync(cluster)) await stopLeftover(cluster)
  const mine = readdirSync(dataDir).filter((name) => ![LOCK_FILE, RESTORE_MARK, 'lost+found'].includes(name))
  for (const name of mine) rmSync(join(dataDir, name), { recursive: true, force: true, maxRetries: 5 })
  rmSync(join(dataDir, RESTORE_MARK), { force: true })
}

async function restoreParts(
  manifest: BackupManifest,
  from: string,
  dataDir: string,
  report: (text: string) => void,
): Promise<void> {
  report('checking and copying files')
  await forEachFile(manifest.files, async (file) => {
    const path = inside(file.path)
    const isTable = path.startsWith(join('postgres', '/'))
    const read = await readFile(from, file, isTable ? undefined : join(dataDir, path))
    if (read.bytes !== file.bytes || read.sha256 !== file.sha256)
      throw new BackupError(
        `${join(from, path)} is damaged: it has ${read.bytes} bytes, and ${file.bytes} others were written; use another backup`,
      )
  })
  for (const { path, target } of manifest.links) {
    mkdirSync(dirname(join(dataDir, path)), { recursive: true, mode: 0o700 })
    symlinkSync(target, join(dataDir, path))
  }
  report('loading Postgres')
  await loadPostgres(manifest, join(from, 'postgres'), join(dataDir, 'postgres'))
}

async function readFile(
  from: string,
  { path }: BackupFile,
  to: string | undefined,
): Promise<Omit<BackupFile, 'path'>> {
  try {
    return await (to === undefined ? checksum(join(from, path)) : copyWithChecksum(join(from, path), to))
  } catch (error) {
    if (existsSync(join(from, path))) throw error
    throw new BackupError(`${join(from, path)} is missing: the backup is damaged; use another one`, {
      cause: error,
    })
  }
}

/**
 * Files and links stay in the data directory, and lead to nothing outside of it, also one through another.
 */
function refuseEscapes({ files, links }: BackupManifest): void {
  const linked = new Set(links.map(({ path }) => inside(path)))
  for (const { path } of [...files, ...links])
    for (let folder = dirname(inside(path)); folder !== '.'; folder = dirname(folder))
      if (linked.has(folder)) throw notInBackup(path)
  for (const { path, target } of links) {
    if (isAbsolute(target) || normalize(target) !== target) throw notInBackup(target)
    inside(join(dirname(path), target))
  }
}

const notInBackup = (path: string): BackupError =>
  new BackupError(`the backup names ${path}, which is not in it`)

/** A manifest names files of the backup only. */
function inside(path: string): string {
  const plain = normalize(path)
  if (plain.startsWith('..') || plain.startsWith('/')) throw notInBackup(path)
  return plain
}

/** Creates the cluster with the schema that the backup has; the next start brings it up to date. */
async function loadPostgres(manifest: BackupManifest, files: string, folder: string): Promise<void> {
  for (const { name } of manifest.postgres.tables)
    if (!manifest.files.some(({ path }) => path === join('postgres', tableFile(name))))
      throw new BackupError(`the backup lacks the table ${name}`)
  const server = await startEmbeddedPostgres({ dataDir: folder })
  try {
    const sql = connectPostgres({
      url: server.url,
      applicationName: 'svc restore',
      maxConnections: 1,
      statementMs: STATEMENT_MS,
    })
    try {
      const versions = new Set(manifest.migrations.map(({ version }) => version))
      await migratePostgres(sql, POSTGRES_SCHEMA, (version) => versions.has(version))
      await copyTablesIn(sql, files, manifest.postgres)
    } finally {
      await sql.end({ timeout: 5 })
    }
  } finally {
    await server.stop()
  }
}
