import t from 'tap'
import { BatchRecord } from '../../port.js'
import { type Files, requestOf } from '../../test/support/workspace.js'
import { isShowable, type Survey, surveyOf } from '../survey.js'

const surveyed = (files: Files): Promise<Survey> => surveyOf(requestOf(files), new BatchRecord(), undefined)
const pathsOf = ({ pages }: Survey): string[] => pages.map(({ path }) => path).sort()

t.test('a page without words shows what it is made of, in its order, and where it runs', async (t) => {
  const survey = await surveyed({
    'package.json': '{"name":"lamps","dependencies":{"next":"15"}}',
    'app/layout.tsx': `import type { Metadata } from 'next'\nimport { Inter } from 'next/font/google'\nexport default ({ children }) => children`,
    'app/page.tsx': `import { Hero } from '../components/hero'
import Prices from '@/components/price-list'
const Reviews = dynamic(() => import('../components/ReviewsNew'))
export default function Home() { return <main><Hero /><Prices /><Reviews /><Unknown /></main> }`,
    'components/hero.tsx': `'use client'\nimport { Lamp } from './lamp'\nexport function Hero() { return <h1>Lamps that last<Lamp /></h1> }`,
    'components/lamp.tsx': `export function Lamp() { return <b>Bright</b> }`,
    'components/ReviewsNew.tsx': `'use client'\nexport default () => <h2>All reviews</h2>`,
    'components/price-list.tsx': `export default function PriceList() { return <h2>All prices</h2> }`,
  })
  t.strictSame(
    survey.pages.find(({ path }) => path === 'app/page.tsx'),
    {
      path: 'app/page.tsx',
      characters: 248,
      words: '',
      shows: ['Hero', 'price-list', 'ReviewsNew'],
      isServerComponent: true,
    },
  )
  t.strictSame([...survey.onServer].sort(), ['app/layout.tsx', 'app/page.tsx', 'components/price-list.tsx'])
  t.strictSame(
    survey.pages.filter((one) => one.isServerComponent !== true).map(({ path }) => path),
    ['components/hero.tsx', 'components/ReviewsNew.tsx', 'components/lamp.tsx'],
    'what a component for clients shows runs in browsers too',
  )
})

t.test(
  'the frameworks of a site are named, and what they know of servers counts without an import',
  async (t) => {
    const named = async (...packages: string[]): Promise<string> => {
      const dependencies = Object.fromEntries(packages.map((one) => [one, '1']))
      const survey = await surveyed({
        'package.json': JSON.stringify({ dependencies }),
        'app/page.tsx': 'export default () => <main><h1>Lamps that last</h1></main>',
      })
      return `${survey.frameworks.map(({ name }) => name).join(', ')}; ${[...survey.onServer].join()}`
    }
    t.equal(await named('next', 'react'), 'Next.js, React; app/page.tsx')
    t.equal(await named('nuxt'), 'Nuxt, Vue; ')
    t.equal(await named('react-router-dom', 'react'), 'React Router, React; ')
    t.equal(await named('@angular/core'), 'Angular; ')
    t.equal(await named('express'), '; ')
  },
)

t.test('words of all scripts count, in any language', async (t) => {
  const survey = await surveyed({
    'app/app.vue': '<template><NuxtPage /></template>',
    'app/pages/index.vue': '<template><main><BookingCard /><h1>Выберите даты поездки</h1></main></template>',
    'app/components/booking/Card.vue': '<template><p>客室を予約する</p></template>',
    'app/components/booking/Old.vue': '<template><p>Старая карточка</p></template>',
  })
  t.strictSame(pathsOf(survey), ['app/components/booking/Card.vue', 'app/pages/index.vue'])
  t.match(
    survey.pages.find(({ path }) => path.endsWith('index.vue')),
    {
      words: 'Выберите даты поездки',
      shows: ['BookingCard'],
    },
  )
  t.ok(survey.unshown.has('app/components/booking/Old.vue'), 'which no page shows')
})

