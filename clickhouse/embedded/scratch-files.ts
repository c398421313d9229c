import { createHash, randomBytes } from 'node:crypto'
import { closeSync, openSync, readdirSync, statfsSync, unlinkSync, writevSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { errorCode } from '../../runtime/errors.js'
import { startTimeOf } from '../../runtime/process-info.js'

const MEMORY = '/dev/shm'
/** What is left free in memory files: other programs share them. */
const RESERVE_BYTES = 16 * 1024 * 1024
const BUFFERS_PER_WRITE = 512
/** Small enough that what is done with a chunk does not hold other work up for long. */
const CHUNK_BYTES = 512 * 1024

/** Files through which rows reach the engine, or come from it: in memory where there is room, else in a folder on disk. */
export interface ScratchFiles {
  /** Writes the bytes, readable by this user only, and returns the path. Whoever reads it removes it, in every case. */
  write(chunks: readonly Uint8Array[]): string
  /** Makes an empty file for so many bytes, to be written by the engine. Whoever reads it removes it, in every case. */
  reserve(bytes: number): string
  /** Removes what earlier processes on the same data directory have left behind. Only for who holds that directory. */
  removeStale(): void
}

/**
 * @param store the data directory of the engine: files carry a mark of it and of this process, so that the next holder of the directory
 *   knows which are left over
 * @param scratchDir the folder on disk, by default the system's for temporary files
 */
export function scratchFiles(store: string, scratchDir: string = tmpdir()): ScratchFiles {
  const prefix = `svc-${createHash('sha256').update(resolve(store)).digest('hex').slice(0, 16)}-`
  const ours = `${prefix}${process.pid}.${startTimeOf(process.pid) ?? ''}-`
  // Threads of this process count apart.
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
    if (hasRoom(bytes)) {
      try {
        return writeIn(MEMORY, chunks)
      } catch {
        // Another has taken the room since it was looked at, or the folder cannot be written.
      }
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
        for (const name of namesIn(folder))
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
        // A write may stop half-way through any of the buffers.
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

/** The bytes of a file in chunks that are valid until the next one is asked for. */
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

/** Removes a file that may be gone already. */
export function removeScratchFile(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
}

function hasRoom(bytes: number): boolean {
  try {
    const stat = statfsSync(MEMORY)
    return stat.bavail * stat.bsize >= bytes + RESERVE_BYTES
  } catch {
    return false
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // The folder does not exist yet.
    return []
  }
}
