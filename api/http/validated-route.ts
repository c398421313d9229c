import type { TSchema } from '@sinclair/typebox'
import { type ErrorDetail, validationFailed } from '../../management/domain-errors.js'
import { ClientGoneError } from './client-gone-error.js'
import type { Exchange } from './exchange.js'
import { HttpError } from './http-error.js'
import { IDEMPOTENCY_KEY_PATTERN } from './idempotency.js'
import { findUnstorable, parseJson } from './json.js'
import { parseParams, parseQuery } from './query-string.js'
import type { AnyRule, Route } from './route.js'
import { bodyPath, compileValidator, pathParameterPath, queryPath, type Validator } from './validate.js'

export interface ValidatedInput {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  /** The body before defaults, by which a retry is compared. */
  readonly sentBody: unknown
  readonly idempotencyKey: string | undefined
}

/** Larger bodies are read in turns. */
export const LARGE_INPUT_BYTES = 16_384

const idempotencyKey = new RegExp(IDEMPOTENCY_KEY_PATTERN)

/** A route with compiled schemas: types a request's parts or reports every offending field at once. */
export class ValidatedRoute {
  private readonly params: Validator | undefined
  private readonly query: Validator | undefined
  private readonly body: Validator | undefined

  constructor(readonly route: Route) {
    const of = (schema: TSchema | undefined, place: (pointer: string) => string) =>
      schema === undefined ? undefined : compileValidator(schema, place)
    this.params = of(route.params, pathParameterPath)
    this.query = of(route.query, queryPath)
    this.body = of(route.body, bodyPath)
  }

  /** @param inTurn runs the synchronous work for a body of a size, now or later */
  async read(
    exchange: Exchange,
    rawParams: Readonly<Record<string, string>>,
    now: number,
    inTurn: <Result>(bodyBytes: number, work: () => Result) => Result | Promise<Result>,
  ): Promise<ValidatedInput> {
    const bytes = await this.receiveBody(exchange)
    return await inTurn(bytes?.length ?? 0, () => {
      if (exchange.isGone) throw new ClientGoneError()
      return this.validate(exchange, bytes, rawParams, now)
    })
  }

  private validate(
    exchange: Exchange,
    bytes: Buffer | undefined,
    rawParams: Readonly<Record<string, string>>,
    now: number,
  ): ValidatedInput {
    const sentBody = bytes === undefined ? undefined : this.parseBody(bytes)
    const details: ErrorDetail[] = []

    const params = parseParams(rawParams)
    details.push(...params.details)
    if (params.details.length === 0) details.push(...(this.params?.(params.values) ?? []))

    const query = parseQuery(exchange.queryText, this.route.query)
    details.push(...query.details)
    if (this.query !== undefined) {
      const named = new Set(query.details.map((detail) => detail.path))
      details.push(...this.query(query.values).filter((detail) => !named.has(detail.path)))
    } else {
      for (const name of Object.keys(query.values))
        details.push({ path: `query.${name}`, message: 'is not a known field or parameter' })
    }

    const key = this.route.method === 'POST' ? exchange.header('idempotency-key') : undefined
    if (key !== undefined && !idempotencyKey.test(key))
      details.push({
        path: 'header.Idempotency-Key',
        message: 'must have 8 to 128 characters of A-Z a-z 0-9 - _ . ~',
      })

    // Defaults are filled in below; a retry that omits one is still the same request.
    const body = key === undefined ? sentBody : structuredClone(sentBody)
    if (this.body !== undefined) {
      const kept = findUnstorable(sentBody)
      details.push(...kept)
      const places = new Set(kept.map((detail) => detail.path))
      // If the walk has refused the whole body, validating its parts could take long.
      if (!places.has('')) {
        const isLarge = (bytes?.length ?? 0) >= LARGE_INPUT_BYTES
        details.push(...this.body(body, isLarge).filter((detail) => !places.has(detail.path)))
      }
    }
    if (details.length > 0)
      throw validationFailed([
        ...details,
        ...ruleViolations(this.route.queryRules, query.values, queryPath, details, now),
        ...ruleViolations(this.route.bodyRules, body, bodyPath, details, now),
      ])
    return { params: params.values, query: query.values, body, sentBody, idempotencyKey: key }
  }

  private async receiveBody(exchange: Exchange): Promise<Buffer | undefined> {
    if (this.route.body === undefined) return undefined
    if (exchange.hasBody) checkMediaType(exchange)
    return await exchange.readBody()
  }

  private parseBody(bytes: Buffer): unknown {
    const parsed = parseJson(bytes)
    if (parsed !== undefined) return parsed
    if (this.route.bodyOptional) return {}
    throw new HttpError('MALFORMED_JSON', 'The body is empty: send a JSON object')
  }
}

/** Violations of rules whose fields match their schema. */
function ruleViolations(
  rules: readonly AnyRule[] = [],
  input: unknown,
  place: (pointer: string) => string,
  details: readonly ErrorDetail[],
  now: number,
): ErrorDetail[] {
  const isWrong = (at: string) => details.some(({ path }) => path === at || path.startsWith(`${at}/`))
  if (typeof input !== 'object' || input === null || details.some(({ path }) => path === place(''))) return []
  return rules
    .filter(({ of }) => !of.some((field) => isWrong(place(`/${field}`))))
    .flatMap((rule) => rule.problems(input, now))
}

/** `application/json` with any parameters, or no type. The service decompresses nothing. */
function checkMediaType(exchange: Exchange): void {
  const type = exchange.header('content-type')?.split(';')[0]?.trim().toLowerCase()
  const encoding = exchange.header('content-encoding')?.trim().toLowerCase()
  if (type !== undefined && type !== '' && type !== 'application/json')
    throw new HttpError('UNSUPPORTED_MEDIA_TYPE', 'The body must be sent as application/json', [
      { path: 'header.Content-Type', message: 'must be application/json' },
    ])
  if (encoding !== undefined && encoding !== '' && encoding !== 'identity')
    throw new HttpError('UNSUPPORTED_MEDIA_TYPE', 'The body must be sent without compression', [
      { path: 'header.Content-Encoding', message: 'must be left out' },
    ])
}
