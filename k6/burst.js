// Burst and recover: a steady rate, a multiple of it for some seconds, then the steady rate again. Refused
// requests say when to retry, nothing is lost, and afterwards responses are as fast as before.
// Environment: RATE (10 batches a second), TIMES (20), BATCH (100 events), CALM_SECONDS (20), BURST_SECONDS
// (10).
import { arrivalRate, eventsOf, newRun, number, runOptions, send } from './support/svc.js'

const rate = number('RATE', 10)
const batch = number('BATCH', 100)
const calmSeconds = number('CALM_SECONDS', 20)
const burstSeconds = number('BURST_SECONDS', 10)
/** Time to work off what the burst left behind. */
const RECOVERY_SECONDS = 5

const steady = (startTime, times, seconds) =>
  arrivalRate(rate * times, `${seconds}s`, { startTime: `${startTime}s`, preAllocatedVUs: 20 * times })

export const options = runOptions(
  {
    before: steady(0, 1, calmSeconds),
    burst: steady(calmSeconds, number('TIMES', 20), burstSeconds),
    after: steady(calmSeconds + burstSeconds + RECOVERY_SECONDS, 1, calmSeconds),
  },
  {
    'http_req_duration{scenario:before}': ['p(95)<1000'],
    'http_req_duration{scenario:after}': ['p(95)<1000'],
    'dropped_iterations{scenario:after}': ['count==0'],
  },
)

export const setup = () => newRun('burst')

export default function (run) {
  send(eventsOf(run, batch))
}

export { countEvents as teardown } from './support/svc.js'
