import { isUtf8 } from 'node:buffer'
import type { ReadBlob, RepositoryHost, TreeEntry } from '../../repositories/port.js'

/** Changes to larger files are refused. */
const MAX_FILE_BYTES = 4 * 1024 * 1024

/** A file of a commit: its text, or why it cannot be changed. */
export type FoundFile =
  | { readonly blob: string; readonly text: string; readonly problem?: undefined }
  | { readonly blob: string; readonly text?: undefined; readonly problem: string }

/** The content of a commit at the paths that were read. */
export interface Found {
  readonly commit: string
  /** Entries of all folders on the way to the paths. */
  readonly entries: ReadonlyMap<string, TreeEntry>
  /** Files by path. Folders and links are left out. */
  readonly files: ReadonlyMap<string, FoundFile>
}

/**
 * Reads some files of a commit.
 *
 * @param beside paths whose folders are listed, and which are not read
 * @throws RepositoryError
 */
export async function readFiles(
  host: Pick<RepositoryHost, 'entries' | 'readBlobs'>,
  commit: string,
  paths: readonly string[],
  beside: readonly string[],
  signal?: AbortSignal,
): Promise<Found> {
  const entries = await host.entries(commit, [...paths, ...beside], signal)
  const blobs = new Map<string, string>()
  for (const path of paths) {
    const entry = entries.get(path)
    if (entry?.kind === 'file' || entry?.kind === 'executable') blobs.set(path, entry.id)
  }
  const contents = await readTexts(host, new Set(blobs.values()), signal)
  const files = new Map<string, FoundFile>()
  for (const [path, blob] of blobs) {
    const content = contents.get(blob)
    if (content !== undefined) files.set(path, content)
  }
  return { commit, entries, files }
}

/** Blobs as texts, by their ids. */
export async function readTexts(
  host: Pick<RepositoryHost, 'readBlobs'>,
  ids: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<Map<string, FoundFile>> {
  const texts = new Map<string, FoundFile>()
  if (ids.size === 0) return texts
  for await (const blob of host.readBlobs(ids, { maxBlobBytes: MAX_FILE_BYTES, signal }))
    texts.set(blob.id, textOf(blob))
  return texts
}

function textOf(read: ReadBlob): FoundFile {
  const { id: blob } = read
  if (read.state === 'too_large')
    return {
      blob,
      problem: `is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB, the limit for experiments`,
    }
  if (read.state !== 'read')
    return { blob, problem: 'cannot be read: the repository does not have its content' }
  if (read.lfsPointer) return { blob, problem: 'is stored in Git LFS, where experiments cannot change it' }
  const bytes = Buffer.from(read.content)
  if (!isUtf8(bytes) || bytes.includes(0)) return { blob, problem: 'is not text in UTF-8' }
  return { blob, text: bytes.toString('utf8') }
}
