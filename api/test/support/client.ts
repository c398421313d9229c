import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

/** The parts of an OpenAPI document that the client reads. */
interface DocumentView {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationView>>>>
  readonly components: { readonly schemas: { readonly Error: object } }
}

interface OperationView {
  readonly responses: Readonly<Record<string, ResponseView>>
}

interface ResponseView {
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, unknown>>
}

export interface ContractRequest {
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent unchanged, as `application/json` unless the headers differ. */
  readonly rawBody?: string | Buffer
  readonly signal?: AbortSignal
}

export interface ContractAnswer<Body = Record<string, unknown>> {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Body
  readonly text: string
}

export interface ErrorView {
  readonly code: string
  readonly message: string
  readonly requestId: string
  readonly details: readonly { readonly path: string; readonly message: string }[]
}

/** A response that the OpenAPI document does not allow. */
export class ContractViolation extends Error {
  override readonly name = 'ContractViolation'
}

export interface ContractClient {
  /** @param path below `/v1`, with its query; sent unchanged */
  request<Body = Record<string, unknown>>(
    method: string,
    path: string,
    options?: ContractRequest,
  ): Promise<ContractAnswer<Body>>
  /** Like `request`, for a response that must be an error. */
  refused(method: string, path: string, options?: ContractRequest): Promise<ContractAnswer<ErrorView>>
  /** The `operationId status` pairs seen. */
  readonly seen: ReadonlySet<string>
}

/**
 * An HTTP client that checks every response against the OpenAPI document: status, schema and headers.
 *
 * @param openapi the parsed document
 * @param baseUrl `http://HOST:PORT`
 * @throws ContractViolation
 */
export function createContractClient(openapi: unknown, baseUrl: string): ContractClient {
  const document = openapi as DocumentView
  const ajv = new Ajv2020({ allErrors: true, strict: false })
  ajv.addFormat('uuid', /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)
  // Responses write times in one form; only requests may vary.
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  ajv.addSchema(document as object, 'openapi')
  const templates = Object.keys(document.paths).map((template) => ({
    template,
    pattern: new RegExp(`^${template.replace(/[.*+?^$|()[\]\\]/g, '\\$&').replace(/\{[^}]+\}/g, '[^/]+')}$`),
    fixed: template.split('/').filter((segment) => !segment.startsWith('{')).length,
  }))
  templates.sort((a, b) => b.fixed - a.fixed)
  const seen = new Set<string>()

  const check = (method: string, path: string, answer: ContractAnswer<unknown>): void => {
    const say = (problem: string): never => {
      throw new ContractViolation(
        `${method} ${path} ${answer.status}: ${problem}\n${answer.text.slice(0, 2_000)}`,
      )
    }
    const bare = path.split('?')[0] ?? ''
    if (!/^[0-9a-f-]{36}$/.test(String(answer.headers['x-request-id']))) say('no X-Request-Id')
    if (answer.headers['x-content-type-options'] !== 'nosniff') say('no X-Content-Type-Options')
    if (answer.status === 401 && answer.headers['www-authenticate'] !== 'Bearer') say('no WWW-Authenticate')
    if (answer.status === 503 && answer.headers['retry-after'] === undefined) say('no Retry-After')
    if (answer.status === 405 && answer.headers.allow === undefined) say('no Allow')
    const known = templates.find(({ pattern }) => pattern.test(bare))
    const lower = method === 'HEAD' ? 'get' : method.toLowerCase()
    const item = known === undefined ? undefined : document.paths[known.template]
    const operation = item?.[lower] as (OperationView & { operationId: string }) | undefined
    if (known === undefined || operation === undefined) {
      // No such route: only errors of the HTTP layer are right.
      if (![401, 403, 404, 405, 429].includes(answer.status)) say('an undocumented route answered')
      if (method !== 'HEAD') fits('openapi#/components/schemas/Error', answer.body, say)
      return
    }
    const response = operation.responses[String(answer.status)]
    if (response === undefined) {
      say('an undocumented status')
      return
    }
    seen.add(`${operation.operationId} ${answer.status}`)
    for (const header of Object.keys(response.headers ?? {})) {
      // Only sent if there is something to say.
      if (header === 'Retry-After' && answer.status === 409) continue
      if (header === 'Idempotent-Replayed' || header.startsWith('RateLimit-')) continue
      if (answer.headers[header.toLowerCase()] === undefined) say(`no ${header}`)
    }
    if (response.content === undefined || method === 'HEAD') {
      if (answer.text !== '') say('a body where there is none')
      return
    }
    const sent = String(answer.headers['content-type']).split(';')[0] ?? ''
    if (!(sent in response.content)) say(`not ${Object.keys(response.content).join(' or ')}`)
    // The client leaves a stream at its beginning.
    if (sent === 'text/event-stream') return
    const pointer = [
      'paths',
      known.template,
      lower,
      'responses',
      String(answer.status),
      'content',
      sent,
      'schema',
    ]
    const reference = `openapi#/${pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`
    if (sent === 'application/x-ndjson') for (const line of linesOf(answer.text)) fits(reference, line, say)
    else fits(reference, sent === 'application/json' ? answer.body : answer.text, say)
  }

  const compiled = new Map<string, ValidateFunction>()
  const fits = (reference: string, body: unknown, say: (problem: string) => never): void => {
    const validate = compiled.get(reference) ?? ajv.compile({ $ref: reference })
    compiled.set(reference, validate)
    if (!validate(body)) say(`the body does not fit: ${ajv.errorsText(validate.errors)}`)
  }

  const request = async <Body>(
    method: string,
    path: string,
    options: ContractRequest = {},
  ): Promise<ContractAnswer<Body>> => {
    const answer = await send(baseUrl, method, `/v1${path}`, options)
    check(method, path, answer)
    return answer as ContractAnswer<Body>
  }
  return {
    request,
    async refused(method, path, options) {
      const answer = await request<ErrorView>(method, path, options)
      if (answer.status < 400)
        throw new ContractViolation(`${method} ${path} ${answer.status}: not refused\n${answer.text}`)
      if (answer.body !== undefined && answer.body.requestId !== answer.headers['x-request-id'])
        throw new ContractViolation(`${method} ${path}: body and header name different requests`)
      return answer
    },
    seen,
  }
}

/** The objects of NDJSON. */
export function linesOf<Line>(text: string): Line[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line)
}

/**
 * One request over a new connection, with the path unchanged. An event stream is closed once it has begun.
 */
export function send(
  baseUrl: string,
  method: string,
  path: string,
  options: ContractRequest = {},
): Promise<ContractAnswer<unknown>> {
  const body = options.rawBody ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
  const headers: Record<string, string> = {
    ...(options.key === undefined ? {} : { Authorization: `Bearer ${options.key}` }),
    ...(body === undefined
      ? {}
      : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }),
    ...options.headers,
  }
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      {
        hostname,
        port,
        method,
        path,
        headers,
        agent: false,
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('error', reject)
        const end = () => {
          const text = Buffer.concat(chunks).toString('utf8')
          const isJson = String(incoming.headers['content-type']).startsWith('application/json')
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            body: isJson && text !== '' ? (JSON.parse(text) as unknown) : undefined,
            text,
          })
        }
        incoming.on('end', end)
        incoming.on('data', (chunk: Buffer) => {
          chunks.push(chunk)
          if (!String(incoming.headers['content-type']).startsWith('text/event-stream')) return
          end()
          incoming.destroy()
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
