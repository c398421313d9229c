import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { TableCopies } from '../postgres/copy-tables.js'
import type { AppliedMigration } from '../runtime/migrations.js'
import { writePrivateFile } from '../runtime/private-file.js'

/** The backup cannot be made or restored. The message says why and what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}

export interface BackupFile {
  /** Relative to the backup, with forward slashes. */
  readonly path: string
  readonly bytes: number
  readonly sha256: string
}

export interface BackupManifest {
  readonly format: number
  /** The version of svc that made it. */
  readonly svc: string
  readonly createdAt: string
  /** The place of the secret key: a key of the environment is not part of the backup. */
  readonly secretKey: 'file' | 'environment'
  readonly events: EventCounts
  readonly migrations: readonly AppliedMigration[]
  readonly postgres: TableCopies
  readonly links: readonly { readonly path: string; readonly target: string }[]
  readonly files: readonly BackupFile[]
}

/** Counts of the events that were acknowledged. */
export interface EventCounts {
  readonly acknowledged: number
  readonly stored: number
  readonly duplicates: number
  readonly deadLetters: number
  readonly waiting: number
}

export const MANIFEST_FORMAT = 1
const MANIFEST = 'manifest.json'
const CHECKSUM = 'manifest.sha256'

/** The last files of a backup: without them it is incomplete. */
export function writeBackupManifest(folder: string, manifest: BackupManifest): void {
  const text = `${JSON.stringify(manifest, null, 1)}\n`
  writePrivateFile(join(folder, MANIFEST), text, true)
  writePrivateFile(join(folder, CHECKSUM), `${sha256(text)}\n`, true)
}

/** @throws BackupError if the folder is no complete backup, or its manifest was changed */
export function readBackupManifest(folder: string): BackupManifest {
  let text: string
  let checksum: string
  try {
    text = readFileSync(join(folder, MANIFEST), 'utf8')
    checksum = readFileSync(join(folder, CHECKSUM), 'utf8').trim()
  } catch (error) {
    throw new BackupError(
      `${folder} is not a complete backup: it has no ${MANIFEST} and ${CHECKSUM}. A backup that was cut off cannot be restored; use an earlier one`,
      { cause: error },
    )
  }
  if (sha256(text) !== checksum)
    throw new BackupError(`${folder} is damaged: ${MANIFEST} differs from its checksum; use another backup`)
  return JSON.parse(text) as BackupManifest
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The files and links below a folder, as paths relative to it, in a fixed order. */
export function listFiles(folder: string): {
  readonly files: readonly string[]
  readonly links: BackupManifest['links']
} {
  const files: string[] = []
  const links: { path: string; target: string }[] = []
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = relative(folder, join(entry.parentPath, entry.name))
    if (entry.isSymbolicLink()) links.push({ path, target: readlinkSync(join(folder, path)) })
    else if (entry.isFile()) files.push(path)
  }
  return { files: files.sort(), links: links.sort((a, b) => (a.path < b.path ? -1 : 1)) }
}

/** Copies a file durably, for its owner alone, and returns what was read of it. */
export async function copyWithChecksum(from: string, to: string): Promise<Omit<BackupFile, 'path'>> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  return checksum(from, createWriteStream(to, { mode: 0o600, flags: 'wx', flush: true }))
}

/** Reads a file and, if `to` is given, writes it there. */
export async function checksum(from: string, to?: NodeJS.WritableStream): Promise<Omit<BackupFile, 'path'>> {
  const hash = createHash('sha256')
  let bytes = 0
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      bytes += chunk.length
      done(null, to === undefined ? undefined : chunk)
    },
  })
  const source = createReadStream(from)
  if (to === undefined) await pipeline(source, counter.resume())
  else await pipeline(source, counter, to)
  return { bytes, sha256: hash.digest('hex') }
}

/** A sync to the disk costs the same for several files, so some are copied side by side. */
const PARALLEL_FILES = 16

/**
 * Runs `work` for all items, some at a time, and returns the results in their order. After a failure nothing
 * more begins, and it throws when nothing is under way any more.
 */
export async function forEachFile<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  const queue = [...items.entries()]
  async function worker(): Promise<void> {
    try {
      for (let next = queue.shift(); next !== undefined; next = queue.shift())
        results[next[0]] = await work(next[1])
    } finally {
      // Of a failure: the others end with what they are doing.
      queue.length = 0
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: PARALLEL_FILES }, worker))
  for (const result of ended) if (result.status === 'rejected') throw result.reason
  return results
}
