import fc from 'fast-check'
import t from 'tap'
import { holm } from '../holm.js'

t.test("Holm's adjustment of known p-values", async (t) => {
  t.same(holm([]), [])
  t.same(holm([0.03]), [0.03])
  t.same(holm([null, null]), [null, null])
  // The smallest times three, the next times two but not below it, the largest once but not below that.
  t.same(holm([0.01, 0.04, 0.03]), [0.03, 0.06, 0.06])
  t.same(holm([0.01, null, 0.02]), [0.02, null, 0.02], 'null is no part of the family')
  t.same(holm([0.9, 0.8]), [1, 1], 'at most 1')
  t.same(holm([1e-300, 0.5]), [2e-300, 0.5])
})

t.test("an adjusted p-value is never smaller, never above Bonferroni's, and keeps its rank", async () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 7 }), (pValues) => {
      const adjusted = holm(pValues)
      return pValues.every((pValue, index) => {
        const own = adjusted[index] ?? -1
        return (
          own >= pValue &&
          own <= Math.min(1, pValue * pValues.length) &&
          pValues.every((other, at) => other <= pValue || (adjusted[at] ?? -1) >= own)
        )
      })
    }),
    { numRuns: 1_000 },
  )
})
