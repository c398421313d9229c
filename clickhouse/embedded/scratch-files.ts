import { createHash, randomBytes } from 'node:crypto'
import { closeSync, existsSync, openSync, readdirSync, statfsSync, unlinkSync, writevSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { errorCode } from '../../runtime/errors.js'
import { startTimeOf } from '../../runtime/process-info.js'

const MEMORY = '/dev/shm'
/** Left free in memory files, because other programs share them. */
const RESERVE_BYTES = 16 * 1024 * 1024
const BUFFERS_PER_WRITE = 512
/** Small enough that processing a chunk does not delay other work. */
const CHUNK_BYTES = 512 * 1024

/** Files for rows to and from the engine: in memory if there is room, otherwise on disk. */
export interface ScratchFiles {
  /** Writes the bytes, readable by this user only, and returns the path. The reader removes the file. */
  write(chunks: readonly Uint8Array[]): string
  /** Creates an empty file of this size for the engine to write. The reader removes it. */
  reserve(bytes: number): string
  /** Removes leftovers of earlier processes on the same data directory. Only its holder may call it. */
  removeStale(): void
}

/**
 * @param store the engine's data directory: file names carry a mark of it and of this process, so that the
 * next holder recognises leftovers
 * @param scratchDir the folder on disk. Defaults to the system's temporary folder
 */
export function scratchFiles(store: string, scratchDir: string = tmpdir()): ScratchFiles {
  const prefix = `svc-${createHash('sha256').update(resolve(store)).digest('hex').slice(0, 16)}-`
  const ours = `${prefix}${process.pid}.${startTimeOf(process.pid) ?? ''}-`
  // Threads of this process have other names.
  const own = `${ours}${randomBytes(6).toString('hex')}-`
  let count = 0

  const writeIn = (folder: string, chunks: readonly Uint8Array[]): string => {
    const path = join(folder, `${own}${count++}`)
    try {
      writeAll(path, chunks)
    } catch (error) {
      removeScratchFile(path)
      throw error
    }
    return path
  }

  const writeWhereRoomIs = (bytes: number, chunks: readonly Uint8Array[]): string => {
    try {
      const { bavail, bsize } = statfsSync(MEMORY)
      if (bavail * bsize >= bytes + RESERVE_BYTES) return writeIn(MEMORY, chunks)
    } catch {
      // There is no such folder here, it is not writable, or another process took the room since the check.
    }
    return writeIn(scratchDir, chunks)
  }

  return {
    write: (chunks) =>
      writeWhereRoomIs(
        chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0),
        chunks,
      ),
    reserve: (bytes) => writeWhereRoomIs(bytes, []),
    removeStale() {
      for (const folder of new Set([MEMORY, scratchDir]))
        for (const name of existsSync(folder) ? readdirSync(folder) : [])
          if (name.startsWith(prefix) && !name.startsWith(ours)) removeScratchFile(join(folder, name))
    },
  }
}

function writeAll(path: string, chunks: readonly Uint8Array[]): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    let next = 0
    while (next < chunks.length) {
      const batch = chunks.slice(next, next + BUFFERS_PER_WRITE)
      next += batch.length
      while (batch.length > 0) {
        let written = writevSync(file, batch)
        // A write may stop within any of the buffers.
        while (batch[0] !== undefined && written >= batch[0].byteLength) {
          written -= batch[0].byteLength
          batch.shift()
        }
        if (batch[0] !== undefined) batch[0] = batch[0].subarray(written)
      }
    }
  } finally {
    closeSync(file)
  }
}

/** The bytes of a file in chunks, each valid until the next is requested. */
export async function* readChunks(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path)
  try {
    const buffer = new Uint8Array(CHUNK_BYTES)
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

/** Removes a file that may not exist any more. */
export function removeScratchFile(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
}
