import { LruCache } from '../../runtime/concurrency/lru-cache.js'
import type { ReadBlob, ReadOptions, TreeEntry } from '../port.js'
import { readBlobs } from './blobs.js'
import type { Git } from './git.js'

const TREE_BYTES = 8 * 1024 * 1024
const BYTES_AN_ENTRY = 300
const BLOB_BYTES = 8 * 1024 * 1024
/** More at once are read by somebody who goes through the whole repository, and will not ask again. */
const MAX_BLOBS = 64

/** What ids name never changes, so it is kept from one call to the next: a pull request is looked at, composed and written, each from the same files. */
export interface GitObjectCache {
  /** The entries of a folder of a commit; the root is ''. */
  readonly folders: {
    get(commit: string, folder: string): readonly TreeEntry[] | undefined
    set(commit: string, folder: string, entries: readonly TreeEntry[]): void
  }
  /** As `readBlobs`, by git only where something is not known. */
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
