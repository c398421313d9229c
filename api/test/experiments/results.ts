import { createHash } from 'node:crypto'
import t from 'tap'
import { canonicalJson } from '../../../domain/canonical-json.js'
import { type Results, resultsOf } from '../../../domain/statistics/index.js'
import { publishWatermarks } from '../../../postgres/tables/watermarks.js'
import { newId } from '../../../postgres/tables/workspaces.js'
import {
  type MeasuredEvent,
  type ReferenceExperiment,
  referenceResults,
} from '../../../test/reference/results.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { withApi } from '../support/api.js'
import { type StoredEvent, storeEvents } from '../support/events.js'
import { type ExperimentView, experimentBody } from '../support/experiments.js'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const PERSONS = 800
const start = Date.now() - 20 * DAY

t.setTimeout(0)
const api = await withApi(t)
const { client, sql } = api
const { id: workspaceId, key } = await api.workspace()
let now = start
api.clock.now = () => now

/** Everything that was sent, as the reference implementation reads it. */
const sent: MeasuredEvent[] = []
const links = new Map<string, string>()
let requests = 0

async function send(receivedAt: number, events: readonly StoredEvent[], pairs: [string, string][] = []) {
  for (const [anonymousId, userId] of pairs) links.set(anonymousId, userId)
  const offset = requests++
  events.forEach(({ event, userId, anonymousId, properties, timestamp }, requestIndex) => {
    sent.push({
      event,
      properties: (properties ?? {}) as MeasuredEvent['properties'],
      timestamp: timestamp ?? receivedAt,
      receivedAt,
      requestIndex,
      logPartition: 0,
      logOffset: offset,
      userId,
      anonymousId,
    })
  })
  const linked = pairs.map(([anonymousId, userId]) => ({ anonymousId, userId }))
  await storeEvents(api, workspaceId, receivedAt, events, linked)
}

const mean = { type: 'mean', property: 'order.total', percentile: 0.95, cuped: true } as const
const targets = [
  { eventName: 'order_paid', direction: 'increase', windowHours: 72 },
  { eventName: 'order_paid', direction: 'increase', metric: mean },
  { eventName: 'refunded', direction: 'decrease', metric: { type: 'proportion' } },
] as const
const variants = [
  { key: 'control', displayName: 'Control', trafficSplit: 40 },
  { key: 'one-page', displayName: 'One page', trafficSplit: 40 },
  { key: 'no-page', displayName: 'No page', trafficSplit: 20 },
]

function experiment(name: string, endedAt: number | null): ReferenceExperiment {
  return {
    key: name,
    startedAt: start + HOUR,
    endedAt,
    settlingMs: DAY,
    variants: variants.map((variant) => variant.key),
    targets: targets.map((target) => ({
      eventName: target.eventName,
      windowHours: 'windowHours' in target ? target.windowHours : null,
      filters: [],
      mean: 'metric' in target && target.metric.type === 'mean' ? { ...mean } : null,
    })),
  }
}

type Detail = ExperimentView & {
  results: Results
  measurements: {
    usersExposed: number
    estimatedLift: number | null
    confidence: number | null
    asOf: string
  }
}
const detailOf = async (name: string) =>
  (await client.request<Detail>('GET', `/experiments/${name}`, { key })).body

/** Measured at this time; a busy machine may answer with a stored result first. */
async function measuredNow(name: string): Promise<Detail> {
  for (const end = performance.now() + 120_000; ; ) {
    const detail = await detailOf(name)
    const results: Results | null = detail.results
    if (results?.asOf === new Date(now).toISOString() || performance.now() > end) return detail
  }
}

/** Differences beyond the rounding of sums. */
function differences(ours: unknown, theirs: unknown, path = ''): string[] {
  if (typeof ours === 'number' && typeof theirs === 'number')
    return Math.abs(ours - theirs) <= 1e-8 * Math.max(1, Math.abs(theirs))
      ? []
      : [`${path}: ${ours}, reference ${theirs}`]
  if (typeof ours !== 'object' || typeof theirs !== 'object' || ours === null || theirs === null)
    return ours === theirs ? [] : [`${path}: ${String(ours)}, reference ${String(theirs)}`]
  const names = new Set([...Object.keys(ours), ...Object.keys(theirs)])
  return [...names].flatMap((one) =>
    differences(Reflect.get(ours, one), Reflect.get(theirs, one), `${path}/${one}`),
  )
}

