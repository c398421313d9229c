import { LruCache } from '../../runtime/concurrency/lru-cache.js'
import type { ReadBlob, ReadOptions, TreeEntry } from '../port.js'
import { readBlobs } from './blobs.js'
import type { Git } from './git.js'

const TREE_BYTES = 8 * 1024 * 1024
const BYTES_AN_ENTRY = 300
const BLOB_BYTES = 8 * 1024 * 1024
/** More blobs at once are a pass over the whole repository, which does not repeat. */
const MAX_BLOBS = 64

/**
 * Caches objects by id between calls. A pull request is planned, composed and written from the same files.
 */
export interface GitObjectCache {
  /** The entries of a folder of a commit; the root is ''. */
  readonly folders: {
    get(commit: string, folder: string): readonly TreeEntry[] | undefined
    set(commit: string, folder: string, entries: readonly TreeEntry[]): void
  }
  /** Like `readBlobs`, but asks git only for unknown blobs. */
  blobs(git: Git, ids: Iterable<string>, options: ReadOptions): AsyncIterableIterator<ReadBlob>
}

export function createGitObjectCache(): GitObjectCache {
  const trees = new LruCache<readonly TreeEntry[]>(TREE_BYTES)
  const contents = new LruCache<Extract<ReadBlob, { state: 'read' }>>(BLOB_BYTES)
  return {
    folders: {
      get: (commit, folder) => trees.get(`${commit}:${folder}`),
      set: (commit, folder, entries) =>
        trees.set(`${commit}:${folder}`, entries, entries.length * BYTES_AN_ENTRY),
    },
    async *blobs(git, ids, options) {
      const wanted = [...new Set(ids)]
      const known = wanted.flatMap((id) => contents.get(id) ?? [])
      if (
        known.length === wanted.length &&
        known.every(({ content }) => content.length <= options.maxBlobBytes)
      )
        return yield* known
      for await (const blob of readBlobs(git, wanted, options)) {
        if (blob.state === 'read' && wanted.length <= MAX_BLOBS)
          contents.set(blob.id, blob, blob.content.length)
        yield blob
      }
    },
  }
}
