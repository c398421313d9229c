// Bulk streaming: back-end servers send batches of 500 events as fast as they are taken. At the end the service is asked how many events it has: every
// batch that was sent has to be there once, whatever had to be retried.
//
//   SVC_SERVER_KEY=… SVC_API_KEY=… k6 run k6/bulk-streaming.js
//
// Options by environment: INGEST_URL, API_URL, VUS (16), ITERATIONS (1000 batches), BATCH (500 events).
import { check, sleep } from 'k6'
import exec from 'k6/execution'
import http from 'k6/http'
import { Counter } from 'k6/metrics'

const ingest = __ENV.INGEST_URL || 'http://127.0.0.1:8080'
const api = __ENV.API_URL || 'http://127.0.0.1:8081'
const serverKey = __ENV.SVC_SERVER_KEY
const apiKey = __ENV.SVC_API_KEY
const batchSize = Number(__ENV.BATCH || 500)
const iterations = Number(__ENV.ITERATIONS || 1000)

const accepted = new Counter('events_accepted')
const retried = new Counter('requests_retried')

export const options = {
  setupTimeout: '10s',
  teardownTimeout: '180s',
  scenarios: {
    stream: { executor: 'shared-iterations', vus: Number(__ENV.VUS || 16), iterations, maxDuration: '30m' },
  },
  thresholds: {
    checks: ['rate==1'],
    http_req_duration: ['p(99)<2000'],
  },
}

export function setup() {
  if (!serverKey || !apiKey)
    exec.test.abort('set SVC_SERVER_KEY and SVC_API_KEY: after `npm start` they are in data/dev-keys.json')
  return { eventName: `k6_bulk_${Date.now()}` }
}

export default function (data) {
  const id = `${data.eventName}-${exec.scenario.iterationInTest}`
  const now = new Date().toISOString()
  const events = []
  for (let i = 0; i < batchSize; i++)
    events.push({
      event: data.eventName,
      userId: `user-${exec.scenario.iterationInTest % 1000}-${i % 97}`,
      insertId: `${id}-${i}`,
      timestamp: now,
      properties: {
        plan: 'pro',
        country: 'SE',
        amount: i,
        referrer: 'https://example.test/landing?campaign=autumn',
        first: i === 0,
      },
    })
  const body = JSON.stringify({ events, sentAt: now })
  const params = { headers: { Authorization: `Bearer ${serverKey}`, 'Content-Type': 'application/json' } }
  for (let attempt = 0; attempt < 8; attempt++) {
    const response = http.post(`${ingest}/v1/events`, body, params)
    if (response.status === 202) {
      check(response, { 'the answer counts the batch': (r) => r.json('accepted') === batchSize })
      accepted.add(batchSize)
      return
    }
    const safe = response.status === 0 || response.status === 429 || response.status >= 500
    if (!safe) break
    retried.add(1)
    sleep(0.1 * 2 ** attempt)
  }
  check(null, { 'a batch is accepted in the end': () => false })
}

export function teardown(data) {
  const expected = iterations * batchSize
  let stored = 0
  for (let waited = 0; waited < 120 && stored < expected; waited++) {
    stored = storedCount(data.eventName)
    if (stored < expected) sleep(1)
  }
  // Once more after a pause: what was counted twice would arrive late.
  sleep(2)
  stored = storedCount(data.eventName)
  check(stored, { 'every event is stored once': (count) => count === expected })
  console.log(`${stored} events stored of ${expected} sent`)
}

function storedCount(name) {
  const response = http.get(`${api}/v1/funnel/events`, { headers: { Authorization: `Bearer ${apiKey}` } })
  const row = (response.json('data') || []).find((entry) => entry.eventName === name)
  return row ? row.count : 0
}
