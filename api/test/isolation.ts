import t from 'tap'
import { newId } from '../../postgres/tables/workspaces.js'
import { acceptsApiKeys } from '../http/route.js'
import { routes } from '../routes.js'
import { withApi } from './support/api.js'
import { storeEvents } from './support/events.js'
import { experimentBody, halves, paid, putExperiment } from './support/experiments.js'
import { putErasure } from './support/operations.js'

const api = await withApi(t)
const { client } = api
const mine = await api.workspace('Mine')
const theirs = await api.workspace('Theirs')
const marker = 'their_secret_marker'

await storeEvents(
  api,
  theirs.id,
  Date.now(),
  [{ event: marker, userId: marker, anonymousId: 'shared' }],
  [{ anonymousId: 'shared', userId: marker }],
)
await storeEvents(api, mine.id, Date.now(), [{ event: 'own', anonymousId: 'shared' }])
const their = await client.request<{ id: string }>('POST', '/funnel', {
  key: theirs.key,
  body: { name: marker, steps: [{ eventName: 'own' }] },
  headers: { 'Idempotency-Key': 'isolation-key' },
})
const theirInsight = await client.request<{ id: string }>('POST', '/funnel/insights', {
  key: theirs.key,
  body: { name: marker, kind: 'trends', query: { series: [{ eventName: 'own' }] } },
})
const theirDashboard = await client.request<{ id: string }>('POST', '/funnel/dashboards', {
  key: theirs.key,
  body: { name: marker, insights: [theirInsight.body.id] },
})
const theirExperiment = await putExperiment(api, theirs, 'running', { key: marker, name: marker })
const theirProposal = await putExperiment(api, theirs, 'proposed', { name: marker })
const shipped = await putExperiment(api, theirs, 'ended', { name: marker })
await client.request('POST', `/experiments/${shipped}/ship`, { key: theirs.key })
const [learning] = await api.sql<{ id: string }[]>`select id from learnings where experiment_id = ${shipped}`
const theirLearning = learning?.id ?? ''
const theirErasure = await putErasure({ api, workspace: theirs })
const theirRun = newId()
await api.sql`
  insert into generation_runs (id, workspace_id, status, requested, error, created_at)
  values (${theirRun}, ${theirs.id}, 'failed', 5, ${api.sql.json({ step: marker, message: marker })}, now())`

await api.sql`
  insert into ingest_problems (key_id, kind, workspace_id, first_at, last_at, times, status, code, message, event_name)
  values (${theirs.keyId}, '', ${theirs.id}, now(), now(), 1, 400, 'VALIDATION_FAILED', ${marker}, ${marker})`

const theirSession = await theirs.openSession()
const theirHook = await client.request<{ id: string }>('POST', '/hooks', {
  key: theirs.session,
  body: { url: `https://192.0.32.8/${marker}`, kinds: ['never.happens'] },
})
await api.sql`
  insert into hook_deliveries (hook_id, id, kind, at, data)
  values (${theirHook.body.id}, ${theirHook.body.id}, 'never.happens', now(), ${api.sql.json({ marker })})`

const theirEvents = await client.request<{ data: { id: string }[] }>('GET', '/events', { key: theirs.key })
const theirEvent = theirEvents.body.data[0]?.id ?? ''

/** Another workspace's id for every parameter: a route with a new one fails here until it is added. */
const IDS: Readonly<Record<string, (path: string) => string[]>> = {
  funnelId: () => [their.body.id],
  insightId: () => [theirInsight.body.id],
  dashboardId: () => [theirDashboard.body.id],
  id: (path) => {
    if (path.startsWith('/learnings')) return [theirLearning]
    if (path.startsWith('/erasures')) return [theirErasure]
    if (path.startsWith('/people')) return [theirs.ownerId]
    if (path.startsWith('/keys')) return [theirs.keyId]
    if (path.startsWith('/hooks')) return [theirHook.body.id]
    return [theirExperiment, theirProposal, marker]
  },
  runId: () => [theirRun],
  personId: () => [`user:${marker}`],
  eventId: () => [theirEvent],
  sessionId: () => [theirSession.id],
}
const BODIES: Readonly<Record<string, unknown>> = {
  createExperiment: experimentBody(),
  updateExperiment: { variants: halves.map(({ trafficSplit }, i) => ({ key: `v${i}`, trafficSplit })) },
  replaceConversionTargets: { conversionTargets: paid },
  generateProposals: {},
  approveProposal: {},
  dismissProposal: { reasons: ['other'] },
  refineProposal: { instructions: 'steal' },
  startExperiment: {},
  pauseExperiment: {},
  resumeExperiment: {},
  endExperiment: { conclude: true },
  shipExperiment: {},
  decideExperiment: { outcome: 'reject', force: true },
  updateLearning: { interpretation: 'stolen' },
  createFunnel: { name: 'mine', steps: [{ eventName: 'own' }] },
  updateFunnel: { name: 'stolen' },
  updateEventName: { hidden: true },
  updateEventProperty: { property: 'plan', hidden: true },
  queryFunnel: {},
  queryFunnelDraft: { steps: [{ eventName: 'own' }] },
  queryTrends: { series: [{ eventName: 'own', measure: 'persons' }], breakdown: { property: 'p' } },
  queryRetention: { startEvent: 'own', returnEvent: 'own' },
  createInsight: { name: 'mine', kind: 'trends', query: { series: [{ eventName: 'own' }] } },
  updateInsight: { name: 'stolen' },
  createDashboard: { name: 'mine' },
  updateDashboard: { name: 'stolen' },
  planExperiment: {
    target: { eventName: 'own' },
    splits: [50, 50],
    minimumEffect: 0.1,
    baseline: { rate: 0.1 },
  },
  createSession: {},
  createKey: { name: 'Mine', type: 'server' },
  rotateKey: {},
  createPerson: { name: 'Mine', email: 'mine@example.com', permissions: [] },
  updatePerson: { owner: false },
  createErasure: { userId: 'nobody' },
  createHook: { url: 'https://192.0.32.8/', kinds: ['never.happens'] },
  updateHook: { kinds: ['*'] },
}

