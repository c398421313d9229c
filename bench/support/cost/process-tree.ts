import { readdirSync, readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100

interface ProcessFacts {
  readonly pid: number
  readonly parent: number
  readonly name: string
  readonly cpuSeconds: number
  /** Of children that were waited for. */
  readonly childSeconds: number
}

/** The stat line of a process or one of its threads. */
function readStat(pid: number, file = `/proc/${pid}/stat`): ProcessFacts | undefined {
  try {
    const stat = readFileSync(file, 'utf8')
    const end = stat.lastIndexOf(')')
    const fields = stat.slice(end + 2).split(' ')
    const seconds = (...places: number[]) =>
      places.reduce((sum, place) => sum + Number(fields[place]), 0) / TICKS_PER_SECOND
    return {
      pid,
      parent: Number(fields[1]),
      name: stat.slice(stat.indexOf('(') + 1, end),
      cpuSeconds: seconds(11, 12),
      childSeconds: seconds(13, 14),
    }
  } catch {
    return undefined
  }
}

function idsIn(folder: string): number[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  } catch {
    return []
  }
}

function treeOf(root: number): ProcessFacts[] {
  const all = idsIn('/proc')
    .map((pid) => readStat(pid))
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

/**
 * CPU seconds of a tree by part. The log is a broker: an embedded one works in the gateway's threads. The
 * rest is consumers and API, and the load generator if it is below the root.
 */
export interface CpuParts {
  readonly tree: number
  readonly gateway: number
  readonly stores: number
  readonly log: number
}

/** Processes that are one part as a whole. */
const PART_OF: Readonly<Record<string, 'stores' | 'log'>> = {
  postgres: 'stores',
  'clickhouse-serv': 'stores',
  java: 'log',
}
/**
 * Node's names for its threads. All others in its processes are the event store's, except what that does on
 * libuv's threads.
 */
const OF_NODE = /^(?:node|libuv|v8|delayed|mainthread|signal)/i

/** `cpuOfTree`, with its parts. */
export function cpuPartsOf(root: number): CpuParts {
  const parts = { tree: 0, gateway: 0, stores: 0, log: 0 }
  for (const { pid, name, cpuSeconds, childSeconds } of treeOf(root)) {
    const seconds = cpuSeconds + childSeconds
    parts.tree += seconds
    const part = PART_OF[name]
    if (part !== undefined) parts[part] += seconds
    else if (isGateway(pid)) parts.gateway += seconds
    else parts.stores += storeThreads(pid)
  }
  return parts
}

function isGateway(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('gateway-process.js')
  } catch {
    return false
  }
}

function storeThreads(pid: number): number {
  return idsIn(`/proc/${pid}/task`).reduce((sum, thread) => {
    const facts = readStat(pid, `/proc/${pid}/task/${thread}/stat`)
    return facts === undefined || OF_NODE.test(facts.name) ? sum : sum + facts.cpuSeconds
  }, 0)
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
