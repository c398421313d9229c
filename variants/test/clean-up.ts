import t from 'tap'
import { cleanUp } from '../clean-up.js'
import { withReferencesOf } from '../helper/reference.js'
import type { CleanedUp, Region } from '../port.js'
import { mergeLines } from '../three-way.js'
import { edited, experimentOf, hero, written } from './support/trial.js'

const b = (find: string, replace: string): { find: string; replace: string; variant: string } => ({
  find,
  replace,
  variant: 'b',
})
const SOURCE = `import a from 'a'

export const title = 'Welcome'
export const lead = 'Read on'
export function App() {
  return <h1>Hello</h1>
}
`
const EDITS = [b("'Welcome'", "'Come in'"), b('Hello', 'Bye'), { find: "'Read on'", replace: "'Go on'" }]

const out = (
  path: string,
  text: string | null,
  regions: Region[],
  shipped: string | null,
  base?: string,
): CleanedUp =>
  cleanUp({
    path,
    text,
    shipped,
    experiment: hero.key,
    file: { action: 'modify', regions },
    ...(base === undefined ? {} : { base }),
  })

t.test('a cleanup keeps the changes made since', async (t) => {
  const { text, regions } = written('src/a.tsx', SOURCE, EDITS)
  const moved = `// a new line\n${text.replace('export function', 'export const x = 1\n\nexport function')}`
  const asMoved = (source: string): string =>
    `// a new line\n${source.replace('export function', 'export const x = 1\n\nexport function')}`
  t.same(out('src/a.tsx', moved, regions, null), { text: asMoved(SOURCE), conflicts: [] })
  t.same(out('src/a.tsx', moved, regions, 'b'), { text: asMoved(edited(SOURCE, EDITS, 'b')), conflicts: [] })
})

t.test('a cleanup works after a formatter has changed quotes, brackets and lines', async (t) => {
  const { text, regions } = written('src/a.tsx', SOURCE, EDITS)
  const formatted = text
    .replaceAll("'", '"')
    .replace('=== "b" ? "Come in" : "Welcome"', '=== "b"\n    ? "Come in"\n    : "Welcome";')
    .replace('{ control: 50, b: 50 }', '{\n      control: 50,\n      b: 50,\n    }')
  const back = out('src/a.tsx', formatted, regions, null)
  t.same(back.conflicts, [])
  t.equal(back.text?.replaceAll('"', "'").replace(';', ''), SOURCE)
})

t.test(
  'a changed arm is merged line by line if the written file is known, and otherwise left and reported',
  async (t) => {
    const page =
      '<!doctype html>\n<html>\n<head>\n</head>\n<body>\n<section>\n<p>one</p>\n<p>two</p>\n<p>three</p>\n<p>four</p>\n</section>\n</body>\n</html>\n'
    const section = page.slice(page.indexOf('<section>'), page.indexOf('\n</body>'))
    const { text, regions } = written('a.html', page, [b(section, '<section>\n<p>all</p>\n</section>')])
    const changed = text.replace('<p>three</p>', '<p>3</p>')
    t.equal(out('a.html', changed, regions, null, text).text, page.replace('<p>three</p>', '<p>3</p>'))
    const retagged = text.replace('<p>three</p>', '<p class="x">three</p>')
    const alone = out('a.html', retagged, regions, null)
    t.equal(alone.text, retagged, 'nothing is half done')
    t.match(alone.conflicts, [{ message: /by hand/ }])
    const conflict = out(
      'a.html',
      text.replace('data-svc="hero:control=50,b=50"', 'data-svc="hero:control=50,b=50" id="s"'),
      regions,
      null,
      text,
    )
    t.equal(conflict.conflicts.length, 1)
    t.notMatch(conflict.text, /<<<|>>>/)
  },
)

const ARMS: readonly (readonly [path: string, text: string, find: string, replace: string])[] = [
  ['src/a.ts', "export const f = () => 'Buy it now'\n", "'Buy it now'", "'Get it today'"],
  ['src/a.tsx', 'export function App() {\n  return <h1>Buy it now</h1>\n}\n', 'Buy it now', 'Get it today'],
  [
    'a.html',
    '<html><head></head><body>\n<h1 class="t">Buy it now</h1>\n</body></html>\n',
    'Buy it now',
    'Get it today',
  ],
  [
    'a.vue',
    '<script setup>\nconst x = 1\n</script>\n<template>\n  <h1>Buy it now</h1>\n  <p>{{ x }}</p>\n</template>\n',
    'Buy it now',
    'Get it today',
  ],
  ['a.svelte', '<h1>Buy it now</h1>\n<p>x</p>\n', '<h1>Buy it now</h1>', '<h1>Get it today</h1>'],
]

