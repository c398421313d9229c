import t from 'tap'
import type { Candidate } from '../../port.js'
import { batch, filledBatch, found, page, patternsOf, saysOf } from '../../test/support/workspace.js'

type Files = Readonly<Record<string, string>>
const one = async (files: Files, pattern: string): Promise<Candidate | undefined> =>
  (await found(files)).proposals.find((each) => each.pattern === pattern)
/** What the variant has, by file: `''` where nothing is proposed. */
const says = async (files: Files, pattern: string): Promise<string> =>
  (await one(files, pattern))?.files.flatMap(({ edits }) => edits.map(({ replace }) => replace)).join('\n') ??
  ''

const said = (link: string): string =>
  page(`<h1>All of it for you and the team</h1><p>It is the one that we make for you</p>${link}`)

t.test('who wants to begin is led where the same labels lead elsewhere', async (t) => {
  const START = 'starts-where-others-start'
  const to = 'https://app.shop.test/sign-up'
  const others = {
    'a.html': said(`<a href="${to}">Get started</a>`),
    'b.html': said(`<a href="${to}?utm_source=b">Sign up free</a>`),
  }
  const of = (link: string, more: Files = others): Promise<string> =>
    says({ ...more, 'index.html': said(link) }, START)
  t.match(await of('<a href="/pricing">Start free trial</a>'), `href="${to}"`)
  t.match(await of('<a href="https://app.shop.test">Start making notes</a>'), `href="${to}"`)
  t.match(
    await of('<a href="https://app.shop.test/?utm_source=web&utm_medium=top">Get started</a>'),
    `href="${to}?utm_source=web&utm_medium=top"`,
    'who sent somebody is still told',
  )
  t.equal(await of('<a href="/pricing">Get started</a>'), '', 'prices may be what comes first')
  t.equal(await of('<a href="/pricing#free">Start free trial</a>'), '', 'a place of its own')
  t.equal(await of('<a href="/pricing">See the prices</a>'), '')
  t.equal(await of('<a href="https://other.test">Get started</a>'), '', 'another program')
  t.equal(
    await of('<a href="/pricing">Start free trial</a>', { 'a.html': others['a.html'] }),
    '',
    'one is few',
  )
  const split = {
    ...others,
    'c.html': said('<a href="/register?as=seller">Register</a>'),
    'd.html': said('<a href="/register?as=seller">Register</a>'),
  }
  t.equal(await of('<a href="/pricing">Start free trial</a>', split), '', 'there are two such places')
  const { surfaces = [] } =
    (await one(
      {
        ...others,
        'm.html': said('<a href="/pricing">Start free trial</a>'),
        'n.html': said('<a href="https://app.shop.test">Get started</a>'),
      },
      START,
    )) ?? {}
  t.same(surfaces.map(({ path }) => path).sort(), ['m.html', 'n.html'], 'one thing to decide about')
})

t.test('a page with two tabs opens the one for newcomers', async (t) => {
  const START = 'starts-where-others-start'
  const begin = (href: string): string =>
    page(`<p>Das ist für alle, die nicht mit uns sind</p><a href="${href}">Kostenlos registrieren</a>`, 'de')
  const others = {
    'x.html': begin('login.html?tab=register'),
    'blog/y.html': begin('/login.html?tab=register'),
  }
  t.match(
    await says({ ...others, 'index.html': begin('login.html') }, START),
    'href="login.html?tab=register"',
  )
  t.equal(await says({ ...others, 'login.html': begin('login.html') }, START), '', 'it is that page')
})

