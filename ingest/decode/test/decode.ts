import fc from 'fast-check'
import t, { type Test } from 'tap'
import { parseRfc3339 } from '../../../domain/rfc3339.js'
import { cases } from '../../../test/support/cases.js'
import type { IngestRefusal } from '../../http/errors.js'
import { decodeAlias, decodeEvents } from '../decode.js'

const TIME = '2026-03-01T12:00:00.000Z'

function decode(body: unknown) {
  return decodeEvents(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)))
}

function refusalOf(body: unknown): IngestRefusal | undefined {
  const decoded = decode(body)
  return decoded.ok ? undefined : decoded.refusal
}

/** An event with one field changed. */
function withField(field: string, value: unknown): unknown {
  return { events: [{ event: 'e', userId: 'u', [field]: value }] }
}

function accepts(t: Test, body: unknown, name: string): void {
  t.equal(refusalOf(body)?.message, undefined, name)
}

/** Refused for that field, in our own message. */
const isRefusedFor = (body: unknown, field: string): boolean => {
  const { code, field: found, message = '' } = refusalOf(body) ?? {}
  return (
    code === 'VALIDATION_FAILED' && found === field && message.startsWith(field === '' ? 'the body' : field)
  )
}

function refuses(t: Test, body: unknown, field: string, name: string): void {
  t.ok(isRefusedFor(body, field), `${name}: ${JSON.stringify(refusalOf(body))}`)
}

t.test('accepted events are decoded without changes', async (t) => {
  const decoded = decode({
    sentAt: TIME,
    events: [
      {
        event: 'Order.placed-2_$',
        userId: 'ü',
        anonymousId: '\u{1f600}',
        properties: { b: 1, a: [null, { '2': 1, '1': 2 }], __proto__x: 0 },
        timestamp: '2026-03-01T12:00:00.1239+02:00',
        insertId: 'i',
        sdkVersion: '1',
        unknown: { deep: [1] },
      },
      { event: 'e', anonymousId: 'a' },
    ],
    other: 1,
  })
  t.same(decoded, {
    ok: true,
    value: {
      sentAt: Date.parse(TIME),
      events: [
        {
          event: 'Order.placed-2_$',
          userId: 'ü',
          anonymousId: '\u{1f600}',
          properties: '{"b":1,"a":[null,{"1":2,"2":1}],"__proto__x":0}',
          timestamp: Date.parse('2026-03-01T10:00:00.123Z'),
          insertId: 'i',
          sdkVersion: '1',
        },
        {
          event: 'e',
          userId: undefined,
          anonymousId: 'a',
          properties: '{}',
          timestamp: undefined,
          insertId: undefined,
          sdkVersion: undefined,
        },
      ],
    },
  })
})

t.test('null in an optional field counts as absent', async (t) => {
  for (const field of ['anonymousId', 'properties', 'timestamp', 'insertId', 'sdkVersion'])
    accepts(t, withField(field, null), field)
  accepts(t, { events: [{ event: 'e', userId: null, anonymousId: 'a' }] }, 'userId')
  accepts(t, { events: [{ event: 'e', userId: 'u' }], sentAt: null }, 'sentAt')
  refuses(t, withField('event', null), 'events[0].event', 'event')
  refuses(t, { events: [{ event: 'e', userId: null, anonymousId: null }] }, 'events[0].userId', 'both ids')
})

t.test('lengths are limited in UTF-16 units', async (t) => {
  for (const [field, most] of [
    ['event', 500],
    ['userId', 255],
    ['anonymousId', 255],
    ['insertId', 200],
    ['sdkVersion', 200],
  ] as const) {
    accepts(t, withField(field, 'x'.repeat(most)), `${field} of ${most}`)
    refuses(t, withField(field, 'x'.repeat(most + 1)), `events[0].${field}`, `${field} of ${most + 1}`)
    if (field === 'event') continue
    accepts(t, withField(field, '\u{1f600}'.repeat(most >> 1)), `${field} of pairs`)
    refuses(
      t,
      withField(field, '\u{1f600}'.repeat((most >> 1) + 1)),
      `events[0].${field}`,
      `${field} of more pairs`,
    )
    accepts(t, withField(field, '\uffff'.repeat(most)), `${field} of three-byte characters`)
  }
  for (const field of ['event', 'userId', 'anonymousId', 'insertId'])
    refuses(t, withField(field, ''), `events[0].${field}`, `empty ${field}`)
  accepts(t, withField('sdkVersion', ''), 'empty sdkVersion')
})

