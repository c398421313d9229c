import t from 'tap'
import { batch, type Files } from '../../test/support/workspace.js'
import { never, page, proposed } from './support/proposed.js'

t.test('pages that nothing leads to are left alone', async (t) => {
  const line = '<h1>Lamps</h1><p>Phone: (260) 483-1415</p>'
  const html = { 'index.html': page('<h1>Lamps</h1><a href="contact.html">Contact</a>') }
  const rule = 'contact-links'
  t.equal((await proposed(rule, { ...html, 'contact.html': page(line) })).length, 1)
  await never(
    t,
    rule,
    { ...html, 'location.html': page(`${line}<a href="location.html">Here</a>`) },
    'a leftover',
  )
  const part = `export default () => <div>${line}</div>\n`
  const app = (shown: string): Files => ({
    'src/App.jsx': `import ${shown} from './pages/${shown}'\nexport default () => <Route path="/" element={<${shown} />} />\n`,
    'src/pages/Contact.jsx': part,
    'src/pages/Home.jsx': 'export default () => <h1>Lamps</h1>\n',
  })
  t.equal((await proposed(rule, app('Contact'))).length, 1)
  await never(t, rule, app('Home'), 'no route shows it')
  const idle = `import Contact from './pages/Contact'\n${app('Home')['src/App.jsx'] ?? ''}`
  await never(t, rule, { ...app('Home'), 'src/App.jsx': idle }, 'it is imported, and not shown')
  const both = (home: string): Files => ({
    ...app('Home'),
    'src/App.jsx': `${idle}\nexport const Routes = () => <Routes><Route path="/" element={<Home />} /><Route path="/contact" element={<Contact />} /></Routes>\n`,
    'src/pages/Home.jsx': `export default () => <main><h1>Lamps</h1>${home}</main>\n`,
  })
  t.equal((await proposed(rule, both('<Link to="/contact">Contact</Link>'))).length, 1, 'a table of routes')
  await never(t, rule, both('<Link to="/imprint">Imprint</Link>'), 'its page is linked from none')
  const routed = (to: string, files: Files = {}): Files => ({
    'app/layout.tsx': 'export default ({ children }) => <body>{children}</body>\n',
    'app/page.tsx': `export default () => <main><h1>Lamps</h1>${to}</main>\n`,
    'app/[locale]/(main)/contact/page.tsx': part,
    ...files,
  })
  for (const to of ['"/contact"', '{`/\u0024{locale}/contact`}', '"/en/contact?from=home"'])
    t.equal((await proposed(rule, routed(`<Link href=${to}>Contact</Link>`))).length, 1, to)
  await never(t, rule, routed('<Link href="/contacts">Contact</Link>'), 'another page')
  const leftover = { 'app/team/page.tsx': 'export default () => <Link href="/contact">Contact</Link>\n' }
  await never(
    t,
    rule,
    routed('<Link href="/about">About</Link>', leftover),
    'leftover pages link to each other',
  )
  t.equal(
    (await proposed(rule, routed('{menu.map((one) => <Link href={one.to} />)}'))).length,
    1,
    'a system has the links',
  )
  const sitemap = { 'public/sitemap.xml': '<url><loc>https://lamps.example/contact</loc></url>' }
  t.equal(
    (await proposed(rule, routed('<Link href="/about">About</Link>', sitemap))).length,
    1,
    'in the sitemap',
  )
  const listed = (shown: string, more: Files = {}): Files => ({
    'src/App.jsx': `import { ${shown} } from './parts'\nexport default () => <${shown} />\n`,
    'src/parts/index.js': "export { default as Contact } from './Contact'\nexport { Home } from './Home'\n",
    'src/parts/Contact.jsx': part.replace('<div>', '<footer>').replace('</div>', '</footer>'),
    'src/parts/Home.jsx': 'export const Home = () => <h1>Lamps</h1>\n',
    ...more,
  })
  t.equal((await proposed(rule, listed('Contact'))).length, 1, 'by way of a list')
  await never(t, rule, listed('Home'), 'a list alone names it')
  const passed = { 'src/routes/contact.jsx': "export { Contact as Page } from '../parts'\n" }
  t.equal((await proposed(rule, listed('Home', passed))).length, 1, 'a page passes it on')
})

