// Waits until an experiment has one of the named statuses, by polling with an ETag. Exits with 1 after a minute.
// Usage: node wait-for-status.mjs one-page-checkout running paused
import { setTimeout as sleep } from 'node:timers/promises'

const { SVC_API_URL = 'http://127.0.0.1:8081', SVC_API_KEY } = process.env
const POLL_MS = 1_000
const LIMIT_MS = 60_000

/** Resolves with the status. Throws if svc refuses the request or the time is over. */
async function waitForStatus(experiment, wanted) {
  const end = Date.now() + LIMIT_MS
  let etag = ''
  while (Date.now() < end) {
    const response = await fetch(`${SVC_API_URL}/v1/experiments/${experiment}/status`, {
      headers: { authorization: `Bearer ${SVC_API_KEY}`, 'if-none-match': etag },
    })
    if (response.status === 200) {
      const { status } = await response.json()
      if (wanted.includes(status)) return status
      etag = response.headers.get('etag') ?? ''
    } else if (response.status !== 304 && response.status !== 503) {
      throw new Error(await response.text())
    }
    await sleep(POLL_MS)
  }
  throw new Error(`${experiment} is still not ${wanted.join(' or ')}`)
}

const [experiment, ...wanted] = process.argv.slice(2)
console.log(await waitForStatus(experiment, wanted))
