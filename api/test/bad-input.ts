import fc from 'fast-check'
import t from 'tap'
import { cases } from '../../test/support/cases.js'
import type { OpenApiDocument } from '../http/openapi/openapi.js'
import { acceptsApiKeys, type Route } from '../http/route.js'
import { routes } from '../routes.js'
import { withApi } from './support/api.js'
import { storeEvents } from './support/events.js'
import { operationCase } from './support/operations.js'
import { anyValueOf, limitsOf, nasty, resolverOf, type Schema, withValue } from './support/schema-values.js'

/**
 * Requests generated from the document, valid and invalid: each response is a documented one and none is a
 * 500.
 */
const api = await withApi(t)
const { client } = api
const workspace = await api.workspace()
const world = { api, workspace }
await storeEvents(api, workspace.id, Date.now(), [{ event: 'order_paid', userId: 'u' }])
const document = api.openapi as OpenApiDocument
const resolve = resolverOf(document.components.schemas)
const keyOf = (route: Route): string => (acceptsApiKeys(route) ? workspace.key : workspace.session)
const operationOf = (route: Route) => document.paths[route.path]?.[route.method.toLowerCase()]
const bodySchemaOf = (route: Route): Schema | undefined =>
  operationOf(route)?.requestBody?.content['application/json'].schema as Schema | undefined
const pointerOf = (path: readonly (string | number)[]): string => path.map((step) => `/${step}`).join('')
const queryParametersOf = (route: Route) =>
  (operationOf(route)?.parameters ?? []).filter((parameter) => parameter.in === 'query')

t.test('each body field is accepted up to its limits and refused beyond them', async (t) => {
  let tried = 0
  for (const route of routes) {
    const schema = bodySchemaOf(route)
    if (schema === undefined) continue
    const { path, body: prepared } = await operationCase(route.operationId).prepare(world)
    const branches = resolve(schema).oneOf ?? [schema]
    for (const branch of branches) {
      const example = { ...(route.bodyExample as object), ...(prepared as object) }
      for (const { path: place, within, beyond } of limitsOf(branch, example, resolve)) {
        const pointer = pointerOf(place)
        const send = (value: unknown) =>
          client.request<{ details?: { path: string; message: string }[] }>(route.method, path, {
            key: keyOf(route),
            body: withValue(example, place, value),
          })
        for (const value of beyond) {
          if (withValue(example, place, value) === undefined) continue
          const answer = await send(value)
          const what = `${route.operationId} ${pointer} ${JSON.stringify(value)?.slice(0, 40)}`
          t.equal(answer.status, 400, what)
          t.ok(
            answer.body.details?.some((detail) => detail.path.startsWith(pointer)),
            `${what}: ${answer.text.slice(0, 200)}`,
          )
          tried++
        }
        for (const value of within) {
          const answer = await send(value)
          t.notOk(
            answer.body?.details?.some(
              (detail) => detail.path === pointer && /must (have at|be at|be one of)/.test(detail.message),
            ),
            `${route.operationId} ${pointer} at its limit: ${answer.text?.slice(0, 200)}`,
          )
          tried++
        }
      }
    }
  }
  t.ok(tried > 200, `${tried} values`)
})

