import fc from 'fast-check'
import t from 'tap'
import { mentionsHelper } from '../helper-name.js'
import type { Edit } from '../port.js'
import { writeVariants } from '../write.js'
import { cleaned, edited, experimentOf, hero, PAGE, refusal, SOURCE, written } from './support/trial.js'

const b = (find: string, replace: string): Edit => ({ find, replace, variant: 'b' })

t.test('edits are located in the text as it was', async (t) => {
  const text = "import a from 'a'\nf('x1', 'x2')\n"
  t.match(refusal('src/a.ts', text, [b("'x9'", "'y'")]), 'not in the file')
  t.match(refusal('src/a.ts', text, [{ find: '', replace: 'y' }]), 'not in the file')
  t.match(refusal('src/a.ts', text, [b("'x1'", "'y'"), b("'x1'", "'z'")]), 'overlaps with edit 0')
  t.match(refusal('src/a.ts', text, [{ find: "f('x1'", replace: "g('x1'" }, b("'x1'", "'z'")]), 'overlaps')
  t.match(
    refusal('src/a.ts', text, [{ find: "'x1'", replace: "'x2', 'x1'" }, b("'x2'", "'y2'")]),
    'written:',
    'what a plain edit brings in does not count',
  )
  t.match(refusal('src/a.ts', text, [{ ...b("'x1'", "'y'"), variant: 'control' }]), 'other than the control')
  t.match(refusal('src/a.ts', text, [{ ...b("'x1'", "'y'"), variant: 'nobody' }]), 'other than the control')
  t.match(refusal('a.css', 'p { color: red }', [b('red', 'blue')]), 'edits without `variant`')
  t.match(refusal('src/a.ts', text, [{ find: 'f(', replace: 'f((' }]), 'cannot be read')
  t.match(
    refusal('src/a.ts', 'f((1)\n', [{ find: '((', replace: '(' }]),
    'written:',
    'an edit may mend what did not parse',
  )
  t.match(refusal('src/a.ts', 'f((1)\n', [b('1', '2')]), 'cannot be read')
})

t.test('plain edits may be beside and inside of alternatives', async (t) => {
  const text =
    '<!doctype html><html><head></head><body><p class="a1">one <b>two</b> three</p><i>four</i></body></html>'
  const edits: Edit[] = [
    b('one', '1'),
    { find: 'two', replace: '2' },
    { find: '<i>four</i>', replace: '' },
    { find: 'a1', replace: 'a2' },
  ]
  const { text: after, regions } = written('a.html', text, edits)
  t.equal(cleaned('a.html', after, regions, null), text)
  t.equal(cleaned('a.html', after, regions, 'b'), edited(text, edits, 'b'))
  t.equal(regions.length, 2, 'the element with what is in it, and the one that is gone')
})

t.test('invalid keys, variants and helpers are errors', async (t) => {
  const write = (key: string, variants: string[], helper = SOURCE): string => {
    const experiment = { ...experimentOf(key, variants.slice(1)), key }
    const result = writeVariants({
      path: 'src/a.ts',
      text: "f('x')\n",
      experiment,
      edits: [b("'x'", "'y'")],
      helper,
    })
    return result.ok ? 'written' : (result.problems[0]?.message ?? '')
  }
  t.equal(write('hero', ['control', 'b']), 'written')
  t.match(write("he'ro", ['control', 'b']), 'the keys of')
  t.match(write('hero', ['control', 'b', 'b']), 'the keys of')
  t.match(write('hero', ['control', 'b'], PAGE), 'sources import')
  const text = "f('x')\n"
  const swapped = { key: 'hero', variants: [...hero.variants].reverse() }
  t.match(refusal('src/a.ts', text, [b("'x'", "'y'")], swapped), 'first variant')
})

t.test('any text survives in a string or is refused', async (t) => {
  const hostile = fc.oneof(
    fc.constantFrom(
      '</script>',
      `\${evil()}`,
      '{{ evil() }}',
      '`',
      "'",
      '"',
      '\\',
      '\u2028',
      '-->',
      '<!--',
      '{evil()}',
      '&lt;',
      '\r',
      '\0',
      '{/if}',
      '}}',
      '*/',
    ),
    fc.string({ unit: 'grapheme', maxLength: 6 }),
  )
  const files: [string, string, string][] = [
    [
      'a.html',
      '<!doctype html><html><head></head><body>\n<p title="T1">TEXT</p>\n</body></html>',
      '<p title="',
    ],
    ['src/a.tsx', 'export const A = () => <p title="T1">TEXT</p>\n', '<p title='],
    ['src/A.vue', '<template>\n  <p title="T1">TEXT</p>\n</template>\n', 'title='],
    ['src/A.svelte', '<p title="T1">TEXT</p>\n', 'title='],
  ]
  let wrote = 0
  fc.assert(
    fc.property(
      fc.array(hostile, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(...files),
      fc.constantFrom('TEXT', 'T1'),
      (parts, [path, text], find) => {
        const edits = [b(find, parts.join(' '))]
        const result = writeVariants({
          path,
          text,
          experiment: hero,
          edits,
          helper: path === 'a.html' ? PAGE : SOURCE,
        })
        if (!result.ok) return
        wrote += 1
        t.equal(cleaned(path, result.text, result.regions, null), text)
        t.equal(
          cleaned(path, result.text, result.regions, 'b'),
          text.replace(find, () => parts.join(' ')),
        )
      },
    ),
    { numRuns: 150 },
  )
  t.ok(wrote > 30, `${wrote} written`)
})

t.test('a file mentions the helper only while it uses it', async (t) => {
  const { text, regions } = written('src/a.ts', "f('x')\n", [b("'x'", "'y'")])
  t.ok(mentionsHelper(text))
  t.notOk(mentionsHelper(cleaned('src/a.ts', text, regions, 'b')))
})
