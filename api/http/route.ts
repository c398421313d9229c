import type { Static, TObject, TSchema } from '@sinclair/typebox'
import type { Scope } from '../../domain/key.js'
import { type ErrorDetail, validationFailed } from '../../management/domain-errors.js'
import type { Operation } from '../../management/operation.js'
import type { Services } from '../../management/services.js'
import type { Sql, Transaction } from '../../postgres/driver/client.js'
import type { Credential } from '../../postgres/tables/credentials.js'
import type { ErrorCode } from './http-error.js'
import type { ResponseStream } from './response-stream.js'
import { pageSchema } from './schemas.js'

export interface RouteResponse {
  readonly status: number
  /** Sent as JSON; omitted for 204. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** The part that `If-Match` compares, if a change of the rest of the body must not refuse a write. */
  readonly state?: unknown
  /**
   * Writes the response as an event stream. Called once, with undefined if the client has gone. Only for
   * reads.
   */
  readonly stream?: ((stream: ResponseStream | undefined) => void) | undefined
  /** Values of `Set-Cookie`. A replay by an Idempotency-Key does not repeat them. */
  readonly cookies?: readonly string[] | undefined
}

export interface ApiRequest<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly credential: Credential
  readonly workspaceId: string
  readonly requestId: string
  readonly services: Services
  /** @param name in lower case */
  header(name: string): string | undefined
  /** Throws as at the beginning of the request if the credential is no longer active. */
  reauthenticate(): Promise<void>
  /**
   * Runs a part of a streamed response when the workspace has a turn, as heavy routes do. Waits without a
   * limit.
   */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>
  /** Aborted when the client has gone or the deadline has passed. */
  readonly signal: AbortSignal
  /**
   * Executes an operation. Its audit entry and the record of the Idempotency-Key are committed with it.
   *
   * @param answer the response to its result
   */
  execute<Input, Result, Prepared>(
    operation: Operation<Input, Result, Prepared>,
    input: Input,
    answer: (result: Result, now: number) => RouteResponse,
  ): Promise<RouteResponse>
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface ResponseDefinition {
  readonly description: string
  /** @default `application/json` */
  readonly contentType?: 'text/event-stream' | 'application/x-ndjson' | 'text/csv'
  readonly schema?: TSchema
  readonly example?: unknown
  /** Of a line, if the route also answers as NDJSON. */
  readonly lineSchema?: TSchema
  /** Types that the route also answers with, without a schema. */
  readonly otherTypes?: readonly string[]
}

export function json(description: string, schema: TSchema, example: unknown): ResponseDefinition {
  return { description, schema, example }
}

/** The response of a list, in pages of `limit` entries by default. `example` is one entry. */
export function pageOf(
  description: string,
  name: string,
  item: TSchema,
  example: unknown,
  limit: number,
): ResponseDefinition {
  return json(description, pageSchema(name, item), page({ limit, offset: 0 }, [example], 1).body)
}

/** @param total over all pages */
export function page<Item>(
  { limit, offset }: { readonly limit: number; readonly offset: number },
  data: readonly Item[],
  total: number,
) {
  const pagination = { limit, offset, total, hasMore: offset + data.length < total }
  return { status: 200, body: { data, pagination } }
}

export function created(body: unknown, location: string): RouteResponse {
  return { status: 201, body, headers: { Location: location } }
}

/** The response of work that goes on in the background. `location` tells how far it is. */
export function accepted(body: unknown, location: string, retryAfterSeconds = 1): RouteResponse {
  return { status: 202, body, headers: { Location: location, 'Retry-After': String(retryAfterSeconds) } }
}

export interface HeaderDefinition {
  readonly name: string
  readonly description: string
  readonly schema: TSchema
}

/** A condition on a body's or a query's fields beyond their schema. */
export interface Rule<Input> {
  /** The fields it reads: it is checked if all of them match their schema. */
  readonly of: readonly (keyof Input & string)[]
  /** @param now milliseconds since 1970 */
  problems(input: Input, now: number): ErrorDetail[]
}

export function validateRules<Input>(
  rules: readonly Rule<Input>[],
  input: Input,
  now: number,
): ErrorDetail[] {
  return rules.flatMap((rule) => rule.problems(input, now))
}

/** @throws DomainError VALIDATION_FAILED with all violations */
export function assertValid<Input>(rules: readonly Rule<Input>[], input: Input, now: number): void {
  const problems = validateRules(rules, input, now)
  if (problems.length > 0) throw validationFailed(problems)
}

interface RouteProperties {
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** The action of its audit entry, `resource.verb`. */
  readonly audit?: string
  /** Whether only owners of the workspace may call it. */
  readonly owners?: boolean
  /** The response has a secret: it is sealed if it is stored for an Idempotency-Key. */
  readonly secret?: boolean
  /** Needs no key: `publicRoutes` answers it. */
  readonly public?: boolean
  /** A request without a body counts as `{}`. */
  readonly bodyOptional?: boolean
  readonly bodyExample?: unknown
  readonly responses: Readonly<Record<number, ResponseDefinition>>
  /** Codes in addition to those of every route of its kind. */
  readonly errors?: readonly ErrorCode[]
  /** Headers that the route reads, in addition to the common ones. */
  readonly headers?: readonly HeaderDefinition[]
  /** Responses carry an ETag, and `If-None-Match` gives 304. */
  readonly etag?: boolean
  /** Reads many events: a workspace runs a few such requests at once, and the workspaces take turns. */
  readonly heavy?: boolean
  /** Milliseconds after which the response is 503. @default 5 s */
  readonly deadlineMs?: number
}