const QUERIES: Readonly<Record<string, string>> = {
  listExperimentSegments: '?breakdown=p',
  listFunnelPersons: '?step=0',
  listEventTrends: '?events=own&interval=day',
  getKeyLedger: `?key=${theirs.keyId}`,
}
/** Responses that do not end; `live-events.ts` tests them. */
const STREAMS = new Set(['streamEvents'])

t.test('no route reads or changes data of another workspace', async (t) => {
  const cases = routes.flatMap((route) => {
    if (STREAMS.has(route.operationId)) return []
    const name = /\{([^}]+)\}/.exec(route.path)?.[1]
    // Names are no ids: each workspace has all of them.
    if (name === undefined || name === 'eventName')
      return [{ route, path: route.path.replace('{eventName}', 'own_*') }]
    const ids = IDS[name]?.(route.path)
    if (ids === undefined) throw new Error(`the isolation test knows no id for ${name}`)
    return ids.map((id) => ({ route, path: route.path.replace(`{${name}}`, id).replace('{deliveryId}', id) }))
  })
  for (const { route, path } of cases) {
    const body = BODIES[route.operationId]
    if (route.body !== undefined && body === undefined) throw new Error(`no body for ${route.operationId}`)
    for (const key of [mine.key, mine.session]) {
      const answer = await client.request(route.method, `${path}${QUERIES[route.operationId] ?? ''}`, {
        key,
        ...(body === undefined ? {} : { body }),
        headers: { 'Idempotency-Key': 'isolation-key' },
      })
      t.notMatch(answer.text, marker, `${route.method} ${path}`)
      const absent = key === mine.session || acceptsApiKeys(route) ? 404 : 403
      if (/\{(?!eventName)/.test(route.path)) t.equal(answer.status, absent, `${route.method} ${path}`)
    }
  }
})

t.test('the data of the other workspace is unchanged afterwards', async (t) => {
  const read = await client.request<{ name: string }>('GET', `/funnel/${their.body.id}`, { key: theirs.key })
  t.equal(read.body.name, marker)
  for (const path of [
    `/funnel/insights/${theirInsight.body.id}`,
    `/funnel/dashboards/${theirDashboard.body.id}`,
  ])
    t.equal((await client.request<{ name: string }>('GET', path, { key: theirs.key })).body.name, marker)
  const stolen = { name: 'of theirs', insights: [theirInsight.body.id] }
  t.match(await client.request('POST', '/funnel/dashboards', { key: mine.key, body: stolen }), {
    status: 400,
    body: { details: [{ path: '/insights/0' }] },
  })
  const left = await api.sql`
    select status from experiments where workspace_id = ${theirs.id} and name = ${marker} order by id`
  t.strictSame(
    left.map((row) => row.status),
    ['running', 'proposed', 'shipped'],
  )
  const [kept] = await api.sql`select interpretation from learnings where id = ${theirLearning}`
  t.match(kept?.interpretation, /^It was |^Treatment was /)
  const names = await client.request<{ data: { eventName: string }[] }>('GET', '/funnel/events', {
    key: mine.key,
  })
  t.strictSame(
    names.body.data.map((name) => name.eventName),
    ['own'],
  )
})

t.test('the ledger knows the keys of its workspace only', async (t) => {
  const path = `/events/ledger?key=${theirs.keyId}`
  t.equal((await client.request('GET', path, { key: mine.key })).status, 404)
  t.match(await client.request('GET', path, { key: theirs.key }), {
    status: 200,
    body: { key: { id: theirs.keyId }, hours: [] },
  })
})

t.test('persons are resolved by the links of their own workspace', async (t) => {
  const events = await client.request<{ data: { personId: string }[] }>('GET', '/events', { key: mine.key })
  t.strictSame(
    events.body.data.map((event) => event.personId),
    ['anonymous:shared'],
  )
  const made = await client.request<{ id: string }>('POST', '/funnel', {
    key: mine.key,
    body: { name: 'counts', steps: [{ eventName: 'own' }] },
  })
  const mineResult = await client.request<{ entered: number }>('POST', `/funnel/${made.body.id}/query`, {
    key: mine.key,
  })
  t.equal(mineResult.body.entered, 1)
  const theirResult = await client.request<{ entered: number }>('POST', `/funnel/${their.body.id}/query`, {
    key: theirs.key,
  })
  t.equal(theirResult.body.entered, 0)
  for (const [key, persons] of [
    [mine.key, 1],
    [theirs.key, 0],
  ] as const) {
    const trends = await client.request<{ series: { total: number }[] }>('POST', '/events/trends', {
      key,
      body: { series: [{ eventName: 'own', measure: 'persons' }] },
    })
    t.equal(trends.body.series[0]?.total, persons)
    const retention = await client.request<{ cohorts: { persons: number }[] }>('POST', '/events/retention', {
      key,
      body: { startEvent: 'own', returnEvent: 'own' },
    })
    t.equal(
      retention.body.cohorts.reduce((sum, cohort) => sum + cohort.persons, 0),
      persons,
    )
  }
})
