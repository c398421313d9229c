import { readdirSync, readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100

interface ProcessFacts {
  readonly pid: number
  readonly parent: number
  readonly cpuSeconds: number
}

function readProcess(pid: number): ProcessFacts | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // Own time and that of children already waited for.
    const ticks = [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field]), 0)
    return { pid, parent: Number(fields[1]), cpuSeconds: ticks / TICKS_PER_SECOND }
  } catch {
    return undefined
  }
}

function treeOf(root: number): ProcessFacts[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name)))
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
  return treeOf(root).reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0)
}

/** Memory of a process and all below it in bytes, shared pages divided among their users (PSS). */
export function pssOfTree(root: number): number {
  return treeOf(root).reduce((sum, { pid }) => {
    try {
      const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
      return sum + Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) * 1_024
    } catch {
      return sum
    }
  }, 0)
}
