import type { ClickHouse } from '../../../clickhouse/port.js'
import { linkSecondKeys } from './second-keys.js'

const DAY = 86_400_000

/** Events of a shop, generated in the engine by hashing their number, so that every run has the same. */
export interface FunnelData {
  /** Events of the queried workspace; a quarter as many belong to others. */
  readonly events: number
  readonly others: number
  readonly days: number
  readonly persons: number
  /** Milliseconds. */
  readonly begin: number
}

/** The workspace whose events the bench creates. */
export const FUNNEL_BENCH_WORKSPACE = 'b3b0c442-98fc-4c14-9afb-f4c8996fb924'
const OTHER_WORKSPACES = 8
const ROWS_AT_ONCE = 1_000_000
/** A person with this many events, all on one day near the end. */
const BOT_EVENTS = 100_000

/** One workspace over 45 days, or one with four fifths of all events over three months. */
export function funnelDataOf(total: number): FunnelData {
  return total <= 2_000_000
    ? { events: total, others: 0, days: 45, persons: Math.round(total / 30), begin: Date.UTC(2026, 9, 1) }
    : {
        events: total * 0.8,
        others: total * 0.2,
        days: 92,
        persons: Math.round((total * 3) / 200),
        begin: Date.UTC(2026, 7, 1),
      }
}

/** The day of the person with very many events, in milliseconds. */
export function botDay(data: FunnelData): number {
  return data.begin + (data.days - 2) * DAY
}

/** Creates what is missing; keeps data of an earlier run. */
export async function makeFunnelData(
  clickhouse: ClickHouse,
  data: FunnelData,
  onProgress: (text: string) => void,
): Promise<void> {
  const wanted = data.events + data.others + BOT_EVENTS
  const { rows } = await clickhouse.query<{ found: number }>('SELECT count() AS found FROM events')
  const found = rows[0]?.found ?? 0
  if (found === wanted) return
  if (found > 0) throw new Error(`the data of the bench holds ${found} events, not ${wanted}: remove it`)
  for (let from = 0; from < data.events + data.others; from += ROWS_AT_ONCE) {
    const to = Math.min(from + ROWS_AT_ONCE, data.events + data.others)
    await insertEvents(clickhouse, data, from, to)
    onProgress(
      `${(to / 1e6).toFixed(1)} of ${((data.events + data.others) / 1e6).toFixed(1)} million events made`,
    )
  }
  await linkSecondKeys(clickhouse, FUNNEL_BENCH_WORKSPACE, data.persons, 0)
  await insertBot(clickhouse, data)
  onProgress('merging')
  await clickhouse.command('OPTIMIZE TABLE events')
}

async function insertEvents(
  clickhouse: ClickHouse,
  data: FunnelData,
  from: number,
  to: number,
): Promise<void> {
  await clickhouse.command(
    `INSERT INTO events (workspace_id, received_at, timestamp, has_timestamp, request_index, log_offset, person_key, event, properties, log_id, log_partition)
     SELECT workspace, at + toIntervalMillisecond(a % 60000), at, 1, number % 500, intDiv(number, 500),
       sipHash64(person, a % 3 = 0), name,
       concat('{"plan":"', ['free', 'pro', 'team', 'enterprise'][1 + person % 4], '","source":"source-', toString(person % 10),
         '","price":', toString(c % 1000), ',"url":"https://shop.example/p/', toString(a % 5000), '"}'),
       {workspace:UUID}, 0
     FROM (
       SELECT number, sipHash64(number, 'a') AS a, sipHash64(number, 'b') AS b, sipHash64(number, 'c') AS c,
         if(number < {events:UInt64}, {workspace:UUID}, reinterpretAsUUID(toUInt128(a % ${OTHER_WORKSPACES} + 1))) AS workspace,
         toUInt64(pow((b % 1000000) / 1000000, 1.5) * {persons:UInt64}) AS person,
         fromUnixTimestamp64Milli({begin:Int64}, 'UTC') + toIntervalMillisecond(c % {span:UInt64}) AS at,
         a % 1000 AS kind,
         multiIf(kind < 300, 'page_view', kind < 520, 'product_view', kind < 640, 'search', kind < 720, 'add_to_cart',
           kind < 760, 'checkout', kind < 780, 'purchase', kind < 810, 'login', 'scroll') AS name
       FROM numbers({from:UInt64}, {rows:UInt64}))`,
    {
      params: {
        workspace: FUNNEL_BENCH_WORKSPACE,
        persons: data.persons,
        begin: data.begin,
        span: data.days * DAY,
        events: data.events,
        from,
        rows: to - from,
      },
      settings: { async_insert: 0 },
    },
  )
}

async function insertBot(clickhouse: ClickHouse, data: FunnelData): Promise<void> {
  await clickhouse.command(
    `INSERT INTO events (workspace_id, received_at, timestamp, has_timestamp, request_index, log_offset, person_key, event, properties, log_id, log_partition)
     SELECT {workspace:UUID}, at, at, 1, number % 500, 1000000000 + intDiv(number, 500), 1,
       ['product_view', 'add_to_cart', 'add_to_cart', 'checkout', 'product_view'][1 + sipHash64(number) % 5], '{"source":"bot"}', {workspace:UUID}, 0
     FROM (SELECT number, fromUnixTimestamp64Milli({day:Int64}, 'UTC') + toIntervalMillisecond(number * 800) AS at FROM numbers(${BOT_EVENTS}))`,
    {
      params: { workspace: FUNNEL_BENCH_WORKSPACE, day: botDay(data) },
      settings: { async_insert: 0 },
    },
  )
}
