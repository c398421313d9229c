// Soak: a steady rate for a long time, with analysts beside it. Responses at the end are as fast as at the
// beginning, and every event is stored once. Watch the memory of the processes
// (`svc_process_resident_memory_bytes` of `/metrics`).
// Environment: DURATION (30m), RATE (20 batches a second), BATCH (100 events), QUERY_RATE (1 query a second).
import { check } from 'k6'
import exec from 'k6/execution'
import http from 'k6/http'
import { api, arrivalRate, callerHeaders, eventsOf, newRun, number, runOptions, send } from './support/svc.js'

const batch = number('BATCH', 100)
const duration = __ENV.DURATION || '30m'
const steady = (exec, rate) => arrivalRate(rate, duration, { exec })

export const options = runOptions(
  { stream: steady('stream', number('RATE', 20)), ask: steady('ask', number('QUERY_RATE', 1)) },
  {
    'http_req_duration{part:first}': ['p(99)<1000'],
    'http_req_duration{part:last}': ['p(99)<1000'],
    'http_req_duration{scenario:ask}': ['p(99)<2000'],
    dropped_iterations: ['count==0'],
  },
)

export const setup = () => newRun('soak')

export function stream(run) {
  send(eventsOf(run, batch), { tags: { part: exec.scenario.progress < 0.5 ? 'first' : 'last' } })
}

export function ask() {
  const questions = ['/events?limit=50', '/funnel/events', '/experiments?limit=25']
  const path = questions[exec.scenario.iterationInTest % questions.length]
  const response = http.get(`${api}/v1${path}`, { headers: callerHeaders, tags: { name: path } })
  check(response, { 'a question is answered': ({ status }) => status === 200 })
}

export { countEvents as teardown } from './support/svc.js'
