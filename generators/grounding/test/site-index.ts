import t from 'tap'
import { policyViolation } from '../content-policy.js'
import { SiteIndex } from '../site-index.js'

const FILE = 'src/components/Results.tsx'
const TEXT = `import { useState } from 'react'
export function Results({ runs }) {
  const [year] = useState('')
  return <section><h2>Results</h2><p className="lead">All runs</p></section>
}
`
const ELSEWHERE: Readonly<Record<string, string>> = {
  'src/components/Nav.tsx': `import Link from 'next/link'
import { formatDate, wipe } from '../lib/runs'
import { Button } from '@/ui/button'
export const Nav = () => <nav><Link href="/sign-up">Sign up</Link><a href="/run?year=1">Run</a><a href="/logout">Leave</a>
<a href="https://elsewhere.test/">Partner</a></nav>`,
  'src/menu.ts': `export const menu = [{ name: 'Contact', path: '/contact' }, { url: '/api/runs', image: '/cat' }]`,
  'src/App.tsx': `<Route path="/courses" element={<Courses />} /><Route path="/users/:id" />`,
  'src/app/(shop)/gallery/page.tsx': 'export default function Gallery() { return <p>Gallery</p> }',
  'src/app/[slug]/page.tsx': 'export default function Page() { return <p>Page</p> }',
}
const site = new SiteIndex()
for (const [path, text] of Object.entries(ELSEWHERE)) site.add(path, text)

const IMPORTS = "import { useState } from 'react'"
const PLACE = '<p className="lead">All runs</p>'

/** Why an edit with an import for all variants is refused. */
const told = (replace: string, imports = '', text = TEXT): string =>
  policyViolation(
    [
      ...(imports === '' ? [] : [{ find: IMPORTS, replace: `${IMPORTS}\n${imports}` }]),
      { find: PLACE, replace, variant: 'b' },
    ],
    { path: FILE, text },
    text,
    site,
  )?.message ?? 'none'

t.test('an edit may link to what the site links to, or to one of its pages', async (t) => {
  for (const href of [
    '/sign-up',
    '/sign-up#form',
    '/sign-up/',
    '/gallery',
    '/run',
    '/run?year=1',
    '/contact',
    '/courses',
  ])
    t.equal(
      told(`<p className="lead">All runs</p><a href="${href}">Go on</a>`.replace('<p', '<><p').concat('</>')),
      'none',
      href,
    )
  for (const href of [
    '/other',
    '/run?year=2',
    '/logout',
    '/slug',
    '/api/runs',
    '/cat',
    '/users',
    '//sign-up',
    '/\\sign-up',
    'https://elsewhere.test/',
    'https://site.test/sign-up',
    'javascript:go()',
  ])
    t.match(told(`<a href="${href}">Go on</a>`), 'it brings in', href)
  t.match(
    told('<a href="/contacts">Go on</a>'),
    /“href="\/contacts"”, but the site links to \/contact, \/courses, \/gallery, \/run, \/run\?year=1, \/sign-up$/,
  )
  t.match(told('<img src="/gallery" alt="Runs" />'), 'it brings in', 'no other attribute leads there')
})

t.test('an edit for all may import what another file imports, as it is called there', async (t) => {
  const link = '<Link href="/sign-up">Sign up</Link>'
  t.equal(told(link, "import Link from 'next/link'"), 'none')
  t.equal(told('<Button>All runs</Button>', "import { Button } from '@/ui/button'"), 'none')
  t.match(told(link), 'it brings in', 'without the import')
  t.match(told(link, "import Link from 'other-link'"), 'it brings in', 'from elsewhere')
  t.match(told('<Wipe />', "import Wipe from 'next/link'"), 'it brings in', 'under another name')
  t.match(
    told('<p>{wipe()}</p>', "import { wipe } from '../lib/runs'"),
    'it brings in',
    'what may do something',
  )
  t.match(told(link, "import Link from 'next/link'\nimport 'effects'"), 'it brings in', 'for its effects')
  t.match(told(link, "import Link from 'next/link'\nwipe()"), 'it brings in', 'and does something')
  t.match(told('<p>{all.length}</p>', "import * as all from 'next/link'"), 'it brings in', 'all of a module')
})

