import { readFileSync } from 'node:fs'
import { errorCode } from './errors.js'

/** Whether a process of this number lives, whoever's it is; one that has ended and that nobody has waited for does not. */
export function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    // Another user's may not be signalled, and lives.
    if (errorCode(error) === 'ESRCH') return false
  }
  const state = statOf(pid)?.[0]
  return state !== 'Z' && state !== 'X'
}

/** Clock ticks after boot at which a process started: with its number, unique. Linux only, undefined elsewhere. */
export function startTimeOf(pid: number): string | undefined {
  return statOf(pid)?.[19]
}

/** What the kernel says of a process, after its name: state, parent, … Undefined where there is no such process or no /proc. */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name may hold blanks and brackets.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}
