import fc from 'fast-check'
import t from 'tap'
import { freeSlug, KEY_LENGTH, KEY_PATTERN, numberedSlug, slugOf } from '../slug.js'

const key = new RegExp(KEY_PATTERN)

t.test('names become readable keys', (t) => {
  const cases: [string, string][] = [
    ['Shorter checkout', 'shorter-checkout'],
    ['  --A  b__C!! ', 'a-b-c'],
    ['Größe & Ærøskøbing', 'grosse-aeroskobing'],
    ['Żółw Đak', 'zolw-dak'],
    ['ﬁne №5 ½', 'fine-no5-1-2'],
    ['50 %', '50'],
    ['价格', 'x'],
    ['😀', 'x'],
    ['', 'x'],
    ['a'.repeat(80), 'a'.repeat(64)],
    [`${'a'.repeat(63)} b`, 'a'.repeat(63)],
    [
      'Tell visitors of the plans page what each of the two plans costs by the year',
      'tell-visitors-of-the-plans-page-what-each-of-the-two-plans-costs',
    ],
    [
      'Tell visitors of the plans page what each of the three plans costs by the year',
      'tell-visitors-of-the-plans-page-what-each-of-the-three-plans',
    ],
    [`a ${'b'.repeat(80)}`, `a-${'b'.repeat(62)}`],
  ]
  for (const [name, slug] of cases) t.equal(slugOf(name, 'x'), slug, name)
  t.end()
})

t.test('a key made from any name has the form of keys', (t) => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 120 }),
      fc.integer({ min: 2, max: 10_000 }),
      (name, n) => {
        const slug = slugOf(name, 'x')
        const numbered = numberedSlug(slug, n)
        return [slug, numbered].every((text) => key.test(text) && text.length <= KEY_LENGTH)
      },
    ),
  )
  t.end()
})

t.test('keys that collide are numbered', (t) => {
  const taken = new Set(['a', 'a-2', 'a-2-2'])
  const isTaken = (text: string) => taken.has(text)
  t.equal(freeSlug('b', isTaken), 'b')
  t.equal(freeSlug('a', isTaken), 'a-3')
  t.equal(freeSlug('a-2', isTaken), 'a-2-3')
  t.equal(numberedSlug('a'.repeat(64), 12), `${'a'.repeat(61)}-12`)
  t.end()
})
