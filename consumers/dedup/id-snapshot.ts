import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32c } from '@node-rs/crc32'
import { monthOf } from '../../domain/month.js'
import type { RunInfo } from './id-run.js'

const FILE = 'snapshot.json'
const TEMPORARY = 'snapshot.next'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The month's last stored id that a snapshot knows. A store that lacks it is older than the snapshot. */
export interface NewestId {
  /** Of the hash, lowest first. */
  readonly words: readonly number[]
  /** Milliseconds since 1970. */
  readonly receivedAt: number
}

/** Names runs and filters of one partition and month. They know all ids that were stored below `below`. */
export interface IdSnapshot {
  /** Of the log. Ids meet in other partitions if the number of partitions differs. */
  readonly partitions: number
  readonly below: number
  /** Letters that were replayed before, of all partitions. Their ids can lie below any offset. */
  readonly replayed: number
  readonly newest: NewestId
  readonly runs: readonly RunInfo[]
  /** Of runs that another owner had, in ClickHouse (`PublishedIds`). */
  readonly filters: readonly RunInfo[]
}

/**
 * Prepares the folder for the ids of a log, and removes what belongs to other logs and to months that ended
 * more than a month ago.
 *
 * @returns its folder
 */
export async function openIdFolder(root: string, logId: string, now: Date): Promise<string> {
  const folder = join(root, logId)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const name of await readdir(root))
    if (UUID.test(name) && name !== logId) await rm(join(root, name), { recursive: true, force: true })
  const oldest = monthOf(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1))
  for (const name of await readdir(folder))
    if (Number(name) < oldest) await rm(join(folder, name), { recursive: true, force: true })
  return folder
}

/** Undefined if the folder has no snapshot, or a damaged one. */
export async function readIdSnapshot(folder: string): Promise<IdSnapshot | undefined> {
  try {
    return parseIdSnapshot(await readFile(join(folder, FILE), 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

export function formatIdSnapshot(snapshot: IdSnapshot): string {
  const content = JSON.stringify(snapshot)
  return `${crc32c(content)}\n${content}`
}

/** Undefined if the text is damaged. */
export function parseIdSnapshot(text: string): IdSnapshot | undefined {
  const end = text.indexOf('\n')
  const [checksum, content] = [text.slice(0, end), text.slice(end + 1)]
  if (checksum !== String(crc32c(content))) return undefined
  // Earlier versions named no filters.
  return { filters: [], ...JSON.parse(content) } as IdSnapshot
}

/** Replaces the snapshot of a folder, whole or not at all. */
export async function writeIdSnapshot(folder: string, snapshot: IdSnapshot): Promise<void> {
  const file = await open(join(folder, TEMPORARY), 'w', 0o600)
  try {
    await file.writeFile(formatIdSnapshot(snapshot))
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(join(folder, TEMPORARY), join(folder, FILE))
}

/** Removes what the snapshot does not name from its folder; without a snapshot, all of it. */
export async function tidyFolder(folder: string, snapshot: IdSnapshot | undefined): Promise<void> {
  const named = new Set(snapshot?.runs.map(({ file }) => file))
  if (snapshot !== undefined) named.add(FILE)
  for (const name of await readdir(folder).catch(none))
    if (!named.has(name)) await rm(join(folder, name), { force: true })
}

/** The folder is not there. */
function none(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return []
  throw error
}
