import { percentile } from '../percentile.js'
import type { Cost } from './cost.js'
import { cpuOfTree } from './process-tree.js'

/** Milliseconds of CPU of the whole process, engine included, and of the clock. */
export interface Spent {
  readonly cpuMs: number
  readonly wallMs: number
}

/** The least CPU of each task over rounds in turns. */
export async function leastSpent<Name extends string>(
  rounds: number,
  works: Readonly<Record<Name, () => Promise<unknown>>>,
): Promise<Record<Name, Spent>> {
  const nothing: Spent = { cpuMs: Infinity, wallMs: Infinity }
  const least = Object.fromEntries(Object.keys(works).map((name) => [name, nothing])) as Record<Name, Spent>
  for (let round = 0; round < rounds; round++)
    for (const name of Object.keys(works) as Name[]) {
      const before = process.cpuUsage()
      const started = performance.now()
      await works[name]()
      const { user, system } = process.cpuUsage(before)
      const cpuMs = (user + system) / 1_000
      if (cpuMs < least[name].cpuMs) least[name] = { cpuMs, wallMs: performance.now() - started }
    }
  return least
}

/** The same, CPU alone. */
export async function leastCpu<Name extends string>(
  rounds: number,
  works: Readonly<Record<Name, () => Promise<unknown>>>,
): Promise<Record<Name, number>> {
  const least = await leastSpent(rounds, works)
  return Object.fromEntries(
    (Object.keys(least) as Name[]).map((name) => [name, least[name].cpuMs]),
  ) as Record<Name, number>
}

/** A query's cost per event that it read. */
export function costOf({ cpuMs, wallMs }: Spent, events: number): Cost {
  return { events, seconds: wallMs / 1_000, tree: cpuMs / 1_000 }
}

/**
 * CPU milliseconds of each task in this process and in the tree of another one, over rounds in turns: the
 * median here, and the mean there, because the kernel counts other processes in hundredths of a second.
 */
export async function medianCpu<Name extends string>(
  rounds: number,
  otherPid: number,
  works: Readonly<Record<Name, () => Promise<unknown>>>,
): Promise<Record<Name, number>> {
  const measured = (Object.keys(works) as Name[]).map((name) => ({ name, here: [] as number[], there: 0 }))
  for (let round = 0; round < rounds; round++)
    for (const spent of measured) {
      const there = cpuOfTree(otherPid)
      const before = process.cpuUsage()
      await works[spent.name]()
      const { user, system } = process.cpuUsage(before)
      spent.here.push((user + system) / 1_000)
      spent.there += (cpuOfTree(otherPid) - there) * 1_000
    }
  return Object.fromEntries(
    measured.map(({ name, here, there }) => [name, percentile(here, 0.5) + there / rounds]),
  ) as Record<Name, number>
}
