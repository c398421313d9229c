import t from 'tap'
import { backoffMs } from '../backoff.js'

t.test('pauses double up to their maximum, after any number of failures', (t) => {
  const bounds = { initialIntervalMs: 250, maxIntervalMs: 4_000 }
  t.same(
    [0, 1, 2, 3, 4, 5, 2_000].map((failures) => backoffMs(bounds, failures)),
    [250, 500, 1_000, 2_000, 4_000, 4_000, 4_000],
  )
  t.end()
})