t.test('values of the wrong type are refused by field', async (t) => {
  for (const field of ['event', 'userId', 'anonymousId', 'timestamp', 'insertId', 'sdkVersion'])
    for (const value of [1, true, [], {}, ['x']])
      refuses(t, withField(field, value), `events[0].${field}`, `${field} ${JSON.stringify(value)}`)
  for (const value of [1, true, [], '{}'])
    refuses(t, withField('properties', value), 'events[0].properties', 'properties')
  for (const value of [1, true, [], {}, 'yesterday', '2026-03-01'])
    refuses(t, { events: [{ event: 'e', userId: 'u' }], sentAt: value }, 'sentAt', 'sentAt')
  for (const body of [[], 1, '"x"', null, true]) refuses(t, body, '', JSON.stringify(body))
  for (const events of [undefined, null, {}, 'x', 1, []]) refuses(t, { events }, 'events', 'events')
  for (const event of [null, 1, 'x', []]) refuses(t, { events: [event] }, 'events[0]', 'event')
})

t.test('only the allowed characters of an event name are accepted', async (t) => {
  const wrong: string[] = []
  for (let code = 0; code < 256; code++) {
    const character = String.fromCharCode(code)
    const body = withField('event', `a${character}b`)
    const isRight = /[A-Za-z0-9_.$-]/.test(character)
      ? refusalOf(body) === undefined
      : isRefusedFor(body, 'events[0].event')
    if (!isRight) wrong.push(`event with ${code}: ${JSON.stringify(refusalOf(body))}`)
  }
  t.same(wrong, [])
  refuses(t, withField('event', 'é'), 'events[0].event', 'é')
  refuses(t, withField('event', 'a\n'), 'events[0].event', 'line end')
  for (const field of ['userId', 'anonymousId', 'insertId']) {
    for (const bad of ['\\u0000', 'a\\u0000b', '\\ud800', 'a\\udc00', '\\ud83d\\ud83d', '\\ude00\\ud83d'])
      refuses(
        t,
        `{"events":[{"event":"e","userId":"u","${field}":"${bad}"}]}`,
        `events[0].${field}`,
        `${field} ${bad}`,
      )
    for (const good of [
      ' ',
      '\\u0001',
      '\\ud83d\\ude00',
      '\\uffff',
      '\\u2028',
      '<>&"'.replaceAll('"', '\\"'),
    ])
      accepts(t, `{"events":[{"event":"e","userId":"u","${field}":"${good}"}]}`, `${field} ${good}`)
  }
  accepts(
    t,
    '{"events":[{"event":"e","userId":"u","sdkVersion":"\\ud800\\u0000"}]}',
    'sdkVersion is free-form',
  )
})

t.test('properties may have 8192 bytes of canonical text', async (t) => {
  const text = (bytes: number, filler = 'x'): string =>
    `{"a":"${filler.repeat((bytes - 8) / Buffer.byteLength(filler))}"}`
  const raw = (properties: string): string =>
    `{"events":[{"event":"e","userId":"u","properties":${properties}}]}`
  t.equal(text(8192).length, 8192)
  accepts(t, raw(text(8192)), '8192')
  refuses(t, raw(text(8193)), 'events[0].properties', '8193')
  accepts(t, raw(text(8192, 'é')), '8192 in two-byte characters')
  refuses(t, raw(text(8194, 'é')), 'events[0].properties', '8194 in two-byte characters')
  accepts(t, raw(text(8192).replace('{', `{${' '.repeat(5_000)}`)), 'white space does not count')
  accepts(t, raw(`{"a":${'1'.repeat(20_000).replace(/1$/, '1e-19900')}}`), 'a long number becomes short')
  refuses(
    t,
    raw(`{${Array.from({ length: 1_000 }, (_, i) => `"${i}":1e20`).join()}}`),
    'events[0].properties',
    'a short number becomes long',
  )
  accepts(t, raw(`{${'"a":1,'.repeat(5_000)}"a":2}`), 'the last of equal keys counts')
  const decoded = decode(raw('{"a":1,"__proto__":{"x":1},"constructor":2,"toJSON":3,"a":0.10}'))
  t.equal(
    decoded.ok && decoded.value.events[0]?.properties,
    '{"a":0.1,"__proto__":{"x":1},"constructor":2,"toJSON":3}',
  )
})

