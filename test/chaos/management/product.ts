import { setTimeout as sleep } from 'node:timers/promises'
import { queryFunnel } from '../systems/query-funnel.js'
import type { System } from '../systems/system.js'
import { type ManagementBooks, openJobs, readManagementBooks } from './books.js'
import { People } from './people.js'
import { Team } from './team.js'
import { ManagementTruth } from './truth.js'

/** State of the product at rest, without the stored events. */
export interface SeenProduct {
  readonly truth: ManagementTruth
  readonly books: ManagementBooks
  /** By the clock of the machine, milliseconds. */
  readonly now: number
  /** By event name, as a funnel counts them. */
  readonly persons: ReadonlyMap<string, number>
}

const MONTH_MS = 30 * 86_400_000
/** A link is visible in funnels within a second. */
const VISIBLE_MS = 1_500

/** Everything but events, while a system is disturbed: a team with its repository. */
export class Product {
  readonly team: Team
  private readonly truth: ManagementTruth
  private readonly people: People
  private connected = false

  constructor(
    private readonly system: System,
    seed: number,
  ) {
    this.truth = new ManagementTruth(system.clock)
    this.people = new People()
    const target = () =>
      this.connected ? system.target(this.truth.writes.length) : { ...system.target(0), api: undefined }
    this.team = new Team(this.truth, target, this.people, seed)
  }

  /** After each start; the first one connects the repository. */
  async begin(): Promise<void> {
    if (this.connected) return
    const { workspaceId } = this.system.target(0)
    await this.system.withDatabase((sql) => this.people.connect(sql, workspaceId))
    this.connected = true
  }

  /** For the log of a run. */
  summary(): string {
    const failures = [...this.team.failures].map(([text, times]) => `${times} × ${text}`)
    const { writes, done } = this.truth
    return `; ${done} of ${writes.length} writes done${failures.length === 0 ? '' : `; ${failures.join(', ')}`}`
  }

  /** Waits until every job that can be done is done, and reads everything. Rejects after `limitMs`. */
  async atRest(limitMs: number, lookMs: number, eventNames: readonly string[]): Promise<SeenProduct> {
    const { system, people, truth } = this
    const isQuiet = async (): Promise<boolean> =>
      system.withDatabase(async (sql) => {
        const open = (await openJobs(sql)).filter(({ failed }) => !failed)
        const now = new Date(system.clock.now())
        const waiting = await sql<{ id: string; settles: boolean }[]>`
          select id, status = 'settling' and settles_at >= ${now} as settles
          from experiments where status in ('generating_pr', 'settling')`
        // A decision that settles in an hour, by a clock that was set back, keeps its job.
        const later = new Set(waiting.flatMap(({ id, settles }) => (settles ? [id] : [])))
        const due = open.filter(({ queue, key }) => queue !== 'experiment-outcome' || !later.has(key))
        return due.length === 0 && later.size === waiting.length
      })
    for (const end = Date.now() + limitMs; !(await isQuiet().catch(() => false)); await sleep(lookMs))
      // The comparison reports jobs that are left.
      if (Date.now() > end) break
    await sleep(VISIBLE_MS)
    const persons = new Map<string, number>()
    for (const name of eventNames) persons.set(name, await this.personsOf(name))
    const books = await system.withDatabase((sql) => readManagementBooks(sql, people))
    return { truth, books, now: system.clock.now(), persons }
  }

  async stop(): Promise<void> {
    await this.team.loops.stop()
    this.people.remove()
  }

  private async personsOf(eventName: string): Promise<number> {
    const query = {
      from: Date.now() - 2 * MONTH_MS,
      to: this.system.clock.now() + MONTH_MS,
      windowSeconds: 60,
    }
    return (await queryFunnel(this.system, [{ eventName }], query)).entered
  }
}