t.test('an anchor of another component counts, a link in a comment does not', async (t) => {
  const parts = new SiteIndex()
  parts.add('src/Prices.jsx', `export const Prices = () => <section id="prices">All prices</section>`)
  parts.add(
    'src/Nav.jsx',
    `// <a href="/old">Old</a>
export const Nav = () => <nav>{/* <a href="/older">It's old</a> */}<a href="/new" title="/*">New</a> <i title="*/" /></nav>`,
  )
  parts.add('team.html', '<h2 id="team">Team</h2><!-- <a href="/oldest">Oldest</a> -->')
  t.strictSame(parts.links, ['/new'])
  const isLinked = (path: string, address: string): boolean => parts.hasLink(path, address)
  t.ok(isLinked('src/App.jsx', '#prices') && isLinked('src/App.jsx', '/#prices'))
  t.notOk(isLinked('src/App.jsx', '#others') || isLinked('src/App.jsx', '/new#') === false)
  t.notOk(isLinked('index.html', '#prices') || isLinked('index.html', '#team'), 'which another page has')
})

t.test('of two imports in one edit the strange one is named alone', async (t) => {
  const found = told(
    '<Link href="/sign-up"><Card>All runs</Card></Link>',
    "import Link from 'next/link'\nimport { Card } from './card'",
  )
  t.match(
    found,
    /^it brings in “import \{ Card \} from '.\/card'”, which no other file imports in these words/,
  )
  t.notMatch(found, /Link/)
})

t.test('a page of HTML links to its neighbours by their names', async (t) => {
  const html = '<!doctype html><html><body><p>Come in</p></body></html>'
  const pages = new SiteIndex()
  pages.add('shop/index.html', '<a href="cart.html">Cart</a> <a href="../about.html">About</a>')
  const link = (path: string, href: string): string =>
    policyViolation(
      [{ find: '<p>Come in</p>', replace: `<a href="${href}">Come in</a>`, variant: 'b' }],
      { path, text: html },
      html,
      pages,
    )?.reason ?? 'none'
  t.equal(link('shop/lamps.html', 'cart.html'), 'none')
  t.equal(link('shop/lamps.html', '../about.html'), 'none')
  t.equal(link('lamps.html', 'cart.html'), 'unsafe', 'it is in another folder')
})

t.test('a link may call or write to what another file links to or prints', async (t) => {
  const whole = new SiteIndex()
  whole.add(
    'src/Nav.jsx',
    `export const Nav = () => <nav><a href="tel:6265050596">Call</a><a href={"mailto:ask@lumen.test?subject=Hi"}>Write</a>
<a href="https://wa.me/15550102030?text=Hi">Chat</a><a href="https://calendly.com/lumen">Book</a></nav>`,
  )
  whole.add(
    'src/Foot.jsx',
    `export const Foot = () => <p title="030 7777777">Call (030) 1234-567, +49 171 2223334 or team@lumen.test</p>`,
  )
  const linked = (address: string, of = whole, link = `<a href="${address}">Go on</a>`): string =>
    policyViolation(
      [{ find: PLACE, replace: `<p className="lead">All runs ${link}</p>`, variant: 'b' }],
      { path: FILE, text: TEXT },
      TEXT,
      of,
    )?.message ?? 'none'
  for (const own of [
    'tel:6265050596',
    'mailto:ask@lumen.test',
    'https://wa.me/15550102030',
    'https://wa.me/15550102030?text=My%20question',
    'tel:0301234567',
    'tel:+49301234567',
    'mailto:team@lumen.test',
  ])
    t.equal(linked(own), 'none', own)
  for (const other of [
    'tel:6265050597',
    'tel:0307777777',
    'mailto:ask@evil.test',
    'mailto:ask@lumen.test?bcc=a@evil.test',
    'https://wa.me/15550102031',
    'https://wa.me/491712223334',
    'https://wa.me.evil.test/15550102030',
    'https://calendly.com/lumen',
    'sms:6265050596',
  ])
    t.match(linked(other), 'it brings in', other)
  t.match(linked('', whole, '<img src="tel:6265050596" alt="Call" />'), 'it brings in', 'no link')
  whole.add('src/Chat.jsx', 'export const Chat = () => <b>WhatsApp</b>')
  t.equal(linked('https://wa.me/491712223334'), 'none', 'a number of a site that names the service')
})

