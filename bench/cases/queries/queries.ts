import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openEmbeddedClickHouse } from '../../../clickhouse/embedded/open.js'
import { migrateClickHouse } from '../../../clickhouse/migrate.js'
import type { ClickHouse } from '../../../clickhouse/port.js'
import { ListingCache, listEvents } from '../../../clickhouse/queries/events/events.js'
import { parseRecord } from '../../../consumers/blocks/parse-record.js'
import { readBlock } from '../../../consumers/blocks/read-rows.js'
import { workspaceHashKeys } from '../../../log/hash-keys.js'
import { encodeRecords } from '../../../log/record.js'
import { newId } from '../../../postgres/tables/workspaces.js'
import type { Figure } from '../../support/figures.js'
import { percentile } from '../../support/percentile.js'
import { type CallApi, SECRET_KEY, withQueryApi } from '../../support/query-api.js'

const DAY = 86_400_000
const BEGIN = Date.UTC(2026, 9, 1)
const DAYS = 50
const BLOCK_ROWS = 250_000
const ROUNDS = 15
/** One event moves every page by one; this many replace all fifty rows of a page. */
const OWN_WRITES = [1, 500]
const OTHER_WORKSPACE = '01980000-0000-7000-8000-00000000000b'

/**
 * Queries of a person who browses events, over HTTP: pages, names, and a repeated funnel. First on a tenth
 * of the events, to show the growth. Clock times are medians; CPU is the least, of the whole process (client,
 * server and event store).
 */
export async function queriesCase(folder: string, events: number): Promise<Figure[]> {
  const tenth = await measureAtSize(join(folder, 'tenth'), events / 10)
  const all = await measureAtSize(join(folder, 'all'), events)
  return all.map((figure) => {
    const before = tenth.find(({ name }) => name === figure.name)?.value
    return before === undefined
      ? figure
      : { ...figure, ratioTo: `${before.toFixed(1)} on a tenth`, ratio: figure.value / before }
  })
}