t.test('what says that it calls, calls', async (t) => {
  const DIAL = 'dials-where-it-says'
  const number = { 'contact.html': said('<a href="tel:+33 665 55 07 92">Nous</a>') }
  const of = (link: string, more: Files = number): Promise<string> =>
    says({ ...more, 'index.html': said(link) }, DIAL)
  t.match(await of('<a href="#contact">Call us</a>'), 'href="tel:+33665550792"')
  t.match(await of('<a href="#contact">Prendre rendez-vous par téléphone</a>'), 'tel:+33665550792')
  const alone = async (link: string): Promise<boolean> =>
    patternsOf(await batch({ ...number, 'index.html': said(link) })).includes(DIAL)
  t.equal(await alone('<a href="#contact">Call us</a>'), true)
  t.equal(await alone('<a href="#">Call us</a>'), false, 'what leads nowhere is mended')
  t.equal(await alone('<footer><a href="#contact">Call us</a></footer>'), false)
  t.equal(await of('<a href="#contact">Contact us</a>'), '')
  t.equal(await of('<a href="#contact">Call us or write a mail</a>'), '', 'it offers more')
  t.equal(await of('<a href="/calls">Schedule a call</a>'), '', 'that is agreed first')
  t.equal(await of('<a href="https://cal.test/us">Call us</a>'), '', 'it leads to others')
  t.equal(await of('<a href="#contact">Call us</a>', {}), '', 'no number is known')
  const two = { ...number, 'shop.html': said('<a href="tel:+4930123456">The shop</a>') }
  t.equal(await of('<a href="#contact">Call us</a>', two), '', 'which of them is meant')
  const same = { ...number, 'shop.html': said('<a href="tel:0665550792">The shop</a>') }
  t.match(await of('<a href="#contact">Call us</a>', same), 'tel:', 'one number in two ways')
  const coded = { ...number, 'Call.jsx': `export const Call = ({ n }) => <a href={'tel:' + n}>Now</a>` }
  t.equal(await of('<a href="#contact">Call us</a>', coded), '', 'code has another one, perhaps')
  t.equal(await of('<a href="#contact">Write on WhatsApp</a>'), '', 'that number is not told')
  const written = { 'contact.html': said('<a href="https://wa.me/33665550792?text=hi">Write</a>') }
  t.match(await of('<a href="#contact">Write on WhatsApp</a>', written), 'href="https://wa.me/33665550792"')
})

const SHELF = 'empty-shelf-way-on'
const CartPage = `import { Link } from 'react-router-dom'
export default function CartPage({ items }) {
  return <main className="mt-4 text-lg">{items.length === 0 ? (
    <div><p className="mb-6">Your cart is empty.</p>
      <Link to="/products" className="bg-green-800 px-6 py-3 text-white rounded-lg">Continue shopping</Link></div>
  ) : <ul><li>All of the things in it are for you</li></ul>}</main>
}`
const drawer = (
  more = '',
  close = 'onClick={onClose}',
  empty = '<p className="mt-2">Add what you like</p>',
): string =>
  `import { X } from 'icons'
export function Drawer({ items, onClose }) {
  return <div className="fixed right-0 p-4 text-lg"><button ${close} aria-label="Close the cart"><X /></button>${more}
    {items.length === 0 ? (
      <div className="flex flex-col items-center">
        <p>Your cart is empty</p>
        ${empty}
      </div>
    ) : <ul><li>All of the things in it are for you</li></ul>}</div>
}`

t.test('an empty cart has the button of its sister, which closes what lies over the page', async (t) => {
  const of = (text: string, path = 'pages/Drawer.jsx', sister = CartPage): Promise<string> =>
    says({ 'pages/CartPage.jsx': sister, [path]: text }, SHELF)
  const whole = await of(drawer())
  t.match(whole, /Add what you like<\/p>\s*<div className="mt-8"><Link onClick=\{onClose\}\s*to="\/products"/)
  t.match(whole, "import { Link } from 'react-router-dom'")
  t.equal(await of(drawer('', 'onClick={() => shut({ at: 1 })}')), '', 'how it is closed is not told')
  t.equal(await of(drawer('', '')), '', 'nothing closes it')
  t.equal(await of(drawer('', 'onClick={onClose}', '<button onClick={go}>Go on</button>')), '', 'it leads on')
  t.equal(await of(drawer('', 'onClick={onClose}', '<GoButton />')), '', 'perhaps it leads on')
  t.equal(await of(drawer(), 'pages/OrderSummary.jsx'), '', 'where one pays')
  t.equal(await of(drawer().replace('flex-col ', '')), '', 'it would stand beside the words')
  t.equal(await of(drawer().replaceAll('cart', 'head')), '', 'another thing is empty')
  t.equal(await of(drawer(), undefined, CartPage.replace('/products', '/login')), '', 'no way to the shop')
  t.equal(await of(drawer(), undefined, CartPage.replace('bg-green-800 ', '')), '', 'a plain link')
  const plain = drawer()
    .replace('fixed right-0 ', '')
    .replace(/<button.*<\/button>/, '')
  t.match(await of(plain, 'pages/Bag.jsx'), '<div className="mt-8"><Link to="/products"')
})