t.test('a component counts as shown unless only lists of exports name it', async (t) => {
  const { unshown } = await surveyed({
    'src/App.tsx': `import { Hero, Card, Prices } from './parts'
import Faq from './parts/faq-section'
const Lazy = lazy(() => import('./parts/lazy-part'))
export default () => <main><Hero /><Card /><Prices /><Faq /><Lazy /></main>`,
    'src/parts/index.ts': `export { default as Hero } from './main-hero'
export { Card } from './card-box'
export * from './price-list'
export * from './forgotten'
export { default as Renamed } from './renamed'`,
    'src/parts/main-hero.tsx': 'export default function MainHero() { return <h1>Lamps</h1> }',
    'src/parts/card-box.tsx': 'const Card = () => <p>A card</p>\nexport { Card }',
    'src/parts/price-list.tsx': 'export const Prices = memo(() => <p>Prices</p>)',
    'src/parts/faq-section.tsx': 'const Questions = () => <p>Questions</p>\nexport default memo(Questions)',
    'src/parts/lazy-part.tsx': 'export default function Part() { return <p>Late</p> }',
    'src/parts/forgotten.tsx': 'export function Forgotten() { return <p>Old</p> }',
    'src/parts/renamed.tsx': 'export default function Other() { return <p>Older</p> }',
    'src/other.tsx': 'export function Other2() { return <p>No import</p> }',
  })
  t.strictSame([...unshown].sort(), ['src/other.tsx', 'src/parts/forgotten.tsx', 'src/parts/renamed.tsx'])
})

t.test(
  'what only pages for the team lead to is for the team, and visitors begin at the home page',
  async (t) => {
    const survey = await surveyed({
      'src/App.jsx': `import Home from './Home'\nimport Orders from './admin/Orders'\nimport NotFound from './NotFound'\nimport Login from './Login'
export default () => <Routes><Home /><Orders /><NotFound /><Login /></Routes>`,
      'src/Home.jsx': 'export default function Home() { return <h1>Lamps that last</h1> }',
      'src/NotFound.jsx': 'export default function NotFound() { return <h1>No such page</h1> }',
      'src/admin/Orders.jsx': `import List from '../List'\nexport default function Orders() { return <List /> }`,
      'src/List.jsx': 'export default function List() { return <p>Orders of today</p> }',
      'src/Login.jsx': 'export default function Login() { return <h1>Admin login</h1> }',
    })
    const paths = survey.pages.map(({ path }) => path)
    t.strictSame(paths, ['src/Home.jsx', 'src/App.jsx', 'src/NotFound.jsx'])
    t.notOk(survey.unshown.has('src/List.jsx'), 'it is shown, to the team')
  },
)

t.test('pages for those who run or test the site are left out', async (t) => {
  const page = '<!doctype html><html><body><h1>Some words</h1></body></html>'
  const files = [
    'admin/index.html',
    'shop/manageOrders.html',
    'debug.html',
    'test-pay.html',
    'pilot/start.html',
    'index.html',
    'altitude.html',
    'testimonials.html',
    'management-consulting.html',
  ]
  t.strictSame(pathsOf(await surveyed(Object.fromEntries(files.map((path) => [path, page])))), [
    'altitude.html',
    'index.html',
    'management-consulting.html',
    'testimonials.html',
  ])
})

