import type { TObject, TSchema } from '@sinclair/typebox'
import { NDJSON } from '../download.js'
import { ERRORS, type ErrorCode } from '../http-error.js'
import { IDEMPOTENCY_KEY_PATTERN } from '../idempotency.js'
import { acceptsApiKeys, type HeaderDefinition, type Route } from '../route.js'
import { ErrorBodySchema } from '../schemas.js'
import { INTRODUCTION } from './introduction.js'

export type OpenApiDocument = ReturnType<typeof buildOpenApi>

export interface OpenApiOperation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly 'x-scope'?: string
  /** Present if the path is not below `/v1`. */
  readonly servers?: readonly Json[]
  /** Present if it differs from the document's default. */
  readonly security?: readonly Json[]
  readonly parameters: readonly Parameter[]
  readonly requestBody?: {
    readonly required: boolean
    readonly content: { 'application/json': { schema: Json; example?: unknown } }
  }
  readonly responses: Readonly<Record<string, ResponseObject>>
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: Json
}

export interface ResponseObject {
  readonly description: string
  readonly headers: Json
  readonly content?: Readonly<Partial<Record<ContentType, { schema: Json; example?: unknown }>>>
}

type ContentType = 'application/json' | 'text/event-stream' | 'text/csv' | typeof NDJSON
type Json = Readonly<Record<string, unknown>>

const TAGS: Readonly<Record<string, string>> = {
  Experiments: 'Changes tried on the website; a proposal is an experiment that is not approved yet',
  Proposals: 'From a proposal to a pull request',
  Lifecycle: 'From the start to the decision',
  Learnings: "Frozen evidence of ended experiments, and the team's interpretation",
  'Generation runs': 'Batches of proposals',
  Funnels: 'Ordered steps of events, and how persons convert from one to the next',
  Events: 'What the ingestion API received',
  Insights: 'Trends of events over time, persons who come back, and what is saved and shown on dashboards',
  Identity: 'The person and workspace of a key, and what the workspace lacks',
  Keys: 'Keys of the workspace: for this API, for sending events, for browsers',
  People: 'Who works in the workspace, and what each of them may do',
  Audit: 'Who wrote what, and when',
  Privacy: 'Erasing a person, and exporting what is stored of one',
  Deliveries: 'Webhooks of repository hosts',
}

/** A webhook that hosts send, outside of `/v1`: signed, without a key. */
export interface Delivery {
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly params: TObject
  readonly headers: readonly HeaderDefinition[]
  readonly body: TSchema
  readonly bodyExample: unknown
  /** Description of the response 204. */
  readonly accepted: string
  readonly errors: readonly ErrorCode[]
}

/** Builds the OpenAPI 3.1 document from the routes, so it describes what validates and answers. */
export function buildOpenApi(routes: readonly Route[], deliveries: readonly Delivery[] = []) {
  const schemas = new Map<string, Json>()
  const paths: Record<string, Record<string, OpenApiOperation>> = {}
  for (const route of routes) {
    const item = paths[route.path] ?? {}
    item[route.method.toLowerCase()] = operationOf(route, schemas)
    paths[route.path] = item
  }
  for (const delivery of deliveries) paths[delivery.path] = { post: deliveryOf(delivery, schemas) }
  const used = new Set([...routes.map((route) => route.tag), ...deliveries.map(() => 'Deliveries')])
  return {
    openapi: '3.1.0',
    info: {
      title: 'svc management API',
      version: '1',
      description: INTRODUCTION,
      license: { name: 'Unlicensed', identifier: 'LicenseRef-Unlicensed' },
    },
    servers: [{ url: '/v1', description: 'This server' }],
    tags: [...used].map((name) => ({ name, description: TAGS[name] ?? name })),
    security: [{ key: [] }, { cookie: [] }],
    paths,
    components: {
      schemas: Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))),
      headers: HEADERS,
      securitySchemes: {
        key: bearer('An API key (`tsk_api_…`) or the session token of a person (`tsk_sess_…`)'),
        session: bearer('The session token of a person (`tsk_sess_…`)'),
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: 'svc_session',
          description:
            'Of the console (`__Host-svc_session` over https). Writes need the header `X-Svc-Console`',
        },
      },
    },
  }
}

const bearer = (description: string): Json => ({ type: 'http', scheme: 'bearer', description })

const HEADERS: Json = {
  RequestId: {
    description: 'Names this request in logs and the audit trail',
    schema: { type: 'string', format: 'uuid' },
  },
  ETag: { description: 'For `If-None-Match` and `If-Match`', schema: { type: 'string' } },
  Location: { description: 'Path of the resource', schema: { type: 'string' } },
  RetryAfter: {
    description: 'Seconds to wait before a retry',
    schema: { type: 'integer', minimum: 0 },
  },
  Replayed: {
    description: 'Present if this repeats the first response to the Idempotency-Key',
    schema: { type: 'string', enum: ['true'] },
  },
  RateLimitLimit: {
    description: 'Requests per second, if this limit was exceeded',
    schema: { type: 'integer' },
  },
  RateLimitRemaining: { description: 'Requests left', schema: { type: 'integer' } },
  RateLimitReset: { description: 'Seconds until there are more', schema: { type: 'integer' } },
  Authenticate: { description: 'How to authenticate', schema: { type: 'string', enum: ['Bearer'] } },
}

