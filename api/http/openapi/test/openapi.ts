import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { SCOPES } from '../../../../domain/key.js'
import { deliveries } from '../../../hooks/description.js'
import { routes } from '../../../routes.js'
import { ERRORS } from '../../http-error.js'
import { acceptsApiKeys } from '../../route.js'
import { buildOpenApi } from '../openapi.js'

const document = JSON.parse(JSON.stringify(buildOpenApi(routes))) as ReturnType<typeof buildOpenApi>
/** The document as served. */
const whole = JSON.parse(JSON.stringify(buildOpenApi(routes, deliveries))) as typeof document
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
)
const ajv = new Ajv2020({ allErrors: true, strict: false, validateSchema: true })
ajv.addFormat('uuid', /^[0-9a-f-]{36}$/)
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/)
ajv.addSchema(document, 'openapi')

/** The document with references by absolute name, so that a part compiles on its own. */
function absolute(schema: unknown): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components')) as object
}

t.test('every reference resolves, and every component is used', (t) => {
  const references = new Set(
    [...JSON.stringify(document).matchAll(/"(#\/[^"]+)"/g)].map((match) => match[1] ?? ''),
  )
  for (const reference of references) {
    let at: unknown = document
    for (const part of reference.slice(2).split('/')) at = (at as Record<string, unknown> | undefined)?.[part]
    t.ok(at, reference)
  }
  for (const [kind, parts] of Object.entries({
    schemas: document.components.schemas,
    headers: document.components.headers,
  }))
    for (const name of Object.keys(parts)) {
      const unused =
        !references.has(`#/components/${kind}/${name}`) && !['Location', 'RetryAfter'].includes(name)
      t.notOk(unused, `${kind} ${name}`)
    }
  t.end()
})

t.test('every schema is a JSON Schema without internal keywords', (t) => {
  for (const [name, schema] of Object.entries(document.components.schemas))
    t.doesNotThrow(() => ajv.compile(absolute(schema)), name)
  t.notMatch(JSON.stringify(document), 'x-schema')
  t.end()
})

t.test('operations are complete and their ids are unique', (t) => {
  const ids = operations.map(({ operation }) => operation.operationId)
  t.equal(new Set(ids).size, ids.length)
  for (const { path, method, operation } of operations) {
    const what = `${method} ${path}`
    t.ok(operation.summary, what)
    t.ok(
      document.tags.some((tag) => operation.tags.includes(tag.name)),
      what,
    )
    const declared = operation.parameters
      .filter((parameter) => parameter.in === 'path')
      .map((parameter) => parameter.name)
    t.strictSame(
      declared,
      [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1]),
      what,
    )
    const isPublic = operation.security?.length === 0
    for (const status of isPublic ? ['500', '503'] : ['400', '401', '403', '500', '503'])
      t.ok(operation.responses[status], `${what} ${status}`)
    if (method === 'post' && !isPublic)
      t.ok(
        operation.parameters.some((parameter) => parameter.name === 'Idempotency-Key'),
        what,
      )
    // Writes about keys, people and sessions are made by a person and need no scope.
    const writes =
      method !== 'get' && !/\/(query|power|trends|retention)$/.test(path) && operation.security === undefined
    t.equal(operation['x-scope'] !== undefined, writes, `${what} names its scope`)
    if (writes) t.ok((SCOPES as readonly string[]).includes(operation['x-scope'] ?? ''))
  }
  t.end()
})

t.test('every write has an audit action, `resource.verb`', (t) => {
  for (const route of routes)
    if (
      route.scope !== null ||
      (route.method !== 'GET' && !acceptsApiKeys(route) && !route.public && route.path !== '/sessions')
    )
      t.match(route.audit, /^[a-z]+\.[a-z-]+$/, `${route.method} ${route.path}`)
  t.end()
})

