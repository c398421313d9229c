import fc from 'fast-check'
import t from 'tap'
import { cases } from '../../test/support/cases.js'
import { correctTime, MAX_AGE_MS, MAX_AHEAD_MS } from '../clamp.js'
import { skewCorrection } from '../skew.js'

const NOW = Date.UTC(2026, 10, 21, 10)
const DAY = 86_400_000
const HOUR = 3_600_000

t.test('an event without a time happens at its receipt, whatever the clocks say', async (t) => {
  t.same(correctTime(undefined, NOW, NOW - DAY), { timestamp: NOW, adjustment: 'none' })
  t.same(correctTime(undefined, NOW, undefined), { timestamp: NOW, adjustment: 'none' })
})

t.test('without sentAt only the clamp applies', async (t) => {
  for (const [timestamp, expected, adjustment] of [
    [NOW, NOW, 'none'],
    [NOW - 7 * DAY, NOW - 7 * DAY, 'none'],
    [NOW - 7 * DAY - 1, NOW - 7 * DAY, 'clamped_past'],
    [NOW + HOUR, NOW + HOUR, 'none'],
    [NOW + HOUR + 1, NOW + HOUR, 'clamped_future'],
    [0, NOW - 7 * DAY, 'clamped_past'],
    [NOW * 100, NOW + HOUR, 'clamped_future'],
  ] as const)
    t.same(correctTime(timestamp, NOW, undefined), { timestamp: expected, adjustment }, `${timestamp - NOW}`)
})

t.test('with sentAt: corrected, then clamped, and the mark of a clamp wins', async (t) => {
  const cases = [
    // [the clock is behind by, timestamp on that clock, expected, mark]
    [1_999, NOW - 1_999, NOW - 1_999, 'none'],
    [2_000, NOW - 2_000, NOW, 'skew'],
    [-1_999, NOW + 1_999, NOW + 1_999, 'none'],
    [-2_000, NOW + 2_000, NOW, 'skew'],
    [DAY, NOW - DAY - 5_000, NOW - 5_000, 'skew'],
    [30 * DAY, NOW - 30 * DAY, NOW - 7 * DAY, 'clamped_past'],
    [8 * DAY, NOW - 8 * DAY, NOW - 7 * DAY, 'skew'],
    [8 * DAY, NOW - 8 * DAY - 1, NOW - 7 * DAY, 'clamped_past'],
    [-DAY - HOUR, NOW + DAY + HOUR, NOW + HOUR, 'skew'],
    [-DAY - HOUR, NOW + DAY + HOUR + 1, NOW + HOUR, 'clamped_future'],
  ] as const
  for (const [behind, timestamp, expected, adjustment] of cases)
    t.same(
      correctTime(timestamp, NOW, NOW - behind),
      { timestamp: expected, adjustment },
      `a clock ${behind} ms behind, event at ${timestamp - NOW}`,
    )
})

t.test('an old event from a skewed clock can be brought back inside', async (t) => {
  t.same(correctTime(NOW - 7 * DAY - HOUR, NOW, NOW - 2 * HOUR), {
    timestamp: NOW - 7 * DAY + HOUR,
    adjustment: 'skew',
  })
})

t.test('for any time the result is within the bounds, with the right mark', async () => {
  const near = fc.integer({ min: NOW - 10 * DAY, max: NOW + 3 * DAY })
  const time = fc.oneof(near, fc.maxSafeInteger())
  fc.assert(
    fc.property(time, fc.option(time, { nil: undefined }), (timestamp, sentAt) => {
      const result = correctTime(timestamp, NOW, sentAt)
      const correction = skewCorrection(NOW, sentAt)
      const corrected = timestamp + correction
      if (result.timestamp < NOW - MAX_AGE_MS || result.timestamp > NOW + MAX_AHEAD_MS) return false
      switch (result.adjustment) {
        case 'none':
          return result.timestamp === timestamp && correction === 0
        case 'skew':
          return result.timestamp === corrected && correction !== 0
        case 'clamped_past':
          return result.timestamp === NOW - MAX_AGE_MS && corrected < result.timestamp
        case 'clamped_future':
          return result.timestamp === NOW + MAX_AHEAD_MS && corrected > result.timestamp
      }
    }),
    { numRuns: cases(5_000) },
  )
})

t.test('history keeps its times, from 1970 until the receipt', async (t) => {
  const receivedAt = Date.UTC(2026, 10, 27)
  for (const [timestamp, expected, adjustment] of [
    [0, 0, 'imported'],
    [Date.UTC(2019, 0, 1), Date.UTC(2019, 0, 1), 'imported'],
    [receivedAt, receivedAt, 'imported'],
    [-1, 0, 'clamped_past'],
    [receivedAt + 1, receivedAt, 'clamped_future'],
    [undefined, receivedAt, 'none'],
  ] as const)
    t.same(correctTime(timestamp, receivedAt, receivedAt - 3_600_000, true), {
      timestamp: expected,
      adjustment,
    })
})
