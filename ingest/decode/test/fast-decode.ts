import fc from 'fast-check'
import t from 'tap'
import { cases } from '../../../test/support/cases.js'
import { decodePlain } from '../decode.js'
import { decodeFast } from '../fast-decode.js'

const TIME = '2026-03-01T12:00:00.000Z'

function fast(body: unknown) {
  return decodeFast(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)))
}

t.test('what clients usually write needs no parser, and says the same', async (t) => {
  const body = {
    events: [
      { event: 'e', userId: 'u' },
      {
        event: 'Order.placed-2_$',
        anonymousId: 'a',
        userId: 'u',
        properties: { b: 1.5, a: [null, { x: 'y' }], '': 'z' },
        timestamp: '2026-03-01T12:00:00.1239+02:00',
        insertId: 'i',
        sdkVersion: '',
      },
      { event: 'e', userId: null, anonymousId: 'a', properties: null, timestamp: null, insertId: null },
    ],
    sentAt: TIME,
  }
  const text = Buffer.from(JSON.stringify(body))
  const value = decodeFast(text)
  t.ok(value)
  t.same(decodePlain(text), { ok: true, value })
  t.ok(fast({ sentAt: TIME, events: [{ event: 'e', userId: 'u' }] }), 'keys in another order')
  t.ok(fast({ events: Array.from({ length: 500 }, () => ({ event: 'e', userId: 'u' })) }))
})

t.test('everything else is left to the parser', async (t) => {
  const one = { event: 'e', userId: 'u' }
  for (const body of [
    '',
    '{}',
    '[]',
    ' {"events":[{"event":"e","userId":"u"}]}',
    '{"events":[{"event":"e","userId":"u"}]} ',
    '{"events":[{"event":"e","userId":"u"}]}}',
    '{"events":[{"event":"e","userId":"u"}],}',
    '{"events":[{"event":"e","userId":"u"},]}',
    '{"events":[{"event":"e","userId":"u",}]}',
    '{"events":[{"event": "e","userId":"u"}]}',
    '{"events":[{"event":"e","userId":"u","userId":"v"}]}',
    '{"events":[{"event":"e","userId":"u"}],"events":[{"event":"e","userId":"u"}]}',
    '{"events":[{"event":"e","userId":"u"}],"sentAt":null}',
    '{"events":[{"event":"e","userId":"\\u0041"}]}',
    '{"events":[{"event":"e","userId":"a\\nb"}]}',
    '{"events":[{"event":"e","userId":"u","properties":{"a":1.0}}]}',
    '{"events":[{"event":"e","userId":"u","properties":{"a":1e400}}]}',
    { events: [] },
    { events: [one], other: 1 },
    { events: [{ ...one, color: 'red' }] },
    { events: [{ event: 'e' }] },
    { events: [{ event: '', userId: 'u' }] },
    { events: [{ event: 'no spaces', userId: 'u' }] },
    { events: [{ event: 'e', userId: 'u'.repeat(256) }] },
    { events: [{ event: 'e', userId: 5 }] },
    { events: [{ event: null, userId: 'u' }] },
    { events: [{ ...one, timestamp: 'yesterday' }] },
    { events: [{ ...one, properties: [] }] },
    { events: [{ ...one, properties: { p: 'x'.repeat(8_185) } }] },
    { events: [one], sentAt: 'yesterday' },
    { events: [one], sentAt: 5 },
    { events: [one, 5] },
    { events: Array.from({ length: 501 }, () => one) },
  ])
    t.equal(fast(body), undefined, JSON.stringify(body).slice(0, 80))
  t.ok(fast({ events: [{ ...one, properties: { p: 'x'.repeat(8_184) } }] }), '8,192 bytes')
})

const id = fc.oneof(
  { weight: 12, arbitrary: fc.stringMatching(/^[ -~]{1,12}$/) },
  { weight: 1, arbitrary: fc.string({ maxLength: 12 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', 'u', 'x'.repeat(255), 'x'.repeat(256), null, 5, undefined),
  },
)
const field = fc.oneof(fc.string({ maxLength: 4 }), fc.double(), fc.boolean(), fc.constant(null))
const event = fc.record(
  {
    event: fc.oneof(
      { weight: 20, arbitrary: fc.stringMatching(/^[A-Za-z0-9_.$-]{1,8}$/) },
      { weight: 1, arbitrary: id },
    ),
    userId: id,
    anonymousId: id,
    properties: fc.oneof(
      fc.dictionary(fc.string({ maxLength: 4 }), fc.oneof(field, fc.array(field, { maxLength: 3 })), {
        maxKeys: 5,
      }),
      fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), field, { maxKeys: 5 }),
      fc.object({ maxDepth: 2 }),
      fc.constant(null),
    ),
    timestamp: fc.constantFrom(
      TIME,
      '2026-03-01T12:00:00+02:00',
      TIME,
      '2026-02-30T12:00:00Z',
      null,
      undefined,
    ),
    insertId: id,
    sdkVersion: id,
    other: fc.constantFrom(...Array.from({ length: 19 }, () => undefined), 1),
  },
  { requiredKeys: ['event', 'userId'] },
)
const body = fc
  .tuple(
    fc.record(
      {
        events: fc.array(event, { maxLength: 3 }),
        sentAt: fc.constantFrom(TIME, TIME, TIME, null, 'x'),
      },
      { requiredKeys: ['events'] },
    ),
    fc.option(fc.tuple(fc.nat(), fc.constantFrom('', ' ', ',', '"', '}', ']', ':', '1', '\\', 'null')), {
      freq: 2,
    }),
  )
  .map(([value, damage]) => {
    const whole = JSON.stringify(value)
    if (damage === null) return whole
    const at = damage[0] % whole.length
    return whole.slice(0, at) + damage[1] + whole.slice(at + (damage[0] % 2))
  })

t.test('whatever is decoded without the parser, the parser decodes to the same', async (t) => {
  let decoded = 0
  fc.assert(
    fc.property(body, (text) => {
      const bytes = Buffer.from(text)
      if (bytes.length !== text.length) return
      const value = decodeFast(bytes)
      if (value === undefined) return
      decoded++
      const plain = decodePlain(bytes)
      if (!plain.ok) throw new Error(`refused: ${plain.refusal.message}`)
      if (JSON.stringify(plain.value) !== JSON.stringify(value)) throw new Error('decoded to something else')
    }),
    { numRuns: cases(20_000) },
  )
  t.ok(decoded > 400, `${decoded} decoded`)
})
