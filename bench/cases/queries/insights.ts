import { join } from 'node:path'
import { openEmbeddedClickHouse } from '../../../clickhouse/embedded/open.js'
import { migrateClickHouse } from '../../../clickhouse/migrate.js'
import type { ClickHouse } from '../../../clickhouse/port.js'
import { queryRetention } from '../../../clickhouse/queries/insights/query-retention.js'
import { queryTrends } from '../../../clickhouse/queries/insights/query-trends.js'
import type { RetentionQuery } from '../../../domain/retention.js'
import type { TrendSeries, TrendsQuery } from '../../../domain/trends.js'
import { costOf, leastSpent } from '../../support/cost/cpu.js'
import { FUNNEL_BENCH_WORKSPACE, funnelDataOf, makeFunnelData } from '../../support/data/funnel-data.js'
import type { Figure } from '../../support/figures.js'

const DAY = 86_400_000
const DAYS = 30
const ROUNDS = 5
/** CPU counts, so others may use the machine meanwhile. */
const LIMITS = { maxSeconds: 300, maxMemoryBytes: 2 ** 32, maxRows: 1e9, maxThreads: 1 }
/** 22 and 2 of 100 events. */
const FREQUENT = 'product_view'
const SELDOM = 'purchase'

/**
 * The cost of trends and retention beside a bare scan, on the data of the funnels. A scan reads the same rows
 * and columns, and finds the same persons and values, but in the shortest way and without groups.
 */
export async function insightsCase(folder: string, events: number): Promise<Figure[]> {
  const clickhouse = await openEmbeddedClickHouse({ path: join(folder, `funnel-${events}`) })
  try {
    await migrateClickHouse(clickhouse)
    const data = funnelDataOf(events)
    await makeFunnelData(clickhouse, data, (text) => void process.stderr.write(`  ${text}\n`))
    return await measureInsights(clickhouse, data.begin + 5 * DAY)
  } finally {
    await clickhouse.close()
  }
}

/** The scans and queries to measure; each is a function that runs it once. */
function questionsOf(clickhouse: ClickHouse, from: number) {
  const to = from + DAYS * DAY
  const scan =
    (columns: string, names: readonly string[], grouping = '') =>
    () =>
      clickhouse.query<{ events: number }>(
        `SELECT count() AS events, ${columns} FROM events WHERE workspace_id = {workspace:UUID}
         AND event IN {names:Array(String)} AND timestamp >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
         AND timestamp < fromUnixTimestamp64Milli({to:Int64}, 'UTC') ${grouping}`,
        {
          params: { workspace: FUNNEL_BENCH_WORKSPACE, names, from, to },
          settings: { max_threads: LIMITS.maxThreads, max_execution_time: LIMITS.maxSeconds },
        },
      )
  const trends =
    (one: Pick<TrendSeries, 'measure' | 'property'>, changes: Partial<TrendsQuery> = {}) =>
    () =>
      queryTrends(clickhouse, {
        workspaceId: FUNNEL_BENCH_WORKSPACE,
        query: {
          from,
          to,
          interval: 'day',
          series: [{ eventName: FREQUENT, filters: [], ...one }],
          filters: [],
          breakdown: undefined,
          ...changes,
        },
        now: to,
        limits: LIMITS,
      })
  const retention = (interval: RetentionQuery['interval'], periods: number) => () =>
    queryRetention(clickhouse, {
      workspaceId: FUNNEL_BENCH_WORKSPACE,
      query: {
        from,
        to,
        interval,
        startEvent: FREQUENT,
        returnEvent: SELDOM,
        startFilters: [],
        returnFilters: [],
        periods,
      },
      now: to,
      limits: LIMITS,
    })
  return { scan, trends, retention }
}

async function measureInsights(clickhouse: ClickHouse, from: number): Promise<Figure[]> {
  const { scan, trends, retention } = questionsOf(clickhouse, from)
  const person = clickhouse.personSql('').key
  const number = { property: 'price' }
  const price = "simpleJSONExtractRaw(properties, 'price')"
  const source = "simpleJSONExtractRaw(properties, 'source')"
  const { scanned, parsed, valued, both, ...least } = await leastSpent(ROUNDS, {
    scanned: scan(`uniqExact(${person})`, [FREQUENT]),
    parsed: scan(`uniqExact(${price})`, [FREQUENT]),
    valued: scan(`uniqExact(${person}), uniqExact(${source})`, [FREQUENT]),
    both: scan(`uniqExact(${person})`, [FREQUENT, SELDOM]),
    events: trends({ measure: 'events', property: null }),
    persons: trends({ measure: 'persons', property: null }),
    hours: trends({ measure: 'persons', property: null }, { interval: 'hour' }),
    sum: trends({ measure: 'sum', ...number }),
    p90: trends({ measure: 'p90', ...number }),
    breakdown: trends(
      { measure: 'persons', property: null },
      { breakdown: { property: 'source', limit: 10 } },
    ),
    // Plain SQL for the same figures, without exact texts of nested values and without an order of groups.
    cube: scan(`uniqExact(${person})`, [FREQUENT], `GROUP BY CUBE(toDate(timestamp), ${source})`),
    days: retention('day', 8),
    weeks: retention('week', 4),
  })
  const { rows } = await scan('1', [FREQUENT, SELDOM])()
  const events = rows[0]?.events ?? 0
  const people = 'count(), uniqExact(person) of its rows'
  const values = 'count(), uniqExact(value of a property) of its rows'
  const peopleAndValues = 'count(), uniqExact(person), uniqExact(value) of its rows'
  const compared: [name: string, of: keyof typeof least, ratioTo: string, other: number][] = [
    ['events by day', 'events', people, scanned.cpuMs],
    ['persons by day', 'persons', people, scanned.cpuMs],
    ['persons by hour', 'hours', people, scanned.cpuMs],
    ['sum of a property by day', 'sum', values, parsed.cpuMs],
    ['p90 of a property by day', 'p90', values, parsed.cpuMs],
    ['persons by day and by 10 values', 'breakdown', peopleAndValues, valued.cpuMs],
    ['the same as plain SQL: GROUP BY CUBE(day, value)', 'cube', peopleAndValues, valued.cpuMs],
    ['retention, 8 days', 'days', people, both.cpuMs],
    ['retention, 4 weeks', 'weeks', people, both.cpuMs],
  ]
  return [
    { name: people, value: scanned.cpuMs, unit: 'ms CPU' },
    { name: values, value: parsed.cpuMs, unit: 'ms CPU' },
    { name: peopleAndValues, value: valued.cpuMs, unit: 'ms CPU' },
    ...compared.map(
      ([name, of, ratioTo, other]): Figure => ({
        name,
        value: least[of].cpuMs,
        unit: 'ms CPU',
        ratioTo,
        ratio: least[of].cpuMs / other,
        cost: costOf(least[of], events),
      }),
    ),
  ]
}
