import t from 'tap'
import { type Results, resultsOf } from '../../../domain/statistics/index.js'
import { type MeasuredEvent, referenceResults } from '../../../test/reference/results.js'
import { withApi } from '../support/api.js'
import { type StoredEvent, storeEvents } from '../support/events.js'
import { experimentBody, halves } from '../support/experiments.js'

const DAY = 86_400_000
const HOUR = 3_600_000
/** Noon, so that days end between. */
const start = Math.floor(Date.now() / DAY) * DAY - 10 * DAY + DAY / 2

t.setTimeout(0)
const api = await withApi(t)
const { client } = api
const { id: workspaceId, key } = await api.workspace()
let now = start
api.clock.now = () => now

const sent: MeasuredEvent[] = []
async function send(receivedAt: number, events: readonly StoredEvent[]): Promise<void> {
  const logOffset = sent.length
  events.forEach(({ event, userId, anonymousId, properties, timestamp = receivedAt }, requestIndex) => {
    const stored = {
      event,
      userId,
      anonymousId,
      timestamp,
      receivedAt,
      requestIndex,
      logPartition: 0,
      logOffset,
    }
    sent.push({ ...stored, properties: (properties ?? {}) as MeasuredEvent['properties'] })
  })
  await storeEvents(api, workspaceId, receivedAt, events)
}

/** Every fifth of 1,000 persons pays, for 10 or 20. */
await send(
  start - DAY,
  Array.from({ length: 1_000 }, (_, person) => ({
    event: 'cart_opened',
    userId: `before-${person}`,
    properties: { plan: person % 2 === 0 ? 'pro' : 'free' },
    timestamp: start - 2 * DAY + person,
  })),
)
await send(
  start - DAY,
  Array.from({ length: 200 }, (_, index) => ({
    event: 'order_paid',
    userId: `before-${index * 5}`,
    properties: { total: index % 2 === 0 ? 10 : 20 },
    timestamp: start - 2 * DAY + HOUR,
  })),
)
await send(start - DAY, [
  // Not after the exposure, so not a conversion.
  { event: 'order_paid', userId: 'before-1', timestamp: start - 3 * DAY },
  // Outside of the 28 days.
  { event: 'cart_opened', userId: 'long-ago', timestamp: start - 29 * DAY },
])

interface Power {
  baseline: { mean?: number; standardDeviation?: number }
  personsPerVariant: number[]
  personsTotal: number
  days: number | null
  detectable: { days: number; minimumEffect: number | null }[]
}
const question = { target: { eventName: 'order_paid' }, splits: [50, 50], minimumEffect: 0.1 }
const power = (body: Record<string, unknown>) =>
  client.request<Power>('POST', '/experiments/power', { key, body: { ...question, ...body } })

t.test('a plan can be computed from given figures', async (t) => {
  const { status, body } = await power({ baseline: { rate: 0.1 }, personsPerDay: 2_000 })
  t.equal(status, 200)
  t.match(body, {
    baseline: { from: null, to: null, persons: null, personsPerDay: 2_000, rate: 0.1 },
    personsPerVariant: [16_232, 16_232],
    personsTotal: 32_464,
    days: 17,
  })
  t.same(
    body.detectable.map(({ days }) => days),
    [7, 14, 28],
  )
  t.same((await power({ baseline: { rate: 0.1 } })).body, {
    ...body,
    baseline: { ...body.baseline, personsPerDay: null },
    days: null,
    detectable: [],
  })
})

t.test('a plan can be computed from the events of four weeks', async (t) => {
  const { body } = await power({ exposureEvent: 'cart_opened' })
  t.same(body.baseline, {
    from: new Date(now - 28 * DAY).toISOString(),
    to: new Date(now).toISOString(),
    persons: 1_000,
    personsPerDay: 1_000 / 28,
    rate: 0.2,
  })
  const given = await power({ baseline: { rate: 0.2 }, personsPerDay: 1_000 / 28 })
  t.same(body.personsPerVariant, given.body.personsPerVariant)
  t.same(body.detectable, given.body.detectable)
  const some = await power({
    exposureEvent: 'cart_opened',
    exposureFilters: [{ property: 'plan', operator: 'eq', value: 'pro' }],
    target: {
      eventName: 'order_paid',
      windowHours: 1,
      filters: [{ property: 'total', operator: 'gt', value: 5 }],
    },
  })
  // Half are on pro, and every fifth of those pays within the hour.
  t.match(some, { status: 200, body: { baseline: { persons: 500, rate: 0.2 } } })
  const mean = await power({
    exposureEvent: 'cart_opened',
    target: { eventName: 'order_paid', metric: { type: 'mean', property: 'total' } },
  })
  const values: number[] = Array.from({ length: 1_000 }, (_, person) =>
    person % 5 > 0 ? 0 : person % 10 === 0 ? 10 : 20,
  )
  const average = values.reduce((sum, value) => sum + value, 0) / 1_000
  const variance = values.reduce((sum, value) => sum + (value - average) ** 2, 0) / 999
  t.equal(mean.body.baseline.mean, average)
  t.ok(Math.abs(Number(mean.body.baseline.standardDeviation) - Math.sqrt(variance)) < 1e-9)
})

