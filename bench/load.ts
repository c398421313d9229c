import { gzipSync } from 'node:zlib'
import { makeBody, type RequestBody, renewIds } from './support/load/bodies.js'
import { openHttpConnection } from './support/load/http-connection.js'
import type { LoadOptions, LoadResult } from './support/load/run-load.js'

const BODIES_COMPRESSED = 4

/** Reads one JSON argument and prints one line of JSON. */
async function run(options: LoadOptions): Promise<LoadResult> {
  const end = performance.now() + options.seconds * 1_000
  const latenciesMs: number[] = []
  let accepted = 0
  let refused = 0
  let unique = options.seed * 1_000_000_000
  const started = performance.now()
  const connections = Array.from({ length: options.connections }, async (_, index) => {
    const requests = Array.from({ length: options.gzip === true ? BODIES_COMPRESSED : 1 }, (_, i) =>
      requestOf(options, makeBody(options.seed * 1_000 + index * 100 + i, options.eventsPerRequest)),
    )
    let next = index
    const connection = await openHttpConnection(`http://${options.host}:${options.port}`)
    const interval =
      options.requestsPerSecond === undefined ? 0 : (options.connections / options.requestsPerSecond) * 1_000
    let due = performance.now() + (interval * index) / options.connections
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
      const { status } = await connection.exchange(request.bytes)
      latenciesMs.push(performance.now() - from)
      if (status === 202) accepted += request.events
      else refused++
    }
    connection.close()
  })
  await Promise.all(connections)
  const cpu = process.cpuUsage()
  return {
    accepted,
    refused,
    requests: latenciesMs.length,
    seconds: (performance.now() - started) / 1_000,
    latenciesMs,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
  }
}

/** One buffer for the whole request, because the generator shares the machine. */
function requestOf(options: LoadOptions, made: RequestBody): RequestBody {
  const body = options.gzip === true ? { ...made, bytes: gzipSync(made.bytes), idOffsets: [] } : made
  const encoding = options.gzip === true ? 'Content-Encoding: gzip\r\n' : ''
  const head = Buffer.from(
    `POST /v1/events HTTP/1.1\r\nHost: ${options.host}\r\nAuthorization: Bearer ${options.key}\r\n` +
      `Content-Type: application/json\r\n${encoding}Content-Length: ${body.bytes.length}\r\n\r\n`,
  )
  return {
    events: body.events,
    bytes: Buffer.concat([head, body.bytes]),
    idOffsets: body.idOffsets.map((place) => head.length + place),
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
