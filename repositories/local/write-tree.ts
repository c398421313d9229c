import { foldersOf } from '../names.js'
import { reader } from './blobs.js'
import type { Git } from './git.js'

/** The new content of a path; null if it is removed. */
export interface Placed {
  readonly path: string
  readonly blob: string | null
  /** Null keeps the mode, or means a plain file if it is new. */
  readonly mode: string | null
}

/** Names as bytes in latin1, because they need not be UTF-8. */
type Folder = Map<string, { readonly mode: string; readonly id: string }>

/**
 * Writes the tree of a commit with some files changed. Reads and writes only the folders above them, so the
 * cost does not depend on the repository's size. All other entries stay byte for byte.
 */
export async function writeTree(
  git: Git,
  base: string,
  placed: readonly Placed[],
  signal?: AbortSignal,
): Promise<string> {
  const paths = ['', ...new Set(placed.flatMap(({ path }) => foldersOf(path)))]
  const folders = await readTrees(git, base, paths, signal)
  for (const { path, blob, mode } of placed) {
    const [folder, name] = placeOf(path)
    const entries = folders.get(folder)
    if (blob === null) entries?.delete(name)
    else entries?.set(name, { mode: mode ?? entries.get(name)?.mode ?? '100644', id: blob })
  }
  const process = git.start(['mktree', '-z', '--batch', '--missing'], { signal })
  try {
    const told = reader(process)
    const write = async (entries: Folder): Promise<string> => {
      const records = [...entries].map(([name, { mode, id }]) => `${mode} ${typeOf(mode)} ${id}\t${name}\0`)
      process.stdin.write(Buffer.from(`${records.join('')}\0`, 'latin1'))
      return told.line()
    }
    // Innermost first, because a folder's id is in its parent.
    for (const path of paths.slice(1).sort((a, b) => b.length - a.length)) {
      const entries = folders.get(path) ?? new Map()
      const [around, name] = placeOf(path)
      if (entries.size === 0) folders.get(around)?.delete(name)
      else folders.get(around)?.set(name, { mode: '040000', id: await write(entries) })
    }
    return await write(folders.get('') ?? new Map())
  } finally {
    process.stop()
  }
}

/** The folder and the name, in the bytes of a tree. */
function placeOf(path: string): [folder: string, name: string] {
  const slash = path.lastIndexOf('/')
  return [path.slice(0, Math.max(0, slash)), Buffer.from(path.slice(slash + 1), 'utf8').toString('latin1')]
}

function typeOf(mode: string): string {
  if (/^0*40000$/.test(mode)) return 'tree'
  return mode === '160000' ? 'commit' : 'blob'
}

/** The folders of a commit; empty if a folder is missing. */
async function readTrees(
  git: Git,
  base: string,
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, Folder>> {
  const process = git.start(['cat-file', '--batch'], { signal })
  try {
    const told = reader(process)
    process.stdin.write(paths.map((path) => `${base}:${path}\n`).join(''))
    const folders = new Map<string, Folder>()
    for (const path of paths) {
      // Git prints `id tree size`, or `name missing`.
      const [id = '', type, size] = (await told.line()).split(' ')
      const content = size === undefined ? Buffer.alloc(0) : await told.bytes(Number(size))
      if (size !== undefined) await told.bytes(1)
      folders.set(path, type === 'tree' ? entriesOf(content, id.length / 2) : new Map())
    }
    return folders
  } finally {
    process.stop()
  }
}

/** Repeats `mode name`, a zero byte and the id's bytes. */
function entriesOf(content: Buffer, idBytes: number): Folder {
  const entries: Folder = new Map()
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at)
    const zero = content.indexOf(0, space)
    const id = content.toString('hex', zero + 1, zero + 1 + idBytes)
    entries.set(content.toString('latin1', space + 1, zero), {
      mode: content.toString('latin1', at, space),
      id,
    })
    at = zero + 1 + idBytes
  }
  return entries
}