function header(name: string): Json {
  return { $ref: `#/components/headers/${name}` }
}

const RATE_HEADERS: Json = {
  'RateLimit-Limit': header('RateLimitLimit'),
  'RateLimit-Remaining': header('RateLimitRemaining'),
  'RateLimit-Reset': header('RateLimitReset'),
}

function operationOf(route: Route, schemas: Map<string, Json>): OpenApiOperation {
  const parameters = [
    ...parametersOf('path', route.params, schemas),
    ...parametersOf('query', route.query, schemas),
    ...(route.public ? [] : [WORKSPACE_HEADER]),
    ...(route.method === 'POST' && !route.public ? [IDEMPOTENCY_HEADER] : []),
    ...(route.etag ? [IF_NONE_MATCH_HEADER] : []),
    ...(route.lockState === undefined ? [] : [IF_MATCH_HEADER]),
    ...(route.headers ?? []).map(({ name, description, schema }) =>
      headerParameter(name, description, extract(schema, schemas)),
    ),
  ]
  // In the text too: readers may not see `x-scope`.
  const scope = route.owners
    ? 'Only for owners of the workspace.'
    : route.scope === null
      ? ''
      : `Needs the scope \`${route.scope}\`.`
  const description = [route.description ?? '', scope].filter((part) => part !== '').join('\n\n')
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...(description === '' ? {} : { description }),
    tags: [route.tag],
    ...(route.scope === null ? {} : { 'x-scope': route.scope }),
    ...securityOf(route),
    parameters,
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: !route.bodyOptional,
            content: {
              'application/json': {
                schema: extract(route.body, schemas),
                ...(route.bodyExample === undefined ? {} : { example: route.bodyExample }),
              },
            },
          },
        }),
    responses: { ...answersOf(route, schemas), ...refusalsOf(refusalCodes(route), schemas) },
  }
}

/** Left out if the document's default applies: an API key, a session or its cookie. */
function securityOf(route: Route): Pick<OpenApiOperation, 'security'> {
  if (route.public) return { security: [] }
  return acceptsApiKeys(route) ? {} : { security: [{ session: [] }, { cookie: [] }] }
}

function deliveryOf(delivery: Delivery, schemas: Map<string, Json>): OpenApiOperation {
  const { operationId, summary, description, params, headers, body, bodyExample, accepted, errors } = delivery
  return {
    operationId,
    summary,
    description,
    tags: ['Deliveries'],
    servers: [{ url: '/', description: 'This server' }],
    security: [],
    parameters: [
      ...parametersOf('path', params, schemas),
      ...headers.map(({ name, description, schema }) =>
        headerParameter(name, description, extract(schema, schemas), true),
      ),
    ],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: extract(body, schemas), example: bodyExample } },
    },
    responses: {
      204: { description: accepted, headers: { 'X-Request-Id': header('RequestId') } },
      ...refusalsOf(errors, schemas),
    },
  }
}

const WORKSPACE_HEADER = headerParameter('X-Workspace-Id', 'Optional; must be the workspace of the key', {
  type: 'string',
  format: 'uuid',
})
const IDEMPOTENCY_HEADER = headerParameter('Idempotency-Key', 'Makes retries safe for ten minutes', {
  type: 'string',
  pattern: IDEMPOTENCY_KEY_PATTERN,
})
const IF_NONE_MATCH_HEADER = headerParameter('If-None-Match', 'ETags that the client has')
const IF_MATCH_HEADER = headerParameter(
  'If-Match',
  'The ETag of the resource as you read it, or `*`: the request is refused if it has changed',
)

function headerParameter(
  name: string,
  description: string,
  schema: Json = { type: 'string' },
  required = false,
): Parameter {
  return { name, in: 'header', required, description, schema }
}

function parametersOf(
  place: 'path' | 'query',
  schema: TObject | undefined,
  schemas: Map<string, Json>,
): Parameter[] {
  if (schema === undefined) return []
  const required = new Set(schema.required ?? [])
  return Object.entries(schema.properties).map(([name, property]) => {
    const { description, ...rest } = extract(property, schemas)
    return {
      name,
      in: place,
      required: required.has(name) && property.default === undefined,
      ...(typeof description === 'string' ? { description } : {}),
      schema: rest,
    }
  })
}