t.test(
  'what can have no variants is not offered: parts of pages, layouts, the output of a build, old copies',
  async (t) => {
    const page = '<!doctype html><html><head></head><body><h1>Some words</h1></body></html>'
    const part = '---\ntitle: Contact\n---\n{% extends "base.html" %}<h1>Write to us</h1>'
    const layout =
      '<html><head></head><body><a href="#main">Skip</a>{% block body %}{% endblock %}</body></html>'
    const app = 'export default () => <h1>Lamps that last</h1>'
    const survey = await surveyed({
      'index.html': page,
      'src/content/contact.html': part,
      'src/_includes/base.html': layout,
      '_site/index.html': page,
      '.next/package.json': '{}',
      'package.json': '{"name":"lamps"}',
      'pages/cart.tsx': app,
      'pages/about.tsx': app,
      'lamps-2025/package.json': '{"name":"old"}',
      'lamps-2025/pages/cart.tsx': app,
      'de/pages/about.tsx': app,
    })
    t.strictSame(pathsOf(survey), ['de/pages/about.tsx', 'index.html', 'pages/about.tsx', 'pages/cart.tsx'])
    t.strictSame(survey.texts, [])
    t.strictSame(
      survey.about.map(({ path }) => path),
      ['package.json', 'lamps-2025/package.json'],
    )
    t.notOk(isShowable('src/content/contact.html', part))
  },
)

t.test(
  'pages come by the links that lead there, and what is code or about folders is left out',
  async (t) => {
    const page = (own: string): string => `export default () => <main><h1>Some words</h1>${own}</main>`
    const survey = await surveyed({
      'package.json': '{"name":"lamps","dependencies":{"next":"15"}}',
      'README.md': 'Lamps from Oslo',
      'public/images/README.md': 'Sizes of the images',
      'app/layout.tsx': page('<Link href="/story">Us</Link><Link href="/lamps">All</Link>'),
      'app/page.tsx': page('<Link href="/story">Us</Link>'),
      'app/buy/page.tsx': page(''),
      'app/lamps/page.tsx': page('<a href="/story">Us</a><a href="/story">Us</a>'),
      'app/not-found.tsx': page('<Link href="/">Home</Link>'),
      'app/preview/page.tsx': page(''),
      'app/story/page.tsx': page(''),
      'plates.html': '<html><body><h1>Plates</h1></body></html>',
      'data/copy.ts': `'use client'
export const copy = [${['"All of our lamps"', '"px-4 mt-2 flex"', '"select id from lamps"', '"Made in Oslo"', '"Sent in a day"', '"Made to last"', '"Write to us"']}]`,
    })
    t.strictSame(
      survey.pages.map(({ path, isUnlinked }) => `${path.slice(4)}${isUnlinked === true ? ' -' : ''}`),
      [
        ...['page.tsx', 'buy/page.tsx', 'story/page.tsx', 'lamps/page.tsx', 'layout.tsx'],
        ...['not-found.tsx -', 'preview/page.tsx -'],
      ],
    )
    t.strictSame(
      survey.about.map(({ path }) => path),
      ['README.md', 'package.json'],
    )
    t.strictSame(survey.texts[0]?.sample, [
      ...['All of our lamps', 'Made in Oslo', 'Sent in a day', 'Made to last', 'Write to us'],
    ])
  },
)

t.test('menus stand once, old copies are named, and pages of those who work there come last', async (t) => {
  const page = (words: string): string =>
    `<html><body><nav><a href="rooms.html">Rooms and prices</a> <a href="panel/about.html">Panel</a></nav><h1>${words}</h1></body></html>`
  const survey = await surveyed({
    'index.html': page('Sleep well'),
    'index-elegant.html': page('Sleep in style'),
    'panel/about.html': page('Change the words'),
    'rooms.html': page('Rooms for all'),
    'rooms-quiet.html': page('Quiet rooms').replace('</body>', '<a href="rooms-quiet.html">Here</a></body>'),
    'terrace.html': '<html><body><h1>Rooms and a terrace</h1></body></html>',
  })
  t.strictSame(
    survey.pages.map(({ path, words, isUnlinked = false }) => [path, words, isUnlinked]),
    [
      ['index.html', 'Rooms and prices Panel Sleep well', false],
      ['rooms.html', '… Rooms for all', false],
      ['rooms-quiet.html', '… Quiet rooms Here', false],
      ['terrace.html', 'Rooms and a terrace', false],
      ['panel/about.html', '… Change the words', false],
      ['index-elegant.html', '… Sleep in style', true],
    ],
  )
})

