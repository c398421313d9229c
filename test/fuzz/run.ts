import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { percentile } from '../../bench/support/percentile.js'
import { seededRandom } from '../../bench/support/random.js'
import { call, type RunningService } from '../support/service.js'
import { HostileConnection, type Outcome } from './connection.js'
import { hostileRequest, type Keys, type Operation } from './requests.js'

export interface FuzzReport {
  readonly requests: number
  /** `ingest 400`, `api closed` and the like, with their numbers. */
  readonly outcomes: Readonly<Record<string, number>>
  /** Numbers of the stream that got a 5xx or, although whole, no answer. */
  readonly faults: ReadonlyArray<{
    readonly number: number
    readonly kind: string
    readonly outcome: Outcome
    readonly answer: string
  }>
  /** Of good batches sent beside: answers other than 202 as status and body, and milliseconds. */
  readonly good: {
    readonly sent: number
    readonly refused: readonly string[]
    readonly p50: number
    readonly p99: number
  }
  /** Mebibytes of the process tree after a fifth of the time, and at the end. */
  readonly memory: readonly [number, number]
  /** Whether each process that began is still there. */
  readonly alive: boolean
}

const GOOD_PAUSE_MS = 50
const WARM_SHARE = 0.2
const FAULTS_KEPT = 20

/**
 * Sends the hostile requests of a seed to both ports for some time, and good batches of another workspace
 * beside them. Requests are numbered, and each number is a stream of random numbers, so that one can be sent
 * again alone.
 */
export async function fuzz(
  service: RunningService,
  options: {
    readonly seed: number
    readonly first: number
    readonly seconds: number
    readonly requests?: number
    readonly workers: number
    readonly keys: Keys
    readonly goodKey: string
    readonly onProgress?: (requests: number) => void
  },
): Promise<FuzzReport> {
  const operations = await operationsOf(service)
  const processes = treeOf(service.process.pid as number)
  const outcomes: Record<string, number> = {}
  const faults: Array<FuzzReport['faults'][number]> = []
  const endAt = performance.now() + options.seconds * 1_000
  const last = options.first + (options.requests ?? Number.POSITIVE_INFINITY)
  let requests = 0
  const atWork = () => performance.now() < endAt

  let next = options.first
  const worker = async (): Promise<void> => {
    const connections = {
      ingest: new HostileConnection(addressOf(service.ingest)),
      api: new HostileConnection(addressOf(service.api)),
    }
    while (atWork() && next < last) {
      const number = next++
      const request = hostileRequest(
        seededRandom(options.seed * 1_000_003 + number),
        options.keys,
        operations,
      )
      const connection = connections[request.port]
      const outcome = await connection.send(request)
      requests++
      const name = `${request.port} ${outcome}`
      outcomes[name] = (outcomes[name] ?? 0) + 1
      const isFault =
        (typeof outcome === 'number' && outcome >= 500) || (request.whole && outcome === 'silent')
      if (isFault && faults.length < FAULTS_KEPT)
        faults.push({ number, kind: `${request.port} ${request.kind}`, outcome, answer: connection.answer })
      if (requests % 10_000 === 0) options.onProgress?.(requests)
    }
    connections.ingest.close()
    connections.api.close()
  }

  let working = true
  const good = { sent: 0, refused: [] as string[], times: [] as number[] }
  const goodTraffic = async (): Promise<void> => {
    while (working) {
      const at = performance.now()
      const { status, body } = await call(options.goodKey, 'POST', `${service.ingest}/v1/events`, {
        events: [{ event: 'good', userId: 'u', insertId: `good-${good.sent}` }],
      })
      good.times.push(performance.now() - at)
      good.sent++
      if (status !== 202) good.refused.push(`${status} ${JSON.stringify(body)}`)
      await sleep(GOOD_PAUSE_MS)
    }
  }
  let warm = 0
  const measuring = sleep(options.seconds * 1_000 * WARM_SHARE).then(() => {
    warm = memoryOf(processes)
  })
  const beside = goodTraffic()
  await Promise.all(Array.from({ length: options.workers }, worker))
  working = false
  await beside
  await measuring
  return {
    requests,
    outcomes,
    faults,
    good: {
      sent: good.sent,
      refused: good.refused,
      p50: percentile(good.times, 0.5),
      p99: percentile(good.times, 0.99),
    },
    memory: [warm, memoryOf(processes)],
    alive: processes.every((pid) => memoryOf([pid]) > 0),
  }
}

async function operationsOf(service: RunningService): Promise<Operation[]> {
  const { body } = await call<{ paths: Record<string, Record<string, unknown>> }>(
    undefined,
    'GET',
    `${service.api}/reference/openapi.json`,
  )
  return Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path: `/v1${path}` })),
  )
}

const addressOf = (url: string): { host: string; port: number } => {
  const { hostname, port } = new URL(url)
  return { host: hostname, port: Number(port) }
}

/** The Node processes below one; Postgres starts and ends a process for each connection. */
function treeOf(pid: number): number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid=,comm='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
  const below = (parent: number): number[] =>
    rows
      .filter(([, of, name]) => Number(of) === parent && name !== 'postgres' && name !== 'ps')
      .flatMap(([child]) => [Number(child), ...below(Number(child))])
  return [pid, ...below(pid)]
}

/** Resident mebibytes; 0 for a process that has ended. */
function memoryOf(pids: readonly number[]): number {
  const kib = pids.map((pid) => {
    try {
      return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
    } catch {
      // It has ended.
      return 0
    }
  })
  return Math.round(kib.reduce((sum, size) => sum + size, 0) / 1_024)
}