t.test('every example fits its schema', (t) => {
  let examples = 0
  const fits = (content: { schema: unknown; example?: unknown } | undefined, what: string) => {
    if (content === undefined) return
    examples++
    const validate = ajv.compile(absolute(content.schema))
    t.ok(content.example !== undefined, `${what} has one`)
    t.ok(validate(content.example), `${what}: ${ajv.errorsText(validate.errors)}`)
  }
  for (const { path, method, operation } of operations) {
    fits(operation.requestBody?.content['application/json'], `${method} ${path} body`)
    for (const [status, response] of Object.entries(operation.responses))
      fits(response.content?.['application/json'], `${method} ${path} ${status}`)
  }
  t.ok(examples > 50)
  t.end()
})

/** Segments need a property, trends need events, and persons of a funnel a step. */
t.test('a parameter with a default is not required', (t) => {
  for (const { path, operation } of operations)
    for (const parameter of operation.parameters)
      t.equal(
        parameter.required,
        parameter.in === 'path' || ['breakdown', 'events', 'key', 'step'].includes(parameter.name),
        `${path} ${parameter.name}`,
      )
  t.end()
})

t.test('the description of the document has every error code with its status and whether to retry', (t) => {
  const description = String(document.info.description)
  for (const [code, { status, meaning, retryable }] of Object.entries(ERRORS))
    t.ok(
      description.includes(`\n| ${status} | \`${code}\` | ${meaning} | ${retryable ? 'yes' : 'no'} |`),
      code,
    )
  t.notOk(
    Object.values(ERRORS).some(({ meaning }) => meaning.includes('|')),
    'a bar would end a cell',
  )
  t.end()
})

t.test('every error code has its documented status', (t) => {
  const byStatus: Record<number, string[]> = {}
  for (const [code, { status }] of Object.entries(ERRORS)) {
    byStatus[status] ??= []
    byStatus[status].push(code)
  }
  t.strictSame(byStatus, {
    400: ['VALIDATION_FAILED', 'MALFORMED_JSON'],
    401: ['UNAUTHENTICATED'],
    403: ['MISSING_PERMISSION', 'API_KEY_NOT_ALLOWED_HERE', 'CROSS_SITE_REQUEST', 'WORKSPACE_MISMATCH'],
    404: ['NOT_FOUND'],
    405: ['METHOD_NOT_ALLOWED'],
    409: [
      'ILLEGAL_TRANSITION',
      'NOT_EDITABLE',
      'SURFACE_OVERLAP',
      'PROPOSAL_FILES_MISSING',
      'PROPOSAL_SNAPSHOT_STALE',
      'GENERATION_IN_FLIGHT',
      'REFINE_IN_FLIGHT',
      'EVENT_HISTORY_UNAVAILABLE',
      'REPOSITORY_NOT_CONNECTED',
      'KEY_TAKEN',
      'NAME_TAKEN',
      'EMAIL_TAKEN',
      'LAST_OWNER',
      'IDEMPOTENCY_IN_FLIGHT',
    ],
    412: ['PRECONDITION_FAILED'],
    413: ['PAYLOAD_TOO_LARGE'],
    415: ['UNSUPPORTED_MEDIA_TYPE'],
    422: ['IDEMPOTENCY_KEY_REUSED'],
    429: ['RATE_LIMITED'],
    500: ['INTERNAL'],
    503: ['UNAVAILABLE'],
  })
  t.end()
})

/** Ids are UUIDs, so that no other word is one: the router tells these paths apart. */
const KEPT_APART = [
  '`/funnel/events/{eventName}` and `/funnel/{funnelId}/query`',
  '`/funnel/{funnelId}/query` and `/funnel/insights/{insightId}`',
  '`/funnel/{funnelId}/query` and `/funnel/dashboards/{dashboardId}`',
  '`/funnel/{funnelId}/persons` and `/funnel/events/{eventName}`',
  '`/funnel/{funnelId}/persons` and `/funnel/insights/{insightId}`',
  '`/funnel/{funnelId}/persons` and `/funnel/dashboards/{dashboardId}`',
  '`/hooks/{id}/deliveries` and `/hooks/github/{workspaceId}`',
]

