import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import type { Teardown } from '../../../test/support/stores.js'

/**
 * Faults of a request.
 *
 * - `pass`: it reaches the service
 * - `before`: the connection is cut, and nothing arrives
 * - `within`: the connection is cut when half of it has arrived
 * - `after`: the service carries it out, and its answer is lost
 * - `hang`: no answer comes
 * - otherwise the answer of another server
 */
export type Fault =
  | 'pass'
  | 'before'
  | 'within'
  | 'after'
  | 'hang'
  | { readonly status: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> }

export interface Seen {
  readonly path: string
  readonly at: number
  readonly headers: IncomingHttpHeaders
  /** The body's JSON. */
  readonly body: { readonly sentAt?: string; readonly events?: readonly Record<string, unknown>[] }
  readonly bytes: number
  readonly fault: Fault
}

export interface FaultyProxy {
  readonly url: string
  readonly seen: readonly Seen[]
  /** The faults of the next requests; later ones have the last. */
  next(...faults: readonly Fault[]): void
}

/** A proxy in front of a service. It understands the requests, and fails as networks and other servers do. */
export async function startFaultyProxy(t: Teardown, target: () => string): Promise<FaultyProxy> {
  const seen: Seen[] = []
  let faults: readonly Fault[] = ['pass']
  const server = createServer(async (from, answer) => {
    // Undefined if the client has gone.
    const sent = await buffer(from).catch(() => undefined)
    if (sent === undefined) return
    const plain = from.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
    const [fault = 'pass', ...rest] = faults
    if (rest.length > 0) faults = rest
    seen.push({
      path: from.url ?? '',
      at: Date.now(),
      headers: from.headers,
      body: JSON.parse(plain.toString()),
      bytes: plain.length,
      fault,
    })
    carryOut(fault, target() + from.url, sent, from, answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    next: (...next) => {
      faults = next
    },
  }
}

const agent = new Agent({ keepAlive: true })

function carryOut(
  fault: Fault,
  url: string,
  body: Buffer,
  from: IncomingMessage,
  answer: ServerResponse,
): void {
  if (fault === 'hang') return
  if (fault === 'before') {
    from.socket.destroy()
    return
  }
  if (typeof fault === 'object') {
    answer.writeHead(fault.status, fault.headers).end(fault.body)
    return
  }
  const { connection: _, ...headers } = from.headers
  const forwarded = request(url, { method: 'POST', headers, agent }, (given) => {
    if (fault === 'after') {
      given.resume()
      from.socket.destroy()
      return
    }
    // A library repeats a request that finds its connection closed without a report.
    answer.writeHead(given.statusCode ?? 502, { ...given.headers, connection: 'close' })
    given.pipe(answer)
  })
  forwarded.on('error', () => from.socket.destroy())
  if (fault === 'within')
    forwarded.write(body.subarray(0, body.length / 2), () => {
      forwarded.destroy()
      from.socket.destroy()
    })
  else forwarded.end(body)
}
