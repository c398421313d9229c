import { readFileSync } from 'node:fs'
import { errorCode } from './errors.js'

/** Whether a process runs, of whatever user. A zombie does not. */
export function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    // A process of another user cannot be signalled, but runs.
    if (errorCode(error) === 'ESRCH') return false
  }
  const state = statOf(pid)?.[0]
  return state !== 'Z' && state !== 'X'
}

/** Start of a process in clock ticks after boot, unique together with its number. Undefined outside Linux. */
export function startTimeOf(pid: number): string | undefined {
  return statOf(pid)?.[19]
}

/**
 * Fields of /proc/PID/stat after the name, from `state` on. Undefined without such a process, or without
 * /proc.
 */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name can contain blanks and brackets.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    // No such process, or no /proc.
    return undefined
  }
}