function answersOf(route: Route, schemas: Map<string, Json>): Record<string, ResponseObject> {
  const answers: Record<string, ResponseObject> = {}
  const common = {
    'X-Request-Id': header('RequestId'),
    ...(route.etag ? { ETag: header('ETag') } : {}),
    ...(route.method === 'POST' ? { 'Idempotent-Replayed': header('Replayed') } : {}),
  }
  for (const [status, response] of Object.entries(route.responses)) {
    answers[status] = {
      description: response.description,
      headers: {
        ...common,
        ...(status === '201' || status === '202' ? { Location: header('Location') } : {}),
        ...(status === '202' ? { 'Retry-After': header('RetryAfter') } : {}),
      },
      ...(response.schema === undefined
        ? {}
        : {
            content: {
              [response.contentType ?? 'application/json']: {
                schema: extract(response.schema, schemas),
                ...(response.example === undefined ? {} : { example: response.example }),
              },
              ...(response.lineSchema === undefined
                ? {}
                : { [NDJSON]: { schema: extract(response.lineSchema, schemas) } }),
              ...Object.fromEntries(
                (response.otherTypes ?? []).map((type) => [
                  type,
                  { schema: { type: 'string', format: 'binary' } },
                ]),
              ),
            },
          }),
    }
  }
  if (route.etag)
    answers['304'] = {
      description: 'Not modified',
      headers: { 'X-Request-Id': header('RequestId'), ETag: header('ETag') },
    }
  return answers
}

/** The error codes that all routes of this kind share, then those that the route adds. */
function refusalCodes(route: Route): ErrorCode[] {
  const limited = route.scope !== null || route.owners
  if (route.public) return [...(route.errors ?? []), 'RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE']
  return [
    'VALIDATION_FAILED',
    ...(route.body === undefined ? [] : (['MALFORMED_JSON'] as const)),
    'UNAUTHENTICATED',
    'CROSS_SITE_REQUEST',
    'WORKSPACE_MISMATCH',
    ...(limited ? (['MISSING_PERMISSION'] as const) : []),
    ...(acceptsApiKeys(route) ? [] : (['API_KEY_NOT_ALLOWED_HERE'] as const)),
    ...(route.params === undefined ? [] : (['NOT_FOUND'] as const)),
    ...(route.errors ?? []),
    'RATE_LIMITED',
    ...(route.method === 'POST' ? (['IDEMPOTENCY_IN_FLIGHT', 'IDEMPOTENCY_KEY_REUSED'] as const) : []),
    ...(route.lockState === undefined ? [] : (['PRECONDITION_FAILED'] as const)),
    ...(route.body === undefined ? [] : (['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const)),
    'INTERNAL',
    'UNAVAILABLE',
  ]
}

function refusalsOf(all: readonly ErrorCode[], schemas: Map<string, Json>): Record<string, ResponseObject> {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of new Set(all)) {
    const { status } = ERRORS[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  const error = extract(ErrorBodySchema, schemas)
  const refusals: Record<string, ResponseObject> = {}
  for (const [status, codes] of byStatus) {
    const retryable = codes.some((code) => ERRORS[code].retryable)
    const first = codes[0] ?? 'INTERNAL'
    refusals[String(status)] = {
      description: codes.map((code) => `\`${code}\`: ${ERRORS[code].meaning}`).join('. '),
      headers: {
        'X-Request-Id': header('RequestId'),
        ...(status === 401 ? { 'WWW-Authenticate': header('Authenticate') } : {}),
        ...(retryable ? { 'Retry-After': header('RetryAfter') } : {}),
        ...(status === 429 ? RATE_HEADERS : {}),
      },
      content: {
        'application/json': {
          schema: {
            allOf: [error, { type: 'object', properties: { code: { type: 'string', enum: codes } } }],
          },
          example: {
            code: first,
            message: ERRORS[first].meaning,
            requestId: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d61',
            details: [],
          },
        },
      },
    }
  }
  return refusals
}

/** Named schemas go to the components and leave a reference. */
function extract(schema: TSchema, schemas: Map<string, Json>): Json {
  const name: unknown = schema['x-schema']
  if (typeof name !== 'string') return convertFields(schema, schemas)
  if (!schemas.has(name)) {
    // Set before the walk, so that the order of the components does not depend on its depth.
    schemas.set(name, {})
    const { 'x-schema': _, ...rest } = schema
    schemas.set(name, convertFields(rest, schemas))
  }
  return { $ref: `#/components/schemas/${name}` }
}

function convertFields(schema: Json, schemas: Map<string, Json>): Json {
  const out: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'x-schema' || key === 'x-name') continue
    // Alternatives for readers, which a later check tells apart.
    if (key === 'x-any-of') out.anyOf = convert(value, schemas)
    // Values, not schemas.
    else if (key === 'default' || key === 'examples' || key === 'enum' || key === 'const') out[key] = value
    else if (key === 'discriminator') out[key] = { ...(value as Json), mapping: mappingOf(schema) }
    else out[key] = convert(value, schemas)
  }
  return out
}

function convert(value: unknown, schemas: Map<string, Json>): unknown {
  if (Array.isArray(value)) return value.map((item) => convert(item, schemas))
  if (typeof value === 'object' && value !== null) return extract(value as TSchema, schemas)
  return value
}

/** The branch of each value of a discriminator: ajv infers it, the document has to name it. */
function mappingOf(schema: Json): Json {
  const { propertyName } = schema.discriminator as { propertyName: string }
  const mapping: Record<string, string> = {}
  for (const branch of schema.oneOf as TSchema[])
    for (const value of branch.properties?.[propertyName]?.enum ?? [])
      mapping[String(value)] = `#/components/schemas/${String(branch['x-schema'])}`
  return mapping
}