t.test('an empty cart on the page of all that there is leads nowhere else', async (t) => {
  const shop = (path: string): Files => ({
    [path]: `import { Drawer } from '../components/Drawer'\nexport default () => <main className="mt-4 text-lg"><h1>All of the things for you</h1><Drawer /></main>\n`,
  })
  const of = (more: Files): Promise<string> =>
    says({ 'pages/CartPage.jsx': CartPage, 'components/Drawer.jsx': drawer(), ...more }, SHELF)
  t.match(await of(shop('pages/about.jsx')), 'to="/products"')
  t.equal(await of(shop('pages/products.jsx')), '', 'one is there')
  t.match(await of({ ...shop('pages/products.jsx'), ...shop('pages/about.jsx') }), 'to="/products"')
})

t.test('the only step of an empty list is a button', async (t) => {
  const list = (step: string, when = 'items.length === 0'): string =>
    `export function List({ items }) {
  if (${when})
    return (
      <p className="px-6 text-sm">You have made none of it yet, and all of it is for you. ${step}</p>
    )
  return <ul><li>All of it</li></ul>
}`
  const of = (step: string, when?: string, path = 'List.jsx'): Promise<string> =>
    says({ [path]: list(step, when) }, 'first-step-as-button')
  const step =
    '<Button variant="link" asChild className="-m-4"><Link href="/notes/create">Make one</Link></Button>'
  t.match(await of(step), '<Button asChild className="mt-4 flex w-fit"><Link href="/notes/create">')
  t.match(await of(`<span>${step} or ask for one</span>`), '<Button asChild><Link href="/notes/create">')
  t.equal(await of(step, 'isLoading'), '', 'something else is shown then')
  t.equal(await of(step.replace('/notes/create', '/notes')), '', 'it makes nothing')
  t.equal(await of(step.replace('variant="link" ', '')), '', 'it is a button')
  t.equal(await of(`${step}<a href="/help">Help</a>`), '', 'there are two ways on')
  t.equal(await of(step, undefined, 'SearchResults.jsx'), '')
})

t.test('a bare link at the end of an empty cart is drawn as the button that the file has', async (t) => {
  const bag = (link: string, taken = "import { Button } from '@/ui/button'"): string =>
    `${taken}
export default function Bag({ items }) {
  return <main className="mt-4 text-lg"><h1>Your cart, and all that is in it</h1>{items.length === 0 ? (
    <div>Your cart is empty. ${link}</div>
  ) : <ul><li>All of it is for you</li></ul>}</main>
}`
  const sister = `import { Button } from '@/ui/button'\n${CartPage}`.replace(
    /<Link to.*<\/Link>/s,
    (link) => `<Button asChild>${link}</Button>`,
  )
  const of = (link: string, taken?: string, other = sister): Promise<string> =>
    says({ 'pages/CartPage.jsx': other, 'pages/Bag.jsx': bag(link, taken) }, 'first-step-as-button')
  const link = '<Link href="/">Go shopping</Link>'
  t.match(await of(link), `<Button asChild className="mt-4 flex w-fit">${link}</Button>`)
  t.equal(await of(link, ''), '', 'the file has no button')
  t.equal(await of(link, undefined, CartPage), '', 'no button is drawn around a link')
  t.equal(await of(link.replace('href', 'className="big" href')), '', 'it has a look')
  t.equal(await of(`${link} or ask.`), '', 'the sentence goes on')
})

t.test('networks stand below the first button of a start page', async (t) => {
  const BELOW = 'networks-below-act'
  const networks =
    '<div style="margin: 0 0 25px 0; display: flex"><a href="https://www.instagram.com/us"><i></i></a><a href="https://facebook.com/us"><i></i></a></div>'
  const home = (
    row = networks,
    act = '<a class="cta-button" href="/order">Order now</a>',
    before = '',
  ): string =>
    page(
      `${before}<section>${row}<h1>All that we bake is for you</h1><p>It is made by hand, all of it</p>${act}</section>`,
    )
  t.match(
    await says({ 'index.html': home() }, BELOW),
    /Order now<\/a> <div style="margin: 25px 0 0 0; display: flex"><a href="https:\/\/www.instagram/,
  )
  t.equal(await says({ 'about.html': home() }, BELOW), '', 'it opens nothing')
  t.equal(await says({ 'index.html': home(networks.replace('<div', '<div class="top-bar"')) }, BELOW), '')
  t.equal(await says({ 'index.html': home(networks.replace('<div', '<div data-track="x"')) }, BELOW), '')
  t.equal(await says({ 'index.html': home(networks.replace('https://facebook.com/us', '/us')) }, BELOW), '')
  t.equal(await says({ 'index.html': home(undefined, '<a href="/more">More</a>') }, BELOW), '', 'no button')
  t.equal(
    await says({ 'index.html': home(undefined, undefined, '<a class="btn" href="/o">Order</a>') }, BELOW),
    '',
  )
})