t.test('a plan that cannot be computed names the field', async (t) => {
  for (const [wrong, path] of [
    [{}, '/baseline'],
    [{ baseline: { rate: 0.1 }, exposureEvent: 'cart_opened' }, '/baseline'],
    [{ baseline: { mean: 1, standardDeviation: 1 } }, '/baseline'],
    [{ baseline: { rate: 0.5 }, minimumEffect: 1.5 }, '/minimumEffect'],
    [{ baseline: { rate: 0.5 }, minimumEffect: 0 }, '/minimumEffect'],
    [{ baseline: { rate: 0.5 }, splits: [50, 40] }, '/splits'],
    [{ baseline: { rate: 0.5 }, splits: [0, 100] }, '/splits/0'],
    [{ baseline: { rate: 0.5 }, splits: [100, 0] }, '/splits'],
    [{ baseline: { rate: 1 } }, '/baseline'],
    [{ exposureEvent: 'never_seen' }, '/exposureEvent'],
    [{ exposureEvent: 'cart_opened', target: { eventName: 'never_seen' } }, '/target/eventName'],
  ] as const) {
    const { status, body } = await power(wrong)
    t.equal(status, 400, JSON.stringify(body))
    t.match(body, { details: [{ path: new RegExp(`^${path}`) }] }, path)
  }
  const reserved = await client.request('POST', '/experiments', {
    key,
    body: experimentBody({ key: 'power' }),
  })
  t.equal(reserved.status, 400)
})

t.test('guardrails are validated, and the first other target is primary', async (t) => {
  const guardrail = { eventName: 'refunded', direction: 'decrease', role: 'guardrail', margin: 0.02 }
  const make = (conversionTargets: unknown[], name = 'Guarded') =>
    client.request<{ conversionTargets: Record<string, unknown>[]; error: unknown }>('POST', '/experiments', {
      key,
      body: experimentBody({ name, conversionTargets }),
    })
  const paid = { eventName: 'order_paid' }
  for (const [targets, path] of [
    [[guardrail], '/conversionTargets'],
    [[paid, { ...guardrail, margin: undefined }], '/conversionTargets/1/margin'],
    [[{ ...paid, margin: 0.1 }], '/conversionTargets/0/margin'],
    [[paid, paid, paid, paid], '/conversionTargets'],
    [[paid, ...Array.from({ length: 6 }, () => guardrail)], '/conversionTargets'],
    [[paid, { ...guardrail, margin: 0 }], '/conversionTargets/1'],
  ] as const) {
    const { status, body } = await make([...targets])
    t.equal(status, 400, path)
    t.match(body, { details: [{ path: new RegExp(`^${path}`) }] })
  }
  const { status, body } = await make([guardrail, paid, ...Array.from({ length: 4 }, () => guardrail)])
  t.equal(status, 201, JSON.stringify(body))
  t.match(body.conversionTargets[0], { eventName: 'order_paid' }, 'the first other one is primary')
  t.match(body.conversionTargets[1], guardrail)
})

interface Detail {
  status: string
  sizing: Record<string, unknown> | null
  results: Results
}
const detail = async (name: string) =>
  (await client.request<Detail>('GET', `/experiments/${name}`, { key })).body

