import { join } from 'node:path'
import { openEmbeddedClickHouse } from '../../../clickhouse/embedded/open.js'
import { migrateClickHouse } from '../../../clickhouse/migrate.js'
import type { ClickHouse } from '../../../clickhouse/port.js'
import { queryFunnel } from '../../../clickhouse/queries/funnel/index.js'
import type { FunnelQuery, FunnelStep } from '../../../domain/funnel.js'
import { costOf, leastCpu, leastSpent } from '../../support/cost/cpu.js'
import {
  botDay,
  FUNNEL_BENCH_WORKSPACE,
  type FunnelData,
  funnelDataOf,
  makeFunnelData,
} from '../../support/data/funnel-data.js'
import type { Figure } from '../../support/figures.js'

const DAY = 86_400_000
const WINDOW_SECONDS = 7 * 86_400
/** CPU counts, so others may use the machine meanwhile. */
const MAX_SECONDS = 300
const STEPS = {
  /** 14 of 100 events. */
  seldom: ['add_to_cart', 'checkout', 'purchase'],
  /** 38 of 100. */
  frequent: ['product_view', 'search', 'checkout'],
  /** 51 of 100. */
  six: ['product_view', 'search', 'add_to_cart', 'checkout', 'purchase', 'login'],
} as const

/** Data of a folder, created once and reused; every figure with one thread and with two. */
export async function funnelCase(folder: string, events: number): Promise<Figure[]> {
  const clickhouse = await openEmbeddedClickHouse({ path: join(folder, `funnel-${events}`) })
  try {
    await migrateClickHouse(clickhouse)
    const figures: Figure[] = []
    for (const threads of [2, 1])
      for (const figure of await runFunnelBench(clickhouse, events, threads))
        figures.push({ ...figure, name: `${figure.name}, ${threads} threads` })
    return figures
  } finally {
    await clickhouse.close()
  }
}

/**
 * CPU of funnels in this process beside two queries on the same rows: `windowFunnel`, which gives levels
 * without exact order, and `count(), uniqExact(person)`.
 */
async function runFunnelBench(clickhouse: ClickHouse, events: number, threads: number): Promise<Figure[]> {
  const progress = (text: string): void => {
    process.stderr.write(`  ${text}\n`)
  }
  const data = funnelDataOf(events)
  await makeFunnelData(clickhouse, data, progress)
  const run = { clickhouse, threads, rounds: 3 }
  const figures: Figure[] = []
  const middle = data.begin + 5 * DAY
  const compared: [keyof typeof STEPS, FunnelQuery, string][] = [
    ['seldom', queryOver(middle, 30), '3 steps, 30 days'],
    ['six', queryOver(middle, 30), '6 steps, 30 days'],
  ]
  compared.splice(
    1,
    0,
    data.days > 90
      ? ['frequent', queryOver(data.begin, 90), '3 steps, 90 days']
      : ['frequent', queryOver(middle, 30), '3 frequent steps, 30 days'],
  )
  for (const [steps, query, title] of compared) {
    progress(title)
    figures.push(...(await compare(run, STEPS[steps], query, title)))
  }
  for (const [title, steps, query] of data.days > 90 ? [] : smallSizes(middle)) {
    progress(title)
    figures.push(...(await compare({ ...run, rounds: 9 }, STEPS[steps], query, title)))
  }
  progress('orders, exclusions, breakdown')
  figures.push(...(await measureForms(run, data)))
  return figures
}

/**
 * Time ranges of two million events over 45 days with the wanted number of matches, and windows in
 * proportion.
 */
function smallSizes(begin: number): [title: string, steps: keyof typeof STEPS, query: FunnelQuery][] {
  const over = (days: number, windowDays: number) => ({
    ...queryOver(begin, days),
    windowSeconds: Math.round(windowDays * 86_400),
  })
  return [
    ['3 steps, 10,000 rows', 'seldom', over(1, 0.6)],
    ['6 steps, 10,000 rows', 'six', over(0.25, 0.2)],
    ['3 steps, 100,000 rows', 'seldom', over(9, 7)],
    ['6 steps, 100,000 rows', 'six', over(2.4, 2)],
    ['6 steps, 230,000 rows', 'six', over(6, 4.2)],
    ['6 steps, 630,000 rows', 'six', over(21, 7)],
  ]
}

interface Run {
  readonly clickhouse: ClickHouse
  readonly threads: number
  /** Rounds per query, in turn with the others; the least CPU counts. */
  readonly rounds: number
}

