import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { shopEvents } from '../../../bench/support/data/shop.js'
import { insertExperiment } from '../../../management/experiments/store.js'
import { connectPostgres, type Sql } from '../../../postgres/driver/client.js'
import { findEmbeddedPostgres } from '../../../postgres/embedded/start.js'
import { createSession } from '../../../postgres/tables/sessions.js'
import { createPerson, newId } from '../../../postgres/tables/workspaces.js'
import { packageRoot } from '../../../runtime/package-root.js'
import { loadSecretKey } from '../../../runtime/secret-key.js'
import { withoutSvc } from '../../../test/support/program.js'
import { proposalRow } from '../../../test/support/proposal-row.js'
import { call, type RunningService, until } from '../../../test/support/service.js'

type Service = Pick<RunningService, 'api' | 'ingest' | 'keys' | 'dataDir'>

/** Names that a page has to show as text, whatever they look like. */
export const HOSTILE = {
  script: '<script>window.hacked = 1</script><img src=x onerror="window.hacked=1">',
  bidi: '\u202eright to left\u202c \u05e9\u05dc\u05d5\u05dd 🎉🏳️‍🌈',
  long: 'x'.repeat(200),
}

export const FUNNEL = 'Shop: from visit to purchase'
const STEPS = ['page_viewed', 'product_viewed', 'cart_added', 'checkout_started', 'purchased']
const HALVES = [
  { displayName: 'Control', trafficSplit: 50 },
  { displayName: 'Treatment', trafficSplit: 50 },
]

async function post<Body>(service: Service, path: string, body: unknown): Promise<Body> {
  const unwrap = await call<Body>(service.keys.sessionToken, 'POST', `${service.api}/v1${path}`, body)
  if (unwrap.status >= 300) throw new Error(`${path}: ${unwrap.status} ${JSON.stringify(unwrap.body)}`)
  return unwrap.body
}

async function send(service: Service, events: readonly object[]): Promise<void> {
  for (let at = 0; at < events.length; at += 500) {
    const unwrap = await call(service.keys.serverKey, 'POST', `${service.ingest}/v1/events`, {
      events: events.slice(at, at + 500),
    })
    if (unwrap.status !== 202) throw new Error(JSON.stringify(unwrap.body))
  }
}

/** Runs `npm run demo`, which sends its events and creates its funnel. Returns the printed text. */
export function runDemo(service: Service): Promise<string> {
  const { hostname, port } = new URL(service.api)
  const env = {
    ...withoutSvc(process.env),
    SVC_DATA_DIR: service.dataDir,
    SVC_HOST: hostname,
    SVC_API_PORT: port,
    SVC_INGEST_PORT: new URL(service.ingest).port,
  }
  return new Promise((resolve, reject) => {
    execFile('npm', ['run', '--silent', 'demo'], { cwd: packageRoot(), env }, (error, out, said) =>
      error === null ? resolve(out) : reject(new Error(said || error.message)),
    )
  })
}

/** Events of a small shop, and the funnel of its demo. Its id. */
export async function openShop(service: Service, visitors: number): Promise<string> {
  await send(service, shopEvents(7, visitors, Date.now()))
  const steps = STEPS.map((eventName) => ({ eventName }))
  const { id } = await post<{ id: string }>(service, '/funnel', { name: FUNNEL, steps })
  await until(
    () =>
      call<{ data: { eventName: string }[] }>(service.keys.apiKey, 'GET', `${service.api}/v1/funnel/events`),
    ({ body }) => body.data.length >= STEPS.length,
  )
  return id
}

/** Members, keys and webhooks. */
export async function fillSettings(service: Service): Promise<void> {
  await post(service, '/people', {
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    permissions: ['experiments.manage', 'proposals.review'],
  })
  await post(service, '/people', { name: 'Grace Hopper', email: 'grace@example.com' })
  await post(service, '/keys', {
    name: 'Build server',
    type: 'api',
    scopes: ['funnels.manage'],
    expiresInDays: 90,
  })
  await post(service, '/keys', { name: 'Shop, checkout', type: 'server' })
  await post(service, '/hooks', { url: 'https://hooks.example.com/svc', kinds: ['*'] })
  await post(service, '/hooks', {
    url: 'https://chat.example.com/services/experiments',
    kinds: ['experiment.start', 'results.ready', 'results.broken_split'],
    format: 'slack',
  })
}