async function measureAtSize(folder: string, events: number): Promise<Figure[]> {
  const clickhouse = await openEmbeddedClickHouse({ path: join(folder, 'clickhouse') })
  const workspaceId = newId()
  try {
    await migrateClickHouse(clickhouse)
    await insertGeneratedEvents(clickhouse, workspaceId, events)
    await waitForMerges(clickhouse)
    return await withQueryApi(folder, clickhouse, workspaceId, (ask) =>
      measureQueries(clickhouse, workspaceId, ask),
    )
  } finally {
    await clickhouse.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function measureQueries(clickhouse: ClickHouse, workspaceId: string, ask: CallApi): Promise<Figure[]> {
  const steps = ['event_0', 'event_1', 'event_2'].map((eventName) => ({ eventName }))
  const funnel = JSON.parse(await ask('POST', '/funnel', { name: 'Bench', steps })) as { id: string }
  const range = {
    from: new Date(BEGIN + 10 * DAY).toISOString(),
    to: new Date(BEGIN + 40 * DAY).toISOString(),
  }
  let window = 86_400
  const page = { workspaceId, limit: 50, offset: 0, sortBy: 'receivedAt', sortDir: 'desc' } as const
  const queries: Record<string, () => Promise<unknown>> = {
    'newest 50': () => ask('GET', '/events?limit=50'),
    'newest 50, no event read before': () => listEvents(clickhouse, page, new ListingCache()),
    '50 from 100,000': () => ask('GET', '/events?limit=50&offset=100000'),
    '50 from 100,000, no event read before': () =>
      listEvents(clickhouse, { ...page, offset: 100_000 }, new ListingCache()),
    'oldest 50': () => ask('GET', '/events?limit=50&sortDir=asc'),
    '50 by name': () => ask('GET', '/events?limit=50&sortBy=event'),
    'past the end': () => ask('GET', '/events?offset=9007199254740991'),
    'event names': () => ask('GET', '/funnel/events'),
    'funnel, 3 steps, 30 days, another each time': () =>
      ask('POST', `/funnel/${funnel.id}/query`, { ...range, windowSeconds: window++ }),
    'the same funnel again': () => ask('POST', `/funnel/${funnel.id}/query`, range),
    'reading a funnel, which asks the event store nothing': () => ask('GET', `/funnel/${funnel.id}`),
  }
  // Answers are cached until the workspace writes. The same again with events of another or the same
  // workspace before each, stored as consumers do, not counted.
  const repeatedAfterWrite = ['newest 50', '50 from 100,000', 'event names', 'the same funnel again']
  const repeatedAfterOwnWrite = ['newest 50', '50 from 100,000']
  const doNothing = () => Promise.resolve()
  const cases: [name: string, of: string, before: () => Promise<void>][] = [
    ...Object.keys(queries).map((one): [string, string, () => Promise<void>] => [one, one, doNothing]),
    ...repeatedAfterWrite.map((one): [string, string, () => Promise<void>] => [
      `${one}, others have written`,
      one,
      () => writeEvents(clickhouse, OTHER_WORKSPACE, 1),
    ]),
    ...OWN_WRITES.flatMap((count) =>
      repeatedAfterOwnWrite.map((one): [string, string, () => Promise<void>] => [
        `${one}, after ${count} statements alike`,
        one,
        () => writeEvents(clickhouse, workspaceId, count),
      ]),
    ),
  ]
  const measured: Figure[] = []
  for (const [name, of, before] of cases) {
    const query = queries[of] ?? doNothing
    await query()
    const times: number[] = []
    let cpu = Infinity
    for (let round = 0; round < ROUNDS; round++) {
      await before()
      const spent = process.cpuUsage()
      const started = performance.now()
      await query()
      times.push(performance.now() - started)
      const used = process.cpuUsage(spent)
      cpu = Math.min(cpu, (used.user + used.system) / 1_000)
    }
    measured.push({ name, value: percentile(times, 0.5), unit: 'ms' })
    measured.push({ name: `${name}, CPU`, value: cpu, unit: 'ms CPU' })
  }
  return measured
}

/**
 * Events in order of receipt, 500 per request, over fifty days: fifty names with shares from a quarter to a
 * hundredth, three in a hundred up to seven days late, properties of 200 bytes; a fifth belong to another
 * workspace.
 */
async function insertGeneratedEvents(
  clickhouse: ClickHouse,
  workspaceId: string,
  events: number,
): Promise<void> {
  await clickhouse.command(
    `INSERT INTO events (workspace_id, received_at, timestamp, original_timestamp, has_timestamp, request_index, log_offset, person_key, event, user_id, insert_id, properties, log_id, log_partition)
     SELECT if(request % 5 = 4, {other:UUID}, {workspace:UUID}), received,
       received - toIntervalMillisecond(multiIf(a % 100 < 90, a % 60000, a % 100 < 97, a % 7200000, a % 604800000)) AS at,
       toUnixTimestamp64Milli(at), 1, number % 500, request, sipHash64(b % {persons:UInt64}),
       concat('event_', toString(toUInt32(pow((b % 1000000) / 1000000, 3) * 50))),
       concat('u-', toString(b % {persons:UInt64})), concat('insert-', hex(a)),
       concat('{"plan":"', ['free', 'pro', 'team', 'enterprise'][1 + a % 4], '","price":', toString(a % 100000),
         ',"url":"https://shop.example/p/', toString(b % 5000), '","referrer":"', hex(sipHash64(number, 'r')),
         '","title":"Product number ', toString(b % 5000), ' of the catalogue","list":[1,2,3,', toString(a % 1000), ']}'),
       {other:UUID}, 0
     FROM (
       SELECT number, intDiv(number, 500) AS request, sipHash64(number, 'a') AS a, sipHash64(number, 'b') AS b,
         fromUnixTimestamp64Milli(toInt64({begin:Int64} + intDiv(request * 500 * {span:UInt64}, {events:UInt64})), 'UTC') AS received
       FROM numbers({events:UInt64}))`,
    {
      params: {
        workspace: workspaceId,
        other: OTHER_WORKSPACE,
        events,
        begin: BEGIN,
        span: DAYS * DAY,
        persons: Math.max(1, Math.round(events / 60)),
      },
      settings: {
        async_insert: 0,
        max_insert_threads: 1,
        max_block_size: BLOCK_ROWS,
        min_insert_block_size_rows: BLOCK_ROWS,
      },
    },
  )
}

let written = 0

/** Events of a workspace, received after all others and stored as a consumer does. */
async function writeEvents(clickhouse: ClickHouse, workspaceId: string, count: number): Promise<void> {
  const receivedAt = BEGIN + DAYS * DAY + 1_000 * written++
  const events = Array.from({ length: count }, (_, index) => ({
    event: `event_${(index * 7) % 20}`,
    userId: `u-${index}`,
    anonymousId: undefined,
    properties: JSON.stringify({
      plan: 'pro',
      price: index,
      title: `Product number ${index} of the catalogue`,
    }),
    timestamp: undefined,
    insertId: undefined,
    sdkVersion: undefined,
  }))
  const { records } = encodeRecords(
    { workspaceId, keyId: newId(), receivedAt, sentAt: undefined, events },
    workspaceHashKeys(SECRET_KEY, workspaceId),
    { partitions: 1, identityPartitions: 1 },
    () => true,
  )
  const parsed = records.map(({ payload }, offset) => parseRecord({ offset, payload }))
  const block = readBlock(parsed, 0, parsed.length)
  await clickhouse.insertEvents({
    ...block.chunks(),
    logId: OTHER_WORKSPACE,
    logPartition: 0,
    token: newId(),
  })
}

/**
 * Until the engine has nothing to merge, or half a minute has passed: merging would count as the queries'
 * CPU.
 */
async function waitForMerges(clickhouse: ClickHouse): Promise<void> {
  for (let quiet = 0, waited = 0; quiet < 3 && waited < 60; waited++) {
    await new Promise((resolve) => setTimeout(resolve, 500))
    const { rows } = await clickhouse.query<{ merges: number }>('SELECT count() AS merges FROM system.merges')
    quiet = rows[0]?.merges === 0 ? quiet + 1 : 0
  }
}
