import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isAlive, startTimeOf } from './process-info.js'

export class DataDirectoryError extends Error {
  override readonly name = 'DataDirectoryError'
  constructor(
    message: string,
    /** Another process has it, so asking again later can succeed. */
    readonly inUse = false,
  ) {
    super(message)
  }
}

/**
 * Takes a data directory for this process, making it where it is missing. Refused with one clear line while another svc has it, or where it
 * cannot be written. A lock left by a process that is gone (killed, power cut) is taken over.
 *
 * @returns gives the directory back; also safe not to be called
 */
export function lockDataDirectory(dataDir: string): () => void {
  const lock = join(dataDir, 'svc.lock')
  const own = `${lock}.${process.pid}`
  try {
    makeFolder(dataDir)
    writeFileSync(own, `${process.pid} ${startTimeOf(process.pid) ?? ''}\n`, { mode: 0o600 })
  } catch (error) {
    throw new DataDirectoryError(
      `the data directory ${dataDir} cannot be written (${codeOf(error)}): give svc a directory of its own with SVC_DATA_DIR`,
    )
  }
  try {
    for (let attempt = 0; attempt < 5; attempt++) {
      try {
        // A link appears whole or not at all and never replaces: of two starts at once one wins.
        linkSync(own, lock)
        return () => removeIfOurs(lock, process.pid)
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error
      }
      const holder = readHolder(lock)
      if (holder !== undefined && holds(holder))
        throw new DataDirectoryError(
          `the data directory ${dataDir} is in use by another svc (process ${holder.pid}): stop that one, or set SVC_DATA_DIR to another directory`,
          true,
        )
      takeOver(lock, own, holder?.text ?? '')
    }
    throw new DataDirectoryError(
      `the lock ${lock} changes hands all the time: are several svc being started?`,
      true,
    )
  } finally {
    removeFile(own)
  }
}

/** Node's own recursive mkdir never returns where a file system refuses with ENOENT, as /proc does. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  const parent = dirname(path)
  if (parent !== path) makeFolder(parent)
  mkdirSync(path, { mode: 0o700 })
}

interface Holder {
  readonly pid: number
  readonly startTime: string
  readonly text: string
}

function readHolder(lock: string): Holder | undefined {
  let text: string
  try {
    text = readFileSync(lock, 'utf8')
  } catch {
    return undefined
  }
  const [pid, startTime] = text.trim().split(' ')
  return { pid: Number(pid), startTime: startTime ?? '', text }
}

function holds(holder: Holder): boolean {
  if (!isAlive(holder.pid)) return false
  // The number may have been given to another process since.
  const startTime = startTimeOf(holder.pid)
  return startTime === undefined || holder.startTime === '' || startTime === holder.startTime
}

/** Moves a dead holder's lock away, unless another start has just done so and put its own there. */
function takeOver(lock: string, own: string, expected: string): void {
  const guard = `${lock}.takeover`
  try {
    linkSync(own, guard)
  } catch {
    const holder = readHolder(guard)
    if (holder !== undefined && !holds(holder)) removeFile(guard)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
    return
  }
  if (readHolder(lock)?.text === expected) renameSync(lock, `${lock}.stale`)
  removeFile(`${lock}.stale`)
  removeFile(guard)
}

function removeIfOurs(lock: string, pid: number): void {
  if (readHolder(lock)?.pid === pid) removeFile(lock)
}

function removeFile(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
