import type { ClickHouse } from '../../clickhouse/port.js'
import { queryFunnel } from '../../clickhouse/queries/funnel/index.js'
import type { FunnelQuery, FunnelStep } from '../../domain/funnel.js'

export interface FunnelBenchOptions {
  /** Events of one workspace over 45 days, of about a thirtieth as many persons; two million by default. */
  readonly events?: number
  readonly threads?: number
  /** Each query runs this often, in turn with the others; the least CPU counts. */
  readonly rounds?: number
  readonly onProgress?: (text: string) => void
}

export interface FunnelFigure {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly ratioTo?: string
  readonly ratio?: number
}

/** The workspace whose events the bench makes. */
export const FUNNEL_BENCH_WORKSPACE = 'b3b0c442-98fc-4c14-9afb-f4c8996fb924'
const DAY = 86_400_000
const BEGIN = Date.UTC(2026, 9, 1)
const FROM = BEGIN + 4 * DAY
const WINDOW_SECONDS = 7 * 86_400
const BY_FREQUENCY = ['product_view', 'add_to_cart', 'purchase', 'page_view', 'checkout', 'search'] as const

/**
 * What funnels cost in CPU of this process beside two queries on the same rows: `windowFunnel`, which gives levels only and no exact
 * order, and `count(), uniqExact(person)`. The events are made in the engine by hashing their number, so every run has the same;
 * a workspace that already has them keeps them.
 */
export async function runFunnelBench(
  clickhouse: ClickHouse,
  options: FunnelBenchOptions = {},
): Promise<FunnelFigure[]> {
  const events = options.events ?? 2_000_000
  const threads = options.threads ?? 2
  await generate(clickhouse, events, options.onProgress)
  const figures: FunnelFigure[] = []
  for (const steps of [3, 6]) {
    options.onProgress?.(`funnel of ${steps} steps`)
    figures.push(...(await compare(clickhouse, BY_FREQUENCY.slice(0, steps), threads, options.rounds ?? 5)))
  }
  return [...figures, ...(await planning(clickhouse, threads, options.rounds ?? 5))]
}

async function generate(
  clickhouse: ClickHouse,
  events: number,
  onProgress: ((text: string) => void) | undefined,
): Promise<void> {
  const { rows } = await clickhouse.query<{ found: number }>(
    'SELECT count() AS found FROM events WHERE workspace_id = {workspace:UUID}',
    { params: { workspace: FUNNEL_BENCH_WORKSPACE } },
  )
  const found = rows[0]?.found ?? 0
  if (found === events) return
  if (found > 0) throw new Error(`the workspace of the bench holds ${found} events, not ${events}`)
  onProgress?.(`making ${events} events`)
  const persons = Math.round(events / 30)
  await clickhouse.command(
    `INSERT INTO events (workspace_id, received_at, timestamp, has_timestamp, request_index, log_offset, person_key, event, properties, log_id, log_partition)
     SELECT {workspace:UUID}, at + toIntervalMillisecond(a % 60000), at, 1, number % 500, intDiv(number, 500),
       sipHash64(person, a % 3 = 0), name,
       concat('{"plan":"', ['free', 'pro', 'team', 'enterprise'][1 + person % 4], '","price":', toString(c % 1000), ',"url":"https://shop.example/p/', toString(a % 5000), '"}'),
       {workspace:UUID}, 0
     FROM (
       SELECT number, sipHash64(number, 'a') AS a, sipHash64(number, 'b') AS b, sipHash64(number, 'c') AS c,
         toUInt64(pow((b % 1000000) / 1000000, 1.5) * {persons:UInt64}) AS person,
         fromUnixTimestamp64Milli({begin:Int64}, 'UTC') + toIntervalMillisecond(c % {span:UInt64}) AS at,
         a % 1000 AS kind,
         multiIf(kind < 350, 'page_view', kind < 550, 'product_view', kind < 650, 'search', kind < 730, 'add_to_cart',
           kind < 780, 'checkout', kind < 820, 'purchase', 'scroll') AS name
       FROM numbers({events:UInt64}))`,
    {
      params: { workspace: FUNNEL_BENCH_WORKSPACE, persons, begin: BEGIN, span: 45 * DAY, events },
      settings: { async_insert: 0 },
    },
  )
  // A third of the persons come under a second key, linked to the first.
  const links: { workspaceId: string; anonymousKey: bigint; userKey: bigint }[] = []
  const keys = await clickhouse.query<{ anonymous: string; user: string }>(
    `SELECT toString(sipHash64(number, 1 = 0)) AS anonymous, toString(sipHash64(number, 0 = 0)) AS user
     FROM numbers({persons:UInt64}) WHERE number % 3 = 0`,
    { params: { persons } },
  )
  for (const { anonymous, user } of keys.rows)
    links.push({
      workspaceId: FUNNEL_BENCH_WORKSPACE,
      anonymousKey: BigInt.asIntN(64, BigInt(anonymous)),
      userKey: BigInt.asIntN(64, BigInt(user)),
    })
  await clickhouse.insertLinks(links)
}

