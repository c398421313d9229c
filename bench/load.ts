import { gzipSync } from 'node:zlib'
import { makeBody, type RequestBody, renewIds, type Shape } from './support/load/bodies.js'
import { openLane } from './support/load/lanes.js'

/**
 * The load generator, a process of its own so that its CPU is counted apart. Reads one JSON argument and
 * prints one line of JSON. Closed loop: each connection sends its next request after the last response. Open
 * loop: requests start at a fixed rate.
 */
export interface LoadOptions {
  readonly host: string
  readonly port: number
  readonly key: string
  readonly connections: number
  readonly seconds: number
  /** With several sizes, each connection cycles through them from another start. */
  readonly eventsPerRequest: number | readonly number[]
  /** Requests per second over all connections; undefined for a closed loop. */
  readonly requestsPerSecond?: number
  readonly seed: number
  /** @default compact */
  readonly shape?: Shape
  /**
   * Share of events with an insertId.
   * @default 0.9
   */
  readonly withId?: number
  /** Compresses the bodies, a few per connection, whose ids then repeat. */
  readonly gzip?: boolean
}

export interface LoadResult {
  readonly accepted: number
  readonly requests: number
  readonly refused: number
  /** Number of responses by HTTP status. */
  readonly statuses: Readonly<Record<number, number>>
  /** Of those with 429 and 503. */
  readonly withoutRetryAfter: number
  readonly seconds: number
  readonly latenciesMs: readonly number[]
  readonly cpuSeconds: number
}

const BODIES_COMPRESSED = 4

async function run(options: LoadOptions): Promise<LoadResult> {
  const end = performance.now() + options.seconds * 1_000
  const latenciesMs: number[] = []
  let accepted = 0
  let refused = 0
  const statuses: Record<number, number> = {}
  let withoutRetryAfter = 0
  let unique = options.seed * 1_000_000_000
  const started = performance.now()
  const lanes = Array.from({ length: options.connections }, async (_, lane) => {
    const sizes = [options.eventsPerRequest].flat()
    const requests = (
      options.gzip === true ? Array.from({ length: BODIES_COMPRESSED }, () => sizes).flat() : sizes
    ).map((events, i) =>
      requestOf(
        options,
        makeBody(options.seed * 1_000 + lane * 100 + i, events, options.shape, options.withId),
      ),
    )
    let next = lane
    const connection = await openLane(`http://${options.host}:${options.port}`)
    const interval =
      options.requestsPerSecond === undefined ? 0 : (options.connections / options.requestsPerSecond) * 1_000
    let due = performance.now() + (interval * lane) / options.connections
    while (performance.now() < end) {
      if (interval > 0) {
        const wait = due - performance.now()
        if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
      }
      // In an open loop the latency counts from when the request was due.
      const from = interval > 0 ? due : performance.now()
      due += interval
      const request = requests[next++ % requests.length]
      if (request === undefined) break
      renewIds(request, unique++)
      const { status, text } = await connection.exchange(request.bytes)
      latenciesMs.push(performance.now() - from)
      statuses[status] = (statuses[status] ?? 0) + 1
      if (status === 202) accepted += request.events
      else refused++
      if ((status === 429 || status === 503) && !/\r\nretry-after: [1-9]/i.test(text)) withoutRetryAfter++
    }
    connection.close()
  })
  await Promise.all(lanes)
  const cpu = process.cpuUsage()
  return {
    accepted,
    refused,
    statuses,
    withoutRetryAfter,
    requests: latenciesMs.length,
    seconds: (performance.now() - started) / 1_000,
    latenciesMs,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
  }
}

/** One buffer for the whole request, because the generator shares the machine. */
function requestOf(options: LoadOptions, made: RequestBody): RequestBody {
  const body = options.gzip === true ? { ...made, bytes: gzipSync(made.bytes), idPlaces: [] } : made
  const encoding = options.gzip === true ? 'Content-Encoding: gzip\r\n' : ''
  const head = Buffer.from(
    `POST /v1/events HTTP/1.1\r\nHost: ${options.host}\r\nAuthorization: Bearer ${options.key}\r\n` +
      `Content-Type: application/json\r\n${encoding}Content-Length: ${body.bytes.length}\r\n\r\n`,
  )
  return {
    events: body.events,
    bytes: Buffer.concat([head, body.bytes]),
    idPlaces: body.idPlaces.map((place) => head.length + place),
  }
}

if (process.argv[2] !== undefined && process.argv[1]?.endsWith('load.js'))
  run(JSON.parse(process.argv[2]) as LoadOptions).then(
    (result) => process.stdout.write(`${JSON.stringify(result)}\n`),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`)
      process.exit(1)
    },
  )
