// Burst and recover: a steady rate, a multiple of it for some seconds, then the steady rate again. Refused
// requests say when to retry, nothing is lost, and afterwards responses are as fast as before.
// Environment: RATE (10 batches a second), TIMES (20), BATCH (100 events), CALM_SECONDS (20), BURST_SECONDS
// (10).
import { countEvents, eventOf, exact, newRun, number, send, uniqueId } from './support/svc.js'

const rate = number('RATE', 10)
const batch = number('BATCH', 100)
const calmSeconds = number('CALM_SECONDS', 20)
const burstSeconds = number('BURST_SECONDS', 10)
/** Time to work off what the burst left behind. */
const RECOVERY_SECONDS = 5

const steady = (startTime, times, seconds) => ({
  executor: 'constant-arrival-rate',
  startTime: `${startTime}s`,
  rate: rate * times,
  timeUnit: '1s',
  duration: `${seconds}s`,
  preAllocatedVUs: 20 * times,
})

export const options = {
  setupTimeout: '10s',
  teardownTimeout: '180s',
  scenarios: {
    before: steady(0, 1, calmSeconds),
    burst: steady(calmSeconds, number('TIMES', 20), burstSeconds),
    after: steady(calmSeconds + burstSeconds + RECOVERY_SECONDS, 1, calmSeconds),
  },
  thresholds: {
    ...exact,
    'http_req_duration{scenario:before}': ['p(95)<1000'],
    'http_req_duration{scenario:after}': ['p(95)<1000'],
    'dropped_iterations{scenario:after}': ['count==0'],
  },
}

export function setup() {
  return newRun('burst')
}

export default function (run) {
  const id = uniqueId(run)
  send(Array.from({ length: batch }, (_, i) => eventOf(run, `${id}-${i}`, i)))
}

export function teardown(run) {
  countEvents(run)
}
