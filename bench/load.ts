import { connect, type Socket } from 'node:net'
import { makeBody, type RequestBody, renewIds } from './support/bodies.js'

/**
 * The load generator, a process of its own so that its CPU is counted apart. One JSON argument; prints one line of JSON. Closed loop: each connection sends its next request when
 * the last is answered. Open loop: requests start at a fixed rate whatever the answers do.
 */
export interface LoadOptions {
  readonly host: string
  readonly port: number
  readonly key: string
  readonly connections: number
  readonly seconds: number
  readonly eventsPerRequest: number
  /** Requests a second over all connections; undefined for a closed loop. */
  readonly requestsPerSecond?: number
  readonly seed: number
}

export interface LoadResult {
  readonly accepted: number
  readonly requests: number
  readonly refused: number
  readonly seconds: number
  readonly latenciesMs: readonly number[]
  readonly cpuSeconds: number
}

async function run(options: LoadOptions): Promise<LoadResult> {
  const end = performance.now() + options.seconds * 1_000
  const latenciesMs: number[] = []
  let accepted = 0
  let refused = 0
  let unique = options.seed * 1_000_000_000
  const started = performance.now()
  const lanes = Array.from({ length: options.connections }, async (_, lane) => {
    const body = makeBody(options.seed * 1_000 + lane, options.eventsPerRequest)
    const head = Buffer.from(
      `POST /v1/events HTTP/1.1\r\nHost: ${options.host}\r\nAuthorization: Bearer ${options.key}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.bytes.length}\r\n\r\n`,
    )
    const socket = connect(options.port, options.host)
    socket.setNoDelay(true)
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('error', reject)
    })
    const interval =
      options.requestsPerSecond === undefined ? 0 : (options.connections / options.requestsPerSecond) * 1_000
    let due = performance.now() + (interval * lane) / options.connections
    while (performance.now() < end) {
      if (interval > 0) {
        const wait = due - performance.now()
        if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
      }
      // In an open loop waiting counts from when the request was due, not from when it could be sent.
      const from = interval > 0 ? due : performance.now()
      due += interval
      renewIds(body, unique++)
      const status = await exchange(socket, head, body)
      latenciesMs.push(performance.now() - from)
      if (status === 202) accepted += body.events
      else refused++
    }
    socket.destroy()
  })
  await Promise.all(lanes)
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

function exchange(socket: Socket, head: Buffer, body: RequestBody): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = ''
    const receive = (chunk: Buffer): void => {
      text += chunk.toString('latin1')
      const headEnd = text.indexOf('\r\n\r\n')
      if (headEnd < 0) return
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
      if (text.length < headEnd + 4 + length) return
      socket.off('data', receive)
      socket.off('close', closed)
      resolve(Number(text.slice(9, 12)))
    }
    const closed = (): void => reject(new Error('the gateway closed the connection'))
    socket.on('data', receive)
    socket.once('close', closed)
    socket.cork()
    socket.write(head)
    socket.write(body.bytes)
    socket.uncork()
  })
}

if (process.argv[2] !== undefined && process.argv[1]?.endsWith('load.js'))
  run(JSON.parse(process.argv[2]) as LoadOptions).then(
    (result) => process.stdout.write(`${JSON.stringify(result)}\n`),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`)
      process.exit(1)
    },
  )
