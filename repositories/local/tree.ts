import { isUtf8 } from 'node:buffer'
import { folderOf, foldersOf } from '../names.js'
import type { TreeEntry } from '../port.js'
import type { Git } from './git.js'
import type { GitObjectCache } from './git-object-cache.js'

const KINDS: Readonly<Record<string, TreeEntry['kind']>> = {
  '100755': 'executable',
  '120000': 'symlink',
  '160000': 'submodule',
  '040000': 'folder',
}

/** Every file of a commit. */
export async function readTree(git: Git, commit: string, signal?: AbortSignal): Promise<TreeEntry[]> {
  return list(git, ['-r', commit], signal)
}

/** The entries of the root and of every folder above these paths. Cached folders are not listed again. */
export async function readFolders(
  git: Git,
  commit: string,
  paths: readonly string[],
  cache: GitObjectCache['folders'],
  signal?: AbortSignal,
): Promise<Map<string, TreeEntry>> {
  const folders = new Set(paths.filter(isPlain).flatMap(foldersOf))
  const found = new Map<string, TreeEntry>()
  const take = (folder: string, entries: readonly TreeEntry[]) => {
    cache.set(commit, folder, entries)
    for (const entry of entries) found.set(entry.path, entry)
  }
  take('', cache.get(commit, '') ?? (await list(git, [commit], signal)))
  const missing: string[] = []
  for (const folder of folders) {
    const known = cache.get(commit, folder)
    if (known === undefined) missing.push(folder)
    else take(folder, known)
  }
  for (let at = 0; at < missing.length; at += FOLDERS_A_CALL) {
    const some = missing.slice(at, at + FOLDERS_A_CALL)
    const inside = new Map<string, TreeEntry[]>(some.map((folder) => [folder, []]))
    // -t: lists a folder as an entry even if its content is listed as well.
    const args = ['-t', commit, '--', ...some.map((folder) => `${folder}/`)]
    for (const entry of await list(git, args, signal)) inside.get(folderOf(entry.path))?.push(entry)
    for (const [folder, entries] of inside) take(folder, entries)
  }
  return found
}

/** Whether a path stays below the root. Git rejects other paths. */
function isPlain(path: string): boolean {
  return !path.includes('\0') && path.split('/').every((name) => name !== '' && name !== '.' && name !== '..')
}

/** Bounds the length of the command line. */
const FOLDERS_A_CALL = 200

async function list(git: Git, args: readonly string[], signal?: AbortSignal): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = []
  let rest: Buffer = Buffer.alloc(0)
  await git.run(['ls-tree', '-z', '-l', '--full-tree', ...args], {
    signal,
    onChunk: (chunk) => {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      let start = 0
      for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, start)) {
        entries.push(entryOf(bytes.subarray(start, end)))
        start = end + 1
      }
      rest = bytes.subarray(start)
    },
  })
  return entries
}

/** `mode type id size<TAB>path`, the size padded, or `-`. */
function entryOf(record: Buffer): TreeEntry {
  const tab = record.indexOf(0x09)
  const [mode = '', , id = '', size = '-'] = record.toString('latin1', 0, tab).split(/ +/)
  const name = record.subarray(tab + 1)
  return {
    path: name.toString('utf8'),
    kind: KINDS[mode] ?? 'file',
    id,
    size: /^\d+$/.test(size) ? Number(size) : undefined,
    unreadableName: !isUtf8(name),
  }
}
