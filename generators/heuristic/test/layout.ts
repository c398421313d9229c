import t from 'tap'
import {
  batch,
  filledBatch,
  found,
  page,
  patternsOf,
  saysOf,
  wholeBatch,
} from '../../test/support/workspace.js'

const of = async (files: Readonly<Record<string, string>>): Promise<string[]> =>
  patternsOf(await wholeBatch(files))

t.test('an opening with two ways on: the main one alone, where the other is left elsewhere', async (t) => {
  const opening = (main: string, second: string): string =>
    page(
      `<h1>All of this is for you and the team</h1><p>What it is</p><div>${main}<a class="btn btn-outline" href="${second}">Read it</a></div>`,
    )
  const main = '<a class="btn btn-primary" href="/join-in">Join us</a>'
  t.ok((await of({ 'index.html': opening(main, 'https://example.org') })).includes('one-way-on'))
  t.notOk(
    (await of({ 'index.html': opening(main, '/only-here') })).includes('one-way-on'),
    'the only way there',
  )
  t.ok(
    (
      await of({
        'index.html': opening(main, '/only-here'),
        'b.html': page('<p>For you and all <a href="/only-here">Go there</a></p>'),
      })
    ).includes('one-way-on'),
  )
  t.notOk((await of({ 'index.html': opening('and', 'https://example.org') })).includes('one-way-on'))
  t.notOk((await of({ '404.html': opening(main, 'https://example.org') })).includes('one-way-on'))
  const start = page('<h1>All of what there is for you</h1><p>What it is</p>')
  const inner = opening(main, 'https://example.org')
  t.ok((await of({ 'site/index.html': inner })).includes('one-way-on'))
  t.ok((await of({ 'de/index.html': inner, 'index.html': start })).includes('one-way-on'))
  t.notOk(
    (await of({ 'partners/index.html': inner, 'index.html': start })).includes('one-way-on'),
    'a page within the site',
  )
})

t.test('of two ways to get in touch neither is left out', async (t) => {
  const opening = (ways: string): string =>
    page(`<h1>Help in the house for you</h1><p>What it is</p><div>${ways}</div>`)
  const rest = page('<p>For you and all <a href="tel:+49301234">Call</a> <a href="/ask">Ask</a></p>')
  const asks = async (first: string, second: string): Promise<boolean> =>
    (await of({ 'index.html': opening(first + second), 'b.html': rest })).includes('one-way-on')
  const way = (href: string, label: string, own = 'btn'): string =>
    `<a class="${own}" href="${href}">${label}</a>`
  const call = way('tel:+49301234', '030 1234')
  const quiet = way('tel:+49301234', '030 1234', 'btn btn-outline')
  t.ok(await asks(way('/join', 'Join us'), way('/ask', 'Read it', 'btn btn-outline')))
  for (const label of [
    'Kostenlos anfragen',
    'Get an instant estimate',
    'Demander un devis',
    'Pedir presupuesto',
  ]) {
    t.notOk(await asks(call, way('/ask', label)), `${label}: the number alone`)
    t.notOk(await asks(way('/ask', label), quiet), `${label} alone`)
  }
  t.notOk(
    await asks(way('/contact', 'Contact us'), way('https://wa.me/49301234', 'WhatsApp', 'btn btn-outline')),
  )
})

t.test('a button for newcomers leads to where they sign up, where there is such a page', async (t) => {
  const files = (label: string): Record<string, string> => ({
    'a.html': page(`<h1>For you and the team</h1><a href="/login">${label}</a>`),
    'b.html': page('<p>All of it is for you</p><a href="/register">Make an account</a>'),
  })
  const leads = async (all: Record<string, string>): Promise<boolean> =>
    (await of(all)).includes('starts-at-sign-up')
  t.ok(await leads(files('Get started')))
  t.notOk(await leads(files('Log in')), 'this is for who has an account')
  t.notOk(await leads({ 'a.html': files('Get started')['a.html'] ?? '' }), 'no page to sign up is known')
  const filed = (more: Record<string, string>): Promise<boolean> =>
    leads({
      'app/page.tsx':
        'export default () => <main><h1>For you and the team</h1><Link href="/login">Get started</Link></main>\n',
      'app/login/page.tsx':
        'export default () => <main><p>All of it is for you</p><Link href="/register">Make an account</Link></main>\n',
      ...more,
    })
  const joins = 'export default () => <main><h1>An account for you and the team</h1></main>\n'
  t.ok(await filed({ 'app/(auth)/register/page.tsx': joins }))
  t.ok(await filed({ 'app/[...rest]/page.tsx': joins }), 'something answers there')
  t.notOk(await filed({}), 'no page is there')
  const unlinked = {
    'pages/index.vue':
      '<template><main><h1>For you and the team</h1><NuxtLink to="/login">Get started</NuxtLink></main></template>',
    'pages/register.vue': '<template><main><h1>An account for you and the team</h1></main></template>',
  }
  t.notOk(await leads(unlinked), 'nothing leads there')
  const linked = unlinked['pages/index.vue'].replace(
    '</main>',
    '<NuxtLink to="/register">Make an account</NuxtLink></main>',
  )
  t.ok(await leads({ ...unlinked, 'pages/index.vue': linked }))
})

