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

t.test(
  'a long file shows what its component returns rather than its helpers, settings and styles',
  async (t) => {
    const style = (size: number): string =>
      `style={{\n${Array.from({ length: 30 }, (_, at) => `        marginLeft${at}: 'calc(${size}px + ${at}vw)',\n`).join('')}      }}`
    const frames = (count: number): string =>
      Array.from({ length: count }, (_, at) => `      <Frame kind="wide" at={${at}} of={step} />\n`).join('')
    const helper = (at: number): string => `const STEP_${at} = STEP_${at - 1} + ${at * 100}
function Panel${at}() {
  return (
    <div ${style(at)}>
      <b ${style(at + 1)}>Mock row ${at}</b>
    </div>
  )
}
`
    const text = `import { useState } from 'react'
${Array.from({ length: 40 }, (_, at) => helper(at + 1)).join('')}
export function Hero({ total }: { total: number }) {
  const [step, setStep] = useState(0)
  useEffect(() => {
${'    setTimeout(() => setStep(step + 1), 900)\n'.repeat(300)}  }, [])
  return (
    <section>
      <h1>
        Lamps that last
      </h1>
${frames(300)}      <p className="lead">
        \${total}
${frames(9)}        {hint}
${frames(9)}        Most: {limit}
${frames(9)}      </p>
      <button
        type="submit"
        disabled={step === 0}
        className="wide"
        onClick={() => setStep(2)}
        aria-busy={step === 1}
        data-step={step}
        id="order"
        name="order"
      >
        {step === 1 ? <Spin /> : (
          <>
            <Arrow />
            {label}
          </>
        )}
      </button>
    </section>
  )
}
`
    const { texts } = await shown({ 'src/Hero.tsx': text }, 3_000)
    const found = texts.get('src/Hero.tsx') ?? ''
    for (const part of [
      'Lamps that last',
      '$' + '{total}',
      '{hint}',
      'Most: {limit}',
      '{label}',
      "from 'react'",
      'export function Hero',
    ])
      t.match(found, part)
    t.notMatch(found, 'marginLeft15', 'styles')
    t.ok(found.length <= 9_000, `${found.length}`)
    t.equal(restOf({ path: 'src/Hero.tsx', text }, found, 900_000).text, text)
    const whole = await shown({ 'src/Hero.tsx': page(900, 700), 'src/b.tsx': page(90, 90) }, 24_000)
    t.equal(whole.texts.get('src/Hero.tsx'), page(900, 700), 'whole, because all has room')
  },
)

t.test('of rows that look alike the first are shown, and a menu that only marks its page once', async (t) => {
  const row = (at: number): string =>
    `<div class="col">\n  <a href="img/${at}.jpg" class="box">\n    <img src="img/${at}.jpg" alt="">\n  </a>\n  <span></span>\n  <i></i>\n  <i></i>\n</div>\n`
  const rows = Array.from({ length: 300 }, (_, at) => row(at)).join('')
  const texts = Array.from({ length: 60 }, (_, at) => `<p>Dish ${at} with rice</p>\n`).join('')
  const { texts: found } = await shown({ 'a.html': html('A', `<h1>Menu</h1>\n${rows}${texts}`) }, 3_000)
  const gallery = found.get('a.html') ?? ''
  for (const one of ['img/0.jpg', 'img/1.jpg', 'Dish 0 with', 'Dish 59 with']) t.match(gallery, one)
  t.notMatch(gallery, 'img/150.jpg')
  t.ok((gallery.match(/are left out/g) ?? []).length < 5, 'without a mark for each')
  const menu = (folder: string, active: string): string => {
    const links = ['home', 'menu', 'book'].map(
      (one) =>
        `<a class="${one === active ? 'link active' : 'link'}" href="${folder}${one}.html">Our page for the ${one} of all guests</a>`,
    )
    return `<nav>${links.join('\n')}</nav>`
  }
  const site = { 'a.html': html('A', menu('', 'home')), 'b.html': html('B', menu('../', 'menu')) }
  t.match((await shown(site, 9_000)).texts.get('b.html'), '⋯ the same <nav> as in a.html ⋯')
  const headed = (title: string): string =>
    html(title, '<header><h1>Menu</h1></header>').replace(
      '</head>',
      `${'<meta content="wide">'.repeat(20)}</head>`,
    )
  const { texts: heads } = await shown({ 'a.html': headed('One'), 'b.html': headed('Two') }, 9_000)
  t.match(heads.get('a.html'), 'content="wide"')
  t.match(heads.get('b.html'), /<head>⋯ much as in a\.html ⋯<title>Two<\/title><\/head>.*<h1>Menu/s)
  t.notMatch(heads.get('b.html'), 'content="wide"')
})
