import fc from 'fast-check'
import t from 'tap'
import { makeBody } from '../../../bench/support/load/bodies.js'
import { seededRandom } from '../../../bench/support/random.js'
import { cases, SEED } from '../../../test/support/cases.js'
import { MAX_BODY_BYTES } from '../../http/body.js'
import { bothWays } from './support/both-ways.js'
import { hostileBodies } from './support/hostile-bodies.js'

const oneEach = bothWays(1)
const several = bothWays(12)

/** Whether the fast path encodes a body, to the same bytes as the parser. */
const isPassed = (body: unknown): boolean => {
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  several(bytes)
  return oneEach(bytes).passed !== undefined
}
const one = { event: 'e', userId: 'u' }
const withProperties = (properties: string): string =>
  `{"events":[{"event":"e","userId":"u","properties":${properties}}]}`

t.test('the fast path accepts JSON as the usual clients write it', async (t) => {
  const body = {
    events: [
      one,
      {
        event: 'Order.placed-2_$',
        anonymousId: 'a',
        userId: 'u',
        properties: { b: 1.5, a: [null, { x: 'y\n"' }], '': 'ü', deep: [[[{}]]] },
        timestamp: '2026-03-01T12:00:00.1239+02:00',
        insertId: 'i',
        sdkVersion: '',
        context: { library: ['x', 1e3, -0] },
      },
      { event: 'e', userId: null, anonymousId: 'я😀', properties: null, timestamp: null, insertId: null },
    ],
    sentAt: '2026-03-01T12:00:00.000Z',
    other: [1, { a: 2 }],
  }
  const escaped = JSON.stringify(body).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  for (const [name, text] of Object.entries({
    compact: JSON.stringify(body),
    indented: JSON.stringify(body, null, 2),
    tabs: JSON.stringify(body, null, '\t').replaceAll('\n', '\r\n'),
    'spaces behind commas and colons': JSON.stringify(body).replaceAll('":', '": ').replaceAll(',"', ', "'),
    escaped,
    'space around': ` \n${JSON.stringify(body)}\t\r\n `,
    'another order': JSON.stringify({ sentAt: body.sentAt, events: body.events }),
    '500 events': JSON.stringify({ events: Array.from({ length: 500 }, () => one) }),
    'sentAt null': JSON.stringify({ events: [one], sentAt: null }),
    'numbers that are written anew': withProperties(
      '{"a":1e3,"b":0.1000,"c":-0,"d":52.520006599999996,"e":12345678901234567890}',
    ),
    'keys that go to another place': withProperties('{"b":1,"2":1,"1":{"c":1,"c":2}}'),
    'equal keys beyond those that are compared': withProperties(
      `{${Array.from({ length: 100 }, (_, i) => `"k${i}":1`).join()},"k80":2}`,
    ),
    'a hundred keys': withProperties(
      JSON.stringify(Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, i]))),
    ),
    '64 deep': withProperties(`{"a":${'['.repeat(63)}${']'.repeat(63)}}`),
    '20,000 values': `{"events":[{"event":"e","userId":"u"}],"x":[${'1,'.repeat(20_000)}1]}`,
    '8,192 bytes': withProperties(`{"a":"${'é'.repeat(4_092)}"}`),
    'the bench': makeBody(1).bytes,
  }))
    t.ok(isPassed(text), name)
})

t.test('the fast path leaves bodies that it cannot decide to the parser', async (t) => {
  for (const body of [
    '',
    ' ',
    '{}',
    '[]',
    'null',
    '{"events":[]}',
    '{"events":[{"event":"e","userId":"u"}]}}',
    '{"events":[{"event":"e","userId":"u"}]}\u0000',
    '\ufeff{"events":[{"event":"e","userId":"u"}]}',
    '{"events":[{"event":"e","userId":"u"}],}',
    '{"events":[{"event":"e","userId":"u"},]}',
    '{"events":[{"event":"e","userId":"u",}]}',
    '{"events":[{"event":"e","userId":"u","userId":"v"}]}',
    '{"events":[{"event":"e","userId":"u"}],"events":[{"event":"e","userId":"u"}]}',
    '{"events":[{"event":"e","userId":"u","\\u0065vent":"f"}]}',
    '{"events":[{"event":"e","userId":"\\ud800"}]}',
    { events: [{ event: 'e' }] },
    { events: [{ event: '', userId: 'u' }] },
    { events: [{ event: 'no spaces', userId: 'u' }] },
    { events: [{ event: 'e', userId: 'u'.repeat(256) }] },
    { events: [{ event: 'e', userId: '😀'.repeat(128) }] },
    { events: [{ event: 'e', userId: 'a\u0000' }] },
    { events: [{ event: 'e', userId: 5 }] },
    { events: [{ event: null, userId: 'u' }] },
    { events: [{ ...one, timestamp: 'yesterday' }] },
    { events: [{ ...one, timestamp: '2016-12-31T23:59:60Z' }] },
    { events: [{ ...one, timestamp: '9999-12-31T23:59:59.9999999-05:00' }] },
    { events: [{ ...one, properties: [] }] },
    { events: [{ ...one, properties: { p: 'x'.repeat(8_185) } }] },
    { events: [one], sentAt: 'yesterday' },
    { events: [one, 5] },
    { events: Array.from({ length: 501 }, () => one) },
    withProperties('{"a":1e400}'),
    withProperties(`{"a":${'['.repeat(64)}${']'.repeat(64)}}`),
    '{"events":[{"event":"e","userId":"u"}],"x":1e999}',
    Buffer.from([...Buffer.from('{"events":[{"event":"e","userId":"'), 0xff, ...Buffer.from('"}]}')]),
  ])
    t.notOk(isPassed(body), JSON.stringify(body).slice(0, 80))
})

