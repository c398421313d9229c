import fc from 'fast-check'
import t from 'tap'
import { sampleRatio } from '../sample-ratio.js'
import { readVectors } from './support/vectors.js'

const arms = (exposed: readonly number[], weights: readonly number[]) =>
  exposed.map((persons, index) => ({ exposed: persons, weight: weights[index] ?? 0 }))

t.test('the test of the split equals that of gbstats', async (t) => {
  for (const line of readVectors()) {
    if (line[0] !== 'split') continue
    const [, users, weights, pValue] = line
    const ours = sampleRatio(arms(users, weights))
    t.ok(
      Math.abs(ours.pValue - pValue) <= Math.max(1e-9 * pValue, 1e-300),
      `${users} ${weights}: ${ours.pValue}, ${pValue}`,
    )
    t.equal(ours.ok, pValue >= 0.001)
  }
})

t.test('arms without weight are not tested, and a person in one breaks the split', async (t) => {
  t.same(sampleRatio(arms([500, 500, 0], [50, 50, 0])), { pValue: 1, ok: true })
  t.same(sampleRatio(arms([500, 500, 1], [50, 50, 0])), { pValue: 1, ok: false })
  const { pValue } = sampleRatio(arms([510, 530], [50, 50]))
  t.same(sampleRatio(arms([510, 530, 70], [50, 50, 0])), { pValue, ok: false })
  t.same(sampleRatio(arms([10, 0], [100, 0])), { pValue: 1, ok: true }, 'one arm splits nothing')
  t.same(sampleRatio(arms([10, 700], [100, 0])), { pValue: 1, ok: false })
  t.same(sampleRatio(arms([0, 0], [50, 50])), { pValue: 1, ok: true }, 'no one exposed')
  t.same(sampleRatio(arms([0, 0, 5], [50, 50, 0])), { pValue: 1, ok: false }, 'no one in an arm with weight')
})

t.test('the order of arms and the unit of weights do not matter', async () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 1_000_000 }), fc.integer({ min: 1, max: 50 })), {
        minLength: 2,
        maxLength: 8,
      }),
      (pairs) => {
        const one = sampleRatio(pairs.map(([exposed, weight]) => ({ exposed, weight })))
        const other = sampleRatio(
          pairs.map(([exposed, weight]) => ({ exposed, weight: weight * 7 })).reverse(),
        )
        return Math.abs(one.pValue - other.pValue) <= 1e-6 * one.pValue + 1e-300
      },
    ),
  )
})
