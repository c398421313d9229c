import fc from 'fast-check'
import t from 'tap'
import {
  parseCount,
  parseDuration,
  parseEmail,
  parseId,
  parseLimit,
  parseMoment,
  parseName,
  parseScopes,
  parseSearch,
} from '../option-parsers.js'

const invalid = { code: 'commander.invalidArgument' }

t.test('durations are parsed, and invalid ones refused', async (test) => {
  test.equal(parseDuration('30d'), 2_592_000_000)
  test.equal(parseDuration('12h'), 43_200_000)
  test.equal(parseDuration('90m'), 5_400_000)
  test.equal(parseDuration('3650d'), 315_360_000_000)
  for (const text of ['', '0d', '3651d', '30', 'd', '-1d', '1.5h', '30 d', '30D', '1w', '1e3d', '٣d'])
    test.throws(() => parseDuration(text), invalid, text)
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 87_600 }),
      (hours) => parseDuration(`${hours}h`) === hours * 3_600_000,
    ),
  )
})

t.test('scopes are parsed, and unknown ones refused', async (test) => {
  test.strictSame(parseScopes(''), [])
  test.strictSame(parseScopes(' funnels.manage ,proposals.review,funnels.manage'), [
    'proposals.review',
    'funnels.manage',
  ])
  for (const text of ['admin', 'funnels.manage admin', 'Funnels.manage', 'all'])
    test.throws(() => parseScopes(text), invalid, text)
})

t.test('names are trimmed, and invalid ones refused', async (test) => {
  test.equal(parseName('  Ärzte 日本 '), 'Ärzte 日本')
  for (const text of ['', '   ', 'a\nb', '\u001b[31mred', 'x'.repeat(201)])
    test.throws(() => parseName(text), invalid, JSON.stringify(text))
})

t.test('invalid email addresses are refused', async (test) => {
  for (const text of ['ada@example.com', 'a.b+c@sub.example.co', 'owner@localhost', 'ü@bücher.example'])
    test.equal(parseEmail(text), text)
  for (const text of [
    '',
    'ada',
    '@x',
    'ada@',
    'a@b@c',
    'a b@c.d',
    'a@b..c',
    'a@.c',
    'a@c.',
    `${'x'.repeat(250)}@y.zz`,
  ])
    test.throws(() => parseEmail(text), invalid, text)
})

t.test('ids are lower-cased, and invalid ones refused', async (test) => {
  test.equal(parseId('01A1FDFB-806B-7744-AD25-7A3E359951B5'), '01a1fdfb-806b-7744-ad25-7a3e359951b5')
  for (const text of ['', '7', '01a1fdfb806b7744ad257a3e359951b5', "x' or true --"])
    test.throws(() => parseId(text), invalid, text)
})

t.test('limits are parsed, and invalid ones refused', async (test) => {
  const parse = parseLimit(1, 100, 'none')
  test.strictSame(parse('1'), { limit: 1 })
  test.strictSame(parse('100'), { limit: 100 })
  test.strictSame(parse('none'), { limit: null })
  for (const text of ['0', '101', '-1', '1.5', '1e1', '', 'null', '9'.repeat(20)])
    test.throws(() => parse(text), invalid, text)
})

t.test('counts are parsed, and invalid ones refused', async (test) => {
  test.equal(parseCount(0, 5)('0'), 0)
  test.equal(parseCount(0, 5)('5'), 5)
  for (const text of ['6', '-1', '', '1.0', '1e0', ' 1', '٣'])
    test.throws(() => parseCount(0, 5)(text), invalid, text)
})

t.test('points in time are parsed, and invalid ones refused', async (test) => {
  test.strictSame(parseMoment('2026-03-01T12:00:00+01:00'), { at: new Date('2026-03-01T11:00:00Z') })
  test.strictSame(parseMoment('2d'), { agoMs: 172_800_000 })
  for (const text of ['', '2026-03-01', 'yesterday', '2', '2026-02-30T00:00:00Z'])
    test.throws(() => parseMoment(text), invalid, text)
})

t.test('search texts are parsed, and invalid ones refused', async (test) => {
  test.equal(parseSearch(' a%'), ' a%')
  for (const text of ['', ' ', 'x'.repeat(201), 'a\0']) test.throws(() => parseSearch(text), invalid, text)
})
