import type { ClickHouse } from '../../../clickhouse/port.js'
import type { ResultsRequest } from '../../../clickhouse/queries/results/index.js'
import { linkSecondKeys } from './second-keys.js'

const DAY = 86_400_000
const ROWS_AT_ONCE = 1_000_000
/** Exposures, and events of each target, per hundred events. */
const EXPOSURES = 10
const OFTEN = 40
const SELDOM = 10

/**
 * Events of a shop with an experiment, generated in the engine by hashing their number, so that every run has
 * the same.
 */
export interface ResultsData {
  readonly events: number
  readonly days: number
  /** Exposed persons, twice each on average; a fifth as many do other things only. */
  readonly exposed: number
  /** Milliseconds. */
  readonly begin: number
}

export const RESULTS_BENCH_WORKSPACE = '6f0c1f9e-1f9d-4a52-9a5c-2f3f2c1b7d10'
const KEY = 'new-checkout'
const VARIANTS = ['control', 'b', 'c', 'd']

export function resultsDataOf(events: number): ResultsData {
  return { events, days: 30, exposed: events / 20, begin: Date.UTC(2026, 9, 3) }
}

/** The experiment that ran all the time, with two targets. */
export function resultsRequestOf(data: ResultsData): ResultsRequest {
  return {
    workspaceId: RESULTS_BENCH_WORKSPACE,
    key: KEY,
    variants: VARIANTS,
    startedAt: data.begin,
    endedAt: null,
    measuredUntil: null,
    targets: [
      { eventName: 'product_view', windowHours: null, filters: [] },
      { eventName: 'purchase', windowHours: null, filters: [] },
    ],
  }
}

/** Creates what is missing; keeps data of an earlier run. */
export async function makeResultsData(
  clickhouse: ClickHouse,
  data: ResultsData,
  onProgress: (text: string) => void = () => {},
): Promise<void> {
  const { rows } = await clickhouse.query<{ found: number }>('SELECT count() AS found FROM events')
  const found = rows[0]?.found ?? 0
  if (found === data.events) return
  if (found > 0) throw new Error(`the data of the bench holds ${found} events, not ${data.events}: remove it`)
  for (let from = 0; from < data.events; from += ROWS_AT_ONCE) {
    const to = Math.min(from + ROWS_AT_ONCE, data.events)
    await insertEvents(clickhouse, data, from, to)
    onProgress(`${(to / 1e6).toFixed(1)} of ${(data.events / 1e6).toFixed(1)} million events made`)
  }
  await linkSecondKeys(clickhouse, RESULTS_BENCH_WORKSPACE, (data.exposed * 6) / 5, 1)
  onProgress('merging')
  for (const table of ['events', 'exposures']) await clickhouse.command(`OPTIMIZE TABLE ${table}`)
}

/** Three persons of ten have two keys, one linked to the other; two of a hundred see a second variant. */
async function insertEvents(
  clickhouse: ClickHouse,
  data: ResultsData,
  from: number,
  to: number,
): Promise<void> {
  await clickhouse.command(
    `INSERT INTO events (workspace_id, received_at, timestamp, has_timestamp, request_index, log_offset, person_key, event, properties, log_id, log_partition)
     SELECT {workspace:UUID}, at + toIntervalMillisecond(a % 10000), at, 1, number % 500, intDiv(number, 500),
       sipHash64(person, a % 3 = 0 AND person % 10 < 3), name,
       if(name = '$exposure',
         concat('{"experiment":"${KEY}","variant":"', [${VARIANTS.map((key) => `'${key}'`).join(', ')}][1 + (person + if(b % 100 = 0, 1, 0)) % ${VARIANTS.length}],
           '","page":"/p/', toString(a % 50), '","country":"', ['de', 'fr', 'pl', 'it'][1 + person % 4], '"}'),
         concat('{"plan":"', ['free', 'pro', 'team', 'enterprise'][1 + person % 4], '","source":"source-', toString(person % 10),
           '","price":', toString(c % 1000), ',"url":"https://shop.example/p/', toString(a % 5000), '"}')),
       {workspace:UUID}, 0
     FROM (
       SELECT number, sipHash64(number, 'a') AS a, sipHash64(number, 'b') AS b, sipHash64(number, 'c') AS c,
         number % 100 AS kind,
         -- Each exposed person has an exposure in each half of the numbers.
         if(kind < ${EXPOSURES}, (intDiv(number, 100) * ${EXPOSURES} + kind) % {exposed:UInt64}, b % intDiv({exposed:UInt64} * 6, 5)) AS person,
         -- As they come: by time, but for a minute or so.
         fromUnixTimestamp64Milli(toInt64({begin:Int64} + intDiv(number * {span:UInt64}, {events:UInt64}) + c % 60000), 'UTC') AS at,
         multiIf(kind < ${EXPOSURES}, '$exposure', kind < ${EXPOSURES + OFTEN}, 'product_view', kind < ${EXPOSURES + OFTEN + SELDOM}, 'purchase', 'scroll') AS name
       FROM numbers({from:UInt64}, {rows:UInt64}))`,
    {
      params: {
        workspace: RESULTS_BENCH_WORKSPACE,
        exposed: data.exposed,
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
