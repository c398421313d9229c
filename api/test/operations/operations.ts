import t from 'tap'
import { SCOPES } from '../../../domain/key.js'
import { newId } from '../../../postgres/tables/workspaces.js'
import type { OpenApiDocument } from '../../http/openapi/openapi.js'
import { acceptsApiKeys, type Route } from '../../http/route.js'
import { routes } from '../../routes.js'
import { withApi } from '../support/api.js'
import { storeEvents } from '../support/events.js'
import { experimentBody, putExperiment } from '../support/experiments.js'
import { OPERATIONS, operationCase } from '../support/operations.js'

/**
 * Checks every operation for what all have in common, and lists documented responses that were never seen.
 */
const api = await withApi(t)
const { client } = api
const workspace = await api.workspace()
const world = { api, workspace }
await storeEvents(api, workspace.id, Date.now(), [{ event: 'order_paid', userId: 'u' }])

const keyOf = (route: Route): string => (acceptsApiKeys(route) ? workspace.key : workspace.session)
const writes = routes.filter((route) => route.scope !== null)
/** The others are answered to anyone. */
const closedRoutes = routes.filter((route) => route.public !== true)
const withBody = routes.filter((route) => route.body !== undefined)
// Every event name exists.
const withId = routes.filter((route) => route.params !== undefined && !route.path.includes('{eventName}'))
/** The path of a resource that does not exist. */
const absent = (route: Route): string => route.path.replace(/\{[^}]+\}/g, newId())

t.test('the table of cases names exactly the operations of the API', async (t) => {
  t.strictSame(Object.keys(OPERATIONS).sort(), routes.map((route) => route.operationId).sort())
})

t.test('each operation answers as documented', async (t) => {
  for (const route of routes) {
    const { status, code, prepare } = operationCase(route.operationId)
    const { path, body } = await prepare(world)
    const answer = await client.request<{ code?: string }>(route.method, path, {
      key: keyOf(route),
      ...(body === undefined ? {} : { body }),
    })
    t.equal(answer.status, status, `${route.operationId} ${answer.text.slice(0, 200)}`)
    if (code !== undefined) t.equal(answer.body.code, code, route.operationId)
    if (status !== 202) continue
    t.match(answer.headers.location, /^\/v1\/[a-z]+\/[0-9a-f-]{36}(\/[a-z]+)?$/)
    t.match(answer.headers['retry-after'], /^[1-9]\d*$/)
    const polled = String(answer.headers.location).replace('/v1', '')
    t.equal((await client.request('GET', polled, { key: keyOf(route) })).status, 200, 'can be polled')
  }
})

t.test('requests without a key, or with the header of another workspace, are refused', async (t) => {
  for (const route of closedRoutes) {
    t.equal((await client.refused(route.method, absent(route))).status, 401, route.operationId)
    const elsewhere = await client.refused(route.method, absent(route), {
      key: keyOf(route),
      headers: { 'X-Workspace-Id': newId() },
    })
    t.equal(elsewhere.body.code, 'WORKSPACE_MISMATCH', route.operationId)
    if (!acceptsApiKeys(route))
      t.equal(
        (await client.refused(route.method, absent(route), { key: workspace.key })).body.code,
        'API_KEY_NOT_ALLOWED_HERE',
      )
  }
})

t.test('each write needs exactly its scope, checked before the resource is looked up', async (t) => {
  for (const scope of SCOPES) {
    const others = SCOPES.filter((other) => other !== scope)
    const lacking = await workspace.person(others)
    const having = await workspace.person([scope])
    const refused = [
      (await workspace.keyWith(others)).key,
      (await workspace.keyWith(SCOPES, lacking.id)).key,
      lacking.session,
    ]
    const allowed = [(await workspace.keyWith([scope])).key, having.session]
    for (const route of writes) {
      const needs = route.scope === scope
      const paths =
        route.params === undefined
          ? [route.path]
          : [absent(route), route.path.replace(/\{[^}]+\}/, 'no%00id')]
      for (const path of paths) {
        for (const key of needs ? refused : []) {
          const answer = await client.refused(route.method, path, { key, rawBody: '{not json' })
          t.match(
            answer.body,
            { code: 'MISSING_PERMISSION', details: [{ path: scope }] },
            `${route.operationId} without ${scope}`,
          )
        }
        for (const key of needs ? allowed : []) {
          const answer = await client.request<{ code?: string }>(route.method, path, {
            key,
            rawBody: '{"no": 1}',
          })
          t.not(answer.status, 403, `${route.operationId} with ${scope}`)
        }
      }
    }
  }
  for (const route of routes.filter((route) => route.scope === null && acceptsApiKeys(route)))
    t.not((await client.request(route.method, absent(route), { key: workspace.readOnlyKey })).status, 403)
})