export interface AnyRule {
  readonly of: readonly string[]
  problems(input: unknown, now: number): ErrorDetail[]
}

/** An entry of the route table: it validates, documents and answers. */
export interface Route extends RouteProperties {
  readonly method: Method
  /** Below `/v1`, parameters in braces: `/funnel/{funnelId}`. */
  readonly path: string
  readonly operationId: string
  /** The scope that a write needs; null for reads. */
  readonly scope: Scope | null
  readonly params: TObject | undefined
  readonly query: TObject | undefined
  readonly body: TSchema | undefined
  readonly queryRules?: readonly AnyRule[]
  readonly bodyRules?: readonly AnyRule[]
  /** See `Definition.lockState`. */
  lockState?(tx: Transaction, workspaceId: string, params: unknown, credential: Credential): Promise<unknown>
  // A method, not a property: handlers of one table accept requests of different types, each validated by its
  // schemas.
  handler(request: ApiRequest<unknown, unknown, unknown>): Promise<RouteResponse>
  /** The response of a deferred operation as of now, written when its job concludes. */
  answerFromCurrentState?(
    sql: Sql | Transaction,
    workspaceId: string,
    subjectId: string,
    now: number,
  ): Promise<RouteResponse>
}

interface Definition<Params extends TObject, Query extends TObject, Body extends TSchema>
  extends RouteProperties {
  /** The scope that a write needs. Left out for reads. */
  readonly scope?: Scope
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  /**
   * Rules that the handler asserts. They are also checked if a schema refused something, so that a 400 lists
   * everything.
   */
  readonly queryRules?: readonly Rule<Static<Query>>[]
  readonly bodyRules?: readonly Rule<Static<Body>>[]
  /**
   * Makes `If-Match` work on a write: locks the resource and returns what the ETag of its GET depends on, the
   * body or its `state`. Throws NOT_FOUND.
   */
  lockState?(
    tx: Transaction,
    workspaceId: string,
    params: Static<Params>,
    credential: Credential,
  ): Promise<unknown>
}

interface RouteDefinition<Params extends TObject, Query extends TObject, Body extends TSchema>
  extends Definition<Params, Query, Body> {
  handler(request: ApiRequest<Static<Params>, Static<Query>, Static<Body>>): Promise<RouteResponse>
}

/** Method and path below `/v1`, parameters in braces: `GET /funnel/{funnelId}`. */
type Place = `${Method} /${string}`

export function defineRoute<Params extends TObject, Query extends TObject, Body extends TSchema>(
  place: Place,
  operationId: string,
  definition: RouteDefinition<Params, Query, Body>,
): Route {
  const [method, path = ''] = place.split(' ') as [Method, string]
  const { scope = null, params, query, body } = definition
  return { ...definition, method, path, operationId, scope, params, query, body }
}

interface OperationRouteDefinition<
  Params extends TObject,
  Query extends TObject,
  Body extends TSchema,
  Input,
  Result,
  Prepared,
> extends Omit<Definition<Params, Query, Body>, 'audit'> {
  readonly operation: Operation<Input, Result, Prepared>
  /** Builds the operation's input. May throw for what no schema can express. */
  input(request: ApiRequest<Static<Params>, Static<Query>, Static<Body>>): Input
  /** @param now milliseconds since 1970 */
  answer(result: Result, now: number): RouteResponse
}

/** A route that executes an operation of a feature. */
export function defineOperation<
  Params extends TObject,
  Query extends TObject,
  Body extends TSchema,
  Input,
  Result,
  Prepared,
>(
  place: Place,
  operationId: string,
  definition: OperationRouteDefinition<Params, Query, Body, Input, Result, Prepared>,
): Route {
  const { operation, input, answer, ...properties } = definition
  const { reread } = operation
  const route = defineRoute<Params, Query, Body>(place, operationId, {
    ...properties,
    audit: operation.action,
    async handler(request) {
      return request.execute(operation, input(request), answer)
    },
  })
  if (reread === undefined) return route
  return {
    ...route,
    answerFromCurrentState: async (sql, workspaceId, subjectId, now) =>
      answer(await reread(sql, workspaceId, subjectId), now),
  }
}

/** First segments below `/v1` that accept API keys; session tokens are accepted everywhere. */
export const API_KEY_SEGMENTS: ReadonlySet<string> = new Set([
  'me',
  'experiments',
  'learnings',
  'experiment-runs',
  'funnel',
  'readiness',
  'events',
])

export function acceptsApiKeys(route: Route): boolean {
  return API_KEY_SEGMENTS.has(route.path.split('/')[1] ?? '')
}
