import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readdirSync,
  statfsSync,
  statSync,
  unlinkSync,
  writevSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { errorCode } from '../../runtime/errors.js'
import { startTimeOf } from '../../runtime/process-info.js'

const MEMORY = '/dev/shm'
/** Left free in memory files, because other programs share them. */
const RESERVE_BYTES = 16 * 1024 * 1024
const BUFFERS_PER_WRITE = 512
/** Smaller files are not used again. */
const MIN_REUSED_BYTES = 1024 * 1024
/** How long a released file waits for other rows. */
const REUSE_MS = 2_000
/** Small enough that processing a chunk does not delay other work. */
const CHUNK_BYTES = 512 * 1024

/** Files for rows to and from the engine: in memory if there is room, otherwise on disk. */
export interface ScratchFiles {
  /** Writes the bytes, readable by this user only. The caller removes or releases the path. */
  write(chunks: readonly Uint8Array[]): string
  /**
   * Takes back a file of `write` that nothing reads any more. Other rows may overwrite it soon: the system
   * needs longer to get and free the memory of a file than to fill it.
   */
  release(path: string): void
  /** Removes the file that waits for other rows. */
  close(): void
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
  /** Released, with its size. */
  let spare: { readonly path: string; readonly bytes: number } | undefined
  let removing: NodeJS.Timeout | undefined

  const takeSpare = () => {
    const taken = spare
    clearTimeout(removing)
    spare = undefined
    return taken
  }
  const removeSpare = (): void => {
    const taken = takeSpare()
    if (taken !== undefined) removeScratchFile(taken.path)
  }

  const writeTo = (path: string, flags: 'wx' | 'r+', chunks: readonly Uint8Array[]): string => {
    try {
      writeAll(path, flags, chunks)
    } catch (error) {
      removeScratchFile(path)
      throw error
    }
    return path
  }
  const writeIn = (folder: string, chunks: readonly Uint8Array[]): string =>
    writeTo(join(folder, `${own}${count++}`), 'wx', chunks)

  const writeWhereRoomIs = (bytes: number, chunks: readonly Uint8Array[]): string => {
    try {
      if (hasRoom(bytes)) return writeIn(MEMORY, chunks)
    } catch {
      // There is no such folder here, it is not writable, or another process took the room since the check.
    }
    return writeIn(scratchDir, chunks)
  }

  return {
    write(chunks) {
      const bytes = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0)
      const reused = bytes < MIN_REUSED_BYTES ? undefined : takeSpare()
      if (reused !== undefined) {
        try {
          if (hasRoom(bytes - reused.bytes)) return writeTo(reused.path, 'r+', chunks)
        } catch {
          // Another process took the room since the check.
        }
        removeScratchFile(reused.path)
      }
      return writeWhereRoomIs(bytes, chunks)
    },
    release(path) {
      // A cleaner of the system may have removed it.
      const bytes = path.startsWith(MEMORY) ? (statSync(path, { throwIfNoEntry: false })?.size ?? 0) : 0
      if (bytes < MIN_REUSED_BYTES) return removeScratchFile(path)
      removeSpare()
      spare = { path, bytes }
      removing = setTimeout(removeSpare, REUSE_MS).unref()
    },
    close: removeSpare,
    reserve: (bytes) => writeWhereRoomIs(bytes, []),
    removeStale() {
      for (const folder of new Set([MEMORY, scratchDir]))
        for (const name of existsSync(folder) ? readdirSync(folder) : [])
          if (name.startsWith(prefix) && !name.startsWith(ours)) removeScratchFile(join(folder, name))
    },
  }
}

function hasRoom(bytes: number): boolean {
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= bytes + RESERVE_BYTES
}

function writeAll(path: string, flags: 'wx' | 'r+', chunks: readonly Uint8Array[]): void {
  const file = openSync(path, flags, 0o600)
  try {
    let next = 0
    let size = 0
    while (next < chunks.length) {
      const batch = chunks.slice(next, next + BUFFERS_PER_WRITE)
      next += batch.length
      while (batch.length > 0) {
        let written = writevSync(file, batch)
        size += written
        // A write may stop within any of the buffers.
        while (batch[0] !== undefined && written >= batch[0].byteLength) {
          written -= batch[0].byteLength
          batch.shift()
        }
        if (batch[0] !== undefined) batch[0] = batch[0].subarray(written)
      }
    }
    if (flags === 'r+') ftruncateSync(file, size)
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