t.test('both paths drop exactly the links with a placeholder id', async (t) => {
  const ids = ['null', 'NULL', '[object Object]', '00000000-0000-0000-0000-000000000000', '0', 'user', 'нет']
  for (const anonymousId of ids) {
    const events = ids.map((userId) => ({ event: 'e', anonymousId, userId }))
    const { passed, plain } = oneEach(Buffer.from(JSON.stringify({ events })))
    const users = ids.slice(-2).includes(anonymousId) ? ['user'] : []
    t.same(
      passed?.pairs.map(({ userId }) => userId),
      users,
    )
    t.same(plain?.ok && plain.value.pairs.map(({ userId }) => userId), users)
  }
})

t.test('bodies of extreme sizes are decoded one after another in the same memory', async (t) => {
  const whole = (text: string, filler: string): Buffer =>
    Buffer.from(text.replace('@', filler.repeat(Math.floor((MAX_BODY_BYTES - text.length) / filler.length))))
  const event = '{"event":"e","userId":"u"'
  const full = JSON.stringify({ a: `${'x'.repeat(8_170)}` })
  const growing = `{${Array.from({ length: 340 }, (_, i) => `"k${i}":1e20`).join()}}`
  const bodies: Readonly<Record<string, Buffer | string>> = {
    'white space of eight megabytes': whole(`{"events":[@${event}}]}`, ' '),
    'a text of eight megabytes': whole(`{"events":[${event}}],"x":"@"}`, 'x'),
    'escapes of eight megabytes': whole(`{"events":[${event},"x":"@"}]}`, '\\ud800'),
    'numbers of eight megabytes that grow': whole(`{"events":[${event}}],"x":[@0]}`, '1e20,'),
    'a number of eight megabytes': whole(`{"events":[${event},"x":@}]}`, '1'),
    'brackets of eight megabytes': whole(`{"events":[${event},"x":@`, '['),
    'more keys than there may be': whole(`{"events":[${event}}],"x":[@0]}`, '{"a":1},'),
    'an id of eight megabytes': whole('{"events":[{"event":"e","userId":"@"}]}', 'u'),
    'a name of eight megabytes': whole(`{"events":[${event},"@":1}]}`, 'n'),
    'a timestamp of eight megabytes': whole(
      `{"events":[${event},"timestamp":"2026-03-01T12:00:00.@Z"}]}`,
      '1',
    ),
    'cut in the middle of a text': whole(`{"events":[${event},"x":"@`, 'x'),
    'full properties in every event': `{"events":[${Array.from({ length: 500 }, () => `${event},"properties":${full}}`).join()}]}`,
    'growing properties in every event': `{"events":[${Array.from({ length: 500 }, () => `${event},"properties":${growing}}`).join()}]}`,
    'numbers that grow in every event': `{"events":[${Array.from({ length: 500 }, () => `${event},"properties":{"a":[${'1e20,'.repeat(370)}1]}}`).join()}]}`,
    'the longest fields in every event': JSON.stringify({
      events: Array.from({ length: 500 }, (_, i) => ({
        event: 'e'.repeat(500),
        userId: '\uffff'.repeat(255),
        anonymousId: '\uffff'.repeat(255),
        insertId: String(i).padStart(200, '\uffff'),
        sdkVersion: '\uffff'.repeat(200),
        timestamp: '2026-03-01T12:00:00.000Z',
        properties: { a: 'é'.repeat(3_000) },
      })),
    }),
    'the shortest events': JSON.stringify({ events: Array.from({ length: 500 }, () => one) }),
  }
  const small = Buffer.from(JSON.stringify({ events: [one] }))
  for (const ways of [oneEach, several])
    for (const [name, body] of Object.entries(bodies)) {
      const bytes = Buffer.from(body)
      t.ok(bytes.length <= MAX_BODY_BYTES, name)
      ways(bytes)
      // The large body leaves no state behind that affects the next.
      t.ok(ways(small).passed, `after ${name}`)
      t.equal(ways(bytes.subarray(0, bytes.length >> 1)).passed, undefined, `half of ${name}`)
    }
  for (const name of [
    'full properties in every event',
    'the longest fields in every event',
    'the shortest events',
    'an id of eight megabytes',
  ])
    t.equal(several(Buffer.from(bodies[name] ?? '')).passed !== undefined, !name.startsWith('an id'), name)
})

