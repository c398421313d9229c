// Sends events so that none is lost or counted twice: repeats a batch with the same insertIds until svc has
// recorded it, and reports a refused batch with its first wrong field.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

const { SVC_INGEST_URL = 'http://127.0.0.1:8080', SVC_SERVER_KEY } = process.env
const MAX_ATTEMPTS = 8
const ATTEMPT_LIMIT_MS = 10_000

/** Sends at most 500 events. Throws if svc refuses them, or after the last attempt. */
async function send(events) {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const response = await post(events).catch(() => undefined)
    if (response?.status === 202) return response.json()
    // No answer may mean that the events were recorded: their insertIds make the repetition harmless.
    const isRetryable = response === undefined || response.status === 429 || response.status >= 500
    if (!isRetryable) {
      const { code, field, message } = await response.json()
      throw new Error(`${code}${field ? ` at ${field}` : ''}: ${message}`)
    }
    const retryAfterMs = 1_000 * Number(response?.headers.get('retry-after') ?? 0)
    await sleep(Math.max(retryAfterMs, Math.min(100 * 2 ** attempt, 10_000)))
  }
  throw new Error(`not recorded after ${MAX_ATTEMPTS} attempts: keep the events and try again later`)
}

function post(events) {
  return fetch(`${SVC_INGEST_URL}/v1/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${SVC_SERVER_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ sentAt: new Date().toISOString(), events }),
    signal: AbortSignal.timeout(ATTEMPT_LIMIT_MS),
  })
}

// Make the insertId once, when the event happens, and keep it with the event.
const signedUp = { event: 'signed_up', userId: 'linus', insertId: randomUUID(), timestamp: new Date() }
const { accepted } = await send([signedUp])
console.log(`${accepted} recorded`)

// A batch with a mistake is refused whole, and the error names the first wrong field.
await send([{ ...signedUp, event: 'signed up!' }]).catch((error) => console.log(error.message))
