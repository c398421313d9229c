import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { bucketOf, variantIndexOf } from '../../../domain/bucketing.js'
import { canonicalJson } from '../../../domain/canonical-json.js'
import { type Results, resultsOf } from '../../../domain/statistics/index.js'
import { referenceEvidence, referenceSampleRatio } from '../../reference/evidence.js'
import { type MeasuredEvent, type ReferenceExperiment, referenceResults } from '../../reference/results.js'
import type { Deployment } from '../../support/deployment.js'
import { type Answer, call, until } from '../../support/service.js'

/** Long enough for late events, and no longer than a test may wait. */
const SETTLING_MS = 18_000
export const SETTLING = { SVC_SETTLING_HOURS: '0.005', SVC_RESULTS_MAX_AGE_SECONDS: '1' } as const
const OLDER_MS = 1_500
const POLL_MS = 500

const EVENTS_A_REQUEST = 400
const CLIENTS = 4
const WINDOW_MS = 1_800
const SPLITS = [50, 50]
const mean = { type: 'mean', property: 'total', percentile: 0.99, cuped: true } as const
const targets = [
  { eventName: 'order_paid', direction: 'increase', windowHours: WINDOW_MS / 3_600_000 },
  { eventName: 'order_paid', direction: 'increase', metric: mean },
  { eventName: 'refunded', direction: 'decrease' },
] as const
const variants = [
  { key: 'control', displayName: 'Control', trafficSplit: 50 },
  { key: 'one-page', displayName: 'One page', trafficSplit: 50 },
]

/** Payers among a hundred persons, by the variant that they see. */
const RATES = {
  'a-a': { control: 20, 'one-page': 20 },
  'a-b': { control: 20, 'one-page': 30 },
} as const
type Name = keyof typeof RATES
const NAMES = Object.keys(RATES) as Name[]

interface Sent {
  readonly event: string
  readonly userId?: string
  readonly anonymousId?: string
  readonly insertId: string
  readonly properties: Readonly<Record<string, string | number>>
  readonly timestamp: number
}

interface Experiment {
  readonly id: string
  readonly status: string
  readonly rejectedStage: string | null
  readonly startedAt: string | null
  readonly endedAt: string | null
  readonly results: Results
  readonly measurements: { readonly usersExposed: number; readonly confidence: number | null }
}

interface Learning {
  readonly experimentKey: string
  readonly decision: string
  readonly variant: string | null
  readonly interpretation: string
  readonly evidence: {
    readonly results: Results
    readonly lagSeconds: number | null
    readonly frozenAt: string
    readonly window: { readonly measuredUntil: string | null }
  }
  readonly evidenceHash: string
}

/**
 * An A/A and an A/B experiment from their declaration to their learning, over HTTP alone: persons who are
 * linked, requests sent again, a restart and a kill in the middle, events that come late or do not count.
 * Shown and frozen results equal those that the slow reference computes from the sent events.
 */
