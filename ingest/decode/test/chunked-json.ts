import fc from 'fast-check'
import t from 'tap'
import { cases } from '../../../test/support/cases.js'
import { parseInChunks } from '../chunked-json.js'

/** Parses in chunks and compares with parsing the whole. */
function pieced(body: string): boolean {
  const bytes = Buffer.from(body)
  const result = parseInChunks(bytes, /^[\0-\x7f]*$/.test(body) ? 'latin1' : 'utf8')
  if (result === undefined) return false
  const whole: unknown = JSON.parse(body)
  // The order of keys too, at every level.
  if (JSON.stringify(result) !== JSON.stringify(whole)) throw new Error('pieces differ from the whole')
  return true
}

const event = (i: number, more = ''): string =>
  `{"event":"e${i}","userId":"u","properties":{"a":"${'x'.repeat(300)}"${more}}}`
const events = (count: number, more = ''): string =>
  Array.from({ length: count }, (_, i) => event(i, more)).join()

t.test('ordinary bodies of every size are parsed', async (t) => {
  for (const count of [300, 500, 1_000, 3_000]) {
    t.equal(pieced(`{"events":[${events(count)}]}`), count > 360)
    t.equal(pieced(`{"sentAt":"x","events":[${events(count)}],"z":[{"event":1}]}`), count > 360)
  }
  t.ok(pieced(`{"events":[${events(500, ',"items":[{"sku":1},{"sku":2}],"é":"\u{1f600}"')}],"sentAt":"x"}`))
  t.ok(pieced(`{"events":[${events(500)}],"sentAt":1,"sentAt":2,"__proto__":{"x":1},"7":0}`))
  t.ok(pieced(`{"__proto__":1,"sentAt":1,"events":[${events(500)}],"sentAt":2}`))
})

t.test('a body is parsed as a whole if it cannot be cut safely', async (t) => {
  const many = events(500)
  for (const body of [
    `{"events":[${many}],"events":[${event(1)}]}`,
    `{"events":[${many}],"events":[]}`,
    `{"events":[${event(1)}],"x":[${many}]}`,
    `{"events":[${event(1)}],"x":{"events":[${many}]}}`,
    `{"events":[${event(1)}],"x":1,"events":[${many}]}`,
    `[{"events":[${many}]}]`,
    `{"events":[${many}]`,
    `{"events":[${many}]}}`,
    `{"events":[${many}],}`,
    `{"events":[${many}]]}`,
    `{"events":[${event(1)},"${many.replaceAll('"', '\\"')}"]}`,
    `{"events":[{"event":[${many}]}]}`,
    `{"events":[{"event":"e","userId":"u","properties":{"a":[${many}]}}]}`,
    `{ "events" : [ ${many} ] }`,
    many,
    'x'.repeat(200_000),
  ])
    t.equal(pieced(body), false, body.slice(0, 60))
})

t.test('parsing in pieces never differs from parsing the whole', async (t) => {
  let proved = 0
  // Text fragments that matter to the cut, mostly in a senseless order.
  const token = fc.constantFrom(
    '},{"event":',
    '"events":[{"event":',
    ']',
    '}',
    '[',
    '{',
    ',',
    '"',
    '1',
    '"events":',
    '"x":',
    '],"events":[',
    '],"x":[',
    '{"event":1}',
    ' ',
    '\\',
  )
  const filler = (at: string): string => events(320).replace('"u"', at)
  fc.assert(
    fc.property(
      fc.array(token, { maxLength: 6 }),
      fc.array(token, { maxLength: 6 }),
      fc.array(token, { maxLength: 4 }),
      (a, b, c) => {
        for (const body of [
          `{"events":[${filler('"u"')}${a.join('')}${filler('"u"')}]${c.join('')}}`,
          `{"events":[${filler('"u"')},${filler(`"${b.join('').replaceAll('"', '')}"`)}],${c.join('')}}`,
          `{"events":[${filler('"u"')}],"x":[${a.join('')}${filler('"u"')}]}`,
          `{"events":[${filler('"u"')},{"event":1${b.join('')}},${filler('"u"')}]}`,
        ]) {
          try {
            if (pieced(body)) proved++
          } catch (error) {
            throw new Error(`${error} for ${body.replaceAll('x'.repeat(300), '')}`)
          }
        }
      },
    ),
    { numRuns: cases(150) },
  )
  t.ok(proved > 0)
})
