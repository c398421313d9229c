import type { Static, TObject, TSchema } from '@sinclair/typebox'
import type { Scope } from '../../domain/key.js'
import { type ErrorDetail, validationFailed } from '../../management/domain-errors.js'
import type { Operation } from '../../management/operation.js'
import type { Services } from '../../management/services.js'
import type { Sql, Transaction } from '../../postgres/driver/client.js'
import type { Credential } from '../../postgres/tables/credentials.js'
import type { ErrorCode } from './error-codes.js'
import type { SseStream } from './sse-stream.js'

export interface ApiResponse {
  readonly status: number
  /** Sent as JSON; left out for 204. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Writes the answer as an event stream; called once, with undefined where nobody reads it after all. Only answers of questions have it. */
  readonly stream?: ((stream: SseStream | undefined) => void) | undefined
}

export interface ApiRequest<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly credential: Credential
  readonly workspaceId: string
  readonly requestId: string
  readonly services: Services
  /** By a name in lower case. */
  header(name: string): string | undefined
  /** Throws as at the beginning of the request where the credential is not live any more. */
  reauthenticate(): Promise<void>
  /** Aborted when the client has gone or the time for an answer is over. */
  readonly signal: AbortSignal
  /**
   * Carries an operation out, with its audit entry and the record of the Idempotency-Key: all of them stay, or none.
   *
   * @param answer what is said of its result
   */
  execute<Input, Result, Prepared>(
    operation: Operation<Input, Result, Prepared>,
    input: Input,
    answer: (result: Result, now: number) => ApiResponse,
  ): Promise<ApiResponse>
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface ResponseDefinition {
  readonly description: string
  /** `application/json` where left out. */
  readonly contentType?: 'text/event-stream'
  readonly schema?: TSchema
  readonly example?: unknown
}

export interface HeaderDefinition {
  readonly name: string
  readonly description: string
  readonly schema: TSchema
}

/** What has to hold of a body's or a query's fields beyond their schema. */
export interface Rule<Input> {
  /** The fields it looks at: it is asked where all of them are as their schema has it. */
  readonly of: readonly (keyof Input & string)[]
  /** @param now milliseconds since 1970 */
  problems(input: Input, now: number): ErrorDetail[]
}

/** All that is wrong by some rules. */
export function validateRules<Input>(
  rules: readonly Rule<Input>[],
  input: Input,
  now: number,
): ErrorDetail[] {
  return rules.flatMap((rule) => rule.problems(input, now))
}

/** @throws ApiError VALIDATION_FAILED with all that is wrong by some rules */
export function assertValid<Input>(rules: readonly Rule<Input>[], input: Input, now: number): void {
  const problems = validateRules(rules, input, now)
  if (problems.length > 0) throw validationFailed(problems)
}

interface RouteProperties {
  readonly method: Method
  /** Below `/v1`, parameters in braces: `/funnel/{funnelId}`. */
  readonly path: string
  readonly operationId: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** What a write needs; null for reads. */
  readonly scope: Scope | null
  /** The action of its audit entry, `resource.verb`. */
  readonly audit?: string
  /** A request without a body is as one with `{}`. */
  readonly bodyOptional?: boolean
  readonly bodyExample?: unknown
  readonly responses: Readonly<Record<number, ResponseDefinition>>
  /** Codes beside those that every route of its kind answers with. */
  readonly errors?: readonly ErrorCode[]
  /** Headers that the route reads, beside those that all have. */
  readonly headers?: readonly HeaderDefinition[]
  /** Answers carry an ETag, and `If-None-Match` gives 304. */
  readonly etag?: boolean
  /** Milliseconds after which the answer is 503; 5 s where left out. */
  readonly deadlineMs?: number
}

/** As `Rule`, whatever the input. */
export interface AnyRule {
  readonly of: readonly string[]
  problems(input: unknown, now: number): ErrorDetail[]
}

/** A line of the table of routes: it validates, it documents, it answers. */
export interface Route extends RouteProperties {
  readonly params: TObject | undefined
  readonly query: TObject | undefined
  readonly body: TSchema | undefined
  readonly queryRules?: readonly AnyRule[]
  readonly bodyRules?: readonly AnyRule[]
  // A method, not a property: handlers of one table take requests of different types, each validated by its own schemas.
  handler(request: ApiRequest<unknown, unknown, unknown>): Promise<ApiResponse>
  /** The answer of an operation with a job, as the state is now: what the job's conclusion leaves for a retry. */
  answerFromCurrentState?(
    sql: Sql | Transaction,
    workspaceId: string,
    subjectId: string,
    now: number,
  ): Promise<ApiResponse>
}

interface Schemas<Params extends TObject, Query extends TObject, Body extends TSchema> {
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  /** Rules that the handler keeps. They are asked where a schema has refused something too, so that an answer names all that is wrong. */
  readonly queryRules?: readonly Rule<Static<Query>>[]
  readonly bodyRules?: readonly Rule<Static<Body>>[]
}

interface RouteDefinition<Params extends TObject, Query extends TObject, Body extends TSchema>
  extends RouteProperties,
    Schemas<Params, Query, Body> {
  handler(request: ApiRequest<Static<Params>, Static<Query>, Static<Body>>): Promise<ApiResponse>
}

export function defineRoute<Params extends TObject, Query extends TObject, Body extends TSchema>(
  definition: RouteDefinition<Params, Query, Body>,
): Route {
  return {
    ...definition,
    params: definition.params,
    query: definition.query,
    body: definition.body,
  }
}

interface OperationRouteDefinition<
  Params extends TObject,
  Query extends TObject,
  Body extends TSchema,
  Input,
  Result,
  Prepared,
> extends Omit<RouteProperties, 'audit'>,
    Schemas<Params, Query, Body> {
  readonly operation: Operation<Input, Result, Prepared>
  /** What the operation is asked for. May refuse what no schema can say. */
  input(request: ApiRequest<Static<Params>, Static<Query>, Static<Body>>): Input
  /** @param now milliseconds since 1970 */
  answer(result: Result, now: number): ApiResponse
}

/** A route that carries out an operation of a feature. */
export function defineOperation<
  Params extends TObject,
  Query extends TObject,
  Body extends TSchema,
  Input,
  Result,
  Prepared,
>({
  operation,
  input,
  answer,
  ...definition
}: OperationRouteDefinition<Params, Query, Body, Input, Result, Prepared>): Route {
  const { reread } = operation
  const route = defineRoute<Params, Query, Body>({
    ...definition,
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

/** First segments below `/v1` that an API key opens; a person's session opens all. Source: SERVICE.md section 5. */
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
