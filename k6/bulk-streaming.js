// Bulk streaming: back-end servers send batches of 500 events as fast as they are accepted.
// Environment: VUS (16), ITERATIONS (1000 batches), BATCH (500 events).
import { eventsOf, newRun, number, runOptions, send, sharedIterations } from './support/svc.js'

const batch = number('BATCH', 500)

export const options = runOptions(
  { stream: sharedIterations(1000) },
  { http_req_duration: ['p(99)<2000'] },
)

export const setup = () => newRun('bulk')

export default function (run) {
  send(eventsOf(run, batch))
}

export { countEvents as teardown } from './support/svc.js'
