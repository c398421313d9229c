import t from 'tap'
import {
  batch,
  branchesOf,
  filledBatch,
  found,
  page,
  saysOf,
  wholeBatch,
} from '../../test/support/workspace.js'

type Files = Readonly<Record<string, string>>

/** What variant b of the first proposal of a rule is chosen by, without the call that says which variant it is. */
const branch = async (files: Files, pattern: string): Promise<string> =>
  (branchesOf(await wholeBatch(files), files, pattern)[0] ?? 'nothing').replace(
    /variant\('[\w-]+', \{[^}]*\}\) === 'b'/g,
    'isB',
  )

const PRICES = {
  'src/pages/Pricing.tsx':
    'export const Pricing = () => <main><h1>Prices and plans for all of you</h1></main>\n',
}
const LABEL = 'label-names-destination click'

t.test('an attribute by which a part is given a text is changed alone', async (t) => {
  const of = (path: string, text: string): Promise<string> => branch({ [path]: text, ...PRICES }, LABEL)
  const part = (name: string): string =>
    `<Hero\n  title="Rosters for you and the team"\n  ${name}="Learn more"\n  href="/pricing"\n/>`
  const jsx = `export const Home = () => (\n  ${part('ctaText')}\n)\n`
  t.match(await of('src/pages/Home.tsx', jsx), /ctaText=\{isB\s+\? 'See prices'\s+: 'Learn more'\}\n/)
  t.match(
    await of('src/pages/Home.vue', `<template>\n  ${part('cta-text')}\n</template>\n`),
    ":cta-text=\"isB ? 'See prices' : 'Learn more'\"\n",
  )
  t.match(
    await of('src/routes/+page.svelte', `${part('ctaText')}\n`),
    /ctaText=\{isB\s+\? 'See prices'\s+: 'Learn more'\}\n/,
  )
  const says = async (text: string): Promise<string[]> =>
    saysOf(await wholeBatch({ 'src/pages/Home.tsx': text, ...PRICES }), LABEL)
  t.same(await says(jsx), ['Learn more → See prices'])
  t.same(
    await says(`${jsx}// Learn more\n`),
    ['ctaText="Learn more" → ctaText="See prices"'],
    'with its name it stands there once',
  )
  const [only = '', ...more] = await says(`${jsx}// ctaText="Learn more"\n`)
  t.match(only, /^<Hero.* → <Hero.*"See prices"/s, 'only the whole of it stands there once')
  t.same(more, [])
})

t.test('a value of HTML is changed alone', async (t) => {
  const files = {
    'join.html': page(
      '<h1>Create an account for the site</h1><form action="/join" method="post"><input type="email" name="email"><input type="password" name="p" autocomplete="new-password"><input type="submit" value="Submit"></form>',
    ),
  }
  const pattern = 'submit-label sign up'
  t.same(saysOf(await batch(files), pattern), ['Submit → Create account'])
  t.match(await branch(files, pattern), 'value="Submit"')
})

t.test('a key of a part of Vue is changed where it stands', async (t) => {
  const files = {
    'src/locales/en.json': '{\n  "title": "Rosters for you and the team",\n  "go": "Learn more"\n}\n',
    'src/pages/Home.vue':
      '<template>\n  <Hero :title="$t(\'title\')" :cta-text="$t(\'go\')" href="/pricing" />\n</template>\n',
    ...PRICES,
  }
  t.match(await branch(files, LABEL), /:cta-text="isB \? \$t\('go\w+'\) : \$t\('go'\)"/)
})

const HERO = {
  title: 'Quality you can trust',
  lead: 'Invoices for freelancers in Leeds, sent in two minutes.',
  go: 'Learn more',
}
const CONSTANTS = Object.entries(HERO)
  .map(([name, says]) => `const ${name.toUpperCase()} = '${says}'\n`)
  .join('')
const COPY = `const COPY = { hero: { title: '${HERO.title}', lead: '${HERO.lead}', go: '${HERO.go}' } } as const\n`
const body = (
  { title, lead, go }: Record<keyof typeof HERO, string>,
  [open, close, cls]: readonly [string, string, string],
): string =>
  `<main><section><h1>${open}${title}${close}</h1><p>${open}${lead}${close}</p><a ${cls}="btn" href="/pricing">${open}${go}${close}</a></section></main>`
const NAMES = { title: 'TITLE', lead: 'LEAD', go: 'GO' }
const PATHS = { title: 'COPY.hero.title', lead: 'COPY.hero.lead', go: 'COPY.hero.go' }
const JSX = ['{', '}', 'className'] as const
const VUE = ['{{ ', ' }}', 'class'] as const
const SVELTE = ['{', '}', 'class'] as const