function expected(name: string, endedAt: number | null, shown: Results): Results {
  const { whole } = referenceResults(sent, links, experiment(name, endedAt))
  return resultsOf(
    whole,
    { variants, targets },
    { asOf: Date.parse(shown.asOf), lagSeconds: shown.dataQuality.lagSeconds },
  )
}

async function begin(name: string): Promise<void> {
  now = start
  const made = await client.request('POST', '/experiments', {
    key,
    body: experimentBody({
      key: name,
      variants: variants.map(({ displayName, trafficSplit }) => ({ displayName, trafficSplit })),
      conversionTargets: targets,
    }),
  })
  t.equal(made.status, 201)
  now = start + HOUR
  t.equal((await client.request('POST', `/experiments/${name}/start`, { key })).status, 200)
}

/** A seeded generator. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Visitors over ten days: anonymous at first, some identified later, some with earlier orders. */
async function visits(name: string, rates: Record<string, number>): Promise<void> {
  const random = randomOf(name.length)
  const events: StoredEvent[] = []
  const pairs: [string, string][] = []
  for (let person = 0; person < PERSONS; person++) {
    const anonymousId = `${name}-a${person}`
    const drawn = random()
    const variant = drawn < 0.4 ? 'control' : drawn < 0.8 ? 'one-page' : 'no-page'
    const at = start + HOUR + Math.floor(random() * 10 * DAY)
    const plan = ['free', 'pro', undefined][person % 3]
    events.push({
      event: '$exposure',
      anonymousId,
      properties: { experiment: name, variant, ...(plan === undefined ? {} : { plan }) },
      timestamp: at,
    })
    const known = random() < 0.5
    if (known) pairs.push([anonymousId, `${name}-u${person % 900}`])
    const who = known ? { userId: `${name}-u${person % 900}` } : { anonymousId }
    const order = (total: unknown, timestamp: number) => ({
      event: 'order_paid',
      ...who,
      properties: { order: { total } },
      timestamp,
    })
    if (random() < 0.3) events.push(order(Math.round(random() * 50), at - DAY))
    if (random() < (rates[variant] ?? 0)) {
      events.push(order(Math.round(random() * 5_000) / 100, at + Math.floor(random() * 5 * DAY)))
      if (random() < 0.2) events.push({ event: 'refunded', ...who, timestamp: at + 6 * DAY })
      if (random() < 0.1) events.push(order('free', at + 5))
    }
    if (random() < 0.01)
      events.push({
        event: '$exposure',
        anonymousId,
        properties: { experiment: name, variant: 'control' },
        timestamp: at,
      })
  }
  for (let from = 0; from < events.length; from += 1_000)
    await send(start + 11 * DAY + from, events.slice(from, from + 1_000), from === 0 ? pairs : [])
}

/** Exposures that must be reported and never counted. */
async function hostile(name: string): Promise<void> {
  const exposure = (properties: unknown, timestamp: number, userId = 'villain'): StoredEvent => ({
    event: '$exposure',
    userId,
    properties,
    timestamp,
  })
  const at = start + 2 * DAY
  await send(start + 11 * DAY + 9_000, [
    exposure({ experiment: name, variant: 'gone' }, at),
    exposure({ experiment: name, variant: 'control' }, start),
    exposure({ experiment: 'of nobody', variant: 'control' }, at),
    ...[7, null, true, ['control'], { key: 'control' }].flatMap((hostile) => [
      exposure({ experiment: name, variant: hostile }, at),
      exposure({ experiment: hostile, variant: 'control' }, at),
    ]),
    exposure({}, at),
    exposure({ experiment: '', variant: '' }, at),
  ])
  for (let from = 0; from < 10_000; from += 1_000)
    await send(
      start + 11 * DAY + 9_001 + from,
      Array.from({ length: 1_000 }, (_, index) =>
        exposure({ experiment: name, variant: 'control' }, at + from + index, 'busy'),
      ),
    )
}

await send(start, [{ event: 'order_paid', userId: 'first' }])

