import t from 'tap'
import { lexiconOf } from '../../lexicon/lexicons.js'
import { actionsOf } from '../../page/actions.js'
import { namedRoutesIn } from '../../page/destinations.js'
import { parsePage } from '../../page/parse.js'
import type { PageTree } from '../../page/tree.js'
import { leadsFrom, linkTo, type Way, waysOf } from '../ways.js'

const ROUTES = `const routes = [{ path: '/book-a-table', name: 'booking', component: Booking }]`

const parsed = (path: string, text: string): PageTree => {
  const page = parsePage(path, text, { asked: false, of: () => undefined })
  if (page === null) throw new Error(`${path} shows nothing`)
  page.routes = new Map(namedRoutesIn(ROUTES))
  return page
}
const waysIn = (path: string, text: string): Way[] => {
  const page = parsed(path, text)
  return waysOf(page, actionsOf(page, lexiconOf('en')), 'en')
}
const kinds = (path: string, text: string): string[] =>
  waysIn(path, text).map(({ kind, act, to }) => `${kind} ${act} ${to}`)
const jsx = (markup: string, before = ''): string =>
  `${before}\nexport default () => <main>${markup}</main>\n`

t.test('links to services, telephones and chats are ways', async (t) => {
  const link = (to: string, label = 'Go on'): string[] =>
    kinds('index.html', `<main><a href="${to}">${label}</a></main>`)
  const chat = 'https://wa.me/13104040188?text=Hello'
  t.same(link('tel:+13104040188'), ['external contact tel:+13104040188'])
  t.same(link(chat), [`external contact ${chat}`])
  t.same(link(chat, 'Book now'), [`external booking ${chat}`], 'the label says more than the address')
  for (const to of ['https://calendly.com/us', 'https://www.doctolib.fr/x/y', 'https://book.lodge.com/a'])
    t.same(link(to), [`external booking ${to}`])
  t.same(link('https://www.ubereats.com/store/us'), ['external purchase https://www.ubereats.com/store/us'])
  t.same(link('https://app.lamps.io/start', 'Sign up'), ['external sign up https://app.lamps.io/start'])
  t.same(link('https://app.lamps.io/start', 'Log in'), [], 'it is for those who are customers already')
  t.same(link('https://wa.me/?text=See'), [], 'it shares the page')
  t.same(link('https://facebook.com/us', 'Book now'), [])
  t.same(link('https://lamps.io/about'), [])
  t.same(link('tel:+13104040188', '<svg></svg>'), ['external contact tel:+13104040188'], 'an icon')
})

t.test('handlers that lead somewhere are links', async (t) => {
  const button = (handler: string, before = ''): string[] =>
    kinds('Home.jsx', jsx(`<button onClick={${handler}}>Book now</button>`, before))
  for (const handler of [
    `() => navigate('/booking')`,
    `() => { close(); router.push('/booking') }`,
    `() => (window.location.href = '/booking')`,
  ])
    t.same(button(handler), ['own booking /booking'], handler)
  t.same(button('book', `const book = () => {\n  router.push('/booking')\n}`), ['own booking /booking'])
  t.same(button(`() => scrollToSection('contact')`), ['own contact #contact'])
  t.same(button(`() => document.getElementById('visit')?.scrollIntoView({ behavior: 'smooth' })`), [
    'own booking #visit',
  ])
  t.same(button(`() => window.open('https://wa.me/13104040188', '_blank')`), [
    'external booking https://wa.me/13104040188',
  ])
  for (const handler of [
    '() => setOpen(true)',
    `() => (user ? navigate('/booking') : navigate('/login'))`,
    `() => name.replace('/', '')`,
    'book',
  ])
    t.same(button(handler), ['code booking '], handler)
  t.same(
    kinds('Home.vue', `<template><a @click.prevent="$router.push({ name: 'booking' })">Go</a></template>`),
    ['own booking /book-a-table'],
  )
  t.same(kinds('Home.vue', `<template><router-link :to="{ name: 'booking' }">Go</router-link></template>`), [
    'own booking /book-a-table',
  ])
  t.same(kinds('Home.svelte', `<button on:click={() => goto('/booking')}>Go</button>`), [
    'own booking /booking',
  ])
})

t.test('a computed address may be written again in its own file, if its name is known there', async (t) => {
  const link = '<a href={SITE.bookingUrl}>Go on</a>'
  const text = jsx(link, `import { SITE } from './site'`)
  const [way] = waysIn('Home.jsx', text)
  t.match(way, { kind: 'code', act: 'booking', to: '{SITE.bookingUrl}' })
  if (way === undefined) return
  t.ok(leadsFrom(parsed('Home.jsx', text), way))
  t.notOk(leadsFrom(parsed('About.jsx', text), way), 'another file')
  t.notOk(leadsFrom(parsed('Home.jsx', jsx(`{sites.map((SITE) => ${link})}`)), way), 'a name of a loop')
  t.equal(linkTo(parsed('Home.jsx', text), way.to, '', 'Book'), '<a href={SITE.bookingUrl}>Book</a>')
})

t.test(
  'addresses outside of the site lead from each page, if all may be sure what they are for',
  async (t) => {
    const other = parsed('about.html', '<h1>About</h1>')
    const [calendar, own] = waysIn(
      'index.html',
      '<a href="https://calendly.com/us">Book</a><a href="https://lamps.io/x">Book now</a>',
    )
    t.ok(calendar && leadsFrom(other, calendar))
    t.notOk(own && leadsFrom(other, own))
  },
)