export async function testExperiments(
  t: Test,
  service: Deployment,
  options: {
    readonly persons: number
    /** Stopped in good order too, and not only killed. */
    readonly restart: boolean
    /** Whether decisions are waited for; else they are forced. */
    readonly settles: boolean
  },
): Promise<void> {
  const { apiKey, serverKey } = service.keys
  const { persons, restart, settles } = options
  const ask = <Body>(method: string, path: string, body?: unknown): Promise<Answer<Body>> =>
    untilAnswered(() => call<Body>(apiKey, method, `${service.api}/v1${path}`, body))
  const detail = async (name: Name): Promise<Experiment> =>
    (await ask<Experiment>('GET', `/experiments/${name}`)).body

  const sent: MeasuredEvent[] = []
  const links = new Map<string, string>()
  let requests = 0
  const post = async (events: readonly Sent[]): Promise<void> => {
    const body = {
      events: events.map((event) => ({ ...event, timestamp: new Date(event.timestamp).toISOString() })),
    }
    const send = () => call(serverKey, 'POST', `${service.ingest}/v1/events`, body)
    const { status } = await untilAnswered(send)
    if (status !== 202) t.equal(status, 202)
    // Sent again whole, as by a client that has not seen the answer: by insertId nothing comes twice.
    if (requests++ % 20 === 0) {
      const again = await untilAnswered(send)
      if (again.status !== 202) t.equal(again.status, 202)
    }
  }
  /** Sends the events of a visit in one request, in their order. Requests run side by side. */
  const send = async (visits: readonly (readonly Sent[])[]): Promise<void> => {
    const waiting: Sent[][] = [[]]
    for (const events of visits) {
      const last = waiting.at(-1)
      if (last === undefined || last.length + events.length > EVENTS_A_REQUEST) waiting.push([...events])
      else last.push(...events)
      for (const { event, userId, anonymousId, properties, timestamp } of events) {
        if (userId !== undefined && anonymousId !== undefined && !links.has(anonymousId))
          links.set(anonymousId, userId)
        // Only events of one request have equal times here, so their place in it is all that matters.
        const place = { receivedAt: 0, requestIndex: sent.length, logPartition: 0, logOffset: 0 }
        sent.push({ event, userId, anonymousId, properties, timestamp, ...place })
      }
    }
    const client = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        if (next.length > 0) await post(next)
    }
    await Promise.all(Array.from({ length: CLIENTS }, client))
  }
  const referenceOf = (name: Name, experiment: Experiment): ReferenceExperiment => ({
    key: name,
    startedAt: Date.parse(experiment.startedAt ?? ''),
    endedAt: experiment.endedAt === null ? null : Date.parse(experiment.endedAt),
    settlingMs: SETTLING_MS,
    variants: variants.map(({ key }) => key),
    targets: targets.map((target) => ({
      eventName: target.eventName,
      windowHours: 'windowHours' in target ? target.windowHours : null,
      filters: [],
      mean: 'metric' in target ? mean : null,
    })),
  })
  const wrong = (name: Name, experiment: Experiment, shown: Results): string[] => {
    const { whole } = referenceResults(sent, links, referenceOf(name, experiment))
    const asked = { asOf: Date.parse(shown.asOf), lagSeconds: shown.dataQuality.lagSeconds }
    return [...differences(shown, resultsOf(whole, { variants, targets }, asked)), ...wrongEvidence(shown)]
  }

  await post([
    { event: 'order_paid', userId: 'first', insertId: 'first', properties: {}, timestamp: Date.now() },
  ])
  await until(
    () => call<{ data: unknown[] }>(apiKey, 'GET', `${service.api}/v1/funnel/events`),
    ({ body }) => body.data.length > 0,
  )
  for (const name of NAMES) {
    const fields = variants.map(({ displayName, trafficSplit }) => ({ displayName, trafficSplit }))
    const body = { name, key: name, variants: fields, conversionTargets: targets }
    t.match(await ask('POST', '/experiments', body), { status: 201, body: { status: 'approved' } })
    t.match(await detail(name), { results: { state: 'no_data' } })
    t.match(await ask('POST', `/experiments/${name}/start`), { status: 200, body: { status: 'running' } })
  }
  const begin = Math.max(
    ...(await Promise.all(NAMES.map(detail))).map(({ startedAt }) => Date.parse(startedAt ?? '')),
  )

  const third = Math.ceil(persons / 3)
  const visits = (part: number) =>
    Array.from({ length: Math.min(third, persons - part * third) }, (_, index) =>
      visit(part * third + index, begin),
    )
  await send(visits(0))
  const second = send(visits(1))
  if (restart) t.strictSame(new Set(await service.restart()), new Set([0]), 'ended in good order')
  await second
  const last = send(visits(2))
  await service.crash()
  await last
  await service.settled()

  const shown = await untilCounted(NAMES, detail, (name, experiment) =>
    wrong(name, experiment, experiment.results),
  )
  for (const name of NAMES) t.strictSame(shown[name].wrong, [], `${name} while it runs`)
  for (const name of NAMES)
    t.match(shown[name].experiment, { status: 'running', results: { state: 'ready' } })

  for (const name of NAMES)
    t.match(await ask('POST', `/experiments/${name}/end`), { status: 200, body: { status: 'ended' } })
  const ended = Math.max(
    ...(await Promise.all(NAMES.map(detail))).map(({ endedAt }) => Date.parse(endedAt ?? '')),
  )
  const decide = async (force: object) => {
    const status = settles ? 'settling' : /^(shipped|rejected)$/
    const ship = { outcome: 'ship', variant: 'one-page', ...force }
    const reject = { outcome: 'reject', reason: 'nothing to see', ...force }
    t.match(await ask('POST', '/experiments/a-b/decide', ship), { status: 202, body: { status } })
    t.match(await ask('POST', '/experiments/a-a/decide', reject), { status: 202, body: { status } })
  }
  if (settles) await decide({})
  await send([late(begin, ended)])
  await service.settled()
  if (!settles) await decide({ force: true })
  const settled: Record<Name, string> = { 'a-a': 'rejected', 'a-b': 'shipped' }
  for (const name of NAMES) {
    let experiment = await detail(name)
    for (
      const end = Date.now() + SETTLING_MS + 60_000;
      experiment.status === 'settling' && Date.now() < end;
    ) {
      await sleep(POLL_MS)
      experiment = await detail(name)
    }
    t.match(experiment, { status: settled[name], rejectedStage: name === 'a-a' ? 'outcome' : null })
    const own = await until(
      async () =>
        (await ask<{ data: Learning[] }>('GET', '/learnings')).body.data.filter(
          ({ experimentKey }) => experimentKey === name,
        ),
      (some) => some.length > 0,
    )
    t.equal(own.length, 1, 'one learning')
    const [learning] = own
    if (learning === undefined) continue
    t.match(
      learning,
      name === 'a-a' ? { decision: 'reject', variant: null } : { decision: 'ship', variant: 'one-page' },
    )
    experiment = await detail(name)
    t.strictSame(wrong(name, experiment, experiment.results), [], `${name} as it is frozen`)
    t.strictSame(learning.evidence.results, experiment.results)
    const { lagSeconds, frozenAt, window } = learning.evidence
    if (settles) t.ok(lagSeconds === null && frozenAt >= (window.measuredUntil ?? '9'), 'it was waited for')
    else t.ok(lagSeconds !== null && lagSeconds >= 0, 'it says that it was not waited for')
    t.equal(
      createHash('sha256').update(canonicalJson(learning.evidence)).digest('hex'),
      learning.evidenceHash,
    )
    const primary = experiment.results.targets[0]?.variants[1]?.vsControl
    t.ok(experiment.results.srm.ok)
    if (name === 'a-b') t.ok((primary?.liftCi?.[0] ?? -1) > 0, 'the better variant is found')
    else
      t.ok(
        (primary?.sequentialCi?.[0] ?? 1) < 0 && (primary?.sequentialCi?.[1] ?? -1) > 0,
        'no effect is made up',
      )
  }

  const frozen = await Promise.all(NAMES.map(detail))
  await send([[{ ...order(0, begin + 5, 1_000_000), insertId: 'too late' }]])
  await service.settled()
  await sleep(OLDER_MS)
  for (const [index, name] of NAMES.entries())
    t.strictSame((await detail(name)).results, frozen[index]?.results, 'never again')
}

