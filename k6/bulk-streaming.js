// Bulk streaming: back-end servers send batches of 500 events as fast as they are taken.
//
// Options by environment: VUS (16), ITERATIONS (1000 batches), BATCH (500 events).
import { countEvents, eventOf, exact, newRun, number, send, uniqueId } from './support/svc.js'

const batch = number('BATCH', 500)

export const options = {
  setupTimeout: '10s',
  teardownTimeout: '180s',
  scenarios: {
    stream: {
      executor: 'shared-iterations',
      vus: number('VUS', 16),
      iterations: number('ITERATIONS', 1000),
      maxDuration: '30m',
    },
  },
  thresholds: { ...exact, http_req_duration: ['p(99)<2000'] },
}

export function setup() {
  return newRun('bulk')
}

export default function (run) {
  const id = uniqueId(run)
  send(Array.from({ length: batch }, (_, i) => eventOf(run, `${id}-${i}`, i)))
}

export function teardown(run) {
  countEvents(run)
}
