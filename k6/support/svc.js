// Shared by the scenarios: addresses, sending a batch until it is accepted, and counting at the end.
import { check, sleep } from 'k6'
import exec from 'k6/execution'
import http from 'k6/http'
import { Counter } from 'k6/metrics'

export const ingest = __ENV.INGEST_URL || 'http://127.0.0.1:8080'
export const api = __ENV.API_URL || 'http://127.0.0.1:8081'
const json = { 'Content-Type': 'application/json' }
export const senderHeaders = { ...json, Authorization: `Bearer ${__ENV.SVC_SERVER_KEY}` }
export const callerHeaders = { ...json, Authorization: `Bearer ${__ENV.SVC_API_KEY}` }

const ATTEMPTS = 8
/** Seconds that events may take from their 202 until they are counted. */
const SETTLE_SECONDS = Number(__ENV.SETTLE_SECONDS || 120)

const accepted = new Counter('events_accepted')
const retried = new Counter('requests_retried')
/** Accepted events minus stored ones. */
const unaccounted = new Counter('unaccounted')

/** Options of a run. In every one nothing is missing or stored twice, and no check failed. */
export function runOptions(scenarios, thresholds) {
  return {
    setupTimeout: '30s',
    teardownTimeout: '180s',
    scenarios,
    thresholds: { checks: ['rate==1'], unaccounted: ['count==0'], ...thresholds },
  }
}

/** A scenario whose clients share its iterations. */
export function sharedIterations(iterations) {
  return {
    executor: 'shared-iterations',
    vus: number('VUS', 16),
    iterations: number('ITERATIONS', iterations),
    maxDuration: '30m',
  }
}

/** A scenario whose iterations start when they are due. */
export function arrivalRate(rate, duration, more) {
  return {
    executor: 'constant-arrival-rate',
    rate,
    timeUnit: '1s',
    duration,
    preAllocatedVUs: Math.max(4, rate),
    ...more,
  }
}

export function number(name, otherwise) {
  return Number(__ENV[name] || otherwise)
}

/** For `setup`: a name unique to this run. */
export function newRun(what) {
  if (!__ENV.SVC_SERVER_KEY || !__ENV.SVC_API_KEY)
    exec.test.abort('set SVC_SERVER_KEY and SVC_API_KEY: after `npm start` they are in data/dev-keys.json')
  return { name: `k6_${what}_${Date.now()}` }
}

/** An id unique in the run. */
export function uniqueId(run) {
  return `${run.name}-${exec.scenario.name}-${exec.scenario.iterationInTest}`
}

/** A shop's event of some 350 bytes. */
export function eventOf(run, insertId, user, more = {}) {
  return {
    event: run.name,
    userId: `user-${user}`,
    insertId,
    timestamp: new Date().toISOString(),
    properties: {
      plan: 'pro',
      country: 'SE',
      amount: user % 100,
      referrer: 'https://example.test/landing?campaign=autumn',
      first: user % 7 === 0,
    },
    ...more,
  }
}

/** Events with ids that are unique in the run, of as many users. */
export function eventsOf(run, count, more) {
  const id = uniqueId(run)
  return Array.from({ length: count }, (_, i) => eventOf(run, `${id}-${i}`, i, more))
}

/**
 * Sends events until they are accepted: retries after 429, 5xx and lost connections, not before Retry-After.
 * `fresh` of them have new ids. Returns whether they were accepted.
 */
export function send(events, { fresh = events.length, sentAt = new Date().toISOString(), tags = {} } = {}) {
  const body = JSON.stringify({ events, sentAt })
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const response = http.post(`${ingest}/v1/events`, body, { headers: senderHeaders, tags })
    if (response.status === 202) {
      check(response, { 'the answer counts the batch': (r) => r.json('accepted') === events.length })
      accepted.add(events.length)
      unaccounted.add(fresh)
      return true
    }
    const safe = response.status === 0 || response.status === 429 || response.status >= 500
    if (!safe) break
    if (response.status === 429 || response.status === 503)
      check(response, { 'a refusal says when to come again': (r) => Number(r.headers['Retry-After']) > 0 })
    retried.add(1)
    sleep(Math.max(Number(response.headers['Retry-After']) || 0, 0.1 * 2 ** attempt) * (1 + Math.random() / 4))
  }
  check(null, { 'a batch is accepted in the end': () => false })
  return false
}

/** Number of stored events; undefined without an answer. */
function storedCount(run) {
  const response = http.get(`${api}/v1/funnel/events`, { headers: callerHeaders, tags: { name: 'count' } })
  if (response.status !== 200) return undefined
  const row = response.json('data').find((entry) => entry.eventName === run.name)
  return row ? row.count : 0
}

/** For `teardown`: waits until no more events arrive, and compares their number with what was accepted. */
export function countEvents(run) {
  let stored
  // Duplicates would arrive late.
  for (let waited = 0, quiet = 0; waited < SETTLE_SECONDS && quiet < 5; waited++) {
    sleep(1)
    const now = storedCount(run)
    quiet = now === undefined || now !== stored ? 0 : quiet + 1
    stored = now ?? stored
  }
  unaccounted.add(-(stored ?? 0))
  console.log(`${stored} events of ${run.name} are stored`)
}

/** The same for anything else that the API counts. */
export function made(count) {
  unaccounted.add(count)
}