async function compare(
  clickhouse: ClickHouse,
  names: readonly string[],
  threads: number,
  rounds: number,
): Promise<FunnelFigure[]> {
  const query = queryOver(30)
  const params = {
    workspace: FUNNEL_BENCH_WORKSPACE,
    names: [...names],
    from: query.from,
    to: query.to,
    last: query.to + WINDOW_SECONDS * 1_000,
    window: WINDOW_SECONDS * 1_000,
  }
  const settings = { max_threads: threads }
  const person = clickhouse.personKeySql('person_key')
  const rows = `FROM events WHERE workspace_id = {workspace:UUID} AND event IN {names:Array(String)}
    AND timestamp >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND timestamp <= fromUnixTimestamp64Milli({last:Int64}, 'UTC')`
  const conditions = names.map((name, index) => {
    const inRange = index === 0 ? ` AND timestamp < fromUnixTimestamp64Milli({to:Int64}, 'UTC')` : ''
    return `event = '${name}'${inRange}`
  })
  const least = await leastCpu(rounds, {
    counted: () =>
      clickhouse.query(`SELECT count(), uniqExact(${person}) ${rows}`, {
        params,
        settings,
      }),
    windowFunnel: () =>
      clickhouse.query(
        `SELECT level, count() FROM (SELECT windowFunnel({window:UInt64})(toUInt64(toUnixTimestamp64Milli(timestamp)), ${conditions.join(', ')}) AS level ${rows} GROUP BY ${person} AS person) GROUP BY level`,
        { params, settings },
      ),
    funnel: () => ask(clickhouse, names, query, threads),
  })
  const of = `${names.length} steps, 30 days`
  return [
    { name: `count(), uniqExact(person), ${of}`, value: least.counted, unit: 'ms CPU' },
    { name: `windowFunnel, ${of}`, value: least.windowFunnel, unit: 'ms CPU' },
    {
      name: `funnel, ${of}`,
      value: least.funnel,
      unit: 'ms CPU',
      ratioTo: 'windowFunnel',
      ratio: least.funnel / least.windowFunnel,
    },
    {
      name: `funnel, ${of}, to counting`,
      value: least.funnel,
      unit: 'ms CPU',
      ratioTo: 'count(), uniqExact(person)',
      ratio: least.funnel / least.counted,
    },
  ]
}

/** A funnel over a time without events costs its planning. */
async function planning(clickhouse: ClickHouse, threads: number, rounds: number): Promise<FunnelFigure[]> {
  const names = Array.from({ length: 20 }, (_, index) => `step_${index}`)
  const least = await leastCpu(rounds, { planned: () => ask(clickhouse, names, queryOver(30), threads) })
  return [{ name: 'planning a funnel of 20 steps', value: least.planned, unit: 'ms CPU' }]
}

function ask(clickhouse: ClickHouse, names: readonly string[], query: FunnelQuery, threads: number) {
  const steps = names.map((name): FunnelStep => ({ name, eventName: name, filters: [] }))
  const limits = { maxSeconds: 60, maxMemoryBytes: 2 ** 32, maxRows: 1e9, maxThreads: threads }
  return queryFunnel(clickhouse, { workspaceId: FUNNEL_BENCH_WORKSPACE, steps, query, now: query.to, limits })
}

function queryOver(days: number): FunnelQuery {
  return {
    from: FROM,
    to: FROM + days * DAY,
    windowSeconds: WINDOW_SECONDS,
    order: 'ordered',
    filters: [],
    exclusions: [],
    breakdown: undefined,
    interval: undefined,
  }
}

/** Milliseconds of CPU of the whole process, engine included: the least of each query over rounds in which they take turns. */
async function leastCpu<Name extends string>(
  rounds: number,
  queries: Readonly<Record<Name, () => Promise<unknown>>>,
): Promise<Record<Name, number>> {
  const least = Object.fromEntries(Object.keys(queries).map((name) => [name, Infinity])) as Record<
    Name,
    number
  >
  for (let round = 0; round < rounds; round++)
    for (const name of Object.keys(queries) as Name[]) {
      const before = process.cpuUsage()
      await queries[name]()
      const used = process.cpuUsage(before)
      least[name] = Math.min(least[name], (used.user + used.system) / 1_000)
    }
  return least
}
