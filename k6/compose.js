// The load of docker-compose.yml's profile k6: back-end servers stream events while analysts ask the management API. At the end every event has to be
// there once.
//
//   SVC_SERVER_KEY=… SVC_API_KEY=… k6 run k6/compose.js
//
// The API key needs the scope funnels.manage. Options by environment: those of bulk-streaming.js; QUERY_RATE (5 questions a second), QUERY_SECONDS (60).
import { check } from 'k6'
import exec from 'k6/execution'
import http from 'k6/http'
import streamBatch, {
  setup as prepareStream,
  options as streamOptions,
  teardown as countStream,
} from './bulk-streaming.js'

const api = __ENV.API_URL || 'http://127.0.0.1:8081'
const headers = { Authorization: `Bearer ${__ENV.SVC_API_KEY}`, 'Content-Type': 'application/json' }

export const options = {
  setupTimeout: '30s',
  teardownTimeout: streamOptions.teardownTimeout,
  scenarios: {
    stream: { ...streamOptions.scenarios.stream, exec: 'stream' },
    ask: {
      executor: 'constant-arrival-rate',
      exec: 'ask',
      rate: Number(__ENV.QUERY_RATE || 5),
      timeUnit: '1s',
      duration: `${Number(__ENV.QUERY_SECONDS || 60)}s`,
      preAllocatedVUs: 10,
    },
  },
  thresholds: {
    checks: ['rate==1'],
    'http_req_duration{scenario:stream}': ['p(99)<2000'],
    'http_req_duration{scenario:ask}': ['p(99)<2000'],
    // A question that could not even be asked in its turn is a slow one that nobody measured.
    'dropped_iterations{scenario:ask}': ['count==0'],
  },
}

export function setup() {
  const data = prepareStream()
  const steps = [{ eventName: data.eventName }, { eventName: `${data.eventName}_bought` }]
  const made = http.post(`${api}/v1/funnel`, JSON.stringify({ name: data.eventName, steps }), { headers })
  check(made, { 'a funnel is made': (response) => response.status === 201 })
  return { ...data, funnelId: made.json('id') }
}

export function stream(data) {
  streamBatch(data)
}

/** One of what a dashboard asks for, by turns. */
export function ask(data) {
  const questions = [
    () => http.post(`${api}/v1/funnel/${data.funnelId}/query`, '{}', { headers, tags: { name: 'funnel query' } }),
    () => http.get(`${api}/v1/events?limit=50`, { headers, tags: { name: 'newest events' } }),
    () => http.get(`${api}/v1/funnel/events`, { headers, tags: { name: 'event names' } }),
    () => http.get(`${api}/v1/experiments/counts`, { headers, tags: { name: 'experiment counts' } }),
  ]
  const question = questions[exec.scenario.iterationInTest % questions.length]
  check(question(), { 'a question is answered': (response) => response.status === 200 })
}

export function teardown(data) {
  countStream(data)
}