t.test('a planned experiment collects until it has enough persons, and then has a verdict', async (t) => {
  const sizing = { minimumEffect: 0.5, exposureEvent: 'cart_opened' }
  const targets = [
    { eventName: 'order_paid' },
    { eventName: 'refunded', direction: 'decrease', role: 'guardrail', margin: 0.02 },
  ]
  const created = await client.request<Detail>('POST', '/experiments', {
    key,
    body: experimentBody({ key: 'planned', name: 'Planned', conversionTargets: targets, sizing }),
  })
  t.same(created.body.sizing, { ...sizing, power: 0.8, alpha: 0.05 })
  const { body: plan } = await power({ exposureEvent: 'cart_opened', minimumEffect: 0.5 })
  t.same((await detail('planned')).sizing, {
    ...sizing,
    power: 0.8,
    alpha: 0.05,
    exposureEvent: 'cart_opened',
    personsNeeded: plan.personsTotal,
    personsSoFar: 0,
    daysLeft: plan.days,
  })
  const patch = (body: unknown) => client.request<Detail>('PATCH', '/experiments/planned', { key, body })
  const without = await patch({ sizing: null })
  t.equal(without.body.sizing, null, JSON.stringify(without.body))
  t.equal((await patch({ sizing: { minimumEffect: 0 } })).status, 400)
  t.match((await patch({ sizing: { ...sizing, power: 0.9 } })).body.sizing, { power: 0.9 })
  t.match((await patch({ sizing })).body.sizing, { power: 0.8 })
  t.equal((await client.request('POST', '/experiments/planned/start', { key })).status, 200)
  t.match(await patch({ sizing: null }), { status: 409, body: { code: 'NOT_EDITABLE' } })

  // 40 persons an hour for four days; the variant converts as the control does.
  const sendHours = async (from: number, to: number) => {
    for (let hour = from; hour <= to; hour++)
      await send(
        start + hour * HOUR,
        Array.from({ length: 40 }, (_, index): StoredEvent[] => {
          const userId = `person-${hour}-${index}`
          const variant = index % 2 === 0 ? 'control' : 'treatment'
          const timestamp = start + hour * HOUR
          const exposure = {
            event: '$exposure',
            userId,
            properties: { experiment: 'planned', variant },
            timestamp,
          }
          const pays = (hour * 7 + (index >> 1)) % 5 === 0
          return pays ? [exposure, { event: 'order_paid', userId, timestamp: timestamp + 1 }] : [exposure]
        }).flat(),
      )
  }
  await sendHours(1, 6)
  now = start + 6 * HOUR + 1
  const early = await measuredNow('planned')
  t.match(early.results.verdict, { code: 'collecting', text: /^240 of the [\d,]+ persons/ })
  t.ok(Number(early.sizing?.daysLeft) > 0)
  await sendHours(7, 96)
  now = start + 100 * HOUR
  const late = await measuredNow('planned')
  t.match(late.sizing, { personsNeeded: plan.personsTotal, personsSoFar: 3_840, daysLeft: 0 })
  t.match(late.results.verdict, { code: 'no_difference', variant: null })
  t.match(late.results.targets[1], { role: 'guardrail', margin: 0.02 })
  t.match(late.results.targets[1]?.variants[1], { guardrail: 'unclear' })

  await t.test('its history has the state at the end of each day', async (t) => {
    interface History {
      data: { at: string; variants: Record<string, unknown>[] }[]
    }
    const { status, body } = await client.request<History>('GET', '/experiments/planned/results/history', {
      key,
    })
    t.equal(status, 200)
    const days = [0.5, 1.5, 2.5, 3.5].map((day) => start + day * DAY)
    t.same(
      body.data.map(({ at }) => Date.parse(at)),
      [...days, now],
    )
    for (const { at, variants } of body.data) {
      const until = Date.parse(at)
      const { whole } = referenceResults(sent, new Map(), {
        key: 'planned',
        startedAt: start,
        endedAt: until,
        settlingMs: 0,
        variants: ['control', 'treatment'],
        targets: [{ eventName: 'order_paid', windowHours: null, filters: [], mean: null }],
      })
      const expected = resultsOf(
        whole,
        {
          variants: halves.map(({ displayName, trafficSplit }) => ({
            key: displayName.toLowerCase(),
            trafficSplit,
          })),
          targets: [{ eventName: 'order_paid', direction: 'increase' }],
        },
        { asOf: until, lagSeconds: 0 },
      )
      t.same(
        variants,
        expected.targets[0]?.variants.map(({ key: name, exposed, converted, rate, vsControl }) => ({
          key: name,
          exposed,
          converted,
          rate,
          mean: null,
          lift: vsControl?.lift ?? null,
          liftCi: vsControl?.liftCi ?? null,
          sequentialCi: vsControl?.sequentialCi ?? null,
        })),
        at,
      )
    }
  })
})

/** Measured at this time; a busy machine may answer with a stored result first. */
async function measuredNow(name: string): Promise<Detail> {
  for (const end = performance.now() + 120_000; ; ) {
    const shown = await detail(name)
    if (shown.results?.asOf === new Date(now).toISOString() || performance.now() > end) return shown
  }
}
