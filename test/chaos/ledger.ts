import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Count, FAULTY } from './verify/verify.js'

/** One exact count of the rounds of a seed since the count before it. */
export interface LedgerEntry {
  /** Name of the system. Entries from the time of a single system have none. */
  readonly system?: string
  readonly seed: number
  /** Rounds from `from` up to, but not including, `to`. */
  readonly from: number
  readonly to: number
  readonly at: string
  /** By name: those that met 1,000 newly acknowledged events and a request in flight. */
  readonly faults: Readonly<Record<string, number>>
  readonly uncounted: Readonly<Record<string, number>>
  readonly count: Count
}

export interface Sums {
  readonly seeds: number
  readonly rounds: number
  readonly faults: Readonly<Record<string, number>>
  readonly uncounted: number
  readonly count: Count
}

interface LedgerFile {
  readonly format: 1
  readonly entries: LedgerEntry[]
}

const COUNTED = ['acknowledged', 'stored', 'writes', 'jobs', ...FAULTY] as const
const FIRST_SYSTEM = 'all-in-one'

/** The book of all runs: a JSON file to which every count is added. */
export class Ledger {
  private readonly entries: LedgerEntry[]

  constructor(private readonly path: string) {
    this.entries = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as LedgerFile).entries : []
  }

  /** The first round of a seed that has not been counted on a system. */
  reached(system: string, seed: number): number {
    return this.of(system).reduce(
      (round, entry) => (entry.seed === seed ? Math.max(round, entry.to) : round),
      0,
    )
  }

  /** Written whole before it returns. */
  add(entry: LedgerEntry): void {
    this.entries.push(entry)
    mkdirSync(dirname(this.path), { recursive: true })
    const text = JSON.stringify({ format: 1, entries: this.entries } satisfies LedgerFile, null, 1)
    writeFileSync(`${this.path}.new`, `${text}\n`)
    renameSync(`${this.path}.new`, this.path)
  }

  sums(system: string): Sums {
    const faults: Record<string, number> = {}
    const count = Object.fromEntries(COUNTED.map((kind) => [kind, 0])) as Record<keyof Count, number>
    let rounds = 0
    let uncounted = 0
    const entries = this.of(system)
    for (const entry of entries) {
      rounds += entry.to - entry.from
      for (const [name, times] of Object.entries(entry.faults)) faults[name] = (faults[name] ?? 0) + times
      for (const times of Object.values(entry.uncounted)) uncounted += times
      // Entries from before a kind was counted have none of it.
      for (const kind of COUNTED) count[kind] += entry.count[kind] ?? 0
    }
    const seeds = new Set(entries.map(({ seed }) => seed)).size
    return { seeds, rounds, faults, uncounted, count }
  }
  private of(system: string): LedgerEntry[] {
    return this.entries.filter((entry) => (entry.system ?? FIRST_SYSTEM) === system)
  }
}