t.test(
  'each query parameter is accepted within its limits, and refused beyond them, twice or in other forms',
  async (t) => {
    for (const route of routes) {
      const parameters = queryParametersOf(route)
      if (parameters.length === 0) continue
      // The prepared path has the other required parameters.
      const prepared = (await operationCase(route.operationId).prepare(world)).path
      const [path = '', required = ''] = prepared.split('?')
      for (const { name, schema } of parameters) {
        const beside = required.split('&').filter((one) => one !== '' && !one.startsWith(`${name}=`))
        const { minimum, maximum, maxLength, enum: words, format, pattern, type } = schema as Schema
        const ask = (value: string) =>
          client.request<{ details?: { path: string }[] }>(
            route.method,
            `${path}?${[...beside, `${name}=${value}`].join('&')}`,
            {
              key: keyOf(route),
            },
          )
        const good = [
          ...(minimum === undefined ? [] : [String(minimum)]),
          ...(maximum === undefined ? [] : [String(maximum)]),
          ...(maxLength === undefined || pattern !== undefined
            ? []
            : ['x'.repeat(maxLength), encodeURIComponent('%_\\\'"é').repeat(20)]),
          ...(words ?? []).map(String),
          ...(type === 'boolean' ? ['true', 'false'] : []),
        ]
        const bad = [
          '%00',
          '%ff',
          '%ED%A0%80',
          ...(minimum === undefined ? [] : [String(minimum - 1), '1.5', '1e1', '0x1', '', '%20']),
          ...(maximum === undefined
            ? []
            : ['9007199254740992', '99999999999999999999999', String(maximum + 1)]),
          ...(maxLength === undefined ? [] : ['', 'x'.repeat(maxLength + 1)]),
          ...(words === undefined ? [] : ['', 'no-such-word', String(words[0]).toUpperCase()]),
          ...(format === 'date-time' ? ['2026-02-30T00:00:00Z', '2026-01-01', 'now'] : []),
          ...(format === 'uuid' ? ['5'] : []),
          ...(type === 'boolean' ? ['TRUE', '1', ''] : []),
        ]
        // Given together or not at all, or dependent on the funnel; the tests of events and funnels ask.
        const isAlone = !['property', 'operator', 'value', 'step', 'outcome'].includes(name)
        for (const value of isAlone ? good : [])
          t.equal((await ask(value)).status, 200, `${route.operationId} ${name}=${value.slice(0, 40)}`)
        for (const value of bad) {
          const answer = await ask(value)
          t.equal(answer.status, 400, `${route.operationId} ${name}=${value.slice(0, 40)}`)
          t.ok(answer.body.details?.some((detail) => detail.path === `query.${name}`))
        }
        t.equal((await ask(`1&${name}=1`)).status, 400, 'given twice')
      }
    }
  },
)

t.test('violations of rules are reported together with those of schemas', async (t) => {
  const { key, session } = workspace
  const variants = [
    { displayName: 'A', trafficSplit: 60 },
    { displayName: 'B', trafficSplit: 60 },
  ]
  const good = { name: 'Both', variants, conversionTargets: [{ eventName: 'order_paid' }] }
  const change = { path: 'a.html', action: 'delete' }
  const funnel = await client.request<{ id: string }>('POST', '/funnel', {
    key,
    body: { name: 'Both', steps: [{ eventName: 'a' }, { eventName: 'b' }] },
  })
  const cases: [method: string, path: string, as: string, body: object | undefined, paths: string[]][] = [
    [
      'POST',
      '/experiments',
      key,
      { ...good, name: '', key: 'counts', changes: [change, change] },
      ['/name', '/variants', '/key', '/changes/1/path'],
    ],
    // Rules are not checked for a field that is invalid itself.
    [
      'POST',
      '/experiments',
      key,
      { ...good, key: 'counts', variants: [{ displayName: 'A', trafficSplit: 'x' }, variants[1]] },
      ['/variants/0/trafficSplit', '/key'],
    ],
    [
      'POST',
      '/experiments',
      key,
      { key: 'counts', x: 1 },
      ['/name', '/variants', '/conversionTargets', '/x', '/key'],
    ],
    [
      'GET',
      '/experiments?status=running,none&origin=&priority=x&limit=0',
      key,
      undefined,
      ['query.limit', 'query.origin', 'query.status', 'query.priority'],
    ],
    [
      'GET',
      '/audit?from=2026-11-20T00:00:00Z&to=2026-11-19T00:00:00Z&limit=x',
      session,
      undefined,
      ['query.limit', 'query.to'],
    ],
    [
      'POST',
      `/funnel/${funnel.body.id}/query`,
      key,
      {
        from: '2026-11-20T00:00:00Z',
        to: '2026-11-19T00:00:00Z',
        windowSeconds: 0,
        exclusions: [{ eventName: 'c', fromStep: 1, toStep: 1 }],
        experiment: 'shorter-checkout',
      },
      ['/windowSeconds', '/to', '/exclusions/0/toStep'],
    ],
    // Without another error the steps of the funnel are checked too.
    [
      'POST',
      `/funnel/${funnel.body.id}/query`,
      key,
      {
        from: '2026-11-20T00:00:00Z',
        to: '2026-11-19T00:00:00Z',
        exclusions: [
          { eventName: 'c', fromStep: 1, toStep: 1 },
          { eventName: 'c', fromStep: 0, toStep: 2 },
        ],
      },
      ['/to', '/exclusions/0/toStep', '/exclusions/1/toStep'],
    ],
  ]
  for (const [method, path, as, body, paths] of cases) {
    const answer = await client.request<{ details?: { path: string }[] }>(method, path, { key: as, body })
    t.equal(answer.status, 400, answer.text)
    t.same(new Set(answer.body.details?.map((detail) => detail.path)), new Set(paths), answer.text)
  }
})

