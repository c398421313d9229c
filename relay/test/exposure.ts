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

t.test('ingestion accepts every exposure that the relay accepts, and nothing is added', async (t) => {
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

t.test('the relay refuses the same visitor ids as ingestion', async () => {
  fc.assert(
    fc.property(id(EVENT_LIMITS.anonymousIdLength), (anonymousId) => {
      const event = { event: '$exposure', anonymousId, properties: { experiment: 'a', variant: 'b' } }
      const isTaken = typeof exposureOf(event, NOW) !== 'string'
      return (
        isTaken === (anonymousId != null && decodeEvents(Buffer.from(JSON.stringify({ events: [event] }))).ok)
      )
    }),
    { numRuns: 2_000 },
  )
})

t.test('the id of an exposure depends on experiment, variant and visitor alone', async (t) => {
  const idOf = (anonymousId: string, insertId: unknown): unknown => {
    const event = {
      event: '$exposure',
      anonymousId,
      insertId,
      properties: { experiment: 'hero', variant: 'b' },
    }
    const exposure = exposureOf(event, NOW)
    return typeof exposure === 'string' ? exposure : (exposure as { insertId: string }).insertId
  }
  t.equal(idOf('ada', 'order-4711-paid'), '$exposure:hero:b:ada')
  const long = 'x'.repeat(255)
  t.match(idOf(long, 'order-4711-paid'), /^\$exposure:(\d+:){5}\d+$/)
  t.equal(idOf(long, undefined), idOf(long, 5))
  t.not(idOf(long, undefined), idOf(`${long.slice(1)}y`, undefined))
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
