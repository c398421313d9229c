// Hostile mixture: most requests are damaged, forbidden or too large, with well-behaved clients among them.
// Bad requests get the right status, and the good ones are not disturbed.
// Environment: VUS (8) of each kind, DURATION (60s), BATCH (100 events).
import { check } from 'k6'
import exec from 'k6/execution'
import http from 'k6/http'
import { eventOf, eventsOf, ingest, newRun, number, runOptions, send, senderHeaders } from './support/svc.js'

const batch = number('BATCH', 100)
const vus = number('VUS', 8)
const duration = __ENV.DURATION || '60s'
const scenario = (exec) => ({ executor: 'constant-vus', vus, duration, exec })

export const options = runOptions(
  { good: scenario('good'), bad: scenario('bad') },
  { 'http_req_duration{scenario:good}': ['p(99)<2000'] },
)

export const setup = () => newRun('hostile')

export function good(run) {
  send(eventsOf(run, batch))
}

const url = `${ingest}/v1/events`
const post = (body, headers = {}) => http.post(url, body, { headers: { ...senderHeaders, ...headers } })
const eventsBody = (...events) => JSON.stringify({ events })

/** Each with its right statuses. An oversized request may also get a closed connection. */
const ATTACKS = [
  [[400], () => post('{"events":[')],
  [[400], () => post('\u0000\u0001')],
  [[400], () => post('')],
  [[400], (run) => post(eventsBody({ ...eventOf(run, 'bad', 1), event: 'paid!' }))],
  [[400], (run) => post(eventsBody({ ...eventOf(run, 'bad', 1), properties: { text: 'x'.repeat(9000) } }))],
  [[400], (run) => post(eventsBody({ event: run.name }))],
  // One invalid event refuses the whole request.
  [[400], (run) => post(eventsBody(eventOf(run, 'bad', 1), { event: run.name }))],
  [[400], (run) => post(eventsBody(...Array.from({ length: 501 }, () => eventOf(run, 'bad', 1))))],
  [[400], () => post(`{"events":${'['.repeat(50_000)}`)],
  [[400], () => post('no gzip at all', { 'Content-Encoding': 'gzip' })],
  [[415], () => post('{}', { 'Content-Type': 'text/plain' })],
  [[415], () => post('{}', { 'Content-Encoding': 'zstd' })],
  [[401], (run) => post(eventsBody(eventOf(run, 'bad', 1)), { Authorization: 'Bearer tsk_secret_wrong' })],
  [[403], (run) => post(eventsBody(eventOf(run, 'bad', 1)), { Origin: 'https://example.test' })],
  [[404], () => http.post(`${ingest}/v1/nothing`, '{}', { headers: senderHeaders })],
  [[405], () => http.get(url, { headers: senderHeaders })],
  [[413, 0], () => post('x'.repeat(9 * 1024 * 1024))],
]

export function bad(run) {
  const [right, attack] = ATTACKS[exec.scenario.iterationInTest % ATTACKS.length]
  const { status } = attack(run)
  const refused = right.includes(status) || status === 429
  if (!refused) console.error(`attack ${exec.scenario.iterationInTest % ATTACKS.length} was answered ${status}`)
  check(refused, { 'an attack is refused with the right status': (ok) => ok })
}

export { countEvents as teardown } from './support/svc.js'