for (const [name, rates] of [
  ['a-a', { control: 0.3, 'one-page': 0.3, 'no-page': 0.3 }],
  ['a-b', { control: 0.2, 'one-page': 0.4, 'no-page': 0.2 }],
] as const)
  t.test(`${name}: what the API shows is what the slow reference counts`, async (t) => {
    await begin(name)
    await visits(name, rates)
    if (name === 'a-b') await hostile(name)
    now = start + 12 * DAY
    const shown = await measuredNow(name)
    t.equal(shown.results.state, 'ready')
    t.strictSame(differences(shown.results, expected(name, null, shown.results)), [])
    t.ok(shown.results.exposed > PERSONS / 2)
    t.match(shown.results.dataQuality, name === 'a-b' ? { beforeStart: 1 } : { beforeStart: 0 })
    t.ok(name === 'a-a' || shown.results.dataQuality.unknownVariants > 0)
    const best = shown.results.targets[0]?.variants.find(
      ({ vsControl }) => vsControl !== null && vsControl.chanceToWin === shown.measurements.confidence,
    )
    t.equal(shown.measurements.estimatedLift, best?.vsControl?.lift)
    t.equal(shown.measurements.usersExposed, shown.results.exposed)
    if (name === 'a-b') t.equal(best?.key, 'one-page')
    t.match(shown.conversionTargets, [{}, { metric: mean }, { metric: { type: 'proportion' } }])

    const again = await detailOf(name)
    t.strictSame(again.results, shown.results, 'young enough')
    now += 6_000
    const later = await Promise.all(Array.from({ length: 8 }, () => measuredNow(name)))
    t.strictSame(
      later.map(({ results }) => results.asOf),
      later.map(() => new Date(now).toISOString()),
      'measured again when it is old',
    )

    const segments = await client.request<{
      data: { value: unknown; exploratory: boolean; results: Results }[]
    }>('GET', `/experiments/${name}/results?breakdown=plan&limit=2`, { key })
    const reference = referenceResults(sent, links, experiment(name, null), { property: 'plan', limit: 2 })
    t.strictSame(
      differences(
        segments.body.data.map(({ value, results }) => ({ value, results })),
        reference.segments.map(({ value, counts }) => ({
          value,
          results: resultsOf(counts, { variants, targets }, { asOf: now, lagSeconds: 0 }),
        })),
      ),
      [],
    )
    t.ok(segments.body.data.every(({ exploratory }) => exploratory))

    const funnel = await client.request<{ id: string }>('POST', '/funnel', {
      key,
      body: { name, steps: [{ eventName: '$exposure' }, { eventName: 'order_paid' }] },
    })
    const query = { experiment: name, from: new Date(start).toISOString(), to: new Date(now).toISOString() }
    const answer = await client.request<{ entered: number; breakdown: { value: string; entered: number }[] }>(
      'POST',
      `/funnel/${funnel.body.id}/query`,
      { key, body: query },
    )
    const arms = later[0]?.results.targets[0]?.variants.map(({ key, exposed }) => ({
      value: key,
      entered: exposed,
    }))
    t.strictSame(
      answer.body.breakdown.map(({ value, entered }) => ({ value, entered })),
      arms,
    )
    t.equal(answer.body.entered, later[0]?.results.exposed)
  })

t.test('results are there as CSV, a row for each target and variant', async (t) => {
  const { id, results } = await detailOf('a-b')
  const answer = await fetch(`${api.url}/v1/experiments/${id}/results.csv`, {
    headers: { authorization: `Bearer ${key}` },
  })
  t.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8')
  const [header = '', first, ...more] = (await answer.text()).trimEnd().split('\r\n')
  t.match(header, /^asOf,target,primary,variant,exposed,converted,/)
  const [target] = results?.targets ?? []
  t.match(first, new RegExp(`^20.{22},${target?.eventName},true,${target?.variants[0]?.key},\\d+,\\d+,`))
  t.equal(more.length + 1, (results?.targets ?? []).flatMap(({ variants }) => variants).length)
})

t.test('invalid queries of results are refused', async (t) => {
  const refused = async (path: string, body?: unknown) =>
    (await client.refused(body === undefined ? 'GET' : 'POST', path, { key, ...(body ? { body } : {}) })).body
  t.match(await refused('/experiments/a-a/results'), { code: 'VALIDATION_FAILED' })
  t.match(await refused('/experiments/a-a/results?breakdown=p&limit=51'), { code: 'VALIDATION_FAILED' })
  t.match(await refused('/experiments/nobody/results?breakdown=p'), { code: 'NOT_FOUND' })
  const bad = (metric: unknown) => experimentBody({ conversionTargets: [{ eventName: 'x', metric }] })
  for (const metric of [
    { type: 'mean' },
    { type: 'mean', property: '' },
    { type: 'mean', property: 'p', percentile: 0.4 },
    { type: 'mean', property: 'p', percentile: 1.1 },
    { type: 'median', property: 'p' },
    { type: 'proportion', property: 'p' },
  ])
    t.match(await refused('/experiments', bad(metric)), { code: 'VALIDATION_FAILED' })
})

