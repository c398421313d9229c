import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCode } from './errors.js'

/**
 * Writes a file that only its owner can read (mode 0600), durably and atomically: a reader, or a start
 * after a crash, finds either the old or the new contents.
 *
 * @returns false if `replace` is false and the file exists, which then stays as it is
 */
export function writePrivateFile(path: string, contents: string, replace: boolean): boolean {
  const draft = `${path}.${process.pid}.new`
  rmSync(draft, { force: true })
  try {
    // `wx` never writes through a link that another user has put there.
    writeFileSync(draft, contents, { mode: 0o600, flag: 'wx', flush: true })
    if (replace) renameSync(draft, path)
    else linkSync(draft, path)
  } catch (error) {
    if (!replace && errorCode(error) === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
  const folder = openSync(dirname(path), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
  return true
}
