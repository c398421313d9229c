import {
  chmodSync,
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { tryLock } from 'fs-native-extensions'
import { errorCode, errorReason } from './errors.js'
import { isAlive, startTimeOf } from './process-info.js'

export class DataDirectoryError extends Error {
  override readonly name = 'DataDirectoryError'
  constructor(
    message: string,
    /** Another process has it, so asking again later can succeed. */
    readonly inUse = false,
    options: ErrorOptions = {},
  ) {
    super(message, options)
  }
}

export const LOCK_FILE = 'svc.lock'
/** In a data directory while a backup is being restored into it. */
export const RESTORE_MARK = 'restore-unfinished'

/** @throws DataDirectoryError if a restore into the directory has not been completed */
export function refuseUnfinishedRestore(dataDir: string): void {
  if (existsSync(join(dataDir, RESTORE_MARK)))
    throw new DataDirectoryError(
      `a restore into ${dataDir} was not completed: repeat svc admin restore, which begins again`,
    )
}

/**
 * Locks a data directory for this process, creates it if it is missing, and closes it to other users. The
 * kernel holds the lock, so a process in another container is seen too, and a killed process leaves none
 * behind.
 *
 * @returns releases the lock, once; the end of the process does so too
 * @throws DataDirectoryError if another svc has it, or if it cannot be written
 */
export function lockDataDirectory(dataDir: string): () => void {
  const path = join(dataDir, LOCK_FILE)
  let fd: number | undefined
  try {
    makeFolder(dataDir)
    fd = openLocked(path)
  } catch (error) {
    const code = errorReason(error)
    const fix = LOCK_UNSUPPORTED.has(code)
      ? 'its file system has no locks (NFS without a lock manager, for example): use a local disk'
      : 'give svc another directory with SVC_DATA_DIR'
    throw new DataDirectoryError(`the data directory ${dataDir} cannot be written (${code}): ${fix}`, false, {
      cause: error,
    })
  }
  const holder = readHolder(path)
  if (fd === undefined || (holder !== undefined && isRunning(holder))) {
    if (fd !== undefined) closeSync(fd)
    throw new DataDirectoryError(
      `the data directory ${dataDir} is in use by another svc (process ${holder?.pid ?? 'unknown'}): stop that one, or set SVC_DATA_DIR to another directory`,
      true,
    )
  }
  const locked = fd
  let isReleased = false
  const release = (): void => {
    if (isReleased) return
    isReleased = true
    // Before unlocking, so that another start that has opened this file sees that it is gone.
    rmSync(path, { force: true })
    closeSync(locked)
  }
  try {
    ftruncateSync(locked)
    // For people, and for versions before 0.3, which go by the process number alone.
    writeSync(locked, `${process.pid} ${startTimeOf(process.pid) ?? ''}\n`, 0)
    for (const part of PARTS) closeToOthers(join(dataDir, part))
  } catch (error) {
    release()
    throw new DataDirectoryError(
      `the data directory ${dataDir} cannot be written (${errorReason(error)}): free some space, or set SVC_DATA_DIR to another directory`,
      false,
      { cause: error },
    )
  }
  return release
}

/** The files of svc in a data directory, and the directory. Other files there are not ours to change. */
const PARTS = ['.', 'log', 'clickhouse', 'postgres', 'secret.key', 'dev-keys.json', 'boot']

/** Takes all rights from group and others. A folder that all users write to, such as /tmp, stays as it is. */
function closeToOthers(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined || (stats.mode & 0o077) === 0 || (stats.mode & 0o1000) !== 0) return
  try {
    chmodSync(path, stats.mode & 0o700)
  } catch (error) {
    // A volume may belong to another user; what svc has created in it is closed one by one.
    if (errorCode(error) !== 'EPERM') throw error
  }
}

const LOCK_UNSUPPORTED: ReadonlySet<string> = new Set(['ENOLCK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/** Opens and locks the file. Undefined if another process holds the lock. */
function openLocked(path: string): number | undefined {
  for (;;) {
    const fd = openSync(path, 'a+', 0o600)
    try {
      if (!tryLock(fd)) {
        closeSync(fd)
        return undefined
      }
      const current = statSync(path, { throwIfNoEntry: false })
      if (current?.ino === fstatSync(fd).ino) return fd
    } catch (error) {
      closeSync(fd)
      throw error
    }
    // The previous holder has removed the file in between.
    closeSync(fd)
  }
}

/** Node's own recursive mkdir never returns if a file system refuses with ENOENT, as /proc does. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  const parent = dirname(path)
  if (parent !== path) makeFolder(parent)
  mkdirSync(path, { mode: 0o700 })
}

interface Holder {
  readonly pid: number
  readonly startTime: string
}

function readHolder(path: string): Holder | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    // The holder has just released it, and its number is only for the message.
    return undefined
  }
  const [pid = '', startTime = ''] = text.trim().split(' ')
  return pid === '' ? undefined : { pid: Number(pid), startTime }
}

/** Whether a svc before 0.3, which takes no kernel lock, still runs. A process number may be in use again. */
function isRunning({ pid, startTime }: Holder): boolean {
  if (pid === process.pid || !isAlive(pid)) return false
  const now = startTimeOf(pid)
  return now === undefined || startTime === '' || now === startTime
}
