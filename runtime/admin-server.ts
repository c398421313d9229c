import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client'
import { withTimeout } from './concurrency/with-timeout.js'
import { errorMessage } from './errors.js'
import { KEEP_ALIVE } from './request-framing.js'
import type { Check, Stage } from './stage.js'
import { readVersion } from './version.js'

/** As on the other ports: a head or a body that takes longer ends its connection. */
const REQUEST_TIMEOUT_MS = 10_000
/** Longer than `KEEP_ALIVE` promises. */
const IDLE_MS = 8_000

export interface AdminServer {
  readonly url: string
  stop(): Promise<void>
}

/** A program that does not serve yet, or no longer. */
export interface NotServing {
  readonly status: string
  /** The store that the start waits for. */
  readonly missing?: Check
}

/**
 * The operators' port: `/healthz` (the process lives; its version), `/readyz` (every stage has what it
 * needs) and `/metrics` (Prometheus, summed over the processes of all stages). Plain HTTP without a key, so
 * it listens on loopback unless configured otherwise.
 *
 * @param options.notServing undefined while the program serves
 */
export async function startAdminServer(options: {
  readonly host: string
  readonly port: number
  readonly stages: () => readonly Stage[]
  readonly notServing?: () => NotServing | undefined
  /** @default 10000 */
  readonly requestTimeoutMs?: number
}): Promise<AdminServer> {
  const version = readVersion()
  const { requestTimeoutMs = REQUEST_TIMEOUT_MS } = options
  const timeouts = {
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    keepAliveTimeout: IDLE_MS,
    connectionsCheckingInterval: requestTimeoutMs / 10,
  }
  const server = createServer(timeouts, (request, response) => {
    response.setHeader('Keep-Alive', KEEP_ALIVE)
    // Nothing is done with a body; unread, it would not end its connection in time.
    request.resume()
    const path = (request.url ?? '').split('?')[0]
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD')
      send(response, 405, { status: 'method not allowed' })
    } else if (path === '/healthz') send(response, 200, { status: 'ok', version })
    else if (path === '/readyz') {
      const not = options.notServing?.()
      if (not !== undefined) send(response, 503, bodyOf(not))
      else void ready(options.stages()).then((answer) => send(response, answer.status, answer.body))
    } else if (path === '/metrics')
      void metrics(options.stages()).then(
        (text) => {
          response.writeHead(200, { 'Content-Type': Registry.PROMETHEUS_CONTENT_TYPE })
          response.end(text)
        },
        (error: unknown) => send(response, 500, { status: errorMessage(error) }),
      )
    else send(response, 404, { status: 'not found', paths: ['/healthz', '/readyz', '/metrics'] })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: options.host, port: options.port, exclusive: true }, resolve)
  })
  const { port } = server.address() as AddressInfo
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  return { url: `http://${host}:${port}`, stop: () => closeServer(server) }
}

interface StageReadiness {
  readonly stage: string
  readonly ok: boolean
  readonly checks: readonly Check[]
  /** Set if the stage itself did not answer. */
  readonly message?: string
}

async function ready(stages: readonly Stage[]): Promise<{ status: number; body: object }> {
  const answers = await Promise.all(
    stages.map(async (stage): Promise<StageReadiness> => {
      try {
        const checks = await withTimeout(3_000, stage.name, stage.checks())
        return { stage: stage.name, ok: checks.every((check) => check.ok), checks }
      } catch (error) {
        return { stage: stage.name, ok: false, checks: [], message: errorMessage(error) }
      }
    }),
  )
  const ok = answers.length > 0 && answers.every((answer) => answer.ok)
  const down = [...new Set(answers.flatMap(namesOfDown))]
  return { status: ok ? 200 : 503, body: { status: ok ? 'ready' : 'not ready', down, stages: answers } }
}

function bodyOf({ status, missing }: NotServing): object {
  return missing === undefined
    ? { status, down: [], stages: [] }
    : { status, down: [missing.name], message: missing.message, stages: [] }
}

/** The stores that a stage misses, or the stage itself if it does not answer. */
function namesOfDown({ stage, checks, message }: StageReadiness): string[] {
  return message === undefined ? checks.filter((check) => !check.ok).map((check) => check.name) : [stage]
}

async function metrics(stages: readonly Stage[]): Promise<string> {
  // A stage that does not answer is missing from the figures; `/readyz` names it.
  const parts = await Promise.all(
    stages.map((stage) => withTimeout(3_000, stage.name, stage.metrics()).catch(() => [])),
  )
  // prom-client sums metrics of equal name and labels. Its types want mutable arrays.
  const lists = parts.map((part) => part.map((metric): MetricObjectWithValues<MetricValue<string>> => metric))
  return AggregatorRegistry.aggregate(lists).metrics()
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' })
  response.end(`${JSON.stringify(body)}\n`)
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
