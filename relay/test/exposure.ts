import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { EVENT_LIMITS } from '../../domain/event.js'
import { KEY_LENGTH, KEY_PATTERN } from '../../domain/slug.js'
import { decodeEvents } from '../../ingest/decode/decode.js'
import { packageRoot } from '../../runtime/package-root.js'

const { exposureOf, MAX_BYTES } = (await import(join(packageRoot(), 'relay', 'exposure.mjs'))) as {
  exposureOf(body: unknown, timestamp: string): object | string
  MAX_BYTES: number
}
const NOW = '2026-03-01T12:00:00.000Z'

const unit = fc.oneof(
  fc.constantFrom('a', '0', '\0', '\ud800', '\udc00', '\u{1f600}', 'é', '\u2028'),
  fc.integer({ max: 0xffff }).map((code) => String.fromCharCode(code)),
)
const id = (most: number) =>
  fc.oneof(
    { arbitrary: fc.constant('visitor'), weight: 4 },
    fc.string({ unit, maxLength: 6 }),
    fc.integer({ min: most - 1, max: most + 1 }).map((length) => 'x'.repeat(length)),
    fc.integer({ min: 126, max: 128 }).map((count) => '\u{1f600}'.repeat(count)),
    fc.constantFrom(null, undefined, 5, {}, []),
  )
const key = fc.oneof(
  { arbitrary: fc.stringMatching(new RegExp(KEY_PATTERN)), weight: 4 },
  fc.integer({ min: KEY_LENGTH - 1, max: KEY_LENGTH + 1 }).map((length) => 'k'.repeat(length)),
  fc.constantFrom('', 'A', 'a-', 'a--b', 'a b', 'ä', null, undefined, 7),
)
const body = fc.record({
  event: fc.constantFrom('$exposure', '$exposure', '$exposure', 'purchase', '', null),
  anonymousId: id(EVENT_LIMITS.anonymousIdLength),
  insertId: id(EVENT_LIMITS.insertIdLength),
  properties: fc.oneof(fc.record({ experiment: key, variant: key }), fc.constantFrom(null, [], 'x')),
  userId: id(EVENT_LIMITS.userIdLength),
  timestamp: fc.constantFrom('yesterday', undefined),
})

t.test('what the relay takes, ingestion takes, and nothing else is in it', async (t) => {
  let taken = 0
  fc.assert(
    fc.property(body, (sent) => {
      const exposure = exposureOf(sent, NOW)
      if (typeof exposure === 'string') return true
      taken++
      t.same(Object.keys(exposure), ['event', 'anonymousId', 'insertId', 'properties', 'timestamp'])
      return decodeEvents(Buffer.from(JSON.stringify({ events: [exposure], sentAt: NOW }))).ok
    }),
    { numRuns: 3_000 },
  )
  t.ok(taken > 50, `${taken} taken`)
})

t.test('what it refuses for an id, ingestion refuses too', async () => {
  fc.assert(
    fc.property(
      id(EVENT_LIMITS.anonymousIdLength),
      id(EVENT_LIMITS.insertIdLength),
      (anonymousId, insertId) => {
        const event = {
          event: '$exposure',
          anonymousId,
          insertId,
          properties: { experiment: 'a', variant: 'b' },
        }
        const isTaken = typeof exposureOf(event, NOW) !== 'string'
        // The relay wants both ids; for ingestion the second one may be left out.
        const wanted = anonymousId != null && insertId != null
        return isTaken === (wanted && decodeEvents(Buffer.from(JSON.stringify({ events: [event] }))).ok)
      },
    ),
    { numRuns: 2_000 },
  )
})

t.test('the longest exposure fits into a body', async (t) => {
  const longest = {
    event: '$exposure',
    anonymousId: '\u0001'.repeat(EVENT_LIMITS.anonymousIdLength),
    insertId: '\u0001'.repeat(EVENT_LIMITS.insertIdLength),
    properties: { experiment: 'k'.repeat(KEY_LENGTH), variant: 'k'.repeat(KEY_LENGTH) },
  }
  t.not(typeof exposureOf(longest, NOW), 'string')
  t.ok(Buffer.byteLength(JSON.stringify(longest)) <= MAX_BYTES)
})