t.test('properties may be nested 64 levels deep', async (t) => {
  const arrays = (levels: number): string =>
    `{"events":[{"event":"e","userId":"u","properties":{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}}]}`
  const objects = (levels: number): string =>
    `{"events":[{"event":"e","userId":"u","properties":${'{"a":'.repeat(levels)}0${'}'.repeat(levels)}}]}`
  for (const nested of [arrays, objects]) {
    accepts(t, nested(64), '64 levels')
    for (const levels of [65, 4_094, 100_000, 400_000])
      refuses(t, nested(levels), 'events[0].properties', `${levels} levels`)
  }
  accepts(
    t,
    `{"events":[{"event":"e","userId":"u"}],"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    'in an unknown field',
  )
  accepts(
    t,
    `{"events":[{"event":"e","userId":"u","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}]}`,
    'in an unknown field of an event',
  )
})

t.test('a number too large for a double is refused', async (t) => {
  for (const number of ['1e400', '-1e400', '1e309', '9'.repeat(400)]) {
    const raw = (properties: string): string =>
      `{"events":[{"event":"a","userId":"u"},{"event":"e","userId":"u","properties":${properties}}]}`
    refuses(t, raw(`{"a":${number}}`), 'events[1].properties', number)
    refuses(t, raw(`{"a":[{"b":[null,${number}]}]}`), 'events[1].properties', `deep ${number}`)
    refuses(t, `{"events":[{"event":"e","userId":"u","x":[${number}]}]}`, 'events[0].x', 'unknown field')
    refuses(t, `{"events":[{"event":"e","userId":"u"}],"x":${number}}`, 'x', 'unknown field outside')
    refuses(t, `{"events":[{"event":"e","userId":${number}}]}`, 'events[0].userId', 'known field')
  }
  accepts(
    t,
    '{"events":[{"event":"e","userId":"u","properties":{"a":1.7976931348623157e308,"b":1e-400,"c":null,"d":"null"}}]}',
    'just below',
  )
})

t.test('the last of equal keys wins', async (t) => {
  const decoded = decode('{"events":1,"events":[{"event":"!","event":"e","userId":1,"userId":"u"}]}')
  t.equal(decoded.ok && decoded.value.events[0]?.event, 'e')
  refuses(t, '{"events":[{"event":"e","userId":"u","userId":1}]}', 'events[0].userId', 'last')
})

t.test('keys such as __proto__ have no special meaning', async (t) => {
  refuses(t, '{"events":[{"event":"e","__proto__":{"userId":"u"}}]}', 'events[0].userId', '__proto__')
  refuses(t, '{"__proto__":{"events":[{"event":"e","userId":"u"}]}}', 'events', '__proto__ outside')
  accepts(
    t,
    '{"events":[{"event":"e","userId":"u","__proto__":null,"constructor":1,"toString":2}]}',
    'unknown',
  )
})

t.test(
  'a refusal names the first offending field in document order, and lists up to a hundred',
  async (t) => {
    refuses(t, '{"sentAt":"x","events":[{"event":1,"userId":"u"}]}', 'sentAt', 'sentAt first')
    refuses(t, '{"events":[{"event":1,"userId":"u"}],"sentAt":"x"}', 'events[0].event', 'events first')
    refuses(
      t,
      '{"events":[{"timestamp":"x","insertId":"","event":1,"userId":"u"}]}',
      'events[0].timestamp',
      'timestamp first',
    )
    refuses(
      t,
      '{"events":[{"properties":1,"event":"e"}]}',
      'events[0].properties',
      'present before missing ids after it',
    )
    refuses(
      t,
      '{"events":[{"event":"e","properties":1}]}',
      'events[0].userId',
      'missing ids stand by the name',
    )
    refuses(t, '{"events":[{"userId":1}]}', 'events[0].event', 'a missing name comes first')
    const refusal = refusalOf({
      sentAt: 'x',
      events: Array.from({ length: 300 }, (_, i) =>
        i % 2 === 0 ? { event: 'e', userId: 'u' } : { event: '', userId: '' },
      ),
    })
    t.equal(refusal?.details?.length, 100)
    t.same(
      refusal?.details?.slice(0, 4).map((detail) => detail.path),
      ['/sentAt', '/events/1/event', '/events/1/userId', '/events/3/event'],
    )
    t.ok(refusal?.details?.every((detail) => detail.message.length > 10))
  },
)

t.test('hostile bodies are refused in good time', async (t) => {
  const many = (piece: string, bytes: number): string => piece.repeat(Math.floor(bytes / piece.length))
  const bodies = [
    `{"events":[${many('0,', 4e6)}0]}`,
    `{"events":[${many('{},', 4e6)}{}]}`,
    `{"events":[{"event":"e","userId":"u",${Array.from({ length: 200_000 }, (_, i) => `"k${i}":1e999`).join()}}]}`,
    `{${Array.from({ length: 200_000 }, (_, i) => `"k${i}":1e999`).join()}}`,
    many('[', 4e6),
    `"${many('\\u0000', 4e6)}"`,
    `{"events":[${Array.from({ length: 500 }, () => `{"event":"${many('!', 8000)}","userId":1}`).join()}]}`,
  ]
  for (const [i, body] of bodies.entries()) {
    const start = performance.now()
    const refusal = refusalOf(body)
    t.ok(refusal, `body ${i}`)
    t.ok((refusal?.details ?? []).length <= 100)
    t.ok(performance.now() - start < 30_000, `body ${i} took ${Math.round(performance.now() - start)} ms`)
  }
})

t.test('a body that is not JSON is refused', async (t) => {
  for (const body of [
    Buffer.alloc(0),
    Buffer.from('{'),
    Buffer.from([0x22, 0xc3, 0x22]),
    Buffer.from('\ufeff{}'),
    Buffer.from('{} {}'),
    Buffer.from('NaN'),
  ])
    t.match(decodeEvents(body), { ok: false, refusal: { code: 'MALFORMED_JSON', field: '' } })
})

t.test('the fields of an alias are validated', async (t) => {
  const alias = (body: unknown) => decodeAlias(Buffer.from(JSON.stringify(body)))
  t.same(alias({ anonymousId: 'a', userId: 'u', other: [1] }), {
    ok: true,
    value: { anonymousId: 'a', userId: 'u' },
  })
  const fieldOf = (body: unknown): string | undefined => {
    const decoded = alias(body)
    return decoded.ok ? undefined : decoded.refusal.field
  }
  t.equal(fieldOf([]), '')
  t.equal(fieldOf({ userId: 'u' }), 'anonymousId')
  t.equal(fieldOf({ anonymousId: 'a' }), 'userId')
  t.equal(fieldOf({ anonymousId: null, userId: 'u' }), 'anonymousId')
  t.equal(fieldOf({ anonymousId: 'a', userId: '' }), 'userId')
  t.equal(fieldOf({ userId: 'x'.repeat(256), anonymousId: '\0' }), 'userId')
  t.equal(fieldOf({ anonymousId: 'a\0', userId: 'u' }), 'anonymousId')
  t.equal(fieldOf({ anonymousId: 'x'.repeat(255), userId: 'x'.repeat(255) }), undefined)
})

/** The rules once more, as simply as possible, on a parsed body. */
function firstBroken(body: unknown): string | undefined {
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject(body)) return ''
  if (!('events' in body)) return 'events'
  for (const key of Object.keys(body)) {
    const value = body[key]
    if (
      key === 'sentAt' &&
      value !== null &&
      !(typeof value === 'string' && parseRfc3339(value) !== undefined)
    )
      return key
    if (key !== 'events') continue
    if (!Array.isArray(value) || value.length < 1 || value.length > 500) return key
    for (const [i, event] of value.entries()) {
      if (!isObject(event)) return `events[${i}]`
      if (!('event' in event)) return `events[${i}].event`
      const anonymous = event.userId == null && event.anonymousId == null
      for (const field of Object.keys(event)) {
        const given = event[field]
        const id = (most: number): boolean =>
          given === null ||
          (typeof given === 'string' &&
            given.length >= 1 &&
            given.length <= most &&
            !/\0|\p{Surrogate}/u.test(given))
        const good =
          field === 'event'
            ? typeof given === 'string' && /^[A-Za-z0-9_.$-]{1,500}$/.test(given)
            : field === 'userId' || field === 'anonymousId'
              ? id(255)
              : field === 'insertId'
                ? id(200)
                : field === 'sdkVersion'
                  ? given === null || (typeof given === 'string' && given.length <= 200)
                  : field === 'timestamp'
                    ? given === null || (typeof given === 'string' && parseRfc3339(given) !== undefined)
                    : field === 'properties'
                      ? given === null ||
                        (isObject(given) && Buffer.byteLength(JSON.stringify(given)) <= 8192)
                      : true
        if (!good) return `events[${i}].${field}`
        if (field === 'event' && anonymous) return `events[${i}].userId`
      }
    }
  }
  return undefined
}

t.test('decoding agrees with a plain restatement of the rules on random bodies', async (t) => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.string({
      unit: fc.constantFrom('a', '\0', '\ud800', '\udc00', '\u{1f600}', 'é', '.', '$'),
      maxLength: 6,
    }),
    fc
      .tuple(
        fc.constantFrom('x', 'é', '\u{1f600}'),
        fc.constantFrom(99, 100, 127, 128, 199, 200, 201, 255, 256, 500, 501),
      )
      .map(([unit, count]) => unit.repeat(count)),
  )
  const rarely = <T>(good: fc.Arbitrary<T>) =>
    fc.oneof(
      { arbitrary: good as fc.Arbitrary<unknown>, weight: 80 },
      { arbitrary: fc.constant(null), weight: 2 },
      { arbitrary: text, weight: 2 },
      { arbitrary: fc.constantFrom<unknown>('', 0, false, [], {}), weight: 1 },
    )
  const id = rarely(fc.string({ minLength: 1, maxLength: 20 }))
  const time = fc.oneof(
    {
      arbitrary: rarely(fc.constantFrom(TIME, '2024-02-29T00:00:00Z', '2026-01-01T00:00:00+00:00')),
      weight: 15,
    },
    {
      arbitrary: fc.constantFrom<unknown>(
        '2026-02-29T00:00:00Z',
        '2026-01-01T24:00:00Z',
        '2026-01-01 00:00:00Z',
        '2026-01-01T00:00:00',
      ),
      weight: 1,
    },
  )
  const properties = rarely(
    fc.oneof(
      fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue(), { maxKeys: 4 }),
      fc
        .constantFrom(8_190, 8_191, 8_192, 8_192, 8_192, 8_193)
        .map((bytes) => ({ a: 'x'.repeat(bytes - 8) })),
    ),
  )
  const event = fc.oneof(
    {
      arbitrary: fc
        .record(
          {
            event: rarely(fc.stringMatching(/^[A-Za-z0-9_.$-]{1,20}$/)),
            userId: id,
            anonymousId: id,
            properties,
            timestamp: time,
            insertId: id,
            sdkVersion: rarely(fc.string({ maxLength: 10 })),
            extra: fc.jsonValue(),
          },
          { requiredKeys: [] },
        )
        .chain((record) =>
          fc.shuffledSubarray(Object.entries(record), { minLength: Object.keys(record).length }),
        )
        .map((entries) => ({
          ...(entries.length > 3 ? { event: 'e', userId: 'u' } : {}),
          ...Object.fromEntries(entries),
        })),
      weight: 20,
    },
    { arbitrary: fc.constantFrom<unknown>(null, 1, [], 'x'), weight: 1 },
  )
  const body = fc
    .record(
      {
        sentAt: time,
        events: fc.oneof(
          { arbitrary: fc.array(event, { minLength: 1, maxLength: 4 }) as fc.Arbitrary<unknown>, weight: 20 },
          {
            arbitrary: fc.constantFrom<unknown>(
              [],
              null,
              1,
              Array.from({ length: 501 }, () => ({ event: 'e', userId: 'u' })),
            ),
            weight: 1,
          },
        ),
        extra: fc.jsonValue(),
      },
      { requiredKeys: ['events'] },
    )
    .chain((record) => fc.shuffledSubarray(Object.entries(record), { minLength: Object.keys(record).length }))
    .map((entries) => Object.fromEntries(entries) as unknown)
  let accepted = 0
  let refused = 0
  fc.assert(
    fc.property(body, (value) => {
      const sent = JSON.stringify(value)
      const parsed: unknown = JSON.parse(sent)
      const expected = firstBroken(parsed)
      const decoded = decodeEvents(Buffer.from(sent))
      if (expected === undefined) {
        accepted++
        if (!decoded.ok) throw new Error(`refused for ${decoded.refusal.message}`)
        const { events } = parsed as { events: Record<string, unknown>[] }
        events.forEach((event, i) => {
          const got = decoded.value.events[i]
          if (got?.properties !== JSON.stringify(event.properties ?? {})) throw new Error('properties differ')
          for (const field of ['event', 'userId', 'anonymousId', 'insertId', 'sdkVersion'] as const)
            if (got[field] !== (event[field] ?? undefined)) throw new Error(`${field} differs`)
        })
      } else {
        refused++
        if (decoded.ok) throw new Error(`accepted, but ${expected} is wrong`)
        if (decoded.refusal.field !== expected)
          throw new Error(`names ${decoded.refusal.field} and not ${expected}`)
      }
    }),
    { numRuns: cases(4_000) },
  )
  t.ok(accepted > 400 && refused > 400, `${accepted} accepted, ${refused} refused`)
})

t.test('any body is decoded or refused, without an exception', async () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      decodeEvents(Buffer.from(bytes))
      decodeAlias(Buffer.from(bytes))
    }),
  )
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      decodeEvents(Buffer.from(text))
      decodeAlias(Buffer.from(text))
    }),
  )
})
