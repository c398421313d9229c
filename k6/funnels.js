// Funnels during ingestion, also the load of docker-compose.yml's profile k6: back-end servers stream events
// while analysts query the management API.
// The API key needs the scope funnels.manage. Environment: as bulk-streaming.js; QUERY_RATE (5 queries a
// second), QUERY_SECONDS (60).
import { check } from 'k6'
import exec from 'k6/execution'
import http from 'k6/http'
import streamBatch, { setup as prepareStream, options as streamOptions } from './bulk-streaming.js'
import { api, arrivalRate, callerHeaders, number, runOptions } from './support/svc.js'

export const options = runOptions(
  {
    stream: { ...streamOptions.scenarios.stream, exec: 'stream' },
    ask: arrivalRate(number('QUERY_RATE', 5), `${number('QUERY_SECONDS', 60)}s`, {
      exec: 'ask',
      preAllocatedVUs: 10,
    }),
  },
  {
    'http_req_duration{scenario:stream}': ['p(99)<2000'],
    'http_req_duration{scenario:ask}': ['p(99)<2000'],
    // A query that could not be started in time is a slow one that was not measured.
    'dropped_iterations{scenario:ask}': ['count==0'],
  },
)

export function setup() {
  const run = prepareStream()
  const steps = [{ eventName: run.name }, { eventName: `${run.name}_bought` }]
  const made = http.post(`${api}/v1/funnel`, JSON.stringify({ name: run.name, steps }), {
    headers: callerHeaders,
  })
  check(made, { 'a funnel is made': (response) => response.status === 201 })
  return { ...run, funnelId: made.json('id') }
}

export { streamBatch as stream }

/** The queries of a dashboard, in turn. */
export function ask(run) {
  const asked = (name) => ({ headers: callerHeaders, tags: { name } })
  const questions = [
    () => http.post(`${api}/v1/funnel/${run.funnelId}/query`, '{}', asked('funnel query')),
    () => http.get(`${api}/v1/events?limit=50`, asked('newest events')),
    () => http.get(`${api}/v1/funnel/events`, asked('event names')),
    () => http.get(`${api}/v1/experiments/counts`, asked('experiment counts')),
  ]
  const question = questions[exec.scenario.iterationInTest % questions.length]
  check(question(), { 'a question is answered': (response) => response.status === 200 })
}

export { countEvents as teardown } from './support/svc.js'
