import t from 'tap'
import { html } from '../../test/support/sites.js'
import { type Files, repositoryOf } from '../../test/support/workspace.js'
import { readExcerpts, restOf } from '../excerpts.js'

const shown = async (files: Files, tokens: number) => {
  const { files: excerpts, leftOut } = await readExcerpts(repositoryOf(files), Object.keys(files), [], tokens)
  return { texts: new Map(excerpts.map(({ path, text }) => [path, text])), leftOut }
}
const words = (count: number): string =>
  Array.from({ length: count }, (_, i) => `    <p>Words of paragraph ${i}</p>\n`).join('')
const page = (before: number, after: number): string =>
  `export function Page() {\n  return <main>\n${words(before)}    <button>Pay now</button>\n${words(after)}  </main>\n}\n`

t.test('a short file is shown whole beside long ones that come first', async (t) => {
  const files = {
    'src/a.tsx': page(900, 900),
    'src/b.tsx': page(900, 900),
    'src/c.tsx': page(900, 900),
    'src/short.tsx': page(2, 2),
  }
  const { texts, leftOut } = await shown(files, 9_000)
  t.equal(texts.get('src/short.tsx'), files['src/short.tsx'])
  t.strictSame([texts.size, leftOut], [4, []])
  const long = [...texts.values()].slice(0, 3)
  for (const text of long)
    t.match(text, /<button>Pay now.*Words of paragraph 0<|Words of paragraph 0<.*<button>Pay now/s)
  t.ok(Math.max(...long.map(({ length }) => length)) < 10_000)
  const tight = await shown(files, 3_200)
  t.strictSame(
    [...tight.texts.keys()],
    ['src/a.tsx', 'src/b.tsx', 'src/short.tsx'],
    'the first, and what fits',
  )
  t.match(tight.leftOut, [{ path: 'src/c.tsx' }])
})

t.test('of a file with many acts and imports something around each is shown, the last too', async (t) => {
  const imports = Array.from(
    { length: 60 },
    (_, i) => `import { Part${i} } from '../parts/part-${i}'\n`,
  ).join('')
  const acts = Array.from({ length: 40 }, (_, i) => `${words(8)}    <button>Choose ${i}</button>\n`).join('')
  const text = `${imports}export function Page() {\n  return <main>\n${acts}    <button>Pay now</button>\n  </main>\n}\n`
  const { texts } = await shown({ 'src/a.tsx': text }, 4_000)
  const found = texts.get('src/a.tsx') ?? ''
  for (const act of ['Choose 0', 'Choose 20', 'Pay now']) t.match(found, `<button>${act}`)
  t.match(found, "import { Part0 } from '../parts/part-0'")
  t.ok(found.length < 9_100, `${found.length}`)
  t.equal(restOf({ path: 'src/a.tsx', text }, found, 90_000).text, text, 'whole, because it has room')
  const rest = restOf({ path: 'src/a.tsx', text }, found, text.length - 1).text
  const isShown = (line: string): boolean => found.includes(line) || rest.includes(line)
  t.strictSame(
    text.split('\n').filter((line) => !isShown(line)),
    [],
    'the rest is what was left out',
  )
  t.ok(rest.length < text.length, 'and not the whole')
  t.match(restOf({ path: 'src/a.tsx', text }, 'another file', 9_000).text, 'Pay now')
})

t.test('the rest of a file has the elements at the seams whole', async (t) => {
  const card = (at: number): string =>
    `    <div>\n      <p>Card ${at}</p>\n${words(6).replaceAll('    <p>', '      <p>')}      <button>Choose ${at}</button>\n    </div>\n`
  const cards = Array.from({ length: 50 }, (_, at) => card(at)).join('')
  const text = `export function Page() {\n  return <main>\n${cards}  </main>\n}\n`
  const { texts } = await shown({ 'src/a.tsx': text }, 3_000)
  const first = texts.get('src/a.tsx') ?? ''
  const rest = restOf({ path: 'src/a.tsx', text }, first, text.length - 1).text
  const isWhole = (at: number): boolean => [first, rest].some((part) => part.includes(card(at)))
  t.strictSame(
    Array.from({ length: 50 }, (_, at) => at).filter((at) => !isWhole(at)),
    [],
  )
})

t.test('of texts by key only those are shown that the code beside them uses', async (t) => {
  const texts = Object.fromEntries(
    Array.from({ length: 400 }, (_, i) => [`key${i}`, `A text of number ${i}`]),
  )
  const files = {
    'src/Cart.tsx': `export const Cart = () => <h1>{t('cart.key200')}</h1>`,
    'src/locales/en.json': JSON.stringify({ cart: texts }, null, 2),
  }
  const { texts: found } = await shown(files, 9_000)
  const locale = found.get('src/locales/en.json') ?? ''
  t.match(locale, /"cart": \{.*\n⋯ \d+ lines are left out here ⋯\n {4}"key200": "A text of number 200"/s)
  t.notMatch(locale, '"key7"')
})

t.test(
  'the part that pages repeat is shown once; pictures, drawings and code in comments are not',
  async (t) => {
    const footer = `<footer>${'<a href="/imprint">Imprint of the shop</a> '.repeat(9)}</footer>`
    const picture = `<img src="data:image/png;base64,${'iVBORw0KGgo'.repeat(90)}">`
    const { texts } = await shown(
      { 'a.html': html('A', `<h1>A</h1>${picture}${footer}`), 'b.html': html('B', `<h1>B</h1>${footer}`) },
      9_000,
    )
    const drawn = (paths: number) => `<svg viewBox="0 0 9 9">${'<path d="M1 2L3 4z" />'.repeat(paths)}</svg>`
    const code = `export const A = () => <p>{/* <b>One</b>${'<b>Old</b>'.repeat(40)} */}Words${drawn(2)}${drawn(90)}</p>
${'// old(<b>Old</b>)\n'.repeat(5)}const shape = 'M1 2${' L3 4'.repeat(99)}'
/** ${'How it works. '.repeat(20)} */
/** ${'Long ago. '.repeat(99)} */
const style = <style>{\`${'.a { color: red }\n'.repeat(90)}\`}</style>
`
    const short = (await shown({ 'src/A.jsx': code }, 9_000)).texts.get('src/A.jsx') ?? ''
    t.match(
      short,
      `<p>{/* ⋯ */}Words${drawn(2)}<svg viewBox="0 0 9 9">⋯</svg></p>\n// ⋯\nconst shape = '⋯'\n/** How`,
    )
    t.match(short, /Long a ⋯ \*\/\nconst style = <style>⋯<\/style>/)
    t.match(texts.get('a.html'), /base64,⋯">.*Imprint of the shop/s)
    t.match(texts.get('b.html'), '⋯ the same <footer> as in a.html ⋯')
    t.notMatch(texts.get('b.html'), 'Imprint')
  },
)
