import fc from 'fast-check'
import t from 'tap'
import { cases } from '../../test/support/cases.js'
import { parseClampedRfc3339, parseRfc3339 } from '../rfc3339.js'

const at = (text: string): number => Date.parse(text)

t.test('the examples of RFC 3339 are parsed', async (t) => {
  t.equal(parseRfc3339('1985-04-12T23:20:50.52Z'), at('1985-04-12T23:20:50.520Z'))
  t.equal(parseRfc3339('1996-12-19T16:39:57-08:00'), at('1996-12-20T00:39:57.000Z'))
  t.equal(parseRfc3339('1937-01-01T12:00:27.87+00:20'), at('1937-01-01T11:40:27.870Z'))
  t.equal(parseRfc3339('2026-11-21t10:00:00z'), at('2026-11-21T10:00:00.000Z'), 'small letters')
  t.equal(parseRfc3339('2026-11-21T10:00:00-00:00'), at('2026-11-21T10:00:00.000Z'))
  t.equal(parseRfc3339('2026-11-21T23:59:59+23:59'), at('2026-11-21T00:00:59.000Z'))
})

t.test('fractions are cut to milliseconds', async (t) => {
  const base = at('2026-11-21T10:00:00.000Z')
  for (const [fraction, milliseconds] of [
    ['1', 100],
    ['01', 10],
    ['001', 1],
    ['0009', 0],
    ['9999', 999],
    ['123456789', 123],
    [`${'0'.repeat(3)}${'9'.repeat(400)}`, 0],
  ] as const)
    t.equal(parseRfc3339(`2026-11-21T10:00:00.${fraction}Z`), base + milliseconds, fraction)
  t.equal(parseRfc3339('1969-12-31T23:59:59.9999Z'), -1, 'also before 1970')
})

t.test('only days that exist are accepted', async (t) => {
  for (const [text, exists] of [
    ['2024-02-29', true],
    ['2023-02-29', false],
    ['2000-02-29', true],
    ['1900-02-29', false],
    ['2100-02-29', false],
    ['0000-02-29', true],
    ['2026-04-30', true],
    ['2026-04-31', false],
    ['2026-12-31', true],
    ['2026-12-32', false],
    ['2026-01-00', false],
    ['2026-00-01', false],
    ['2026-13-01', false],
  ] as const)
    t.equal(parseRfc3339(`${text}T00:00:00Z`) !== undefined, exists, text)
})

t.test('years from 0000 to 9999 are accepted', async (t) => {
  t.equal(parseRfc3339('0000-01-01T00:00:00Z'), at('0000-01-01T00:00:00.000Z'))
  t.equal(parseRfc3339('0099-12-31T23:59:59.999Z'), at('0099-12-31T23:59:59.999Z'), 'not 1999')
  t.equal(parseRfc3339('9999-12-31T23:59:59.999Z'), at('9999-12-31T23:59:59.999Z'))
  t.equal(parseRfc3339('10000-01-01T00:00:00Z'), undefined)
  t.equal(parseRfc3339('9999-12-31T23:59:59-00:01'), undefined, 'in UTC the year 10000')
  t.equal(parseRfc3339('0000-01-01T00:00:00+00:01'), undefined, 'in UTC before the year 0')
  t.equal(parseClampedRfc3339('9999-12-31T23:59:59.9999999-05:00'), at('9999-12-31T23:59:59.999Z'))
  t.equal(parseClampedRfc3339('0000-01-01T00:00:00+00:01'), at('0000-01-01T00:00:00.000Z'))
  t.equal(parseClampedRfc3339('2026-03-01T12:00:00+01:00'), at('2026-03-01T11:00:00Z'))
  t.equal(parseClampedRfc3339('9999-13-31T23:59:59-05:00'), undefined)
  t.equal(parseRfc3339('9999-12-31T23:59:59+00:01'), at('9999-12-31T23:58:59.000Z'))
})

t.test('a leap second is accepted only when there can be one', async (t) => {
  t.equal(parseRfc3339('1990-12-31T23:59:60Z'), at('1991-01-01T00:00:00.000Z'))
  t.equal(parseRfc3339('1990-12-31T15:59:60.5-08:00'), at('1991-01-01T00:00:00.000Z'))
  t.equal(parseRfc3339('1990-12-31T12:00:60Z'), undefined)
  t.equal(parseRfc3339('1990-12-31T23:59:60-08:00'), undefined)
  t.equal(parseRfc3339('1990-12-31T23:59:61Z'), undefined)
})

t.test('texts that are not RFC 3339 times are refused', async (t) => {
  for (const text of [
    '',
    '2026-11-21',
    '2026-11-21T10:00:00',
    '2026-11-21 10:00:00Z',
    '2026-11-21T10:00Z',
    '2026-11-21T10:00:00.Z',
    '2026-11-21T10:00:00,5Z',
    '2026-11-21T24:00:00Z',
    '2026-11-21T10:60:00Z',
    '2026-11-21T10:00:00+24:00',
    '2026-11-21T10:00:00+00:60',
    '2026-11-21T10:00:00+0100',
    '2026-11-21T10:00:00+01',
    '2026-11-21T10:00:00 Z',
    ' 2026-11-21T10:00:00Z',
    '2026-11-21T10:00:00Z\n',
    '2026-11-21T10:00:00Z ',
    '+2026-11-21T10:00:00Z',
    '-2026-11-21T10:00:00Z',
    '26-11-21T10:00:00Z',
    '2026-1-21T10:00:00Z',
    '20261121T100000Z',
    '２026-11-21T10:00:00Z',
    '1795255200',
    'now',
  ])
    t.equal(parseRfc3339(text), undefined, JSON.stringify(text))
})

t.test('every time that Date formats is parsed', async () => {
  const first = at('0000-01-01T00:00:00.000Z')
  const last = at('9999-12-31T23:59:59.999Z')
  fc.assert(
    fc.property(
      fc.integer({ min: first, max: last }),
      (time) => parseRfc3339(new Date(time).toISOString()) === time,
    ),
    { numRuns: cases(5_000) },
  )
})

t.test('a moment is the same in every zone', async () => {
  const times = fc.integer({ min: at('0001-01-02T00:00:00Z'), max: at('9999-12-30T00:00:00Z') })
  fc.assert(
    fc.property(times, fc.integer({ min: -1_439, max: 1_439 }), (time, minutes) => {
      const local = new Date(time + minutes * 60_000).toISOString().slice(0, -1)
      const size = Math.abs(minutes)
      const two = (n: number): string => String(n).padStart(2, '0')
      const zone = `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
      return parseRfc3339(local + zone) === time
    }),
    { numRuns: cases(2_000) },
  )
})

t.test('the fast path for the usual form agrees with the general one', async () => {
  const time = fc.integer({ min: at('0000-01-01T00:00:00.000Z'), max: at('9999-12-31T23:59:59.999Z') })
  const character = fc.constantFrom(...'0123456789-:.TtZz+ /é')
  fc.assert(
    fc.property(time, fc.array(fc.tuple(fc.nat(23), character), { maxLength: 3 }), (time, changes) => {
      const text = [...new Date(time).toISOString()]
      for (const [place, value] of changes) text[place] = value
      // The fast path declines a small t, and the general one reads it like a T.
      const general = text.with(10, text[10] === 'T' ? 't' : (text[10] ?? ''))
      return parseRfc3339(text.join('')) === parseRfc3339(general.join(''))
    }),
    { numRuns: cases(10_000) },
  )
})