t.test('an unknown id is 404, and an id that is not a UUID is 400', async (t) => {
  for (const route of withId) {
    const { prepare } = operationCase(route.operationId)
    const { body, path } = await prepare(world)
    const query = /\?.*$/.exec(path)?.[0] ?? ''
    const options = { key: keyOf(route), ...(body === undefined ? {} : { body }) }
    const missing = await client.refused(route.method, absent(route) + query, options)
    t.equal(missing.body.code, 'NOT_FOUND', route.operationId)
    const malformed = await client.refused(
      route.method,
      route.path.replace(/\{[^}]+\}/, 'Not-An-Id') + query,
      options,
    )
    // A key of an experiment, or a person.
    const isText = /^\/(experiments|events\/persons)\//.test(route.path)
    t.equal(malformed.status, isText ? 404 : 400, route.operationId)
    if (!isText) t.equal(malformed.body.details[0]?.path, 'path.id')
    const nul = await client.refused(route.method, route.path.replace(/\{[^}]+\}/, '%00') + query, options)
    t.match(nul.body, { code: 'VALIDATION_FAILED', details: [{ path: 'path.id' }] })
  }
})

t.test('unknown bodies and parameters are refused', async (t) => {
  for (const route of closedRoutes) {
    const unknown = await client.refused(route.method, `${absent(route)}?surprise=1`, {
      key: keyOf(route),
      ...(route.body === undefined ? {} : { body: { surprise: 1, 'a/b~c': 2 } }),
    })
    const places = unknown.body.details.map((detail) => detail.path)
    t.ok(places.includes('query.surprise'), `${route.operationId} ${places}`)
    if (route.body !== undefined && !['decideExperiment', 'createInsight'].includes(route.operationId))
      t.ok(places.includes('/surprise') && places.includes('/a~1b~0c'), `${route.operationId} ${places}`)
  }
  for (const route of withBody) {
    const send = (rawBody: string | Buffer, headers: Record<string, string> = {}) =>
      client.refused(route.method, absent(route), { key: keyOf(route), rawBody, headers })
    for (const broken of ['{"name":', '{"name": 1,}', '\ufeff{}', 'nothing', Buffer.from([0x7b, 0xff, 0x7d])])
      t.equal((await send(broken)).body.code, 'MALFORMED_JSON', route.operationId)
    for (const other of ['5', '"text"', '[]', 'null', 'true'])
      t.equal((await send(other)).body.code, 'VALIDATION_FAILED', `${route.operationId} ${other}`)
    for (const headers of [
      { 'Content-Type': 'text/plain' },
      { 'Content-Type': 'application/json-patch+json' },
      { 'Content-Encoding': 'gzip' },
    ])
      t.equal((await send('{}', headers as Record<string, string>)).status, 415, route.operationId)
    t.equal((await send(`{"x":"${'x'.repeat(1_048_577)}"}`)).status, 413, route.operationId)
  }
})

t.test('an unsupported method is 405, and Allow names the others', async (t) => {
  for (const path of new Set(routes.map((route) => route.path))) {
    const own = routes.filter((route) => route.path === path)
    const known = new Set(own.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))
    const key = own.every(acceptsApiKeys) ? workspace.key : workspace.session
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
      if (known.has(method)) continue
      const answer = await client.request(method, path.replace(/\{[^}]+\}/, newId()), { key })
      t.equal(answer.status, 405, `${method} ${path}`)
      t.strictSame(new Set(String(answer.headers.allow).split(', ')), known, `${method} ${path}`)
    }
  }
})