/** A dashboard of what the demo's shop asks each week. Its id. */
export async function fillDashboard(service: Service): Promise<string> {
  const insights: string[] = []
  for (const insight of [
    {
      name: 'Visitors and buyers',
      kind: 'trends',
      query: {
        series: [
          { eventName: 'page_viewed', measure: 'persons' },
          { eventName: 'purchased', measure: 'persons' },
        ],
      },
    },
    {
      name: 'Revenue by plan',
      kind: 'trends',
      query: {
        series: [{ eventName: 'purchased', measure: 'sum', property: 'total' }],
        breakdown: { property: 'plan' },
      },
    },
    {
      name: 'From product to purchase',
      kind: 'funnel',
      query: { steps: ['product_viewed', 'cart_added', 'purchased'].map((eventName) => ({ eventName })) },
    },
    {
      name: 'Coming back after a visit',
      kind: 'retention',
      query: { startEvent: 'page_viewed', returnEvent: 'product_viewed', periods: 6 },
    },
  ])
    insights.push((await post<{ id: string }>(service, '/funnel/insights', insight)).id)
  const dashboard = { name: 'Shop, weekly', insights, last: '7d' }
  return (await post<{ id: string }>(service, '/funnel/dashboards', dashboard)).id
}

/** Some events, one after the other, as they come from a site. */
export async function trickle(service: Service, count: number): Promise<void> {
  for (const event of shopEvents(11, count, Date.now()).slice(-count)) {
    await send(service, [{ ...event, timestamp: new Date().toISOString(), insertId: undefined }])
    await sleep(40)
  }
}

/** Declares an experiment; its key. */
export async function declare(service: Service, fields: Record<string, unknown>): Promise<string> {
  const { key } = await post<{ key: string }>(service, '/experiments', {
    variants: HALVES,
    conversionTargets: [{ eventName: 'purchased', name: 'Purchases' }],
    ...fields,
  })
  return key
}

export async function move(service: Service, key: string, action: string, body: object = {}): Promise<void> {
  await post(service, `/experiments/${key}/${action}`, body)
}

const DAY_MS = 86_400_000

const momentOf = (at: number): string => new Date(at).toISOString()

/** Shows variants to persons, of whom some then buy: for each variant how many, and how many of them. */
export async function visit(
  service: Service,
  experiment: string,
  variants: Readonly<Record<string, readonly [number, number]>>,
  /** Seconds from one event of a person to the next, about. */
  paceSeconds = 0,
  /** Days before now over which the persons come. */
  days = 0,
  conversion = 'purchased',
  /** If the persons' ids begin with something else than the key. */
  experimentKey = experiment,
): Promise<void> {
  const persons = Object.entries(variants).flatMap(([variant, [exposed, converted]]) =>
    Array.from({ length: exposed }, (_, index) => ({
      anonymousId: `${experiment}-${variant}-${index}`,
      variant,
      buys: index < converted,
    })),
  )
  const exposedAt = (index: number): number => Date.now() - days * DAY_MS * (1 - ((index * 7) % 97) / 97)
  await send(
    service,
    persons.map(({ anonymousId, variant }, index) => ({
      event: '$exposure',
      anonymousId,
      ...(days === 0 ? {} : { timestamp: momentOf(exposedAt(index)) }),
      properties: { experiment: experimentKey, variant, country: ['SE', 'DE', 'FR'][anonymousId.length % 3] },
    })),
  )
  const sentAt = Date.now()
  await send(
    service,
    persons.flatMap(({ anonymousId, buys }, index) =>
      [
        { event: 'page_viewed', anonymousId, properties: { path: '/' } },
        ...(buys || index % 3 > 0 ? [{ event: 'product_viewed', anonymousId }] : []),
        ...(buys || index % 5 > 2 ? [{ event: 'cart_added', anonymousId }] : []),
        ...(buys || index % 7 > 5 ? [{ event: 'checkout_started', anonymousId }] : []),
        ...(buys ? [{ event: conversion, anonymousId, properties: { total: 20 + (index % 80) } }] : []),
      ].map((event, step) => ({
        ...event,
        ...(paceSeconds === 0
          ? {}
          : {
              timestamp: momentOf(
                (days === 0 ? sentAt : exposedAt(index) + 1_000) +
                  step * (1 + (index % 11) / 5) * paceSeconds * 1_000,
              ),
            }),
      })),
    ),
  )
}

