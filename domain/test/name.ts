import t from 'tap'
import { foldName, nameProblem, normalizeName } from '../name.js'

t.test('names are trimmed and in NFC', async (t) => {
  t.equal(normalizeName('\n \u00a0Cafe\u0301 \t'), 'Café')
  t.equal(normalizeName('a  b'), 'a  b')
})

t.test('a name must be visible, and must not change how the text around it is drawn', async (t) => {
  for (const name of ['x', '50% off!', '購入', '🚀', '👩‍🚀', '❤️', 'ა', 'नाम', 'עברית', 'a\u00adb'])
    t.equal(nameProblem(name), undefined, name)
  for (const name of ['', '\u200b', '\u2060\u200d', '\u3164', '\u115f\u1160', '\u2800', '\ufeff \u00ad'])
    t.equal(nameProblem(name), 'must have a visible character', JSON.stringify(name))
  for (const name of [
    'a\nb',
    'a\tb',
    'a\u0007',
    '\u0085x',
    'a\u007f',
    'a\u202eb',
    '\u200fa',
    'a\u2066',
    '\u061ca',
  ])
    t.equal(nameProblem(name), 'must not have control or bidirectional characters', JSON.stringify(name))
})

t.test('a megabyte of combining marks is refused quickly', async (t) => {
  const marks = `a${'\u0315'.repeat(20_000)}${'\u0300'.repeat(20_000)}`
  const began = process.cpuUsage()
  t.equal(nameProblem(normalizeName(marks.repeat(12))), 'must not have more than 30 marks on one letter')
  t.ok(process.cpuUsage(began).user < 5_000_000, 'NFC takes ten seconds')
  t.equal(nameProblem(normalizeName(`a${'\u0300'.repeat(30)}`)), undefined)
})

t.test('names of funnels are equal without regard to case', async (t) => {
  t.equal(foldName('STRASSE'), foldName('straße'))
  t.equal(foldName('ΟΔΟΣ'), foldName('οδος'))
  t.equal(foldName('CAFÉ'), foldName('cafe\u0301'))
  t.not(foldName('cafe'), foldName('café'))
})
