import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Session } from 'chdb'

/**
 * A ClickHouse server for tests: the part of its HTTP interface that the service uses, over the embedded
 * engine, which really runs every statement. Query in the URL or the body (also as multipart), bound values,
 * settings and database as URL parameters, `query_id` and KILL QUERY, rows as the body of an INSERT, errors
 * with their code in a header and their text in the body.
 */
export interface ClickHouseHttp {
  /** `http://user@host:port`, without a database. */
  readonly url: string
  /** URL parameters of the latest requests, for tests of what was sent. */
  readonly requests: readonly URLSearchParams[]
  close(): Promise<void>
}

/** For a server that plays one replica of a cluster (see replica.ts). */
export interface PlayedReplica {
  /** The name of the server that answers a statement. */
  name(statement: string): string
  /** The statement that the engine runs in place of `statement`. */
  playable(statement: string): string
}

/**
 * The engine's own user, the only one it has: dictionaries log in to the engine itself with what the client
 * was given.
 */
const USER = 'default'

/** Parameters of the HTTP interface that are no settings of the engine. */
const NOT_SETTINGS = new Set([
  'query',
  'database',
  'query_id',
  'default_format',
  'session_id',
  'session_timeout',
  'wait_end_of_query',
  'send_progress_in_http_headers',
  'enable_http_compression',
  'http_headers_progress_interval_ms',
])

const REMEMBERED_REQUESTS = 1_000
/** `http_max_field_value_size` of a server's default profile. */
const LONGEST_FIELD = 131_072

/**
 * Serves the store in `folder`, on `port` or any free one. By default the folder is temporary, and `close`
 * removes it. One process at a time may use a folder; the next one finds the data of a killed one.
 */
export async function startClickHouseHttp(
  options: { readonly folder?: string; readonly port?: number; readonly replica?: PlayedReplica } = {},
): Promise<ClickHouseHttp> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'svc-clickhouse-http-'))
  // Holds the engine while no request does.
  const keeper = new Session(join(folder, 'data'))
  const requests: URLSearchParams[] = []
  /** Marks of running queries by query_id. */
  const running = new Map<string, string>()
  let taken = 0

  const execute = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (url.pathname === '/ping') {
      response.end('Ok.\n')
      return
    }
    const body = Buffer.concat(await request.toArray())
    const params = url.searchParams
    if (!isAuthorized(request))
      throw new Error(`Code: 516. DB::Exception: ${USER}: Authentication failed. (AUTHENTICATION_FAILED)`)
    let query = params.get('query') ?? ''
    let rows: Buffer | undefined
    const boundary = /boundary=(.+)$/.exec(request.headers['content-type'] ?? '')?.[1]
    if (boundary !== undefined)
      for (const [name, value] of multipart(body, boundary)) {
        if (value.length > LONGEST_FIELD)
          throw new Error(
            'Code: 1000. DB::Exception: HTML Form Exception: Field value too long. (POCO_EXCEPTION)',
          )
        if (name === 'query') query = value
        else params.set(name, value)
      }
    else if (query === '') query = body.toString()
    else rows = body
    requests.push(new URLSearchParams(params))
    if (requests.length > REMEMBERED_REQUESTS) requests.shift()

    const session = new Session(join(folder, 'data'))
    const queryId = params.get('query_id') ?? ''
    const number = ++taken
    const mark = `request-${number}.`
    running.set(queryId, mark)
    let file: string | undefined
    try {
      for (const statement of setUp(params, mark)) await session.queryAsync(statement)
      if (rows !== undefined) {
        file = join(folder, `body-${number}`)
        writeFileSync(file, rows)
        query = readFrom(file, query)
      }
      const killed = /^KILL QUERY WHERE query_id = \{(\w+):String\}/.exec(query)?.[1]
      if (killed !== undefined) {
        const target = running.get(params.get(`param_${killed}`) ?? '') ?? 'nothing'
        query = `KILL QUERY WHERE Settings['log_comment'] = '${target}' ASYNC`
      }
      if (options.replica !== undefined) {
        response.setHeader('X-ClickHouse-Server-Display-Name', options.replica.name(query))
        query = options.replica.playable(query)
      }
      const result = await session.queryAsync(query, {
        format: params.get('default_format') ?? 'TabSeparated',
      })
      response.setHeader('X-ClickHouse-Query-Id', queryId)
      response.end(result.bytes())
    } finally {
      running.delete(queryId)
      session.close()
      if (file !== undefined) rmSync(file)
    }
  }

  const server = createServer((request, response) => {
    execute(request, response).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error)
      const code = /^Code: (\d+)/.exec(message)?.[1]
      response.statusCode = code === '516' ? 403 : code === '62' ? 400 : code === '60' ? 404 : 500
      if (code !== undefined) response.setHeader('X-ClickHouse-Exception-Code', code)
      response.end(`${message} (version 26.7.1.1)\n`)
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${USER}@127.0.0.1:${port}`,
    requests,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      keeper.close()
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}

function isAuthorized(request: IncomingMessage): boolean {
  const basic = Buffer.from(`${USER}:`).toString('base64')
  return request.headers.authorization === `Basic ${basic}`
}

/** The statements that give a fresh connection what a request's parameters say. */
function* setUp(params: URLSearchParams, mark: string): Generator<string> {
  // A real server does not count bound values.
  yield 'SET max_query_size = 67108864'
  yield `SET log_comment = ${literal(mark)}`
  for (const [name, value] of params) {
    if (name.startsWith('param_')) yield `SET ${name} = ${literal(value)}`
    else if (!NOT_SETTINGS.has(name)) yield `SET ${name} = ${literal(value)}`
  }
  const database = params.get('database')
  if (database !== null) yield `USE \`${database}\``
}

/** The body of an INSERT, which the engine reads from a file instead. */
function readFrom(file: string, query: string): string {
  const withInput = query.replace(
    /FROM input\(('(?:[^'\\]|\\.)*')\) FORMAT (\w+)$/,
    (_, structure: string, format: string) => `FROM file(${literal(file)}, ${literal(format)}, ${structure})`,
  )
  if (withInput !== query) return withInput
  return query.replace(
    /FORMAT (\w+)$/,
    (_, format: string) => `FROM INFILE ${literal(file)} FORMAT ${format}`,
  )
}

function literal(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

function multipart(body: Buffer, boundary: string): [name: string, value: string][] {
  return body
    .toString()
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const end = part.indexOf('\r\n\r\n')
      return [/name="([^"]+)"/.exec(part.slice(0, end))?.[1] ?? '', part.slice(end + 4, -2)]
    })
}