t.test("texts of the site's own language come first, and with samples", async (t) => {
  const locale = (word: string): string => JSON.stringify({ cart: { title: word, empty: `${word} 0` } })
  const files = {
    'src/App.jsx': 'export default () => <h1>{t("cart.title")}</h1>',
    'src/i18n.ts': 'export const i18n = { defaultLocale: "pt", locales: ["ar", "en", "pt"] }',
    'src/assets/translationAR.json': JSON.stringify(Array(5).fill('Some words of it')),
    'src/data/faq.ts': `export const faq = [${['a', 'b', 'c', 'd', 'e'].map((one) => `{ q: "Question ${one}", a: "Some answer to ${one}" }`).join()}]`,
    'messages/ar.json': locale('سلة'),
    'messages/en.json': locale('Cart'),
    'messages/pt.json': locale('Carrinho'),
  }
  const { texts, pages } = await surveyed(files)
  t.match(texts, [
    { path: 'messages/pt.json', language: 'pt', texts: 2, sample: { 'cart.title': 'Carrinho' } },
    { path: 'messages/ar.json', sample: undefined },
    { path: 'messages/en.json', sample: undefined },
    { path: 'src/assets/translationAR.json', language: null, sample: ['Some words of it'] },
    { path: 'src/data/faq.ts', language: null, sample: ['Some answer to a', 'Some answer to b'] },
  ])
  t.match(pages, [{ path: 'src/App.jsx', words: 'Carrinho' }])
  t.ok(isShowable('messages/pt.json', files['messages/pt.json']))
  t.notOk(isShowable('package.json', '{}'))
})

t.test('pages that only show others are known, and the events that the code sends', async (t) => {
  const { wordless, events, pages } = await surveyed({
    'src/App.svelte': `<script>import Home from './pages/Home.svelte'\nimport Shop from './pages/Shop.svelte'</script>\n<h1>Lamps</h1><Home /><Shop />`,
    'src/pages/Home.svelte': `<script>import Item from '../Item.svelte'\nposthog.capture('home_opened')</script>\n<div class="wide"><Item /></div>`,
    'src/pages/Shop.svelte': `<script>import Item from '../Item.svelte'\n// track('old_event')\ngtag('event', 'add_to_cart', { value })\nposthog.capture('home_opened')</script>\n<Item />`,
    'src/Item.svelte': `<script>export let item\ndataLayer.push({ value: 1, event: 'item_seen' })\ntrackEvent(isFirst ? 'first_sale' : 'sale')</script>\n<b>{item}</b>`,
    'src/Icon.svelte': '<svg><path d="M1 2" /></svg>',
    'src/lib/plausible.js': `window.plausible('Signed up', { props })\nanalytics.track("order_placed")\nnavigator.track('x')\naudio.capture(stream)`,
    'src/admin/Panel.svelte': `<script>track('admin_opened')</script><p>Words of it</p>`,
  })
  t.strictSame(
    wordless.map(({ path }) => path),
    ['src/pages/Shop.svelte', 'src/pages/Home.svelte', 'src/Item.svelte'].sort(
      (a, b) => wordless.findIndex(({ path }) => path === a) - wordless.findIndex(({ path }) => path === b),
    ),
  )
  t.equal(wordless.at(-1)?.path, 'src/Item.svelte', 'pages first')
  t.strictSame(
    pages.map(({ path }) => path),
    ['src/App.svelte'],
  )
  t.strictSame(events, [
    { eventName: 'home_opened', files: ['src/pages/Home.svelte', 'src/pages/Shop.svelte'] },
    ...[
      ['Signed up', 'src/lib/plausible.js'],
      ['add_to_cart', 'src/pages/Shop.svelte'],
      ['first_sale', 'src/Item.svelte'],
      ['item_seen', 'src/Item.svelte'],
      ['order_placed', 'src/lib/plausible.js'],
    ].map(([eventName, file]) => ({ eventName, files: [file] })),
  ])
})