t.test('a single resource has an ETag, also for HEAD, and is 304 while unchanged', async (t) => {
  // The ledger is an answer about now, not a resource.
  const single = closedRoutes.filter(
    ({ method, operationId }) => method === 'GET' && !/^(list|stream|export|getKeyLedger)/.test(operationId),
  )
  t.ok(single.length >= 9)
  for (const route of single) {
    t.ok(route.etag, route.operationId)
    const { path } = await operationCase(route.operationId).prepare(world)
    const { headers } = await client.request('GET', path, { key: keyOf(route) })
    const tag = String(headers.etag)
    for (const method of ['GET', 'HEAD'])
      for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        const again = await client.request(method, path, {
          key: keyOf(route),
          headers: { 'If-None-Match': known },
        })
        t.equal(again.status, 304, `${method} ${route.operationId} ${known}`)
        t.equal(again.headers.etag, tag)
      }
    const changed = await client.request('GET', path, {
      key: keyOf(route),
      headers: { 'If-None-Match': '"other"' },
    })
    t.equal(changed.status, 200)
  }
  // One that never started, because others are measured when they are read.
  const id = await putExperiment(api, workspace, 'approved')
  const tagOf = async () =>
    (await client.request('GET', `/experiments/${id}`, { key: workspace.key })).headers.etag
  await api.sql`
    insert into experiment_measurements (experiment_id, workspace_id, users_exposed, measured_at)
    values (${id}, ${workspace.id}, 5, now())`
  const measured = await tagOf()
  await api.sql`update experiment_measurements set measured_at = now() + interval '1 minute' where experiment_id = ${id}`
  t.equal(await tagOf(), measured, 'when it was measured is no part of it')
  await api.sql`update experiment_measurements set users_exposed = 6 where experiment_id = ${id}`
  t.not(await tagOf(), measured)
})

t.test('illegal transitions and other conflicts have their error codes', async (t) => {
  const post = (path: string, body: unknown = {}) =>
    client.request<{ code?: string }>('POST', path, { key: workspace.key, body })
  for (const route of writes.filter((route) => route.errors?.includes('ILLEGAL_TRANSITION'))) {
    const id = await putExperiment(api, workspace, 'dismissed')
    const { body } = await operationCase(route.operationId).prepare(world)
    const refused = await post(`/experiments/${id}/${route.path.split('/').at(-1)}`, body)
    t.equal(refused.body.code, 'ILLEGAL_TRANSITION', route.operationId)
  }
  const running = await putExperiment(api, workspace, 'running', { surfaces: [{ path: 'a', anchor: null }] })
  const edit = (method: string, path: string, body: unknown) =>
    client.request<{ code?: string }>(method, path, { key: workspace.key, body })
  t.equal((await edit('PATCH', `/experiments/${running}`, { name: 'x' })).body.code, 'NOT_EDITABLE')
  const targets = { conversionTargets: [{ eventName: 'x' }] }
  t.equal(
    (await edit('PUT', `/experiments/${running}/conversion-targets`, targets)).body.code,
    'NOT_EDITABLE',
  )
  t.equal(
    (await post('/experiments', experimentBody({ surfaces: [{ path: 'a' }] }))).body.code,
    'SURFACE_OVERLAP',
  )
  await post('/experiments', experimentBody({ key: 'taken' }))
  t.equal((await post('/experiments', experimentBody({ key: 'taken' }))).body.code, 'KEY_TAKEN')
  const funnel = { name: 'taken', steps: [{ eventName: 'a' }] }
  await post('/funnel', funnel)
  t.equal((await post('/funnel', funnel)).body.code, 'NAME_TAKEN')
  const { path } = await operationCase('updateFunnel').prepare(world)
  t.equal((await edit('PATCH', path, { name: 'taken' })).body.code, 'NAME_TAKEN')
  for (const [kind, body] of [
    ['insight', { name: 'taken', kind: 'retention', query: { startEvent: 'a', returnEvent: 'a' } }],
    ['dashboard', { name: 'taken' }],
  ] as const) {
    await post(`/funnel/${kind}s`, body)
    t.equal((await post(`/funnel/${kind}s`, { ...body, name: 'Taken' })).body.code, 'NAME_TAKEN')
    const { path } = await operationCase(kind === 'insight' ? 'updateInsight' : 'updateDashboard').prepare(
      world,
    )
    t.equal((await edit('PATCH', path, { name: 'TAKEN' })).body.code, 'NAME_TAKEN')
  }
})

t.test('a key that has ended cannot be rotated', async (t) => {
  const { path } = await operationCase('rotateKey').prepare(world)
  const rotate = () => client.request<{ code?: string }>('POST', path, { key: workspace.session })
  t.equal((await rotate()).status, 201)
  t.equal((await rotate()).body.code, 'ILLEGAL_TRANSITION')
})

t.test('a workspace keeps an owner, and an email has one person', async (t) => {
  const code = async (method: string, path: string, body?: unknown) => {
    const options = { key: workspace.session, ...(body === undefined ? {} : { body }) }
    return (await client.request<{ code?: string }>(method, path, options)).body.code
  }
  const owner = `/people/${workspace.ownerId}`
  t.equal(await code('PATCH', owner, { owner: false }), 'LAST_OWNER')
  t.equal(await code('DELETE', owner), 'LAST_OWNER')
  const person = { name: 'Ada', email: 'OWNER@example.com', permissions: [] }
  t.equal(await code('POST', '/people', person), 'EMAIL_TAKEN')
})

