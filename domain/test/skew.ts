import fc from 'fast-check'
import t from 'tap'
import { cases } from '../../test/support/cases.js'
import { skewCorrection } from '../skew.js'

const NOW = Date.UTC(2026, 10, 21, 10)
const DAY = 86_400_000

t.test('corrections begin at two seconds and end at a day', async (t) => {
  for (const [offset, correction] of [
    [0, 0],
    [1_999, 0],
    [-1_999, 0],
    [2_000, 2_000],
    [-2_000, -2_000],
    [DAY - 1, DAY - 1],
    [DAY, DAY],
    [DAY + 1, DAY],
    [-DAY, -DAY],
    [-DAY - 1, -DAY],
    [400 * DAY, DAY],
    [-400 * DAY, -DAY],
  ] as const)
    t.equal(skewCorrection(NOW, NOW - offset), correction, `received ${offset} ms after it was sent`)
})

t.test('without sentAt there is no correction', async (t) => {
  t.equal(skewCorrection(NOW, undefined), 0)
})

t.test('the correction follows the rule for any sentAt', async () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (sentAt) => {
      const correction = skewCorrection(NOW, sentAt)
      const offset = NOW - sentAt
      const expected = Math.abs(offset) < 2_000 ? 0 : Math.sign(offset) * Math.min(Math.abs(offset), DAY)
      return correction === expected
    }),
    { numRuns: cases(2_000) },
  )
  fc.assert(
    fc.property(fc.integer({ min: -3 * DAY, max: 3 * DAY }), (offset) => {
      const correction = skewCorrection(NOW, NOW - offset)
      // Never past the offset, never away from it, never in between the ignored seconds.
      return (
        Math.abs(correction) <= Math.min(Math.abs(offset), DAY) &&
        correction * offset >= 0 &&
        (correction === 0 || Math.abs(correction) >= 2_000) &&
        correction === -skewCorrection(NOW, NOW + offset) + 0
      )
    }),
    { numRuns: cases(2_000) },
  )
})
