import fc from 'fast-check'
import t from 'tap'
import { validate, version } from 'uuid'
import { eventId, parseEventId } from '../event-id.js'

const parts = fc.tuple(
  fc.integer({ min: 0, max: 2 ** 48 - 1 }),
  fc.bigInt({ min: 0n, max: 2n ** 58n - 1n }),
  fc.integer({ min: 0, max: 65_535 }),
)

t.test('ids are UUIDv7s in the order of their parts', (t) => {
  fc.assert(
    fc.property(parts, parts, (a, b) => {
      const [first, second] = [eventId(...a), eventId(...b)]
      if (!validate(first) || version(first) !== 7) return false
      const order = a[0] - b[0] || Number(a[1] - b[1]) || a[2] - b[2]
      return Math.sign(order) === (first < second ? -1 : first > second ? 1 : 0)
    }),
  )
  t.equal(eventId(0, 0n, 0), '00000000-0000-7000-8000-000000000000')
  t.equal(eventId(2 ** 48 - 1, 2n ** 58n - 1n, 65_535), 'ffffffff-ffff-7fff-bfff-ffffffffffff')
  t.end()
})

t.test('an id can be parsed into its parts, and other texts cannot', (t) => {
  fc.assert(
    fc.property(parts, (one) => {
      const [receivedAt, record, index] = one
      t.strictSame(parseEventId(eventId(...one)), { receivedAt, record, index })
    }),
    { numRuns: 50 },
  )
  for (const text of [
    '',
    '0199a1c0-7b1e-4c3a-9d52-6f1c2b3a4d5e',
    '0199a1c0-7b1e-7c3a-cd52-6f1c2b3a4d5e',
    '0199a1c0-7b1e-7c3a-1d52-6f1c2b3a4d5e',
    '0199A1C0-7B1E-7C3A-9D52-6F1C2B3A4D5E',
    '0199a1c07b1e7c3a9d526f1c2b3a4d5e',
  ])
    t.equal(parseEventId(text), undefined, text)
  t.end()
})
