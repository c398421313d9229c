import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCode } from './errors.js'

/**
 * Writes a file that only its owner reads (mode 0600), durably and at once: a reader or a crash finds the old contents or the new ones.
 * With `replace` false an existing file stays and the result is false.
 */
export function writePrivateFile(path: string, contents: string, replace: boolean): boolean {
  const draft = `${path}.${process.pid}.new`
  rmSync(draft, { force: true })
  try {
    // `wx`: never through a link that another user has put there.
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