t.test('navigation: the offer first, signing up as a button, the bar in sight', async (t) => {
  const bar = (entries: string, own = 'class="navbar navbar-light bg-light"'): string =>
    page(
      `<nav ${own}><ul>${entries}</ul></nav><h1>For you and the team</h1><a class="btn btn-primary" href="/x">Go</a>`,
    )
  const entry = (href: string, label: string): string =>
    `<li><a class="nav-link" href="${href}">${label}</a></li>`
  const late = entry('/blog', 'Blog') + entry('/about', 'About us') + entry('/pricing', 'Pricing')
  t.same(await of({ 'a.html': bar(late) }), ['navigation-in-sight', 'offer-first-in-navigation'])
  t.same(
    await of({ 'a.html': bar(late), 'b.html': page('<p class="sticky top-0">For you and the team</p>') }),
    ['offer-first-in-navigation'],
    'it would lie on what stays there',
  )
  t.same(
    await of({ 'a.html': bar(late, 'class="navbar navbar-light fixed-top bg-light"') }),
    ['offer-first-in-navigation'],
    'it stays already',
  )
  t.same(
    await of({ 'a.html': bar(late, 'class="navbar navbar-light"') }),
    ['offer-first-in-navigation'],
    'no ground',
  )
  const early = entry('/', 'Home') + entry('/pricing', 'Pricing') + entry('/blog', 'Blog')
  t.notOk((await of({ 'a.html': bar(early) })).includes('offer-first-in-navigation'), 'the way home is first')
  const plain = entry('/blog', 'Blog') + entry('/about', 'About us') + entry('/register', 'Sign up')
  t.ok((await of({ 'a.html': bar(plain) })).includes('sign-up-stands-out'))
  t.notOk(
    (await of({ 'a.html': bar(plain).replace('btn btn-primary', 'other') })).includes('sign-up-stands-out'),
    'the site has no such style',
  )
})

t.test('a product’s button comes before its long description', async (t) => {
  const product = (first: string, second: string): string =>
    `export const Product = () => (\n  <div>\n    <Price />\n    ${first}\n    ${second}\n  </div>\n)\n`
  const is = async (first: string, second: string): Promise<boolean> =>
    (await of({ 'src/product.tsx': product(first, second) })).includes('buy-before-description')
  t.ok(await is('<ProductDescription />', '<AddToCart />'))
  t.ok(await is('{text ? <Prose html={text} /> : null}', '<AddToCart />'))
  t.notOk(await is('<AddToCart />', '<ProductDescription />'))
  t.notOk(await is('<VariantPicker />', '<AddToCart />'), 'what is chosen first')
  const deep = `${'{#if a}\n'.repeat(60)}<Prose />\n${'{/if}\n'.repeat(60)}`
  const nested = await of({ 'src/Product.svelte': `<div>\n${deep}<AddToCart />\n</div>\n` })
  t.ok(nested.includes('buy-before-description'), 'blocks in blocks are each looked at once')
})

t.test('what is folded away: the first is open, in the form that unfolds it', async (t) => {
  const opened = async (path: string, text: string): Promise<string> =>
    saysOf(await found({ [path]: text }, { focus: 'faq' }), 'first-answer-open').join('\n')
  const html = (inner: string): string => page(`<h1>Questions of yours and the team</h1><div>${inner}</div>`)
  const three = (one: (n: number) => string): string => [1, 2, 3].map(one).join('\n')
  const radio = (n: number): string =>
    `<div><input type="radio" name="faq-accordion"><p>Answer ${n}</p></div>`
  t.match(await opened('a.html', html(three(radio))), /<input checked type="radio"/)
  t.equal(await opened('a.html', html(three(radio).replace('<input', '<input checked'))), '', 'one is open')
  t.equal(await opened('a.html', html(radio(1) + radio(2))), '', 'too few')
  const fold = (n: number): string =>
    `<button class="x collapsed" data-target="#c${n}" aria-expanded="false">Question ${n}</button><div id="c${n}" class="collapse" data-parent="#all">Answer ${n}</div>`
  t.match(
    await opened('a.html', html(three(fold))),
    /class="collapse show"[\s\S]*class="x"|class="x"[\s\S]*collapse show/,
  )
  const item = (n: number): string =>
    `<Accordion.Item eventKey="${n}"><h3>Question ${n}</h3></Accordion.Item>`
  const jsx = (own: string): string =>
    `export const Faq = () => (\n  <div>\n    <h2>Questions of yours and the team</h2>\n    <Accordion${own}>\n${three(item)}\n    </Accordion>\n  </div>\n)\n`
  t.match(await opened('src/faq.tsx', jsx('')), /<Accordion defaultActiveKey="1">/)
  t.equal(await opened('src/faq.tsx', jsx(' defaultActiveKey="2"')), '')
})

