import { readdirSync, readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100

interface ProcessFacts {
  readonly pid: number
  readonly parent: number
  readonly cpuSeconds: number
  /** Of children that were waited for. */
  readonly childSeconds: number
}

function readStat(pid: number): ProcessFacts | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const seconds = (...places: number[]) =>
      places.reduce((sum, place) => sum + Number(fields[place]), 0) / TICKS_PER_SECOND
    return {
      pid,
      parent: Number(fields[1]),
      cpuSeconds: seconds(11, 12),
      childSeconds: seconds(13, 14),
    }
  } catch {
    return undefined
  }
}

function treeOf(root: number): ProcessFacts[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readStat(Number(name)))
    .filter((facts) => facts !== undefined)
  const tree = new Set([root])
  for (let size = 0; size !== tree.size; ) {
    size = tree.size
    for (const { pid, parent } of all) if (tree.has(parent)) tree.add(pid)
  }
  return all.filter(({ pid }) => tree.has(pid))
}

/** CPU seconds, user and system, of a process and all below it so far. */
export function cpuOfTree(root: number): number {
  return treeOf(root).reduce((sum, { cpuSeconds, childSeconds }) => sum + cpuSeconds + childSeconds, 0)
}

export interface Memory {
  /** Shared pages divided among their users (PSS). */
  readonly all: number
  /** Without pages of files, which the system takes back as it needs them. */
  readonly own: number
}

/** Memory of processes and all below them in bytes. */
export function memoryOfTree(...roots: readonly number[]): Memory {
  const sum = { all: 0, own: 0 }
  for (const { pid } of roots.flatMap(treeOf)) {
    const rollup = readRollup(pid)
    const bytes = (field: string): number =>
      Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1] ?? 0) * 1_024
    sum.all += bytes('Pss')
    sum.own += bytes('Pss_Anon') + bytes('Pss_Shmem')
  }
  return sum
}

function readRollup(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  } catch {
    return ''
  }
}

/** The peak memory of process trees from now (`first`) until it is read, sampled twice a second. */
export function watchMemory(...roots: readonly number[]): { readonly first: Memory; most(): Memory } {
  const first = memoryOfTree(...roots)
  let most = first
  const timer = setInterval(() => {
    const { all, own } = memoryOfTree(...roots)
    most = { all: Math.max(most.all, all), own: Math.max(most.own, own) }
  }, 500)
  return {
    first,
    most() {
      clearInterval(timer)
      return most
    },
  }
}
