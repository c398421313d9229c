import t from 'tap'
import type { FunnelQuery, FunnelStep } from '../../../../domain/funnel.js'
import { waitUntil } from '../../../../test/support/wait-until.js'
import { migrateClickHouse } from '../../../migrate.js'
import { NOW } from '../../../test/support/funnel-compare.js'
import { event, FROM, queryOf, request, stepsOf } from '../../../test/support/funnel-fixtures.js'
import { store, workspaceIdOf } from '../../../test/support/funnel-store.js'
import { openStore } from '../../../test/support/open-store.js'
import { type FunnelRequest, queryFunnel } from '../index.js'

t.setTimeout(600_000)
const clickhouse = await openStore(t)
await migrateClickHouse(clickhouse)

const BOUNDS = { maxSeconds: 30, maxMemoryBytes: 1e9, maxRows: 1e9, maxThreads: 2 }
/** Options of a query besides its steps. */
const MODES: Readonly<Record<string, Partial<FunnelQuery>>> = {
  ordered: {},
  'by the engine alone': {},
  strict: { order: 'strict' },
  any: { order: 'any' },
  exclusions: { exclusions: [{ eventName: 'x', fromStep: 0, toStep: 1 }] },
  'any with exclusions': { order: 'any', exclusions: [{ eventName: 'x', fromStep: 0, toStep: 1 }] },
  breakdown: { breakdown: { property: 'p', limit: 10 } },
}

const FORMS: readonly Pick<FunnelRequest, 'maxInMemoryRows'>[] = [{}, { maxInMemoryRows: 0 }]

function formOf(mode: string): Pick<FunnelRequest, 'maxInMemoryRows'> {
  return mode === 'by the engine alone' ? { maxInMemoryRows: 0 } : {}
}

/**
 * Events made in the engine: `name`, `person` and `at` (milliseconds after the beginning) are SQL over
 * `number`.
 */
async function make(
  workspace: string,
  events: number,
  name: string,
  person: string,
  at: string,
  index = '0',
) {
  const workspaceId = workspaceIdOf(workspace)
  await clickhouse.command(
    `INSERT INTO events (workspace_id, received_at, timestamp, request_index, log_offset, person_key, event, properties)
     SELECT {workspaceId:UUID}, at, at, ${index}, number, ${person}, ${name}, '{"p":1}'
     FROM (SELECT number, fromUnixTimestamp64Milli({from:Int64} + toInt64(${at}), 'UTC') AS at FROM numbers({events:UInt64}))`,
    { params: { workspaceId, from: FROM, events } },
  )
  return workspaceId
}

const ask = (
  workspaceId: string,
  steps: readonly FunnelStep[],
  changes: Partial<FunnelQuery>,
  more: Partial<FunnelRequest> = {},
) =>
  queryFunnel(clickhouse, { workspaceId, steps, query: queryOf(changes), now: NOW, limits: BOUNDS, ...more })

t.test('a person may have 100,000 events, in every mode', async (t) => {
  const bot = await make('bot', 100_000, `['a', 'b', 'x', 'a', 'c'][1 + number % 5]`, '1', 'number * 50')
  const right: Readonly<Record<string, readonly number[]>> = {
    ordered: [1, 1, 1],
    'by the engine alone': [1, 1, 1],
    strict: [1, 1, 0],
    any: [1, 1, 1],
    exclusions: [1, 1, 1],
    'any with exclusions': [1, 1, 1],
    breakdown: [1, 1, 1],
  }
  for (const [mode, changes] of Object.entries(MODES)) {
    const { result, elapsedMs } = await ask(bot, stepsOf('a', 'b', 'c'), changes, formOf(mode))
    t.same(
      result.steps.map((step) => step.count),
      right[mode],
      mode,
    )
    t.ok(elapsedMs < 30_000, `${mode}: ${elapsedMs} ms, linear`)
    const long = await ask(
      bot,
      stepsOf(...Array.from({ length: 20 }, (_, index) => 'abc'[index % 3] ?? 'a')),
      changes,
      formOf(mode),
    )
    t.equal(long.result.entered, 1, `${mode}, 20 steps`)
    t.ok(long.elapsedMs < 30_000, `${mode}, 20 steps: ${long.elapsedMs} ms, linear`)
  }
})

t.test('twenty steps of one name may be satisfied by the same events', async (t) => {
  const sharing = await make('sharing', 150, `'a'`, '3', 'number * 50')
  const steps = Array.from({ length: 20 }, (_, index) => ({
    name: 's',
    eventName: 'a',
    filters: [{ property: 'p', operator: 'gt', value: index - 10 } as const],
  }))
  const { result } = await ask(sharing, steps, { order: 'any' })
  t.same(
    result.steps.map((step) => step.count),
    steps.map((_, index) => (index < 11 ? 1 : 0)),
  )
})