t.test('places that phones do not show are left alone by rules for phones', async (t) => {
  const line = '<p>Phone: (260) 483-1415</p><p>5316 Merchandise Dr, Fort Wayne, IN 46825</p>'
  const both = async (files: Files): Promise<number> =>
    (await proposed('contact-links', files)).length + (await proposed('map-link', files)).length
  const site = (opening: string, tag = 'div'): Files => ({
    'contact.html': page(`<h1>Lamps</h1><${tag} ${opening}>${line}</${tag}>`),
  })
  t.equal(await both(site('class="md:block"')), 2)
  for (const classes of [
    'hidden md:block',
    'max-md:hidden',
    'd-none d-lg-flex',
    'hidden-sm-and-down',
    'hidden-xs',
    'show-for-large',
    'is-hidden-mobile',
    'uk-visible@m',
    'desktop-only',
  ])
    t.equal(await both(site(`class="${classes}"`)), 0, classes)
  t.equal(await both(site('class="hidden md:p-2"')), 2, 'a program may show it')
  const vue = (condition: string): Files => ({
    'src/App.vue': `<template><h1>Lamps</h1><side-bar ${condition} /></template>\n`,
    'src/Sidebar.vue': `<template><footer>${line}</footer></template>\n`,
  })
  t.equal(await both(vue('v-if="$vuetify.display.smAndDown"')), 2)
  t.equal(await both(vue('v-if="!isLoading"')), 2)
  for (const condition of [
    '$vuetify.display.mdAndUp',
    'isDesktop',
    '!mobile',
    '!$vuetify.breakpoint.smAndDown',
  ])
    t.equal(await both(vue(`v-if="${condition}"`)), 0, condition)
  const jsx = (shown: string): Files => ({
    'src/pages/Contact.jsx': `export default ({ open }) => <main><h1>Lamps</h1>${shown}</main>\n`,
  })
  const div = `<div>${line}</div>`
  const hidden = `<Box sx={{ display: { xs: 'none', md: 'flex' } }}>${line}</Box>`
  t.equal(await both(jsx(hidden)), 0, 'by a property')
  const footer = (shown: string): Files => ({
    'src/App.jsx': `import Footer from './Footer'\nexport default () => <main><h1>Lamps</h1>${shown}</main>\n`,
    'src/Footer.jsx': `export default () => ${div}\n`,
  })
  t.equal(await both(footer('<Footer />')), 2)
  t.equal(await both(footer('{open && <Footer />}')), 2)
  t.equal(await both(footer('{isDesktop && <Footer />}')), 0, 'a component for wide screens')
  t.equal(await both(footer('{isMobile ? <Menu /> : <Footer />}')), 0, 'otherwise')
  t.equal(await both(footer('{isMobile ? <Footer /> : <Menu />}')), 2)
  t.equal(await both(footer('<div className="hidden md:flex"><Footer /></div><Footer />')), 2, 'twice')
})

t.test('pages that no visitor gets are left alone', async (t) => {
  const rule = 'contact-links'
  const line = '<h1>Lamps</h1><p>Phone: (260) 483-1415</p>'
  const entry = page('<div id="root"></div><script type="module" src="/src/main.jsx"></script>')
  const main = { 'src/main.jsx': 'export default () => <h1>Lamps</h1>\n' }
  const built = { 'index.html': entry, 'public/index.html': page(line), ...main }
  await never(t, rule, built, 'the build writes another one')
  t.equal((await proposed(rule, { 'public/index.html': page(line), ...main })).length, 1)
  const index = (script: string): Files => ({ 'index.html': page(`${line}<script>${script}</script>`) })
  await never(t, rule, index(`setTimeout(() => { window.location.href = '/lamps' }, 3000)`), 'it sends on')
  await never(t, rule, index(`location.replace('/lamps')`), 'at once')
  t.equal((await proposed(rule, index(`button.onclick = () => { location.href = '/lamps' }`))).length, 1)
  t.equal((await proposed(rule, index(`if (old) { location.href = '/lamps' }`))).length, 1)
  const refresh = page(line).replace('<head>', '<head><meta http-equiv="refresh" content="0; url=/lamps">')
  await never(t, rule, { 'index.html': refresh }, 'a refresh')
  const app = (password: string): Files => ({
    'src/App.jsx': `import { lazy } from 'react'
import { Gate } from './Gate'
import Teaser from './Teaser'
const Contact = lazy(() => import('./pages/Contact'))
export default () => <Routes><Route path="/teaser" element={<Teaser />} /><Route path="/*" element={<Gate><Contact /></Gate>} /></Routes>
`,
    'src/Gate.jsx': `export function Gate({ children }) {
  const [word, setWord] = useState('')
  if (word === 'lamps') return <>{children}</>
  return <form><h1>For the team</h1>${password}<button>Go</button></form>
}
`,
    'src/Teaser.jsx': `export default () => <footer>${line.replace('1415', '1420')}</footer>\n`,
    'src/pages/Contact.jsx': `export default () => <div>${line}</div>\n`,
  })
  const password = '<input type="password" onChange={(e) => setWord(e.target.value)} />'
  t.same(await proposed(rule, app(password)), ['Let visitors call “(260) 483-1420” with a tap'])
  t.equal((await proposed(rule, app(''))).length, 2, 'no password')
  t.equal((await proposed(rule, app(`<input type="email" />${password}`))).length, 2, 'customers sign in')
  const layout = {
    'app/layout.jsx': `import { Gate } from '../src/Gate'\nexport default ({ children }) => <body><Gate>{children}</Gate></body>\n`,
    'app/contact/page.jsx': `export default () => <div>${line}</div>\n`,
  }
  await never(t, rule, { ...layout, 'src/Gate.jsx': app(password)['src/Gate.jsx'] ?? '' }, 'a layout')
})

t.test('places that visitors do not see are left alone', async (t) => {
  const form = page(`<h1>Create your account</h1><form action="https://formspree.io/f/x">
<input name="email" type="email"><input name="who"><label>Phone <input type="tel" required></label><button>Go</button></form>`)
  t.same(
    (
      await batch({
        'admin/join.html': form,
        'test/join.html': form,
        'dist/join.html': form,
        'privacy.html': form,
      })
    ).generated,
    0,
  )
  const part =
    'export const Join = () => <section><h1>Lamps for your home</h1><a className="btn" href="#">Book a visit</a></section>\n'
  const site = {
    'src/App.jsx':
      "import { Join } from './Join'\nexport default () => <><a href='/booking'>Booking</a><Join /></>\n",
    'src/Join.jsx': part,
    'src/Old.jsx': part,
  }
  const result = await batch(site)
  t.same(
    result.proposals.map(({ surfaces }) => surfaces[0]?.path),
    ['src/Join.jsx'],
  )
  t.same(
    result.dropped.filter(({ reason }) => reason !== 'page_without_idea'),
    [{ reason: 'never_shown', count: 1 }],
  )
})