/** Events of a person, by its number: the same every time. All exposures are after `begin`. */
function visit(person: number, begin: number): Sent[] {
  const random = randomOf(person)
  const at = begin + 1 + Math.floor(random() * 1_000)
  const anonymousId = `a${person}`
  const userId = `u${person}`
  /** Known from the beginning; known later; never. */
  const kind = person % 10 < 5 ? 'user' : person % 10 < 8 ? 'linked' : 'anonymous'
  const early = kind === 'user' ? { userId } : { anonymousId }
  const then = kind === 'anonymous' ? { anonymousId } : { userId }
  let count = 0
  const make = (who: object, event: string, timestamp: number, properties: Sent['properties']): Sent => ({
    event,
    ...who,
    insertId: `${person}-${count++}`,
    properties,
    timestamp,
  })
  const seen = NAMES.map((name) => ({
    name,
    variant: variants[variantIndexOf(bucketOf(name, anonymousId), SPLITS)]?.key ?? '',
  }))
  // A person who sees the better page of either experiment pays more often, because the orders are the same.
  const rate = seen.reduce((most, { name, variant }) => Math.max(most, RATES[name][variant as 'control']), 0)
  const pays = random() * 100 < rate
  const events = seen.map(({ name, variant }) => make(early, '$exposure', at, { experiment: name, variant }))
  if (random() < 0.02)
    events.push(make(early, '$exposure', at + 3, { experiment: 'a-a', variant: 'control' }))
  if (random() < 0.01) events.push(make(early, '$exposure', at + 4, { experiment: 'a-b', variant: 'gone' }))
  if (random() < 0.01)
    events.push(make(early, '$exposure', begin - 60_000, { experiment: 'a-b', variant: 'control' }))
  if (random() < 0.2)
    events.unshift(make(early, 'order_paid', at - 86_400_000, { total: Math.round(random() * 50) }))
  // Before the exposure in the request, and at its time.
  if (random() < 0.02) events.unshift(make(early, 'order_paid', at, { total: 1 }))
  if (kind === 'linked') events.push(make({ anonymousId, userId }, 'signed_up', at + 1, {}))
  // Contradicts the link, and is the order of another person.
  if (kind === 'linked' && random() < 0.05)
    events.push(make({ anonymousId, userId: `other ${person}` }, 'order_paid', at + 2, { total: 5 }))
  if (pays) {
    const after = [0, 1, WINDOW_MS, WINDOW_MS + 1, Math.floor(random() * 3_000)][Math.floor(random() * 12)]
    const when = at + (after ?? Math.floor(random() * WINDOW_MS))
    events.push(make(then, 'order_paid', when, { total: Math.round(random() * 10_000) / 100 }))
    if (random() < 0.1) events.push(make(then, 'order_paid', when + 7, { total: 'free' }))
    if (random() < 0.2) events.push(make(then, 'refunded', when + 500, {}))
  }
  return events
}