t.test('words that people changed inside the arm that stays are kept, in every language', async (t) => {
  for (const [path, source, find, replace] of ARMS) {
    const { text, regions } = written(path, source, [b(find, replace)])
    const shipped = source.replace('Buy it now', 'Get it today')
    for (const [from, to] of [
      ['Buy it now', 'Buy this now'],
      ['Buy it now', 'Buy now'],
      ['Get it today', 'Get it right today'],
      ['Get it today', 'Have it today'],
    ] as const) {
      const changed = text.replace(from, to)
      t.not(changed, text)
      t.same(
        out(path, changed, regions, null),
        { text: source.replace(from, to), conflicts: [] },
        `${path} ${to}`,
      )
      t.same(
        out(path, changed, regions, 'b'),
        { text: shipped.replace(from, to), conflicts: [] },
        `${path} ${to}`,
      )
    }
    const split = text.replace(/50/, '60')
    t.match(out(path, split, regions, 'b'), { text: split, conflicts: [{ message: /by hand/ }] }, path)
  }
})

t.test('copies of a region in its file are removed as well', async (t) => {
  for (const [path, source, find, replace] of ARMS) {
    const { text, regions } = written(path, source, [b(find, replace)])
    const [{ written: own } = { written: '' }] = regions
    for (const [shipped, kept] of [
      [null, find],
      ['b', replace],
    ] as const) {
      const copied = text.replace(own, () => `${own}${/\.tsx?$/.test(path) ? '' : `\n${own}`}`)
      const twice = /\.tsx?$/.test(path)
        ? `${text}${path.endsWith('x') ? `export const G = () => <p>${own}</p>\n` : `export const g = () => ${own}\n`}`
        : copied
      const result = out(path, twice, regions, shipped)
      t.same(result.conflicts, [], path)
      t.notMatch(result.text, /svc|hero/, path)
      t.equal(result.text?.split(find === kept ? 'Buy it now' : 'Get it today').length, 3, path)
    }
  }
})

t.test('references that a cleanup took from a later experiment can be put back', async (t) => {
  const [one, two] = [experimentOf('one', ['b']), experimentOf('two', ['b'])]
  const texts: readonly (readonly [path: string, text: string])[] = [
    [
      'src/a.ts',
      "import z from './z'\n\nexport const f = () => 'First text'\n\nexport const x = 1\nexport const y = 2\n\nexport const g = () => 'Second text'\n",
    ],
    [
      'src/b.ts',
      "export const f = () => 'First text'\n\nexport const x = 1\nexport const y = 2\n\nexport const g = () => 'Second text'\n",
    ],
    [
      'app/a.tsx',
      "import z from './z'\n\nexport const A = () => (\n  <main>\n    <p>First text</p>\n    <hr />\n    <hr />\n    <p>Second text</p>\n  </main>\n)\n",
    ],
    [
      'a.html',
      '<html>\n<head>\n<title>T</title>\n</head>\n<body>\n<p>First text</p>\n<hr>\n<hr>\n<p>Second text</p>\n</body>\n</html>\n',
    ],
    [
      'a.vue',
      '<script setup>\nconst x = 1\n</script>\n<template>\n  <div>\n    <p>First text</p>\n    <hr />\n    <hr />\n    <p>Second text</p>\n  </div>\n</template>\n',
    ],
    ['a.svelte', '<p>First text</p>\n<hr />\n<hr />\n<p>Second text</p>\n'],
  ]
  for (const [path, source] of texts) {
    const quote = path.endsWith('.ts') ? "'" : ''
    const edit = (word: string) => b(`${quote}${word} text${quote}`, `${quote}${word} words${quote}`)
    const first = written(path, source, [edit('First')], one)
    const both = written(path, first.text, [edit('Second')], two)
    const clean = (text: string, keepHelper: boolean) => {
      const file = { action: 'modify' as const, regions: first.regions }
      return cleanUp({ path, text, shipped: 'b', experiment: 'one', file, keepHelper }).text ?? ''
    }
    // As git merges a cleanup that was written before the second experiment.
    const today = mergeLines(clean(first.text, false), first.text, both.text) ?? ''
    t.match(today, /two/, path)
    t.notMatch(today, /svc-experiments/, path)
    const wanted = clean(both.text, true)
    t.equal(withReferencesOf(wanted, today, '/_svc/state.js'), wanted, path)
  }
})