t.test('an error lists at most a hundred places', async (t) => {
  const unknown = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`unknown${i}`, i]))
  const step = { name: 5, eventName: '', ...unknown }
  const answer = await client.refused('POST', '/funnel', {
    key: workspace.key,
    body: { name: '', windowSeconds: 0, steps: Array.from({ length: 20 }, () => step), other: 1 },
  })
  t.equal(answer.status, 400)
  t.equal(answer.body.details.length, 100)
})

t.test('long paths and paths with hostile encodings are refused', async (t) => {
  const long = 'x'.repeat(3_000)
  for (const path of [
    `/experiments/${long}`,
    `/funnel/${long}`,
    `/${long}`,
    `/learnings/${'%61'.repeat(900)}`,
    `/experiments/${'a/'.repeat(1_000)}`,
  ])
    t.ok(
      [400, 403, 404].includes((await client.refused('GET', path, { key: workspace.key })).status),
      path.slice(0, 40),
    )
  for (const path of [
    '/experiments/%2e%2e/status',
    '/experiments/a%2Fstatus',
    '/experiments/%',
    '/experiments/%zz',
    '/experiments/%C0%AE',
    '/experiments/__proto__',
    '/experiments/constructor/status',
    "/experiments/'%20or%201=1--",
  ])
    t.ok([400, 404].includes((await client.refused('GET', path, { key: workspace.key })).status), path)
})

/** A request to an operation: mostly valid, with hostile values here and there. */
function requestTo(route: Route) {
  const schema = bodySchemaOf(route)
  const query = Object.fromEntries(
    queryParametersOf(route).map(({ name, schema: one }) => [name, anyValueOf(one as Schema, resolve)]),
  )
  return fc.record({
    route: fc.constant(route),
    ownPath: fc.boolean(),
    id: fc.oneof({ weight: 1, arbitrary: nasty.map(String) }, { weight: 1, arbitrary: fc.uuid() }),
    query: fc.record(query, { requiredKeys: [] }),
    surprise: fc.option(fc.tuple(nasty.map(String), nasty), { freq: 8 }),
    body: schema === undefined ? fc.constant(undefined) : anyValueOf(schema, resolve),
    raw: fc.option(fc.string(), { freq: 25 }),
    idempotencyKey: fc.option(fc.oneof(nasty.map(String), fc.constantFrom('fuzz-0001', 'fuzz-0002')), {
      freq: 6,
    }),
    ifNoneMatch: fc.option(fc.constantFrom('*', '"x"', 'W/', ',,"'), { freq: 10 }),
  })
}

t.test('random requests from the document are answered as documented', { timeout: 600_000 }, async (t) => {
  const statuses: Record<string, number> = {}
  const anyRequest = fc.oneof(...routes.map(requestTo))
  await fc.assert(
    fc.asyncProperty(anyRequest, async (request) => {
      const { route, query, body, surprise } = request
      const own = (await operationCase(route.operationId).prepare(world)).path
      const wild = route.path.replace(/\{[^}]+\}/, encodeURIComponentOf(request.id.slice(0, 300)))
      const parts = Object.entries(query).map(
        ([name, value]) => `${name}=${encodeURIComponentOf(textOf(value).slice(0, 500))}`,
      )
      const sent =
        surprise === null || typeof body !== 'object' || body === null
          ? body
          : { ...body, [surprise[0]]: surprise[1] }
      const headers: Record<string, string> = {}
      const plain = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, '')
      if (request.idempotencyKey !== null)
        headers['Idempotency-Key'] = plain(request.idempotencyKey).slice(0, 200)
      if (request.ifNoneMatch !== null) headers['If-None-Match'] = request.ifNoneMatch
      const answer = await client.request<unknown>(
        route.method,
        `${request.ownPath ? own : wild}?${parts.join('&')}`,
        {
          key: keyOf(route),
          headers,
          ...(request.raw !== null && route.body !== undefined ? { rawBody: request.raw } : {}),
          ...(request.raw === null && sent !== undefined ? { body: sent } : {}),
        },
      )
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
      return answer.status < 500
    }),
    { numRuns: cases(500), endOnFailure: true },
  )
  t.comment(`answers by status: ${JSON.stringify(statuses)}`)
  for (const status of [200, 400, 404]) t.ok((statuses[status] ?? 0) > 20, `${status}`)
})

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** Unpaired surrogates have no encoding: send bytes that are not UTF-8. */
function encodeURIComponentOf(text: string): string {
  return Array.from(text, (character) =>
    !/[\ud800-\udfff]/u.test(character) ? encodeURIComponent(character) : '%ED%A0%80',
  ).join('')
}