t.test('a constant that other files import and link to is an address', async (t) => {
  const named = new SiteIndex()
  named.add(
    'src/Nav.tsx',
    `import { BOOK_HREF, SHOP, send } from '@/lib/site'
export const Nav = () => <nav><Link href={BOOK_HREF} onClick={send} title={SHOP}>Book</Link></nav>`,
  )
  const linked = (link: string, imports: string): string =>
    policyViolation(
      [
        { find: IMPORTS, replace: `${IMPORTS}\n${imports}` },
        { find: PLACE, replace: `<p className="lead">All runs ${link}</p>`, variant: 'b' },
      ],
      { path: FILE, text: TEXT },
      TEXT,
      named,
    )?.message ?? 'none'
  const from = "import { BOOK_HREF } from '@/lib/site'"
  t.equal(linked('<a href={BOOK_HREF}>Book</a>', from), 'none')
  t.match(linked('<img src={BOOK_HREF} alt="Book" />', from), 'it brings in', 'no link')
  t.match(linked('<a href={BOOK_HREF}>Book</a>', from.replace('site', 'other')), 'it brings in')
  t.match(linked('<a href={SHOP}>Shop</a>', "import { SHOP } from '@/lib/site'"), 'it brings in')
  t.match(linked('<a href={send}>Shop</a>', "import { send } from '@/lib/site'"), 'it brings in')
})

t.test('a component may be given what another file gives it', async (t) => {
  const given = new SiteIndex()
  given.add(
    'src/Header.jsx',
    `export const Header = ({ general, send }) => <Popup customCss="p-4 rounded" size={'sm'} buttonText={general?.headerbutton}
  detail={general.deep.detail} onSend={send} href={general.to} code={general?.token} of={other} done={remove} as={general} all={general} go={general.go}>Ask</Popup>`,
  )
  const text = `import { useState } from 'react'
import Popup from '../Popup'
import Script from 'next/script'
import * as All from './all'
export const Mob = ({ general, remove }) => {
  const [open] = useState('')
  useEffect(() => { remove(general.go(general.deep)) })
  return <nav><p>{general?.logo}</p>${PLACE}<Stat subtitle="Treated people" kind="wide">{open}</Stat></nav>
}
`
  const shown = (replace: string): string =>
    policyViolation([{ find: PLACE, replace, variant: 'b' }], { path: FILE, text }, text, given)?.message ??
    'none'
  for (const own of [
    '<Popup />',
    `<Popup size={'sm'} />`,
    '<Popup size="sm" />',
    '<Popup customCss="p-2 text-xs">Ask</Popup>',
    '<Popup buttonText={general?.headerbutton} />',
    '<Popup all={general} />',
    '<Stat subtitle="Erstgespräch" />',
    '<Stat subtitle="First talk, without cost" />',
  ])
    t.equal(shown(own), 'none', own)
  for (const other of [
    '<Script>go()</Script>',
    '<Script src="/x.js" />',
    '<All />',
    '<Other />',
    `<Popup size={'xl'} />`,
    '<Popup customCss="url(https://evil.test/x)" />',
    '<Popup otherCss="p-2" />',
    '<Popup detail={general.deep.detail} />',
    '<Popup onSend={send} />',
    '<Popup href={general.to} />',
    '<Popup code={general?.token} />',
    '<Popup of={other} />',
    '<Popup done={remove} />',
    '<Popup go={general.go} />',
    '<Popup as={general} />',
    '<Popup buttonText={general?.other} />',
    '<Stat subtitle="javascript:go()" />',
    '<Stat subtitle="<b>Talk</b>" />',
    `<Stat subtitle={'\\u003cb onclick=go()>'} />`,
    `<p title={'\\u202e'}>Talk</p>`,
    `<a href={'https://evil.test'}>Talk</a>`,
    `<p onClick={'go()'}>Talk</p>`,
    `<p dangerouslySetInnerHTML={'go'} />`,
  ])
    t.match(shown(other), 'it brings in', other)
})

t.test('files that only look like imports, tags or addresses are read in time', async (t) => {
  const hostile = new SiteIndex()
  for (const text of [
    `import ${' '.repeat(100_000)}`,
    'import {'.repeat(12_000),
    '"<a" '.repeat(50_000),
    'a'.repeat(300_000),
    '1 '.repeat(100_000),
    `<A ${'a={b.c} '.repeat(30_000)}`,
  ]) {
    const began = performance.now()
    hostile.add('src/a.jsx', text)
    hostile.addressNames('src/a.jsx', text)
    const seconds = (performance.now() - began) / 1000
    t.ok(seconds < 5, `${text.slice(0, 8)}: ${seconds}`)
  }
  t.notOk(hostile.spells('tel:0301234567'))
})