t.test('prices of a year first, where a year saves something and a switch is there', async (t) => {
  const prices = (text: string, state: string): string =>
    `export const Pricing = () => {\n  const [isYearly, setIsYearly] = useState(${state})\n  return <div><h1>What it is for you</h1><p>${text}</p><button onClick={() => setIsYearly(true)}>Each month</button></div>\n}\n`
  const is = async (text: string, state: string): Promise<boolean> =>
    (await of({ 'src/pricing.tsx': prices(text, state) })).includes('yearly-first')
  t.ok(await is('Save with a year', 'false'))
  t.notOk(await is('Pay for a year', 'false'), 'nobody says that it saves')
  t.notOk(await is('Save with a year', 'true'))
  const figures = (state: string, is: string, ...pairs: [month: string, year: string][]): string =>
    `export const Pricing = () => {\n  const [${state}\n  return <div><h1>What it is for you</h1><button onClick={() => set('yearly')}>Yearly</button><button>Monthly</button>${pairs.map(([month, year]) => `<p>{${is} ? '$${month}' : '$${year}'}</p>`).join('')}</div>\n}\n`
  const yearly = (...pairs: [string, string][]): Record<string, string> => ({
    'src/pricing.tsx': figures('isYearly, set] = useState(false)', 'isYearly', ...pairs),
  })
  const turns = async (...pairs: [string, string][]): Promise<string | undefined> =>
    (await wholeBatch(yearly(...pairs), { focus: 'prices' })).proposals.find(
      ({ pattern }) => pattern === 'yearly-first',
    )?.hypothesis
  t.match(await turns(['90', '9'], ['290', '29']), 'when the page comes (90 in place of 12 times 9)')
  t.notOk(
    patternsOf(await batch(yearly(['90', '9'], ['290', '29']))).includes('yearly-first'),
    'the larger number would be seen first, which somebody has to ask for',
  )
  t.notOk(await turns(['90', '9'], ['348', '29']), 'one saves nothing')
  t.notOk(await turns(['7', '9'], ['24', '29']), 'a price of a month, too')
  const saves = async (...pairs: [string, string][]): Promise<string> =>
    saysOf(
      await batch({
        'src/pricing.tsx': figures("billing, set] = useState('monthly')", "billing === 'monthly'", ...pairs),
      }),
      'year-says-what-it-saves',
    ).join()
  t.equal(await saves(['9', '90'], ['29', '290']), 'Yearly → Yearly: pay for ten months')
  t.equal(await saves(['9', '90'], ['29', '270']), '', 'not as much in each plan')
  t.equal(await saves(['9', '95']), '', 'no whole months')
  t.equal(await saves(), '', 'no prices')
})

t.test('images that are all of a link say what the heading says', async (t) => {
  const card = (image: string): string =>
    `export const Card = ({ product }) => (\n  <div>\n    <Link to="/p">${image}</Link>\n    <h3>{product.name}</h3>\n  </div>\n)\n`
  const alt = async (image: string): Promise<string> =>
    saysOf(await wholeBatch({ 'src/card.tsx': card(image) }, { focus: 'image' }), 'linked-image-text').join()
  t.match(await alt('<img src={product.image} />'), /<img alt=\{product\.name\} src/)
  t.equal(await alt('<img src={product.image} alt="" />'), '', 'somebody has decided')
  t.equal(await alt('<img src={product.image} /> All of it'), '')
  const unasked = await batch({ 'src/card.tsx': card('<img src={product.image} />') })
  t.same(unasked.proposals, [], 'too little for a test, unless it is asked for')
  t.same(unasked.dropped, [])
  const asked = await filledBatch({ 'src/card.tsx': card('<img src={product.image} />') })
  t.same(patternsOf(asked), ['linked-image-text'], 'where there is nothing else')
})
