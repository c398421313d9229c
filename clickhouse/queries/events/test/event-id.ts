import fc from 'fast-check'
import t from 'tap'
import { validate, version } from 'uuid'
import { eventId } from '../event-id.js'

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
