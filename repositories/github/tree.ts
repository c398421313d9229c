import { LruCache } from '../../runtime/concurrency/lru-cache.js'
import { RepositoryError } from '../errors.js'
import { foldersOf } from '../names.js'
import type { TreeEntry } from '../port.js'
import type { GitHubClient } from './client.js'
import { idIn, objectOf, objectsOf, textIn } from './json.js'

const KINDS: Readonly<Record<string, TreeEntry['kind']>> = {
  '100755': 'executable',
  '120000': 'symlink',
  '160000': 'submodule',
  '040000': 'folder',
}

interface Listing {
  readonly entries: readonly TreeEntry[]
  /** The host left entries out. */
  readonly truncated: boolean
}

/** Reads trees. Non-recursive ones are cached by id. */
export interface Trees {
  all(commit: string, signal?: AbortSignal): Promise<TreeEntry[]>
  folders(commit: string, paths: readonly string[], signal?: AbortSignal): Promise<Map<string, TreeEntry>>
}

const CACHE_BYTES = 16 * 1024 * 1024
const BYTES_AN_ENTRY = 300

export function treesOf(client: GitHubClient): Trees {
  const cache = new LruCache<Listing>(CACHE_BYTES)

  const list = async (id: string, recursive: boolean, signal?: AbortSignal): Promise<Listing> => {
    const before = recursive ? undefined : cache.get(id)
    if (before !== undefined) return before
    try {
      const { data } = await client.json(
        'GET /repos/{owner}/{repo}/git/trees/{tree}',
        { tree: id, ...(recursive ? { recursive: '1' } : {}) },
        { signal, what: 'reading a tree' },
      )
      const answer = objectOf(data, 'a tree')
      const listing = {
        entries: objectsOf(answer.tree, 'the entries of a tree').map((entry) => entryOf(entry)),
        truncated: answer.truncated === true,
      }
      if (!recursive) cache.set(id, listing, listing.entries.length * BYTES_AN_ENTRY)
      return listing
    } catch (error) {
      throw error instanceof RepositoryError && error.code === 'not_found' ? goneFrom(error) : error
    }
  }

  /** A tree with everything below it. If the host truncates it, the folders are read one by one. */
  const walk = async (id: string, prefix: string, signal?: AbortSignal): Promise<TreeEntry[]> => {
    const whole = await list(id, true, signal)
    if (!whole.truncated) return whole.entries.map((entry) => below(prefix, entry))
    const all: TreeEntry[] = []
    const own = await list(id, false, signal)
    if (own.truncated)
      throw new RepositoryError(
        'too_large',
        `the folder ${prefix || '/'} has more entries than the host lists`,
      )
    for (const entry of own.entries) {
      all.push(below(prefix, entry))
      if (entry.kind === 'folder') {
        const inside = await walk(entry.id, `${prefix}${entry.path}/`, signal)
        for (const each of inside) all.push(each)
      }
    }
    return all
  }

  return {
    async all(commit, signal) {
      return (await walk(commit, '', signal)).filter((entry) => entry.kind !== 'folder')
    },
    async folders(commit, paths, signal) {
      const found = new Map<string, TreeEntry>()
      const take = async (id: string, prefix: string) => {
        for (const entry of (await list(id, false, signal)).entries) {
          const there = below(prefix, entry)
          found.set(there.path, there)
        }
      }
      await take(commit, '')
      // Outermost first, because a folder's id is in its parent.
      const folders = [...new Set(paths.flatMap(foldersOf))].sort((a, b) => a.length - b.length)
      for (const folder of folders) {
        const entry = found.get(folder)
        if (entry?.kind === 'folder') await take(entry.id, `${folder}/`)
      }
      return found
    },
  }
}

function goneFrom(error: RepositoryError): RepositoryError {
  return new RepositoryError('gone', `the repository does not hold that commit any more: ${error.message}`)
}

function entryOf(entry: Readonly<Record<string, unknown>>): TreeEntry {
  const path = textIn(entry, 'path')
  return {
    path,
    kind: KINDS[textIn(entry, 'mode')] ?? 'file',
    id: idIn(entry),
    size: typeof entry.size === 'number' ? entry.size : undefined,
    // JSON cannot represent names that are not UTF-8.
    unreadableName: path.includes('\ufffd'),
  }
}

function below(prefix: string, entry: TreeEntry): TreeEntry {
  return prefix === '' ? entry : { ...entry, path: `${prefix}${entry.path}` }
}
