import t from 'tap'
import { localeOf } from '../../page/locales.js'
import type { Candidate } from '../../port.js'
import { SiteIndex } from '../site-index.js'
import { validateCandidate } from '../validate-candidate.js'

type Edits = Candidate['files']

const EN = '{ "hero_title": "Train", "nav_how": "How it works", "of_one": "One" }'
const HERO = `<script>
  import * as m from '$lib/paraglide/messages'
  let api = { nav_how() {} }
</script>
<h1>{m.hero_title()}</h1>
<p>{api.name}</p>
`
const PARAGLIDE = {
  'messages/en.json': EN,
  'messages/tr.json': '{ "hero_title": "Antrenman", "nav_how": "Nasıl çalışır" }',
  'src/Hero.svelte': HERO,
  'src/Bare.svelte': '<script>\n  export let a\n</script>\n<p>{a}</p>\n',
}

const LANG = `export default {
  menu: [{ name: 'Rooms', to: '/rooms' }],
  booking: { title: 'Booking', hint: '<b>Now</b> {n}' },
  ...more,
}
`
const PAGE = "<template>\n  <div><h1>{{ $t('booking.title') }}</h1></div>\n</template>\n"
const NUXT = {
  'lang/en-US.js': LANG,
  'lang/ru-RU.js': LANG.replace('Booking', 'Бронь').replace('Rooms', 'Номера'),
  'pages/booking.vue': PAGE,
  'pages/rooms.vue': '<template>\n  <div><h1>Rooms</h1></div>\n</template>\n',
}

/** Why an idea for a site is refused. */
async function told(files: Readonly<Record<string, string>>, changed: Edits): Promise<string> {
  const site = new SiteIndex()
  for (const [path, text] of Object.entries(files)) {
    const locale = localeOf(path, text)
    if (locale === null) site.add(path, text)
    else site.addTexts(locale)
  }
  const variants = ['control', 'b'].map((key) => ({
    key,
    displayName: key,
    trafficSplit: 50,
    isControl: key === 'control',
  }))
  const refusal = await validateCandidate(
    { name: 'A text', files: changed, variants },
    { read: async (path) => files[path] ?? null, mayChange: () => true, site },
  )
  return refusal?.message ?? 'none'
}

const edit = (path: string, find: string, replace: string, variant?: string): Edits[number] => ({
  path,
  edits: [{ find, replace, ...(variant && { variant }) }],
})
const TITLE = '<h1>{m.hero_title()}</h1>'
const inHero = (code: string): Edits[number] => edit('src/Hero.svelte', TITLE, `<h1>${code}</h1>`, 'b')
const inEnglish = edit('messages/en.json', '"Train"', '"Train", "hero_new": "Train at home"')
const inTurkish = edit('messages/tr.json', '"Antrenman"', '"Antrenman", "hero_new": "Evde antrenman"')

t.test('a text of all languages may be shown, also one that the idea adds to each', async (t) => {
  t.equal(await told(PARAGLIDE, [inHero('{m.nav_how()}')]), 'none', 'which other components show')
  t.equal(await told(PARAGLIDE, [inHero('{m.hero_new()}'), inEnglish, inTurkish]), 'none')
  t.match(
    await told(PARAGLIDE, [inHero('{m.hero_new()}'), inEnglish]),
    /“m\.hero_new”, which is no key of the texts of each language: add it to the file of each by "plain" edits$/,
  )
  t.match(await told(PARAGLIDE, [inHero('{m.hero_other()}')]), 'which is no key of the texts')
  t.match(await told(PARAGLIDE, [inHero('{m.one()}')]), 'which is no key', 'a part of a key is no key')
  t.match(await told(PARAGLIDE, [inHero('{api.nav_how()}')]), /“nav_how”|“api\.nav_how”/, 'of another object')
  t.match(await told(PARAGLIDE, [inHero('<a href={m.nav_how()}>x</a>')]), 'it brings in', 'as an address')
  t.match(await told(PARAGLIDE, [inHero('{m.nav_how(fetch(m))}')]), 'it brings in')
  const imported = (from: string): Edits => [
    {
      path: 'src/Bare.svelte',
      edits: [
        { find: '  export let a', replace: `  import * as m from '${from}'\n  export let a` },
        { find: '<p>{a}</p>', replace: '<p>{m.nav_how()}</p>', variant: 'b' },
      ],
    },
  ]
  t.equal(await told(PARAGLIDE, imported('$lib/paraglide/messages')), 'none')
  t.match(await told(PARAGLIDE, imported('evil/paraglide/messages')), 'it brings in', 'from elsewhere')
})

t.test('a file of data has no variants, and the refusal says what to do', async (t) => {
  const way = /messages\/en\.json: a file of texts can have no variants: add a new key to the file of each/
  t.match(await told(PARAGLIDE, [edit('messages/en.json', '"Train"', '"Train at home"', 'b')]), way)
  t.match(
    await told(PARAGLIDE, [inHero('{m.nav_how()}'), edit('messages/en.json', '"Train"', '"Home"')]),
    /“\/hero_title”, in place of the text that is there, which the control shows as well: leave it, and add/,
  )
})

t.test('files of texts in code take new keys as those of data do', async (t) => {
  const shown = (key: string, path = 'pages/booking.vue'): Edits[number] => {
    const find = path === 'pages/booking.vue' ? "<h1>{{ $t('booking.title') }}</h1>" : '<h1>Rooms</h1>'
    return edit(path, find, `${find}<p>{{ $t('${key}') }}</p>`, 'b')
  }
  const added = (replace: string): Edits => [
    edit('lang/en-US.js', "title: 'Booking'", `title: 'Booking', ${replace}`),
    edit('lang/ru-RU.js', "title: 'Бронь'", `title: 'Бронь', ${replace}`),
  ]
  t.equal(await told(NUXT, [shown('booking.rate'), ...added("rate: 'The <b>rate</b>'")]), 'none')
  t.equal(await told(NUXT, [shown('booking.of.rate'), ...added("of: { rate: 'Rate' }")]), 'none', 'nested')
  t.equal(await told(NUXT, [shown('booking.hint', 'pages/rooms.vue')]), 'none', 'of a name that all have')
  t.match(
    await told(NUXT, [shown('booking.rate'), ...added("rate: 'Rate'").slice(0, 1)]),
    /“\$t\('booking\.rate'\)”, which is no key of the texts of each language/,
  )
  for (const replace of [
    "rate: '<img src=x onerror=go()>'",
    "rate: '<i>Rate</i>'",
    "rate: 'https://evil.test'",
    "rate: 'Rate {m}'",
    'rate: go()',
    'rate: more.x',
    'rate() {}',
    "[rate]: 'Rate'",
    "__proto__: { rate: 'Rate' }",
    "title: 'Rate'",
    "...{ rate: 'Rate' }",
    "rate: 'a', rate: 'b'",
  ])
    t.match(await told(NUXT, [shown('booking.title'), ...added(replace)]), 'it brings in', replace)
  const beside = edit('lang/en-US.js', '...more,', "...more,\n  rate: 'Rate',")
  t.match(await told(NUXT, [shown('booking.title'), beside]), 'it brings in', 'it may hide one of the others')
})