t.test('a constant that is made when the file is loaded is replaced where it is shown', async (t) => {
  const SEES = '<a class(Name)?="btn" href="/pricing">See prices</a>'
  for (const [path, text] of [
    ['src/pages/Home.tsx', `${CONSTANTS}export const Home = () => (\n  ${body(NAMES, JSX)}\n)\n`],
    ['src/pages/Home.tsx', `export ${COPY}export const Home = () => (\n  ${body(PATHS, JSX)}\n)\n`],
    [
      'src/pages/Home.vue',
      `<script lang="ts">\n${COPY}</script>\n<script setup lang="ts">\nconst unused = 1\n</script>\n<template>${body(PATHS, VUE)}</template>\n`,
    ],
    ['src/routes/+page.svelte', `<script module>\n${CONSTANTS}</script>\n${body(NAMES, SVELTE)}\n`],
    [
      'src/routes/+page.svelte',
      `<script context="module" lang="ts">\n${COPY}</script>\n${body(PATHS, SVELTE)}\n`,
    ],
  ] as const) {
    const files = { [path]: text, ...PRICES }
    const written = await branch(files, LABEL)
    t.match(written, new RegExp(`isB.{0,8}${SEES}`, 's'), path)
    t.notMatch(written, /(=|:) isB/, 'and nothing is chosen when it is loaded')
    const heading = await branch(files, 'opening-in-concrete-words')
    t.match(heading, /isB.{0,8}<h1>Invoices for freelancers in Leeds, sent in two minutes<\/h1>/s, path)
    t.match(heading, /<p>Quality you can trust<\/p>/, 'the two change places')
    t.notMatch(heading, /(=|:) isB/)
  }
})

t.test('and where it is given to a part', async (t) => {
  const part = (open: string, close: string): string =>
    `<Hero ${open.startsWith('"') ? ':' : ''}title=${open}COPY.hero.title${close} ${open.startsWith('"') ? ':' : ''}button-text=${open}COPY.hero.go${close} href="/pricing" />`
  for (const [path, text, wanted] of [
    [
      'src/pages/Home.tsx',
      `${COPY}export const Home = () => <main>${part('{', '}').replace('button-text', 'buttonText')}</main>\n`,
      /buttonText=\{isB\s+\? 'See prices'\s+: COPY\.hero\.go\}/,
    ],
    [
      'src/pages/Home.vue',
      `<script lang="ts">\n${COPY}</script>\n<script setup lang="ts">\nconst unused = 1\n</script>\n<template>${part('"', '"')}</template>\n`,
      /:button-text="isB \? 'See prices' : COPY\.hero\.go"/,
    ],
    [
      'src/routes/+page.svelte',
      `<script module lang="ts">\n${COPY}</script>\n${part('{', '}')}\n`,
      /button-text=\{isB\s+\? 'See prices'\s+: COPY\.hero\.go\}/,
    ],
  ] as const)
    t.match(await branch({ [path]: text, ...PRICES }, LABEL), wanted, path)
})

t.test('a constant that is made for each that is shown stays where it is', async (t) => {
  for (const [path, text] of [
    ['src/pages/Home.tsx', `export const Home = () => {\n  ${CONSTANTS}  return ${body(NAMES, JSX)}\n}\n`],
    [
      'src/pages/Home.vue',
      `<script setup>\n${CONSTANTS}</script>\n<template>${body(NAMES, VUE)}</template>\n`,
    ],
    ['src/routes/+page.svelte', `<script>\n${CONSTANTS}</script>\n${body(NAMES, SVELTE)}\n`],
  ] as const)
    t.match(
      await branch({ [path]: text, ...PRICES }, LABEL),
      /const GO = isB\s+\? 'See prices'\s+: 'Learn more'/,
      path,
    )
})

const HEADING = 'opening-in-concrete-words'

