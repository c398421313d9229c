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