t.test('the contact comes before partners whose sites are all that is led to', async (t) => {
  const BELOW = 'partners-below-contact'
  const partner = (name: string): string => `<a href="https://${name}.test"><img src="/${name}.png"></a>`
  const partners = `<section><h2>Our partners</h2>${partner('a')}${partner('b')}</section>`
  const contact = '<section><h2>Contact</h2><p>It is for you</p><a href="tel:+4930123456">Call</a></section>'
  const of = (first: string, second: string): Promise<string> =>
    says({ 'index.html': page(`<main><p>All of it is for you</p>${first}${second}</main>`) }, BELOW)
  t.match(await of(partners, contact), /^<section><h2>Contact.*\n<section><h2>Our partners/s)
  t.equal(await of(contact, partners), '')
  t.equal(await of(partners, contact.replace('tel:+4930123456', '/call')), '', 'nobody is reached there')
  t.equal(await of(partners, contact.replace('Contact', 'Prices')), '')
  t.equal(await of(partners.replace('https://a.test', '/a'), contact), '', 'it leads within the site too')
  t.equal(await of(partners.replace('Our partners', 'What we make'), contact), '')
  t.equal(
    await of(partners.replace('<section', '<section class="bg-dark"'), contact),
    '',
    'it looks different',
  )
})

t.test('a search of a shop that finds nothing leads to all that there is', async (t) => {
  const cart = `import { Link } from 'router'
export const Cart = () => (
  <section>
    <p>You have not chosen anything yet, so let us look around!</p>
    <Link to="/collections" onClick={close}>Continue shopping →</Link>
  </section>
)
`
  const results = (empty = '<p>No results, try other words.</p>'): string => `import { Link } from 'router'
export const Title = () => <h1>What you have searched for in the shop</h1>
export const Results = ({ items }) => items.map((one) => (
  <Link key={one.id} to={one.href}>{one.title}</Link>
))
export function NothingFound() {
  return ${empty}
}
`
  const of = async (files: Readonly<Record<string, string>>): Promise<string[]> =>
    saysOf(await batch({ 'src/pages/Cart.tsx': cart, ...files }), 'no-results-way-on')
  t.same(await of({ 'src/pages/SearchResults.tsx': results() }), [
    '<p>No results, try other words.</p> → <><p>No results, try other words.</p> <p><Link to="/collections">Continue shopping →</Link></p></>',
  ])
  t.same(await of({ 'src/pages/Orders.tsx': results() }), [], 'it is no search')
  t.same(await of({ 'src/pages/SearchSuggestions.tsx': results() }), [], 'it goes when one types on')
  t.same(
    await of({
      'src/pages/SearchResults.tsx': results('<div><p>No results.</p><Link to="/all">All</Link></div>'),
    }),
    [],
    'something leads on',
  )
  t.same(
    await of({ 'src/pages/SearchResults.tsx': results().replace('<Link key', '<Link className="card" key') }),
    [],
    'links look like something here',
  )
  t.same(
    await of({
      'src/pages/Cart.tsx': cart.replace('Continue shopping →', 'Back'),
      'src/pages/SearchResults.tsx': results(),
    }),
    [],
    'the site has no words for it',
  )
})

t.test('the only button of a start page that names a thing says what one does with it', async (t) => {
  const start = (label: string, more = ''): string =>
    `export default function Home() {\n  return (\n    <main>\n      <h1>Tools for the people of the harbour</h1>\n      <a className="button" href="/learn">${label}</a>\n${more}    </main>\n  )\n}\n`
  const of = async (label: string, more?: string): Promise<string[]> =>
    saysOf(await filledBatch({ 'src/pages/index.jsx': start(label, more) }), 'noun-on-button')
  t.same(await of('Harbour Tutorial - 5min'), ['Harbour Tutorial - 5min → Start the Harbour Tutorial - 5min'])
  t.same(
    await of('Harbourmasters Tutorial - 5min'),
    ['Harbourmasters Tutorial - 5min → Start the tutorial - 5min'],
    'a name gives way where there would be no room on a phone',
  )
  t.same(await of('Tutorial for those who come from another harbour'), [], 'no room')
  t.same(await of('Documentation'), ['Documentation → Read the documentation'])
  t.same(await of('Read the docs'), [])
  t.same(await of('Guided tours'), [])
  t.same(await of('Tutorial', '      <a className="button" href="/join">Join us</a>\n'), [])
})
