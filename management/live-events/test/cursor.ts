import fc from 'fast-check'
import t from 'tap'
import { eventId } from '../../../clickhouse/queries/events/event-id.js'
import { type Cursor, CursorTexts } from '../cursor.js'

const WORKSPACE = '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d5e'
const texts = new CursorTexts(Buffer.alloc(32, 3))

const time = fc.integer({ min: 0, max: 2 ** 44 })
const places = fc.array(
  fc.record({
    logId: fc.uuid(),
    partitions: fc.array(fc.tuple(fc.nat(), fc.nat({ max: 100_000 })), { minLength: 1, maxLength: 13 }),
  }),
  { maxLength: 3 },
)
const after = fc
  .record({ at: time, record: fc.bigInt({ min: 0n, max: 2n ** 58n - 1n }), index: fc.nat({ max: 65_535 }) })
  .map(({ at, record, index }) => eventId(at, record, index))
const cursors: fc.Arbitrary<Cursor> = fc
  .record({ places, times: fc.tuple(time, time, time, time), after: fc.option(after, { nil: undefined }) })
  .map(({ places: logs, times, after: last }) => ({
    from: {
      at: times[0],
      since: times[1],
      logs: new Map(logs.map(({ logId, partitions }) => [logId, partitions.map(([start]) => start)])),
    },
    to: {
      at: times[2],
      since: times[3],
      logs: new Map(
        logs.map(({ logId, partitions }) => [logId, partitions.map(([start, more]) => start + more)]),
      ),
    },
    after: last,
  }))

t.test('a cursor is read again, for the same workspace only', (t) => {
  fc.assert(
    fc.property(cursors, fc.uuid(), (cursor, other) => {
      const text = texts.write(cursor, WORKSPACE)
      t.same(texts.read(text, WORKSPACE), cursor)
      t.match(text, /^[\w-]+$/)
      return other === WORKSPACE || texts.read(text, other) === undefined
    }),
    { numRuns: 50 },
  )
  t.end()
})

t.test('a changed text, or one signed with another key, is refused', (t) => {
  fc.assert(
    fc.property(cursors, fc.nat(), fc.constantFrom('A', 'z', '-', '_', '0'), (cursor, place, character) => {
      const text = texts.write(cursor, WORKSPACE)
      // The last character may have unused bits.
      const at = place % (text.length - 1)
      const changed = text.slice(0, at) + character + text.slice(at + 1)
      const foreign = new CursorTexts(Buffer.alloc(32, 4)).write(cursor, WORKSPACE)
      return (
        (changed === text || texts.read(changed, WORKSPACE) === undefined) &&
        texts.read(foreign, WORKSPACE) === undefined
      )
    }),
    { numRuns: 50 },
  )
  t.end()
})

t.test('any other text is refused', (t) => {
  fc.assert(fc.property(fc.string(), (text) => texts.read(text, WORKSPACE) === undefined))
  t.equal(texts.read('x'.repeat(1_000_000), WORKSPACE), undefined)
  t.end()
})
