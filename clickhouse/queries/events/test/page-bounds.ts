import fc from 'fast-check'
import t from 'tap'
import { cases } from '../../../../test/support/cases.js'
import { type Granule, pageBounds } from '../page-bounds.js'

/**
 * Parts of a table in order of time, cut into granules as an index knows them: ours, with strangers before
 * and behind.
 */
const table = fc
  .array(
    fc.record({
      times: fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 40 }),
      strangersBefore: fc.integer({ min: 0, max: 9 }),
      strangersAfter: fc.integer({ min: 0, max: 9 }),
    }),
    { maxLength: 6 },
  )
  .map((parts) => {
    const granules: Granule[] = []
    for (const { times, strangersBefore, strangersAfter } of parts) {
      const keys = [
        ...Array.from({ length: strangersBefore }, () => undefined),
        ...[...times].sort((a, b) => a - b),
        ...Array.from({ length: strangersAfter }, () => undefined),
      ]
      for (let start = 0; start < keys.length; start += GRANULE) {
        const end = Math.min(start + GRANULE, keys.length)
        if (!keys.slice(start, end).some((key) => key !== undefined)) continue
        granules.push({ rows: end - start, first: keys[start], last: keys[end] ?? keys[end - 1] })
      }
    }
    return { granules, times: parts.flatMap((part) => part.times) }
  })
const GRANULE = 4

t.test('the whole page lies between its bounds, and what precedes it outside', (t) => {
  fc.assert(
    fc.property(
      table,
      fc.integer({ min: 0, max: 120 }),
      fc.integer({ min: 1, max: 20 }),
      fc.constantFrom('asc' as const, 'desc' as const),
      fc.constantFrom(0, 10, 1_000),
      // Events that arrive after the index was read.
      fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 30 }),
      ({ granules, times: indexed }, offset, limit, sortDir, shallow, arrived) => {
        const sign = sortDir === 'asc' ? 1 : -1
        const times = [...indexed, ...arrived]
        const sorted = [...times].sort((a, b) => sign * (a - b))
        const bounds = pageBounds(granules, { offset, limit, sortDir }, shallow, arrived.length)
        if (bounds === undefined) return offset >= indexed.length
        const { from = -Infinity, to = Infinity } = bounds
        const before = times.filter((at) => (sortDir === 'desc' ? at >= to : at < from)).length
        if (before > offset || (before > 0 && !bounds.preceded)) return false
        const inside = sorted.filter((at) => at >= from && at < to)
        const page = inside.slice(offset - before, offset - before + limit)
        return JSON.stringify(page) === JSON.stringify(sorted.slice(offset, offset + limit))
      },
    ),
    { numRuns: cases(3_000) },
  )
  t.end()
})

t.test('a deep page among many rows has few to read', (t) => {
  const granules = Array.from({ length: 1_000 }, (_, i) => ({
    rows: 8_192,
    first: 10 * i,
    last: 10 * i + 10,
  }))
  for (const sortDir of ['asc', 'desc'] as const) {
    const bounds = pageBounds(granules, { offset: 4_000_000, limit: 50, sortDir }, 16_384)
    t.ok(bounds?.preceded)
    t.ok((bounds?.to ?? Infinity) - (bounds?.from ?? -Infinity) <= 40, JSON.stringify(bounds))
  }
  t.same(pageBounds(granules, { offset: 0, limit: 50, sortDir: 'desc' }, 16_384), {
    from: 9_990,
    to: undefined,
    preceded: false,
  })
  t.same(pageBounds(granules, { offset: 0, limit: 50, sortDir: 'asc' }, 16_384), {
    from: undefined,
    to: 11,
    preceded: false,
  })
  t.equal(pageBounds(granules, { offset: 8_192_000, limit: 1, sortDir: 'asc' }, 0), undefined)
  t.end()
})