const settled = async (name: string) => {
  await waitUntil(async () => (await detailOf(name)).status !== 'settling')
  return detailOf(name)
}
type LearningView = {
  evidence: Record<string, unknown> & { results: Results }
  evidenceHash: string
  interpretation: string
}
const learningsOf = async (name: string) =>
  (await client.request<{ data: LearningView[] }>('GET', `/learnings?search=${name}`, { key })).body.data

t.test('a decision waits for every partition, and freezes the events stored by then', async (t) => {
  const name = 'a-b'
  const log = newId()
  await sql`insert into logs (id, partitions, identity_partitions) values (${log}, 1, 1)`
  const publish = (times: readonly number[]) =>
    publishWatermarks(
      sql,
      log,
      times.map((watermark, partition) => ({ partition, watermark, waitingSince: null })),
    )
  const endedAt = start + 13 * DAY
  now = endedAt
  await client.request('POST', `/experiments/${name}/end`, { key, body: {} })
  await client.request('POST', `/experiments/${name}/decide`, {
    key,
    body: { outcome: 'ship', variant: 'one-page', reason: 'Better' },
  })
  const settlesAt = endedAt + DAY
  now = settlesAt + 1_000
  // The partition of links is idle and has not reported yet.
  await publish([settlesAt + 5_000])
  const lastJobId = async () => (await sql<{ id: number }[]>`select max(id)::int as id from jobs`)[0]?.id ?? 0
  const before = await lastJobId()
  await sql`update jobs set run_at = now()`
  // A job that came too early has sent its successor.
  await waitUntil(async () => (await lastJobId()) !== before)
  t.ok((await lastJobId()) > before, 'the job was run')
  const waiting = await detailOf(name)
  t.equal(waiting.status, 'settling')
  const conversion = (userId: string) => ({
    event: 'order_paid',
    userId,
    properties: { order: { total: 1_000 } },
    timestamp: endedAt - 1,
  })
  await send(settlesAt - 1, [conversion('busy')])
  now += 10_000
  const late = await measuredNow(name)
  t.strictSame(differences(late.results, expected(name, endedAt, late.results)), [])
  t.not(late.results.targets[0]?.variants[0]?.converted, undefined)
  await publish([settlesAt + 5_000, settlesAt + 5_000])
  const shipped = await settled(name)
  t.equal(shipped.status, 'shipped')
  const [learning] = await learningsOf(name)
  if (learning === undefined) return t.fail('there is no learning')
  const { evidence } = learning
  t.strictSame(differences(evidence.results, expected(name, endedAt, evidence.results)), [])
  t.ok(String(evidence.frozenAt) >= new Date(settlesAt).toISOString())
  t.equal(evidence.lagSeconds, null)
  t.equal(learning.evidenceHash, createHash('sha256').update(canonicalJson(evidence)).digest('hex'))
  t.match(learning.interpretation, /^Better\n\nOne page was shipped\..* One page did better/)
  await send(settlesAt + 60_000, [conversion(`${name}-u3`), conversion(`${name}-u4`)])
  now += 60_000
  t.strictSame((await detailOf(name)).results, shipped.results, 'late events change nothing any more')
  t.strictSame((await learningsOf(name))[0], learning)
})

t.test('a forced decision freezes the events stored so far, and says up to when', async (t) => {
  const name = 'a-a'
  await client.request('POST', `/experiments/${name}/end`, { key, body: {} })
  await sql`update log_receipts set waiting_since = ${new Date(now - 30_000)}, published_at = clock_timestamp()`
  const forced = await client.request<ExperimentView>('POST', `/experiments/${name}/decide`, {
    key,
    body: { outcome: 'reject', force: true },
  })
  t.equal(forced.body.status, 'rejected')
  await waitUntil(async () => (await learningsOf(name)).length > 0)
  const [learning] = await learningsOf(name)
  t.equal(learning?.evidence.lagSeconds, 30)
  t.equal(learning?.evidence.results.dataQuality.lagSeconds, 30)
  t.notMatch(learning?.interpretation, /no effect/i)
})