t.test('restored code has the current line ends and indentation', async (t) => {
  const page = '<html>\n<head></head>\n<body>\n  <ul>\n    <li>One</li>\n  </ul>\n</body>\n</html>\n'
  const list = page.slice(page.indexOf('<ul>'), page.indexOf('\n</body>'))
  const { text, regions } = written('a.html', page, [b(list, '<p>None</p>')])
  const crlf = (of: string): string => of.replaceAll('\n', '\r\n')
  t.same(out('a.html', crlf(text), regions, null, text), { text: crlf(page), conflicts: [] })
  t.same(out('a.html', crlf(text), regions, null), { text: crlf(page), conflicts: [] })
  const inTabs = (of: string): string => of.replace(/^( {2})+/gm, (spaces) => '\t'.repeat(spaces.length / 2))
  t.same(out('a.html', inTabs(text), regions, null, text), { text: inTabs(page), conflicts: [] })
  const deeper = (of: string): string => of.replace(/^ {2}/gm, '    ')
  t.same(out('a.html', deeper(text), regions, null, text), { text: deeper(page), conflicts: [] })
  const file = { action: 'create', content: 'one\ntwo\n' } as const
  t.same(cleanUp({ path: 'a.css', text: 'one\r\ntwo\r\n', shipped: null, experiment: 'hero', file }), {
    text: null,
    conflicts: [],
  })
})

t.test('a region that cannot be found does not block the others', async (t) => {
  const { text, regions } = written('src/a.tsx', SOURCE, EDITS)
  const changed = text.replace("'Come in'", "'Come in!'")
  const result = out('src/a.tsx', changed, regions, null)
  t.equal(result.conflicts.length, 1)
  t.match(result.text, '<h1>Hello</h1>')
  t.match(result.text, 'svc-experiments', 'what is left still needs it')
})

t.test('plain edits are found by the text around them', async (t) => {
  const text = 'a: 1\nb: 1\nc: 1\nsame\nd: 1\nsame\n'
  const edits = [
    { find: 'b: 1\n', replace: '' },
    { find: 'd: 1', replace: 'same' },
  ]
  const result = written('a.yml', text, edits)
  t.equal(result.text, 'a: 1\nc: 1\nsame\nsame\nsame\n')
  t.same(out('a.yml', result.text, result.regions, null), { text, conflicts: [] })
  t.same(out('a.yml', result.text, result.regions, 'b'), { text: result.text, conflicts: [] })
  t.equal(out('a.yml', `first\n${result.text}`, result.regions, null).text, `first\n${text}`)
  const inherited = out('a.yml', result.text, result.regions, 'constructor')
  t.equal(inherited.text, result.text, 'a name that every object has is no alternative')
})

t.test('a cleanup deletes created files and restores deleted ones, unless they changed', async (t) => {
  const of = (action: 'create' | 'delete', text: string | null, shipped: string | null): CleanedUp =>
    cleanUp({ path: 'a.css', text, shipped, experiment: 'hero', file: { action, content: 'p {}\n' } })
  t.same(of('create', 'p {}\n', null), { text: null, conflicts: [] })
  t.same(of('create', 'p {}\n', 'b'), { text: 'p {}\n', conflicts: [] })
  t.match(of('create', 'p { a }\n', null), { text: 'p { a }\n', conflicts: [{ message: /delete it/ }] })
  t.same(of('delete', null, null), { text: 'p {}\n', conflicts: [] })
  t.same(of('delete', null, 'b'), { text: null, conflicts: [] })
  t.match(of('delete', 'new\n', null), { text: 'new\n', conflicts: [{ message: /another one/ }] })
  t.match(out('a.js', null, written('src/a.tsx', SOURCE, EDITS).regions, null), {
    text: null,
    conflicts: [{}, {}, {}],
  })
})

t.test('merges of very long files are refused', async (t) => {
  const lines = (n: number, mark: string): string =>
    Array.from({ length: n }, (_, i) => (i % 2 ? '</div>\n' : `${mark}${i}\n`)).join('')
  t.equal(mergeLines(lines(4000, 'a'), lines(4000, 'b'), lines(4000, 'c')), null)
  t.equal(mergeLines('a\nB\nc\n', 'a\nb\nc\n', 'a\nb\nc\nd\n'), 'a\nB\nc\nd\n')
  t.equal(mergeLines('a\nX\nc\n', 'a\nb\nc\n', 'a\nY\nc\n'), null)
})