/** Orders of persons who had none: some count although they are late, some do not. */
function late(begin: number, ended: number): Sent[] {
  const last = ended + SETTLING_MS
  return [
    order(0, begin + 1_200, 0),
    order(1, ended, 1),
    // It ended for both at the same second, but not at the same millisecond.
    order(2, last - 2_000, 2),
    order(3, last + 2_000, 3),
    {
      event: '$exposure',
      userId: 'too late',
      insertId: 'late exposure',
      properties: { experiment: 'a-b', variant: 'control' },
      timestamp: ended + 1_000,
    },
  ]
}

function order(person: number, timestamp: number, number: number): Sent {
  const properties = { total: 12.5 }
  return { event: 'order_paid', userId: `u${person}`, insertId: `late-${number}`, properties, timestamp }
}

/** The figures of the first target by slow sums, beside those that are shown. */
function wrongEvidence(shown: Results): string[] {
  const [control, variant] = shown.targets[0]?.variants ?? []
  const evidence = variant?.vsControl
  if (control === undefined || variant === undefined || evidence?.liftCi == null)
    return ['there is no evidence']
  const { lift, liftCi, pValue, chanceToBeAbove, risk, sequentialCi } = referenceEvidence(control, variant)
  return differences(
    {
      lift: evidence.lift,
      liftCi: evidence.liftCi,
      pValue: evidence.pValue,
      chanceToWin: evidence.chanceToWin,
      risk: evidence.risk,
      sequentialCi: evidence.sequentialCi,
      srm: shown.srm.pValue,
    },
    {
      lift,
      liftCi,
      pValue,
      chanceToWin: chanceToBeAbove,
      risk,
      sequentialCi,
      srm: referenceSampleRatio([control.exposed, variant.exposed], [50, 50]),
    },
  )
}

/** Differences beyond what the order of sums makes. */
function differences(ours: unknown, theirs: unknown, path = ''): string[] {
  if (typeof ours === 'number' && typeof theirs === 'number')
    return Math.abs(ours - theirs) <= 1e-8 * Math.max(1, Math.abs(theirs))
      ? []
      : [`${path}: ${ours}, reference ${theirs}`]
  if (typeof ours !== 'object' || typeof theirs !== 'object' || ours === null || theirs === null)
    return ours === theirs ? [] : [`${path}: ${String(ours)}, reference ${String(theirs)}`]
  const names = new Set([...Object.keys(ours), ...Object.keys(theirs)])
  return [...names].flatMap((name) =>
    differences(Reflect.get(ours, name), Reflect.get(theirs, name), `${path}/${name}`),
  )
}

/** Links are visible a moment after the events, and results are kept for some seconds. */
async function untilCounted(
  names: readonly Name[],
  detail: (name: Name) => Promise<Experiment>,
  wrong: (name: Name, experiment: Experiment) => string[],
): Promise<Record<Name, { experiment: Experiment; wrong: string[] }>> {
  const read = async (name: Name) => {
    const experiment = await detail(name)
    return { experiment, wrong: wrong(name, experiment) }
  }
  const found = await Promise.all(
    names.map(async (name) => {
      let now = await read(name)
      for (let times = 0; times < 40 && now.wrong.length > 0; times++) {
        await sleep(OLDER_MS)
        now = await read(name)
      }
      return [name, now] as const
    }),
  )
  return Object.fromEntries(found) as Record<Name, { experiment: Experiment; wrong: string[] }>
}

/** Asks again while no program listens, or if nothing was done. */
function untilAnswered<Body>(ask: () => Promise<Answer<Body>>): Promise<Answer<Body>> {
  const nobody = { status: 0, headers: new Headers(), body: undefined as Body } satisfies Answer<Body>
  return until(
    () => ask().catch(() => nobody),
    ({ status }) => status !== 0 && status !== 503,
    90,
  )
}

/** The same numbers for the same person. */
function randomOf(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let z = Math.imul(state ^ (state >>> 15), 1 | state)
    z = (z + Math.imul(z ^ (z >>> 7), 61 | z)) ^ z
    return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32
  }
}