t.test('an Idempotency-Key is refused if malformed or used with another body', async (t) => {
  for (const route of routes.filter((route) => route.method === 'POST' && !route.public)) {
    const { path, body, ...rest } = {
      body: undefined,
      ...(await operationCase(route.operationId).prepare(world)),
    }
    t.strictSame(rest, {})
    const headers = { 'Idempotency-Key': `used-${newId()}` }
    const options = { key: keyOf(route), headers, ...(body === undefined ? {} : { body }) }
    const short = await client.refused(route.method, path, {
      ...options,
      headers: { 'Idempotency-Key': 'short' },
    })
    t.match(short.body.details, [{ path: 'header.Idempotency-Key' }], route.operationId)
    const first = await client.request(route.method, path, options)
    const other = OTHER_BODIES[route.operationId]
    if (first.status >= 300 || other === undefined) continue
    const reused = await client.refused(route.method, path, { ...options, body: other })
    t.equal(reused.body.code, 'IDEMPOTENCY_KEY_REUSED', route.operationId)
  }
})

/** Valid bodies that differ from the table's. */
const OTHER_BODIES: Readonly<Record<string, unknown>> = {
  createExperiment: experimentBody({ name: 'Quite another' }),
  approveProposal: { acknowledgeOverlap: false },
  dismissProposal: { reasons: ['duplicate'] },
  endExperiment: { conclude: false },
  shipExperiment: {},
  decideExperiment: { outcome: 'reject', force: true },
  createFunnel: { name: 'Quite another', steps: [{ eventName: 'a' }] },
  queryFunnel: { order: 'any' },
  queryFunnelDraft: { steps: [{ eventName: 'a' }] },
  queryTrends: { series: [{ eventName: 'a' }] },
  queryRetention: { startEvent: 'a', returnEvent: 'a' },
  createInsight: { name: 'Quite another', kind: 'trends', query: { series: [{ eventName: 'a' }] } },
  createDashboard: { name: 'Quite another' },
  planExperiment: {
    target: { eventName: 'another' },
    splits: [60, 40],
    minimumEffect: 0.2,
    baseline: { rate: 0.2 },
  },
  createKey: { name: 'Quite another', type: 'api' },
  rotateKey: { graceHours: 2 },
  createErasure: { anonymousId: 'another' },
  createPerson: { name: 'Quite another', email: 'another@example.com', permissions: [] },
  createHook: { url: 'https://192.0.32.8/other', kinds: ['*'] },
}

/** Responses that need a repository, and errors that no request can provoke. */
const NOT_SEEN = [
  // `provider-sign-in.ts` has an identity provider.
  /^beginProviderSignIn (200|403)$/,
  /^\w+ 500$/,
  /^(generateProposals|refineProposal|generatePullRequest) (202|422)$/,
  // Their bodies have no second form.
  /^(startExperiment|pauseExperiment|resumeExperiment|invitePerson|retryHookDelivery) 422$/,
  // Tested with Postgres down, in another file.
  /^\w+ 503$/,
  // Tested in `request-rates.ts` and `if-match.ts`.
  /^\w+ (412|429)$/,
  // Tested in `isolation.ts`, with the key of another workspace.
  /^getKeyLedger 404$/,
  /^(updateEventName|updateEventProperty|listEventProperties) 404$/,
  // Tested in other files.
  /^createSession (200|204|409|422)$/,
  /^receiveGitHubDelivery /,
  // Their only conflict is a retry that waited 20 seconds.
  /^(queryFunnel(Draft)?|queryTrends|queryRetention|planExperiment|createKey|createErasure|createHook|retryHookDelivery|invitePerson) 409$/,
]

t.test('every documented answer was seen', async (t) => {
  const { paths } = api.openapi as OpenApiDocument
  const documented = Object.values(paths).flatMap((item) =>
    Object.values(item).flatMap(({ operationId, responses }) =>
      Object.keys(responses).map((status) => `${operationId} ${status}`),
    ),
  )
  const unseen = documented.filter(
    (pair) => !client.seen.has(pair) && !NOT_SEEN.some((pattern) => pattern.test(pair)),
  )
  t.strictSame(unseen, [])
  t.comment(`${client.seen.size} of ${documented.length} were seen here`)
})
