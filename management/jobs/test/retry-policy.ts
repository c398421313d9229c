import t from 'tap'
import { retryDelayMs, retryPolicy } from '../retry-policy.js'

t.test('a policy has defaults, and invalid values are refused', async (t) => {
  t.strictSame(retryPolicy(), {
    initialIntervalMs: 1_000,
    backoffCoefficient: 2,
    maxIntervalMs: 60_000,
    maxElapsedMs: 900_000,
  })
  t.match(retryPolicy({ maxElapsedMs: 5 }), { maxElapsedMs: 5, initialIntervalMs: 1_000 })
  for (const [field, value] of [
    ['initialIntervalMs', 0],
    ['initialIntervalMs', Number.NaN],
    ['backoffCoefficient', 0.5],
    ['maxIntervalMs', 999],
    ['maxIntervalMs', Number.POSITIVE_INFINITY],
    ['maxElapsedMs', 0],
    ['maxElapsedMs', Number.POSITIVE_INFINITY],
  ] as const)
    t.throws(
      () => retryPolicy({ [field]: value }),
      { name: 'RangeError', message: new RegExp(field) },
      `${field} ${value}`,
    )
})

t.test('the pause grows by the coefficient up to the longest, at any attempt', async (t) => {
  const policy = retryPolicy({ initialIntervalMs: 100, backoffCoefficient: 3, maxIntervalMs: 5_000 })
  t.strictSame(
    [1, 2, 3, 4, 5, 5_000].map((attempt) => retryDelayMs(policy, attempt, 0)),
    [100, 300, 900, 2_700, 5_000, 5_000],
  )
  t.equal(retryDelayMs(policy, 2, 0.5), 450, 'spread by up to one interval')
})
