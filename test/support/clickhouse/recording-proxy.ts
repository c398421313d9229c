import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy in front of a ClickHouse server that records what the service sends. */
export interface RecordingProxy {
  /** `http://user:password@host:port`, without a database. */
  readonly url: string
  /** URL parameters of the requests so far, also those that were sent as parts of a body. */
  readonly requests: readonly URLSearchParams[]
  close(): Promise<void>
}

/** For a server that plays one replica of a cluster (see replica.ts). */
export interface PlayedReplica {
  /** The name of the server that answers a statement. */
  name(statement: string): string
  /** The statement that the server runs in place of `statement`. */
  playable(statement: string): string
}

/** @param server `http://user:password@host:port` of the server behind */
export async function startRecordingProxy(server: string, replica?: PlayedReplica): Promise<RecordingProxy> {
  const behind = new URL(server)
  const requests: URLSearchParams[] = []

  const forward = async (near: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(near.url ?? '/', behind)
    const { searchParams } = url
    const sent = new URLSearchParams(searchParams)
    let body = Buffer.concat(await near.toArray())
    const boundary = /boundary=(.+)$/.exec(near.headers['content-type'] ?? '')?.[1]
    if (boundary !== undefined) for (const [name, value] of partsOf(body, boundary)) sent.set(name, value)
    requests.push(sent)
    let renamed = {}
    if (replica !== undefined) {
      const statement = sent.get('query') ?? body.toString()
      renamed = { 'x-clickhouse-server-display-name': replica.name(statement) }
      const playable = replica.playable(statement)
      if (searchParams.has('query')) searchParams.set('query', playable)
      else body = Buffer.from(body.toString().replace(statement, () => playable))
    }
    const far = request(
      { port: behind.port, path: url.pathname + url.search, method: near.method },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...renamed })
        answer.pipe(response)
      },
    )
    for (const [name, value] of Object.entries(near.headers))
      if (value !== undefined && !FRAMING.has(name)) far.setHeader(name, value)
    far.on('error', () => response.destroy())
    response.on('close', () => far.destroy())
    far.end(body)
  }

  const listener = createServer((near, response) => {
    forward(near, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address() as AddressInfo
  return {
    url: server.replace(`:${behind.port}`, `:${port}`),
    requests,
    async close() {
      listener.closeAllConnections()
      await new Promise((resolve) => listener.close(resolve))
    },
  }
}

/** Headers about the length of a body, which may change. */
const FRAMING = new Set(['content-length', 'transfer-encoding'])

function partsOf(body: Buffer, boundary: string): [name: string, value: string][] {
  return body
    .toString()
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const end = part.indexOf('\r\n\r\n')
      return [/name="([^"]+)"/.exec(part.slice(0, end))?.[1] ?? '', part.slice(end + 4, -2)]
    })
}
