import type { Cost } from './cost.js'

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