t.test('a person may have 100,000 events, three in each millisecond', async (t) => {
  const names = ['a', 'b', 'b', 'a', 'a']
  const workspaceId = await make(
    'ties',
    100_000,
    `['a', 'b', 'b', 'a', 'a'][1 + number % 5]`,
    '2',
    'intDiv(number, 3)',
    'number % 500',
  )
  // c after all that; the first start within 30 s before it is number 30,000, an a, and number 30,001 follows
  // in its millisecond, a b.
  await make('ties', 1, `'c'`, '2', '40000')
  t.equal(names[30_000 % 5], 'a')
  for (const form of FORMS) {
    const { result } = await ask(workspaceId, stepsOf('a', 'b', 'c'), { windowSeconds: 30 }, form)
    t.same(
      result.steps.map((step) => step.count),
      [1, 1, 1],
    )
    t.equal(result.steps[1]?.medianSecondsFromPrevious, 0)
    t.equal(result.steps[2]?.medianSecondsFromPrevious, 30)
  }
})

t.test('more persons with tied events than one exact query lists are counted exactly', async (t) => {
  const workspaceId = await make(
    'many ties',
    24_000,
    `if(number % 2 = 0, 'a', 'b')`,
    'intDiv(number, 2)',
    '0',
    '(number + intDiv(number, 2) + 1) % 2',
  )
  for (const form of FORMS) {
    const { result } = await ask(workspaceId, stepsOf('a', 'b'), {}, form)
    t.same(
      result.steps.map((step) => step.count),
      [12_000, 6_000],
    )
  }
})

t.test('queries with 20 steps of any kind are planned', async (t) => {
  const steps: Record<string, FunnelStep[]> = {
    'different names': stepsOf(...Array.from({ length: 20 }, (_, index) => `s${index}`)),
    'one name': stepsOf(...Array.from({ length: 20 }, () => 'a')),
    filters: Array.from({ length: 20 }, (_, index) => ({
      name: 's',
      eventName: `s${index % 10}`,
      filters: [{ property: 'a.b', operator: 'eq', value: index }],
    })),
  }
  for (const [mode, changes] of Object.entries(MODES))
    for (const [kind, list] of Object.entries(steps)) {
      const { result } = await ask(
        workspaceIdOf('nobody'),
        list,
        {
          ...changes,
          from: FROM - 365 * 86_400_000,
          windowSeconds: 7_776_000,
        },
        formOf(mode),
      )
      t.equal(result.entered, 0, `${mode}, ${kind}`)
      t.equal(result.conversionRate, null)
    }
})

t.test('queries over a limit name the limit', async (t) => {
  const bot = workspaceIdOf('bot')
  const steps = stepsOf('a', 'b')
  const within = (limits: Partial<typeof BOUNDS>) => ask(bot, steps, {}, { limits: { ...BOUNDS, ...limits } })
  await t.rejects(within({ maxRows: 1_000 }), { name: 'ClickHouseError', code: 'rows' })
  // An ordered funnel is matched in this process and needs no memory per person in the engine; a strict one
  // does.
  await t.rejects(
    ask(bot, steps, { order: 'strict' }, { limits: { ...BOUNDS, maxMemoryBytes: 1_000_000 } }),
    { name: 'ClickHouseError', code: 'memory' },
  )
  await t.rejects(ask(bot, steps, {}, { signal: AbortSignal.abort() }), {
    name: 'ClickHouseError',
    code: 'cancelled',
  })
  const objects = await make('objects', 5_001, `'a'`, 'number', '0')
  await clickhouse.command(
    `INSERT INTO events (workspace_id, received_at, timestamp, log_offset, person_key, event, properties)
     SELECT workspace_id, received_at, timestamp, log_offset + 10000, person_key + 10000, 'o', concat('{"p":{"q":', toString(log_offset), '}}') FROM events WHERE workspace_id = {objects:UUID}`,
    { params: { objects } },
  )
  await t.rejects(ask(objects, stepsOf('o'), { breakdown: { property: 'p', limit: 1 } }), {
    name: 'FunnelRefusal',
    field: 'breakdown/property',
    message: /5000 different/,
  })
})

t.test('heavy queries end with their callers, and let blocks be stored meanwhile', async (t) => {
  const heavy = await make(
    'heavy',
    1_500_000,
    `['a', 'b', 'c'][1 + number % 3]`,
    'sipHash64(number % 40000)',
    'number % 80000000',
  )
  const steps = stepsOf(...Array.from({ length: 20 }, (_, index) => 'abc'[index % 3] ?? 'a'))
  const controller = new AbortController()
  const running = async () =>
    (
      await clickhouse.query<{ n: number }>(
        `SELECT count() AS n FROM system.processes WHERE query LIKE '%arrayFold%' AND query NOT LIKE '%system.processes%'`,
      )
    ).rows[0]?.n ?? 0
  const query = ask(heavy, steps, { windowSeconds: 86_400, order: 'strict' }, { signal: controller.signal })
  const ended = t.rejects(query, { name: 'ClickHouseError', code: 'cancelled' })
  await waitUntil(async () => (await running()) > 0)
  await store(clickhouse, [
    { workspaceId: workspaceIdOf('beside'), requests: [request(0, [event('a', 0)])], links: new Map() },
  ])
  t.equal(await running(), 1, 'a block is stored while the query runs')
  controller.abort()
  await ended
  // The engine stops it.
  await waitUntil(async () => (await running()) === 0)
})