t.test('a heading and the line below it change together, wherever their words stand', async (t) => {
  const says = async (title: string, path: string, text: string, more: Files = {}): Promise<string[]> =>
    // Another rule does the same to a greeting, and of the two one is kept.
    saysOf(await found({ [path]: text.replaceAll(HERO.title, title), ...more }), HEADING)
  const keyed = (title: string): Files => ({
    'src/locales/en.json': JSON.stringify({ title, lead: HERO.lead }, null, 2),
    'src/locales/de.json': JSON.stringify(
      { title: 'Willkommen', lead: 'Rechnungen in zwei Minuten.' },
      null,
      2,
    ),
  })
  const named = { title: "t('title')", lead: "t('lead')", go: 'more' }
  const inner = body(named, JSX).replace(/<a .*<\/a>/, '')
  const byKey = `export function Home() {\n  const { t } = useTranslation()\n  return ${inner}\n}\n`
  const inCode = `export const Home = () => {\n  ${CONSTANTS}  return ${body(NAMES, JSX)}\n}\n`
  const heads = 'Invoices for freelancers in Leeds, sent in two minutes'
  t.same(await says('Welcome', 'src/pages/Home.tsx', byKey, keyed('Welcome')), [
    "<h1>{t('title')}</h1> → <h1>{t('lead')}</h1>",
    "<p>{t('lead')}</p> → ",
  ])
  t.same(await says('Welcome', 'src/pages/Home.tsx', inCode), [`'Welcome' → '${heads}'`, '<p>{LEAD}</p> → '])
  t.same(saysOf(await wholeBatch({ 'src/pages/Home.tsx': inCode }), HEADING), [
    `'Quality you can trust' → '${heads}'`,
    `'${HERO.lead}' → 'Quality you can trust'`,
  ])
  const apart = (inside: string): Files => ({
    'index.html': page('<p>Sierra</p>').replace(
      '</head>',
      `<meta name="description" content="${HERO.lead}"></head>`,
    ),
    'src/pages/Home.tsx': `${CONSTANTS}export const Home = () => (\n  <main><h1>{TITLE}</h1>${inside}</main>\n)\n`,
  })
  const others = async (inside: string): Promise<string[]> => saysOf(await wholeBatch(apart(inside)), HEADING)
  const both = [`<h1>{TITLE}</h1> → <h1>${heads}</h1>`, '<p>{LEAD}</p> → <p>Quality you can trust</p>']
  t.same(await others('<section><p>{LEAD}</p></section>'), both, 'with something around it')
  t.same(await others('<p>For all of you here</p><p>{LEAD}</p>'), both, 'one line further down')
  t.same(await others('<p>{LEAD} <b>Now</b></p>'), [], 'it would stand there twice')
  t.same(await others(''), both.slice(0, 1), 'only search engines are told')
})

t.test('below the line that took the place of a greeting no greeting is left', async (t) => {
  const line = 'Viajes en tren por los valles'
  const pattern = 'greeting-heading page'
  const of = async (title: string): Promise<string[]> =>
    saysOf(
      await filledBatch({ 'a.html': page(`<h1>${title}</h1><p>${line}</p><p>Es para todos.</p>`, 'es') }),
      pattern,
    )
  for (const title of ['Bienvenidos', 'Inicio'])
    t.same(await of(title), [`${title} → ${line}`, `<p>${line}</p> → `])
  const files = (shown: string): Files => ({
    'src/locales/es.json': JSON.stringify({ home: { title: 'Inicio', lead: `${line}.` } }, null, 2),
    'src/locales/en.json': JSON.stringify({ home: { title: 'Home', lead: 'Journeys by train.' } }, null, 2),
    'src/pages/Viajes.tsx': `export function Viajes() {\n  const { t } = useTranslation()\n  return <main>${shown}<p>Es para todos los que quieren ver más.</p></main>\n}\n`,
  })
  const keyed = await wholeBatch(files("<h1>{t('home.title')}</h1><p>{t('home.lead')}</p>"), { locale: 'es' })
  t.same(saysOf(keyed, pattern), [
    "<h1>{t('home.title')}</h1> → <h1>{t('home.lead')}</h1>",
    "<p>{t('home.lead')}</p> → ",
  ])
  const [first] = keyed.proposals.filter((one) => one.pattern === pattern)
  t.match(first?.hypothesis, `heading it with “${line}”`, 'in words, and not by a key')
  t.same(first?.alternatives, [line])
  const part = files("<Hero title={t('home.title')} subtitle={t('home.lead')} />")
  t.match(await branch(part, pattern), /title=\{isB\s+\? t\('home\.lead'\)\s+: t\('home\.title'\)\}/)
  t.match(await branch(part, pattern), /subtitle=\{isB\s+\? ''\s+: t\('home\.lead'\)\}/)
})

t.test('a question is called by its label, without the answers in it', async (t) => {
  const form = (asked: string): string =>
    page(
      `<h1>Create an account for the shop</h1><form action="/join" method="post"><input id="e" type="email" name="email" required>${asked}<input id="p" type="password" name="p" autocomplete="new-password" required><button>Create account</button></form>`,
    )
  const options =
    '<option value="">Google</option><option value="friend">Friend</option><option value="other">Other</option>'
  const label = `<div><label>How did you hear about us? <select name="src" required>${options}</select></label></div>`
  const name = async (asked: string): Promise<string | undefined> =>
    (await found({ 'join.html': form(asked) })).proposals.find(({ pattern }) => pattern === 'without-survey')
      ?.name
  t.match(await name(label), '“How did you hear about us?” out of')
})
