// Retrying clients: a fifth of each batch was in the batch before, and one batch in twenty is sent twice as a
// whole.
// Environment: VUS (16), ITERATIONS (1000 batches), BATCH (500 events).
import { eventOf, newRun, number, runOptions, send, sharedIterations, uniqueId } from './support/svc.js'

const batch = number('BATCH', 500)
const repeated = Math.floor(batch / 5)

export const options = runOptions(
  { clients: sharedIterations(1000) },
  { http_req_duration: ['p(99)<2000'] },
)

export const setup = () => newRun('duplicates')

/** Per virtual user. */
let before = []

export default function (run) {
  const id = uniqueId(run)
  const again = before.slice(0, repeated)
  const fresh = Array.from({ length: batch - again.length }, (_, i) => eventOf(run, `${id}-${i}`, i))
  const events = [...again, ...fresh]
  if (!send(events, { fresh: fresh.length })) return
  if (__ITER % 20 === 0) send(events, { fresh: 0 })
  before = fresh
}

export { countEvents as teardown } from './support/svc.js'