/** The service's own database, for what no request can make. */
export async function withDatabase<Result>(
  service: Pick<Service, 'dataDir'>,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  const postgres = await findEmbeddedPostgres({ dataDir: join(service.dataDir, 'postgres') })
  if (postgres === undefined) throw new Error('no Postgres runs on this data')
  const sql = connectPostgres({ url: postgres.url, applicationName: 'console test', maxConnections: 1 })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** The session token of a new person who may only read. */
export function readerToken(service: Service): Promise<string> {
  const secretKey = loadSecretKey({ dataDir: service.dataDir })
  const { workspaceId } = service.keys
  return withDatabase(service, async (sql) => {
    const now = new Date()
    const person = await createPerson(sql, {
      id: newId(),
      workspaceId,
      name: 'Reader',
      email: 'reader@example.com',
      permissions: [],
      now,
    })
    const expiresAt = new Date(now.getTime() + 3_600_000)
    const session = { id: newId(), workspaceId, personId: person.id, expiresAt, now }
    return (await createSession(sql, secretKey, session)).token
  })
}

/** Inserts a proposal as a generator would, and returns its key. The API has no route for that. */
export async function propose(
  service: Service,
  fields: {
    readonly key: string
    readonly name: string
    readonly priority?: 'low' | 'medium' | 'high'
    readonly hypothesis?: string
  },
): Promise<string> {
  await withDatabase(service, (sql) =>
    insertExperiment(
      sql,
      service.keys.workspaceId,
      proposalRow({
        mechanism: 'Less uncertainty at the moment of choice',
        hypothesis:
          'Visitors leave at checkout because they do not know what the next page asks of them. Naming it brings more of them through.',
        conversionTargets: [
          {
            eventName: 'purchased',
            name: 'Purchases',
            direction: 'increase',
            windowHours: null,
            filters: [],
          },
        ],
        surfaces: [{ path: 'src/checkout.html', anchor: `${fields.key}-button` }],
        at: new Date(),
        ...fields,
      }),
    ),
  )
  return fields.key
}

const DAYS_RUN = 6

/** Moves the start of an experiment back. */
function startedBefore(service: Service, key: string, days: number): Promise<unknown> {
  const at = new Date(Date.now() - days * DAY_MS)
  return withDatabase(service, (sql) => sql`update experiments set started_at = ${at} where key = ${key}`)
}

/** Experiments in every state that a page has something to say about. */
export async function fillExperiments(service: Service): Promise<void> {
  const wins = await declare(service, {
    name: 'Checkout button says what happens next',
    key: 'checkout-button',
    hypothesis: 'Visitors who know what the next page asks of them go on to it.',
    mechanism: 'Certainty',
    priority: 'high',
    conversionTargets: [
      { eventName: 'purchased', name: 'Purchases' },
      { eventName: 'cart_added', name: 'Carts', direction: 'decrease' },
      { eventName: 'product_viewed', name: 'Products viewed', role: 'guardrail', margin: 0.1 },
    ],
    sizing: { minimumEffect: 0.1 },
    changes: [
      {
        path: 'index.html',
        action: 'modify',
        edits: [{ find: 'Continue', replace: 'Continue to payment', variant: 'treatment' }],
      },
    ],
  })
  const open = await declare(service, {
    name: 'Headline of the pricing page',
    key: 'pricing-headline',
    variants: [
      { displayName: 'Control', trafficSplit: 34 },
      { displayName: 'Plain words', trafficSplit: 33 },
      { displayName: 'A number', trafficSplit: 33 },
    ],
  })
  const broken = await declare(service, { name: 'Free shipping banner', key: 'free-shipping' })
  const over = await declare(service, { name: 'Shorter sign-up form', key: 'short-sign-up' })
  const learned = await declare(service, { name: 'Photos of people', key: 'photos-of-people' })
  await declare(service, { name: 'Search on top', key: 'search-on-top', priority: 'low' })
  for (const key of [wins, open, broken, over, learned]) await move(service, key, 'start')
  for (const key of [wins, open, over, learned]) await startedBefore(service, key, DAYS_RUN)
  await visit(service, wins, { control: [1_400, 140], treatment: [1_392, 216] }, 25, DAYS_RUN)
  await visit(
    service,
    open,
    { control: [400, 41], 'plain-words': [391, 46], 'a-number': [402, 37] },
    25,
    DAYS_RUN,
  )
  await visit(service, broken, { control: [700, 70], treatment: [520, 61] }, 25)
  await visit(service, over, { control: [900, 95], treatment: [905, 101] }, 25, DAYS_RUN)
  await visit(service, learned, { control: [600, 60], treatment: [610, 88] }, 25, DAYS_RUN)
  await move(service, over, 'end')
  await until(
    () =>
      call<{ results: { targets: { variants: { converted: number }[] }[] } | null }>(
        service.keys.apiKey,
        'GET',
        `${service.api}/v1/experiments/${learned}`,
      ),
    ({ body }) =>
      (body.results?.targets[0]?.variants ?? []).reduce((sum, { converted }) => sum + converted, 0) >= 148,
  )
  await move(service, learned, 'ship', { variant: 'treatment' })
  await propose(service, {
    key: 'reassuring-checkout',
    name: 'Say at checkout that returns are free',
    hypothesis:
      'Visitors hesitate to pay because they cannot try the product first. Saying beside the button that returns are free increases `purchased`.',
    priority: 'high',
  })
  await propose(service, { key: 'name-the-next-step', name: 'Name the next step on the cart page' })
}
