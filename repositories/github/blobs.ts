import { combineSignals } from '../../runtime/concurrency/combine-signals.js'
import { RepositoryError } from '../errors.js'
import { isLfsPointer } from '../lfs.js'
import { checkedId } from '../names.js'
import type { ReadBlob, ReadOptions } from '../port.js'
import type { GitHubClient } from './client.js'

/** Requests in parallel. */
const WIDTH = 4

/** Reads blobs a few at a time, ahead of the caller. */
export async function* readBlobs(
  client: GitHubClient,
  ids: Iterable<string>,
  options: ReadOptions,
): AsyncIterableIterator<ReadBlob> {
  const stopping = new AbortController()
  const { signal, release } = combineSignals([options.signal, stopping.signal])
  const waiting: Promise<ReadBlob>[] = []
  try {
    for (const id of new Set(ids)) {
      const reading = readBlob(client, checkedId(id), options.maxBlobBytes, signal)
      // Attach a no-op catch, because the caller may still be awaiting an earlier blob.
      reading.catch(() => undefined)
      waiting.push(reading)
      const first = waiting.length >= WIDTH ? waiting.shift() : undefined
      if (first !== undefined) yield await first
    }
    for (const each of waiting) yield await each
  } finally {
    stopping.abort()
    release()
  }
}

async function readBlob(
  client: GitHubClient,
  id: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<ReadBlob> {
  try {
    const content = await client.raw(
      'GET /repos/{owner}/{repo}/git/blobs/{id}',
      { id },
      { signal, what: 'reading a file', maxBytes },
    )
    return { id, state: 'read', content, lfsPointer: isLfsPointer(content) }
  } catch (error) {
    if (!(error instanceof RepositoryError)) throw error
    if (error.code === 'too_large') return { id, state: 'too_large' }
    if (error.code === 'not_found') return { id, state: 'missing' }
    throw error
  }
}