t.test('the linter reports no problem, and reports one in a spoilt document', async (t) => {
  // The way back from the identity provider only redirects.
  const rules = { 'operation-2xx-response': 'off' } as const
  const config = await createConfig({ extends: ['recommended'], rules })
  const lint = async (given: object) => {
    const problems = await lintFromString({ source: JSON.stringify(given), config })
    return problems
      .map((problem) => `${problem.severity} ${problem.ruleId}: ${problem.message}`)
      .filter((problem) => !KEPT_APART.some((paths) => problem.includes(paths)))
  }
  t.strictSame(await lint(whole), [])
  const { '/me': me, ...others } = document.paths
  const spoilt = {
    ...document,
    paths: { ...others, '/me': { get: { ...me?.get, operationId: 'getReadiness' } } },
  }
  t.match(await lint(spoilt), [/^error operation-operationId-unique/])
})

t.test('the routes and the document match in both directions', (t) => {
  t.strictSame(
    operations.map(({ method, path }) => `${method} ${path}`).sort(),
    routes.map(({ method, path }) => `${method.toLowerCase()} ${path}`).sort(),
  )
  for (const route of routes) {
    const what = `${route.method} ${route.path}`
    const operation = document.paths[route.path]?.[route.method.toLowerCase()]
    t.equal(operation?.operationId, route.operationId, what)
    t.equal(operation?.['x-scope'] ?? null, route.scope, `${what} scope`)
    t.strictSame(operation?.requestBody === undefined, route.body === undefined, `${what} body`)
    if (route.body !== undefined) {
      t.ok(route.bodyExample, `${what} has an example of its body`)
      t.equal(operation?.requestBody?.required, !route.bodyOptional, `${what} body`)
    }
    for (const [place, schema] of [
      ['path', route.params],
      ['query', route.query],
    ] as const) {
      const shown = operation?.parameters.filter((parameter) => parameter.in === place) ?? []
      t.strictSame(
        shown.map((parameter) => parameter.name),
        Object.keys(schema?.properties ?? {}),
        `${what} ${place}`,
      )
      for (const parameter of shown)
        if (place === 'query')
          t.ok(parameter.description ?? parameter.schema.enum, `${what} says what ${parameter.name} is`)
    }
    for (const [status, { schema, example, contentType = 'application/json' }] of Object.entries(
      route.responses,
    )) {
      const shown = operation?.responses[status]
      t.equal(shown?.content === undefined, schema === undefined, `${what} ${status}`)
      t.strictSame(shown?.content?.[contentType]?.example, example, `${what} ${status}`)
    }
    const codes = Object.values(operation?.responses ?? {}).flatMap(
      ({ content }) =>
        (
          content?.['application/json']?.schema as {
            allOf?: { properties?: { code?: { enum: string[] } } }[]
          }
        )?.allOf?.[1]?.properties?.code?.enum ?? [],
    )
    for (const code of [...(route.errors ?? []), ...(route.scope === null ? [] : ['MISSING_PERMISSION'])])
      t.ok(codes.includes(code), `${what} names ${code}`)
    t.ok(codes.every((code) => code in ERRORS))
  }
  t.end()
})

t.test('webhooks from hosts are documented at the root and without a key', (t) => {
  t.strictSame(
    Object.keys(whole.paths).sort(),
    [...Object.keys(document.paths), ...deliveries.map(({ path }) => path)].sort(),
  )
  for (const { path, headers } of deliveries) {
    const { post } = whole.paths[path] ?? {}
    t.match(post, { servers: [{ url: '/' }], security: [], responses: { 204: {}, 401: {} } })
    t.strictSame(
      post?.parameters.filter(({ required }) => required).map(({ name }) => name),
      ['workspaceId', ...headers.map(({ name }) => name)],
    )
    const example = post?.requestBody?.content['application/json']
    t.ok(ajv.compile(example?.schema ?? {})(example?.example))
  }
  t.end()
})
