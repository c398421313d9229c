import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { normalizeUrl } from '../../cli/client/connection.js'
import { someAtOnce } from './some-at-once.js'

/** An event as it is sent. */
export interface OutgoingEvent {
  readonly event: string
  readonly userId?: string
  readonly anonymousId?: string
  readonly timestamp?: string
  readonly insertId?: string
  readonly properties?: Record<string, unknown>
}

export interface Target {
  readonly ingest: string
  readonly api: string
  readonly serverKey: string
  readonly apiKey: string
}

/**
 * Addresses and keys of the local service's demo workspace: SVC_INGEST_URL and SVC_API_URL, or what the
 * variables of the service give.
 */
export function localTarget(environment: NodeJS.ProcessEnv): Target {
  const file = join(environment.SVC_DATA_DIR ?? './data', 'dev-keys.json')
  let keys: { serverKey: string; apiKey: string }
  try {
    keys = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    throw new Error(
      `${file} is not there: start svc first (npm start), in this folder or with the same SVC_DATA_DIR`,
    )
  }
  const host = environment.SVC_HOST ?? '127.0.0.1'
  const url = (name: 'SVC_INGEST_URL' | 'SVC_API_URL', port: string): string =>
    normalizeUrl(environment[name] || `http://${host}:${port}`, name)
  return {
    ingest: url('SVC_INGEST_URL', environment.SVC_INGEST_PORT ?? '8080'),
    api: url('SVC_API_URL', environment.SVC_API_PORT ?? '8081'),
    serverKey: keys.serverKey,
    apiKey: keys.apiKey,
  }
}

/**
 * Sends one batch, and repeats it with exponential backoff after 429, 5xx and lost connections (the events
 * have insertIds). Throws on a refusal.
 */
export async function sendBatch(
  target: Target,
  events: readonly OutgoingEvent[],
  sentAt?: string,
): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    let problem: string
    try {
      const response = await fetch(`${target.ingest}/v1/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${target.serverKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(sentAt === undefined ? { events } : { events, sentAt }),
      })
      const text = await response.text()
      if (response.status === 202) return
      problem = `${response.status} ${text}`
      if (response.status !== 429 && response.status < 500) throw new Refused(problem)
    } catch (error) {
      if (error instanceof Refused) throw error
      problem = error instanceof Error ? `${error.message} ${String(error.cause ?? '')}` : String(error)
    }
    if (attempt === 6) throw new Error(`${target.ingest} could not take a batch: ${problem}`)
    await sleep(100 * 2 ** attempt)
  }
}

class Refused extends Error {}

const BATCH = 500
const IN_FLIGHT = 4

/** Sends batches of up to 500, a few in flight. */
export async function sendAll(
  target: Target,
  events: readonly OutgoingEvent[],
  progress: (sent: number) => void,
): Promise<void> {
  const batches = Array.from({ length: Math.ceil(events.length / BATCH) }, (_, index) =>
    events.slice(index * BATCH, (index + 1) * BATCH),
  )
  let sent = 0
  await someAtOnce(batches, IN_FLIGHT, async (batch) => {
    await sendBatch(target, batch)
    sent += batch.length
    progress(sent)
  })
}

/** One call of the management API. */
export async function callApi<Body>(
  target: Target,
  method: string,
  path: string,
  body?: unknown,
): Promise<Body> {
  const response = await fetch(`${target.api}/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${target.apiKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return (text === '' ? null : JSON.parse(text)) as Body
}

export interface EventName {
  readonly eventName: string
  readonly count: number
}

/** Event names once their counts stop growing: then everything accepted has been stored. */
export async function settledVocabulary(target: Target): Promise<readonly EventName[]> {
  let before = -1
  for (;;) {
    const { data } = await callApi<{ data: EventName[] }>(target, 'GET', '/funnel/events')
    const total = data.reduce((sum, { count }) => sum + count, 0)
    if (total === before) return data
    before = total
    await sleep(1_000)
  }
}

/** Rewrites one line on a terminal; elsewhere prints only the end. */
export function progressLine(label: string, total: number): (done: number) => void {
  return (done) => {
    const text = `${label} ${done.toLocaleString('en')} of ${total.toLocaleString('en')}`
    if (process.stderr.isTTY) process.stderr.write(`\r${text}${done >= total ? '\n' : ''}`)
    else if (done >= total) process.stderr.write(`${text}\n`)
  }
}