t.test('a body cut at any byte is never accepted by the fast path', async (t) => {
  const body = Buffer.from(
    '{"events":[{"event":"e","userId":"u\\u00e9","properties":{"a":[1.5,-2e3,true,false,null,{"b":"\\ud83d\\ude00é"}]},"timestamp":"2026-03-01T12:00:00.5+01:00","x":{}}],"sentAt":"2026-03-01T12:00:00Z"}',
  )
  t.ok(oneEach(body).passed)
  let passed = 0
  for (let length = 0; length < body.length; length++) if (oneEach(body.subarray(0, length)).passed) passed++
  t.equal(passed, 0)
})

t.test('timestamps at the first and last days of every month', async (t) => {
  const days: string[] = []
  for (const year of [
    '0000',
    '0001',
    '0004',
    '0100',
    '1900',
    '1969',
    '1970',
    '1999',
    '2000',
    '2024',
    '2026',
    '2100',
    '9999',
  ])
    for (let month = 1; month <= 12; month++)
      for (const day of ['01', '28', '29', '30', '31'])
        days.push(`${year}-${String(month).padStart(2, '0')}-${day}T23:59:59.999Z`)
  const there: string[] = []
  for (const timestamp of days) if (isPassed({ events: [{ ...one, timestamp }] })) there.push(timestamp)
  const exists = (time: string): boolean =>
    !Number.isNaN(Date.parse(time)) && new Date(time).toISOString() === time
  t.same(there, days.filter(exists))
})

t.test('both paths agree with 65,000 partitions', async (t) => {
  const ways = bothWays(65_000)
  for (let seed = 0; seed < 5; seed++) t.ok(ways(makeBody(seed).bytes).passed)
})

t.test('hostile bodies that the fast path accepts are encoded as the parser encodes them', async (t) => {
  const next = hostileBodies(seededRandom(SEED))
  let passed = 0
  let taken = 0
  let sampled = 0
  const count = cases(8_000, 1_000_000)
  for (let i = 0; i < count; i++) {
    const body = next()
    // Sometimes compare bodies that the fast path rejects too: it must accept most valid ones.
    const sample = i % 8 === 0
    const { passed: encoded, plain } = (i % 2 === 0 ? oneEach : several)(body, sample)
    if (encoded !== undefined) passed++
    if (sample && plain?.ok) {
      sampled++
      if (encoded !== undefined) taken++
    }
  }
  t.ok(passed > count / 4, `${passed} of ${count} passed`)
  t.ok(taken > sampled * 0.9, `${taken} of ${sampled} good ones passed`)
  t.comment(`${passed} of ${count} passed, ${taken} of ${sampled} good ones`)
})

t.test('both paths agree on any JSON in fields and properties', async () => {
  const properties = fc.dictionary(
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.jsonValue({ maxDepth: 4 }),
    { maxKeys: 8 },
  )
  const text = fc.string({ unit: 'grapheme', maxLength: 30 })
  const event = fc.record(
    {
      event: fc.stringMatching(/^[A-Za-z0-9_.$-]{1,20}$/),
      userId: text,
      properties,
      insertId: text,
      sdkVersion: text,
      other: fc.jsonValue(),
    },
    { requiredKeys: ['event', 'userId'] },
  )
  const space = fc.constantFrom(undefined, undefined, 1, 2, '\t')
  fc.assert(
    fc.property(fc.array(event, { minLength: 1, maxLength: 3 }), space, (events, indent) => {
      several(Buffer.from(JSON.stringify({ events }, null, indent)))
    }),
    { numRuns: cases(1_000, 100_000) },
  )
})
