import type { Readable } from 'node:stream'
import { RepositoryError } from '../errors.js'
import { isLfsPointer } from '../lfs.js'
import { checkedId } from '../names.js'
import type { ReadBlob, ReadOptions } from '../port.js'
import type { Git, GitProcess } from './git.js'

/** Ids in flight. The requests for them fit into a pipe, so neither process blocks the other. */
const GROUP = 256

/**
 * Reads blobs with two git processes: one reports sizes and the other contents, so that large blobs are never
 * read. Reads contents from the pipe as the caller asks for them.
 */
export async function* readBlobs(
  git: Git,
  ids: Iterable<string>,
  options: ReadOptions,
): AsyncIterableIterator<ReadBlob> {
  const sizes = git.start(['cat-file', '--batch-check'], { signal: options.signal })
  const contents = git.start(['cat-file', '--batch'], { signal: options.signal })
  try {
    const told = reader(sizes)
    const read = reader(contents)
    for (const group of groupsOf(new Set(ids))) {
      sizes.stdin.write(group.map((id) => `${checkedId(id)}\n`).join(''))
      const states: ReadBlob['state'][] = []
      for (const _ of group) states.push(stateOf(await told.line(), options.maxBlobBytes))
      const wanted = group.filter((_, index) => states[index] === 'read')
      contents.stdin.write(wanted.map((id) => `${id}\n`).join(''))
      for (const [index, id] of group.entries()) {
        const state = states[index]
        if (state === 'read') {
          const size = Number((await read.line()).split(' ')[2])
          const content = await read.bytes(size)
          await read.bytes(1)
          yield { id, state, content, lfsPointer: isLfsPointer(content) }
        } else yield { id, state: state ?? 'missing' }
      }
    }
  } finally {
    sizes.stop()
    contents.stop()
  }
}

/** `id type size`, or `id missing`. */
function stateOf(line: string, maxBlobBytes: number): ReadBlob['state'] {
  const [, type, size] = line.split(' ')
  if (type !== 'blob') return 'missing'
  return Number(size) > maxBlobBytes ? 'too_large' : 'read'
}

function* groupsOf(ids: Iterable<string>): Iterable<string[]> {
  let group: string[] = []
  for (const id of ids) {
    group.push(id)
    if (group.length < GROUP) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

/** Reads lines and byte counts from a process. Rejects with the process's error if it ends early. */
export function reader(process: GitProcess) {
  const chunks = (process.stdout as Readable)[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  let rest: Buffer = Buffer.alloc(0)
  const more = async (): Promise<Buffer> => {
    // `process.ended` rejects with the reason.
    const next = await chunks.next().catch(() => ({ done: true as const, value: undefined }))
    if (next.done !== true) return next.value
    await process.ended
    throw new RepositoryError('unavailable', 'git ended before it had answered')
  }
  return {
    async line(): Promise<string> {
      for (;;) {
        const end = rest.indexOf(0x0a)
        if (end >= 0) {
          const line = rest.toString('latin1', 0, end)
          rest = rest.subarray(end + 1)
          return line
        }
        rest = Buffer.concat([rest, await more()])
      }
    },
    async bytes(count: number): Promise<Buffer> {
      const parts: Buffer[] = []
      let missing = count
      while (missing > 0) {
        if (rest.length === 0) rest = await more()
        const part = rest.subarray(0, missing)
        rest = rest.subarray(part.length)
        missing -= part.length
        parts.push(part)
      }
      return Buffer.concat(parts)
    },
  }
}