async function compare(
  run: Run,
  names: readonly string[],
  query: FunnelQuery,
  title: string,
): Promise<Figure[]> {
  const { clickhouse, threads } = run
  const options = {
    params: {
      workspace: FUNNEL_BENCH_WORKSPACE,
      names: [...names],
      from: query.from,
      to: query.to,
      last: query.to + query.windowSeconds * 1_000,
      window: query.windowSeconds * 1_000,
    },
    settings: { max_threads: threads, max_execution_time: MAX_SECONDS },
  }
  const person = clickhouse.personSql('').key
  const rows = `FROM events WHERE workspace_id = {workspace:UUID} AND event IN {names:Array(String)}
    AND timestamp >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND timestamp <= fromUnixTimestamp64Milli({last:Int64}, 'UTC')`
  const conditions = names.map((name, index) => {
    const inRange = index === 0 ? ` AND timestamp < fromUnixTimestamp64Milli({to:Int64}, 'UTC')` : ''
    return `event = '${name}'${inRange}`
  })
  const { rows: counts } = await clickhouse.query<{ events: number }>(
    `SELECT count() AS events, {to:Int64}, {window:UInt64} ${rows}`,
    options,
  )
  const events = counts[0]?.events ?? 0
  const least = await leastSpent(run.rounds, {
    counted: () =>
      clickhouse.query(`SELECT count(), uniqExact(${person}), {to:Int64}, {window:UInt64} ${rows}`, options),
    windowFunnel: () =>
      clickhouse.query(
        `SELECT level, count() FROM (SELECT windowFunnel({window:UInt64})(toUInt64(toUnixTimestamp64Milli(timestamp)), ${conditions.join(', ')}) AS level ${rows} GROUP BY ${person} AS person) GROUP BY level`,
        options,
      ),
    funnel: () => runFunnel(run, names, query),
  })
  return [
    { name: `count(), uniqExact(person), ${title}`, value: least.counted.cpuMs, unit: 'ms CPU' },
    { name: `windowFunnel, ${title}`, value: least.windowFunnel.cpuMs, unit: 'ms CPU' },
    {
      ...ratio(`funnel, ${title}`, least.funnel.cpuMs, 'windowFunnel', least.windowFunnel.cpuMs),
      cost: costOf(least.funnel, events),
    },
    ratio(
      `funnel, ${title}, to counting`,
      least.funnel.cpuMs,
      'count(), uniqExact(person)',
      least.counted.cpuMs,
    ),
  ]
}

/** The other forms of a funnel. */
async function measureForms(run: Run, data: FunnelData): Promise<Figure[]> {
  const steps = STEPS.seldom
  const query = queryOver(data.begin + 5 * DAY, 30)
  // Thirty days that end just before the day of the person with very many events, and just after it.
  const without = queryOver(botDay(data) - 37 * DAY, 30)
  const withBot = queryOver(botDay(data) - 29 * DAY, 30)
  const least = await leastCpu(run.rounds, {
    plain: () => runFunnel(run, steps, query),
    strict: () => runFunnel(run, steps, { ...query, order: 'strict' }),
    any: () => runFunnel(run, steps, { ...query, order: 'any' }),
    exclusions: () =>
      runFunnel(run, steps, { ...query, exclusions: [{ eventName: 'login', fromStep: 0, toStep: 2 }] }),
    trend: () => runFunnel(run, steps, { ...query, interval: 'day' }),
    breakdown: () => runFunnel(run, steps, { ...query, breakdown: { property: 'source', limit: 10 } }),
    filter: () =>
      runFunnel(run, steps, { ...query, filters: [{ property: 'plan', operator: 'eq', value: 'pro' }] }),
    without: () => runFunnel(run, ['product_view', 'add_to_cart', 'checkout'], without),
    withBot: () => runFunnel(run, ['product_view', 'add_to_cart', 'checkout'], withBot),
  })
  const to = (name: string, value: number) => ratio(name, value, 'the plain funnel', least.plain)
  return [
    to('strict', least.strict),
    to('any', least.any),
    to('exclusion', least.exclusions),
    to('trend', least.trend),
    to('breakdown of 10 values', least.breakdown),
    to('a filter on every event', least.filter),
    ratio('a person with 100,000 events present', least.withBot, 'without', least.without),
  ]
}

function ratio(name: string, value: number, ratioTo: string, other: number): Figure {
  return { name, value, unit: 'ms CPU', ratioTo, ratio: value / other }
}

function runFunnel(run: Run, names: readonly string[], query: FunnelQuery) {
  const steps = names.map((name): FunnelStep => ({ name, eventName: name, filters: [] }))
  const limits = {
    maxSeconds: MAX_SECONDS,
    maxMemoryBytes: 2 ** 32,
    maxRows: 1e9,
    maxThreads: run.threads,
  }
  return queryFunnel(run.clickhouse, {
    workspaceId: FUNNEL_BENCH_WORKSPACE,
    steps,
    query,
    now: query.to,
    limits,
  })
}

function queryOver(from: number, days: number): FunnelQuery {
  return {
    from,
    to: from + days * DAY,
    windowSeconds: WINDOW_SECONDS,
    order: 'ordered',
    filters: [],
    exclusions: [],
    breakdown: undefined,
    interval: undefined,
  }
}
