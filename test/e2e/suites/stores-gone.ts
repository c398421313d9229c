import type { Test } from 'tap'
import {
  type Readiness,
  readiness,
  type Timed,
  untilReadiness,
  watchGrowth,
} from '../../support/outage/outage.js'
import { until } from '../../support/service.js'
import type { Traffic, TrafficTarget } from '../../support/traffic.js'

/** The service in either form, with a store that a test can take away. */
export interface Deprived extends TrafficTarget {
  /** The programs that cannot work without the store, and report that. */
  readonly needing: readonly { readonly admin: string }[]
  /** All programs of the service. */
  readonly programs: readonly { readonly pid?: number | undefined }[]
}

type Store = 'log' | 'postgres' | 'clickhouse'
type Asserts = Pick<Test, 'equal' | 'match' | 'ok' | 'same'>

const SAID_WITHIN_MS = 30_000
const MAX_GROWTH_MB = 250

/**
 * `/readyz` of every program that needs the store. Asks again while another store is missed too, which a busy
 * machine does for a moment.
 */
export const askAll = ({ needing }: Pick<Deprived, 'needing'>, gone: Store): Promise<Readiness[]> =>
  until(
    () => Promise.all(needing.map((program) => readiness(program))),
    (answers) => answers.every(({ down }) => down.join() === gone),
  )

export function saysGone(t: Asserts, answers: readonly Readiness[], store: Store): void {
  for (const { down, ms } of answers) {
    t.same(down, [store])
    t.ok(ms < SAID_WITHIN_MS, `said so after ${Math.round(ms)} ms`)
  }
}

export async function isReadyAgain(t: Asserts, { needing }: Pick<Deprived, 'needing'>): Promise<void> {
  const answers = await Promise.all(needing.map((program) => untilReadiness(program, 'ready')))
  for (const { status, messages } of answers)
    t.equal(status, 200, `it goes on by itself ${messages.join('; ')}`)
}

/** A busy machine answers later than the bound. A request that hangs would take minutes. */
export const SLACK_MS = 30_000

/** With 503, a code and a time to come again, within a bound. */
export function isRefused(t: Asserts, what: string, answer: Timed, withinMs: number): void {
  const { status, code, retryAfter, ms } = answer
  t.equal(status, 503, what)
  t.equal(code, 'UNAVAILABLE', what)
  t.match(retryAfter, /^[1-9]\d*$/, what)
  t.ok(ms < withinMs + SLACK_MS, `${what}: refused after ${Math.round(ms)} ms`)
}

/** Watches what must not grow while a store is away. */
export function watch(programs: Deprived['programs']): { ended(t: Asserts & Pick<Test, 'comment'>): void } {
  const memory = watchGrowth(programs)
  return {
    ended(t) {
      const { first, most } = memory.stop()
      t.comment(`memory ${first} MB at first, ${most} MB at most`)
      t.ok(most - first < MAX_GROWTH_MB, `memory grew from ${first} to ${most} MB`)
    },
  }
}

/** Ends a traffic and counts every event of it. */
export async function countAll(t: Asserts, traffic: Traffic): Promise<void> {
  await traffic.stop()
  const { problems, stored } = await traffic.verify()
  t.same(problems.slice(0, 5), [], `each of ${stored} events once`)
  t.ok(stored >= traffic.acknowledged)
}
