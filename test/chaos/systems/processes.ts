import { readdirSync, readFileSync } from 'node:fs'

/** A process as Linux shows it. */
export interface ProcessFacts {
  readonly pid: number
  readonly parent: number
  readonly commandLine: string
}

/** The living children of a process. */
export function childrenOf(parent: number): ProcessFacts[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => factsOf(Number(name)))
    .filter((facts) => facts?.parent === parent)
    .filter((facts) => facts !== undefined)
}

function factsOf(pid: number): ProcessFacts | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (state === 'Z' || state === 'X') return undefined
    const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return { pid, parent: Number(parent), commandLine }
  } catch {
    return undefined
  }
}

export function isRunning(pid: number): boolean {
  return factsOf(pid) !== undefined
}

/** Sends a signal to a process, or to a group where `pid` is negative. False if the group is gone. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(pid, name)
    return true
  } catch {
    return false
  }
}
