import { join } from 'node:path'
import { openEmbeddedClickHouse } from '../../../clickhouse/embedded/open.js'
import { migrateClickHouse } from '../../../clickhouse/migrate.js'
import type { ClickHouse } from '../../../clickhouse/port.js'
import { medianCpu } from '../../support/cost/cpu.js'
import { FUNNEL_BENCH_WORKSPACE, funnelDataOf, makeFunnelData } from '../../support/data/funnel-data.js'
import type { Figure } from '../../support/figures.js'
import { type CallApi, withQueryApi } from '../../support/query-api.js'

const DAY = 86_400_000
const WINDOW_MS = 7 * DAY
const ROUNDS = 11
const FILTER = { property: 'plan', operator: 'eq', value: 'pro' } as const

interface Question {
  readonly title: string
  readonly steps: readonly string[]
  readonly days: number
  /** The step whose events must have the property; undefined for none. */
  readonly filtered: number | undefined
}

const THREE = ['product_view', 'search', 'checkout']
const QUESTIONS: readonly Question[] = [
  { title: '3 steps', steps: THREE, days: 45, filtered: undefined },
  { title: '3 steps, the last filtered', steps: THREE, days: 45, filtered: 2 },
  { title: '3 steps, the first filtered', steps: THREE, days: 45, filtered: 0 },
  { title: '6 steps', steps: [...THREE, 'purchase', 'add_to_cart', 'login'], days: 21, filtered: undefined },
]

/**
 * A funnel as a user asks it: a question that was never asked before, over HTTP, of a workspace with two
 * million events. CPU of the whole process tree, beside `windowFunnel` and a scan of the same rows.
 */
export async function newFunnelCase(folder: string, kept: string, events: number): Promise<Figure[]> {
  const clickhouse = await openEmbeddedClickHouse({ path: join(kept, `funnel-${events}`) })
  try {
    await migrateClickHouse(clickhouse)
    const data = funnelDataOf(events)
    await makeFunnelData(clickhouse, data, (text) => void process.stderr.write(`  ${text}\n`))
    return await withQueryApi(folder, clickhouse, FUNNEL_BENCH_WORKSPACE, async (ask, postgresPid) => {
      const figures: Figure[] = []
      for (const question of QUESTIONS)
        figures.push(...(await measure(clickhouse, ask, postgresPid, data.begin, question)))
      return figures
    })
  } finally {
    await clickhouse.close()
  }
}

async function measure(
  clickhouse: ClickHouse,
  ask: CallApi,
  postgresPid: number,
  begin: number,
  { title, steps, days, filtered }: Question,
): Promise<Figure[]> {
  const stepsBody = steps.map((eventName, step) => ({
    eventName,
    ...(step === filtered ? { filters: [FILTER] } : {}),
  }))
  const body = { name: title, steps: stepsBody, windowSeconds: WINDOW_MS / 1_000 }
  const { id } = JSON.parse(await ask('POST', '/funnel', body)) as { id: string }
  // No two questions have the same range.
  let asked = 0
  const range = () => ({ from: begin + asked++, to: begin + days * DAY })
  const person = clickhouse.personSql('').key
  const matches = (step: number) =>
    `event = '${steps[step]}'${step === filtered ? ` AND JSONExtractString(properties, '${FILTER.property}') = '${FILTER.value}'` : ''}`
  const rows = `FROM events WHERE workspace_id = {workspace:UUID} AND event IN {names:Array(String)}
    AND timestamp >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND timestamp <= fromUnixTimestamp64Milli({last:Int64}, 'UTC')`
  const run = (sql: string) => {
    const { from, to } = range()
    const params = { workspace: FUNNEL_BENCH_WORKSPACE, names: [...steps], from, last: to + WINDOW_MS }
    return clickhouse.query<{ events: number }>(sql, { params, settings: { max_threads: 2 } })
  }
  const conditions = steps.map((_, step) => matches(step)).join(', ')
  const scan = `SELECT count() AS events, uniqExact(${person}) ${rows}`
  const works = {
    scan: () => run(scan),
    windowFunnel: () =>
      run(
        `SELECT level, count() FROM (SELECT windowFunnel(${WINDOW_MS})(toUInt64(toUnixTimestamp64Milli(timestamp)), ${conditions}) AS level ${rows} GROUP BY ${person} AS person) GROUP BY level`,
      ),
    funnel: () => {
      const { from, to } = range()
      const query = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
      return ask('POST', `/funnel/${id}/query`, query)
    },
  }
  for (const work of Object.values(works)) await work()
  const counted = (await run(scan)).rows[0]?.events ?? 0
  const median = await medianCpu(ROUNDS, postgresPid, works)
  const name = `${title}, ${(counted / 1e6).toFixed(2)} million rows`
  const figure = (ratioTo: string, other: number): Figure => ({
    name: `${name}, to ${ratioTo}`,
    value: median.funnel,
    unit: 'ms CPU',
    ratioTo,
    ratio: median.funnel / other,
  })
  return [
    { name: `windowFunnel, ${name}`, value: median.windowFunnel, unit: 'ms CPU' },
    { name: `count(), uniqExact(person), ${name}`, value: median.scan, unit: 'ms CPU' },
    figure('windowFunnel', median.windowFunnel),
    figure('count(), uniqExact(person)', median.scan),
  ]
}
