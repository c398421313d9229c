// Bulk streaming: back-end servers send batches of 500 events as fast as they are accepted.
// Environment: VUS (16), ITERATIONS (1000 batches), BATCH (500 events).
import { countEvents, eventOf, newRun, number, send, sharedIterations, uniqueId } from './support/svc.js'

const batch = number('BATCH', 500)

export const options = sharedIterations('stream', 1000)

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
