import t from 'tap'
import type { Candidate } from '../../port.js'
import { page, wholeBatch } from '../../test/support/workspace.js'

type Files = Readonly<Record<string, string>>
const proposed = async (files: Files): Promise<Candidate | undefined> =>
  (await wholeBatch(files)).proposals.find(({ pattern }) => pattern === 'act-in-opening')
/** What the variant has, by file: `''` where nothing is proposed. */
const says = async (files: Files): Promise<string> =>
  (await proposed(files))?.files.flatMap(({ edits }) => edits.map(({ replace }) => replace)).join('\n') ?? ''

const BUTTON = '<a class="btn" href="/book">Book a visit</a>'
const home = (more = '', button = BUTTON, line = '<p>All of it is made of wood</p>'): string =>
  page(
    `<section><h1>Houses that we build for you</h1>${line}${more}</section><section><h2>All of the rest</h2><p>It is for you</p>${button}</section>`,
  )

t.test('an opening in which nothing is to be pressed gets the button of the page', async (t) => {
  const proposal = await proposed({ 'index.html': home() })
  t.match(await says({ 'index.html': home() }), `<p>All of it is made of wood</p> ${BUTTON}`)
  t.match(proposal?.hypothesis, 'when any link to /book is pressed, in all variants')
  t.equal(await says({ 'about.html': home() }), '', 'no start page')
  t.equal(await says({ 'index.html': home('<a href="/about">About us</a>') }), '', 'it leads on')
  t.equal(await says({ 'index.html': home('<form><input name="e"></form>') }), '', 'it asks')
  t.equal(await says({ 'index.html': home('<div><button type="button">See it</button></div>') }), '')
  t.match(await says({ 'index.html': home('<button type="button">Scroll down</button>') }), BUTTON)
  t.equal(
    await says({ 'index.html': home(), 'houses/index.html': home() }),
    await says({ 'index.html': home() }),
  )
  t.equal(
    await says({
      'houses/index.html': home().replace('a visit', 'one'),
      'index.html': page('<p>All of it</p>'),
    }),
    '',
  )
  t.match(
    await says({ 'index.html': home('<div class="h-px w-24 bg-teal-700"></div>') }),
    `<div class="h-px w-24 bg-teal-700"></div> ${BUTTON}`,
    'below the line that is drawn there',
  )
  const next = home().replace('<h2>', '<form><input name="size"></form><h2>')
  t.equal(await says({ 'index.html': next }), '', 'what it is for comes right after')
  const splash = home().replace(
    '</body>',
    "<script>setTimeout(() => { location.replace('/home') }, 2000)</script></body>",
  )
  t.equal(await says({ 'index.html': splash }), '', 'it leaves by itself')
  const first = home().replace('<section>', '<h2>Something else first</h2><section>')
  t.equal(await says({ 'index.html': first }), '', 'it opens nothing')
})

t.test('only what the site is there for, in its own words, and said as a button', async (t) => {
  const of = (button: string): Promise<string> => says({ 'index.html': home('', button) })
  t.equal(await of('<a class="btn" href="/about">Learn more</a>'), '')
  t.equal(await of('<a class="btn" href="/login">Start now</a>'), '', 'it is for those who know it')
  t.equal(await of('<a class="btn" href="https://github.com/a/b">Get it</a>'), '')
  t.equal(await of('<a class="btn" href="#">Book a visit</a>'), '', 'it leads nowhere')
  t.equal(await of('<a class="btn" href="#visit">Book a visit</a>'), '', 'that place is not there')
  t.match(await of('<a class="btn" href="#visit">Book a visit</a><p id="visit">Here</p>'), '#visit')
  t.equal(await of('<a href="/book">Book a visit</a>'), '', 'how it would look is not told')
  t.equal(await of('<a class="btn btn-link" href="/book">Book a visit</a>'), '', 'a quieter one')
  t.equal(await of('<a class="btn" href="/book" onclick="go()">Book a visit</a>'), '', 'code runs')
  t.equal(await of('<a class="btn" href="/book" data-at="footer">Book a visit</a>'), '', 'it says where')
  t.equal(await of('<a class="btn" href="/tables">Tables</a>'), '', 'it calls to nothing')
  t.match(
    await of(`<a class="btn" href="/join">Join us</a><p>Or</p>${BUTTON}${BUTTON}`),
    'Book a visit',
    'the main one',
  )
})

t.test('a bar that shows the same button to everybody is enough', async (t) => {
  const bar = (own: string, button = BUTTON): string =>
    home().replace('<section>', `<nav><div class="${own}">${button}</div></nav><section>`)
  t.equal(await says({ 'index.html': bar('actions') }), '')
  t.equal(
    await says({ 'index.html': bar('actions', '<a class="btn" href="/book"><b>Book</b> now</a>') }),
    '',
    'by other words',
  )
  t.match(await says({ 'index.html': bar('hidden md:flex') }), BUTTON, 'phones do not show it')
  t.match(await says({ 'index.html': bar('collapse navbar-collapse') }), BUTTON)
  t.match(
    await says({ 'index.html': bar('actions', '<a href="/book">Book a visit</a>') }),
    BUTTON,
    'a mere link',
  )
})

t.test('it stands below the words, where a button looks well', async (t) => {
  const of = (opening: string, button = BUTTON): Promise<string> =>
    says({
      'index.html': page(
        `<section>${opening}</section><section><h2>All of the rest</h2><p>It is for you</p>${button}</section>`,
      ),
    })
  const words = '<h1>Houses that we build for you</h1><p>All of it is made of wood</p>'
  t.match(
    await of(`<div class="row"><div>${words}</div><img src="a.png" alt="A"></div>`),
    `wood</p> ${BUTTON}`,
  )
  t.equal(await of(`<div class="flex">${words}</div>`), '', 'it would stand beside them')
  t.match(await of(`<div class="flex flex-col">${words}</div>`), `wood</p> ${BUTTON}`)
  t.match(
    await of(
      `<div>${words.replace('<p>', '<div class="overflow-hidden"><p>').replace('</p>', '</p></div>')}</div>`,
    ),
    `</p></div> ${BUTTON}`,
    'it would be cut off',
  )
  t.equal(
    await of(`<div>${words}<p>And there is more of it</p></div>`),
    '',
    'between words that belong together',
  )
  t.equal(await of(`<div class="slide">${words}</div>`), '', 'other slides would have none')
  t.match(await of('<div><h1>Houses that we build for you</h1></div>'), `</h1> ${BUTTON}`)
  t.equal(await of('<div><h1 class="sr-only">Houses that we build for you</h1></div>'), '', 'nobody sees it')
  const utility = words.replace('<p>', '<p class="text-lg px-4">')
  const main = '<a class="mt-2 flex bg-green-600 px-4 py-2 text-white" href="/book">Book a visit</a>'
  t.match(
    await of(`<div>${utility}</div>`, main),
    '<div class="mt-8"><a class="inline-flex bg-green-600 px-4 py-2 text-white" href="/book">Book a visit</a></div>',
    'without what is said of the place that it had',
  )
  t.match(await of(`<div>${utility.replace('px-4', 'px-4 mb-6')}</div>`, main), '<div class="mb-6"><a')
  t.match(await of(`<div class="space-y-4">${utility}</div>`, main), '</p> <a class="inline-flex')
  t.equal(await of(`<div class="bg-green-600">${utility}</div>`, main), '', 'it would not be seen')
  t.equal(await of(`<div>${words}</div>`, `<div>${BUTTON}</div>`), '', 'how far below it stands is not told')
})

const part = (name: string, body: string, imports = ''): string =>
  `${imports}export const ${name} = () => (\n  <div className="px-4 text-lg">\n    ${body}\n  </div>\n)\n`
const HERO = '<h1>Houses that we build for you</h1>\n    <p>All of it is made of wood</p>'
const LINK = '<Link className="bg-green-600 px-4" href="/book">Book a visit</Link>'
const LINKED = "import Link from 'next/link'\n"

t.test('page and opening are two files, and the button is in a third', async (t) => {
  const files = {
    'app/page.tsx':
      "import Top from '@/components/wooden-top'\nimport { Rest } from '@/components/rest'\nexport default function Page() { return <main><Top /><Rest /></main> }\n",
    'components/wooden-hero.tsx': part('Hero', HERO, LINKED).replace('export const', 'export default'),
    'components/rest.tsx': part('Rest', `<h2>The rest</h2>${LINK}`, LINKED),
  }
  const own = {
    ...files,
    'app/page.tsx': files['app/page.tsx'].replace('wooden-top', 'wooden-hero'),
    'components/wooden-hero.tsx': `${LINKED}${part('Hero', HERO)}export default Hero\n`,
  }
  const proposal = await proposed(own)
  t.same(
    proposal?.files.map(({ path }) => path),
    ['components/wooden-hero.tsx'],
  )
  t.match(
    await says(own),
    '<div className="mt-8"><Link className="inline-block bg-green-600 px-4" href="/book">',
  )
  t.same(
    proposal?.evidence?.map(({ path }) => path),
    ['components/rest.tsx', 'components/rest.tsx'],
  )
  const bare = {
    ...own,
    'components/wooden-hero.tsx': own['components/wooden-hero.tsx'].replace(
      "import Link from 'next/link'",
      "import { a } from './a'",
    ),
  }
  t.match(
    await says(bare),
    /^import \{ a \} from '.\/a'\nimport Link from 'next\/link'\n<p>/,
    'and takes what it needs',
  )
  const near = {
    ...bare,
    'components/rest.tsx': files['components/rest.tsx'].replace('next/link', './kit/link'),
  }
  t.match(await says(near), "import Link from './kit/link'")
  const other = {
    ...bare,
    'components/wooden-hero.tsx': bare['components/wooden-hero.tsx'].replace('{ a }', '{ Link }'),
  }
  t.equal(await says(other), '', 'the name is taken')
  const shared = {
    ...own,
    'app/other/page.tsx': "import Top from '@/components/wooden-hero'\nexport default () => <Top />\n",
  }
  t.equal(await says(shared), '', 'other pages open with it too')
  const late = { ...own, 'app/page.tsx': own['app/page.tsx'].replace('<Top /><Rest />', '<Rest /><Top />') }
  t.equal(await says(late), '', 'it comes second')
  t.equal(
    await says({ ...own, 'app/page.tsx': own['app/page.tsx'].replace('<Top />', '{show && <Top />}') }),
    '',
  )
})

t.test('what stands around the pages may open the site, above their first part', async (t) => {
  const files = {
    'src/pages/home.tsx':
      "import { Words } from '../components/words'\nimport { Rest } from '../components/rest'\nexport default function Home() { return <main><Words /><Rest /></main> }\n",
    'src/components/words.tsx': `${LINKED}${part('Words', HERO)}`,
    'src/components/rest.tsx': part('Rest', `<h2>The rest</h2>${LINK}`, LINKED),
    'src/components/top.tsx': part('Top', '<h1>Wood for all of you</h1>'),
  }
  const around = (inner: string, path = 'src/components/Layout.tsx'): Promise<string> =>
    says({
      ...files,
      [path]: `import { Top } from './top'\nexport function Layout({ children }) {\n  return <div><Header />${inner}<main>{children}</main><Footer /></div>\n}\n`,
    })
  t.match(await around(''), LINK.replace('className="', 'className="inline-block '))
  t.equal(await around('<Top />'), '', 'its title is further up')
  t.equal(await around("{pathname === '/' && <Hero />}"), '', 'a part that is called so')
  t.not(await around("{pathname !== '/' && <Hero />}"), '', 'on all pages but the first')
  t.not(await around('<OfferBanner />'), '', 'a line above the page')
  t.not(await around('<Top />', 'src/components/DashboardLayout.tsx'), '', 'around other pages')
  t.not(await around('<Top />', 'src/components/Box.tsx'), '', 'a box')
})

t.test(
  'what only a condition shows, or asks to be told later, is not what the site is there for',
  async (t) => {
    const of = (rest: string): Promise<string> =>
      says({
        'src/pages/home.tsx': `${LINKED}export default function Home({ ready }) {\n  return (\n    <main className="px-4 text-lg">\n      <section><h1>Houses that we build for you</h1><p>All of it is made of wood</p></section>\n      <section><h2>The rest</h2><p>It is for you</p>${rest}</section>\n    </main>\n  )\n}\n`,
      })
    const labelled = (label: string): string => LINK.replace('Book a visit', label)
    t.match(await of(LINK), '/book')
    t.match(await of(`{!user && ${LINK}}`), '/book', 'for all who are new')
    t.match(await of(`{visits.map((one) => <div key={one}>${LINK}</div>)}`), '/book')
    t.equal(await of(`{isServed && ${LINK}}`), '')
    t.equal(await of(`{isServed ? <p>Soon</p> : ${LINK}}`), '')
    for (const label of [
      'Register your interest',
      'Get notified',
      'Join the waitlist',
      'Jetzt vormerken lassen',
    ])
      t.equal(await of(labelled(label)), '', label)
    t.match(await of(labelled('Register now')), '/book')
  },
)

t.test('a button is copied to where it is seen, and taken for no part of a quotation', async (t) => {
  const words = '<h1>Houses that we build for you</h1>'
  const line = (open: string, says = 'All of it is made of wood', close = ''): string =>
    `${words}${open}<p class="px-4 text-lg">${says}</p>${close}`
  const of = (opening: string, button = '<a class="bg-green-600 px-4 py-2" href="/book">Book a visit</a>') =>
    says({
      'index.html': page(
        `<section><div>${opening}</div></section><section><h2>All of the rest</h2><p>It is for you</p>${button}</section>`,
      ),
    })
  t.not(await of(line('')), '')
  t.not(await of(line('<div class="card">', undefined, '</div>')), '')
  t.equal(await of(line('<blockquote>', undefined, '</blockquote>')), '')
  t.equal(await of(line('<div class="border-l-4">', undefined, '</div>')), '', 'a remark set apart')
  t.equal(await of(line('', '“All of it is made of wood”')), '', 'somebody says it')
  t.equal(
    await of(line(''), '<a class="btn bg-primary-foreground px-4" href="/book">Book a visit</a>'),
    '',
    'made for a dark ground',
  )
  t.not(await of(line(''), '<a class="btn bg-primary px-4" href="/book">Book a visit</a>'), '')
})

t.test('a template names its parts, and the page below a shared opening gets the button', async (t) => {
  const template = (inner: string, own = ''): string =>
    `<template>\n  <div>\n    ${inner}\n  </div>\n</template>\n${own}`
  const text = '<h1>Houses that we build</h1>\n    <p class="text-lg px-4">All of it is made of wood</p>'
  const link = '<a href="/book" class="inline-block mt-8 button">Book a visit</a>'
  const files = {
    'pages/index.vue': template(`<Hero title="Wood and stone" />\n    <section>${text}</section>`),
    'pages/about.vue': template(`<Hero title="About us" /><p>The people</p>${link}`),
    'components/Hero.vue': template('<h3>{{ title }}</h3>'),
  }
  t.match(await says(files), `wood</p>\n    ${link}`, 'with the space that it has')
  const asks = {
    ...files,
    'components/Hero.vue': template('<h3>{{ title }}</h3><a class="btn" href="/x">Go</a>'),
  }
  t.equal(await says(asks), '', 'there is something to press above')
  const scoped = `${files['pages/about.vue']}<style scoped>.button { color: red }</style>\n`
  t.equal(await says({ ...files, 'pages/about.vue': scoped }), '', 'its look stays in its file')
  const own = {
    'pages/index.vue': template('<HomeTop />\n    <HomeRest />'),
    'components/home/Top.vue': template(`<section>${text}</section>`),
    'components/home/Rest.vue': template(`<h2>The rest</h2><p>It is for you</p>${link}`),
  }
  t.match(await says(own), `wood</p>\n    ${link}`)
})

t.test('a part of the opening that is filled in, or leads on, is what there is to do', async (t) => {
  const home = (inner: string): string =>
    `import { Search } from './search'\nexport default () => (\n  <main className="flex flex-col gap-4">\n    <section><div><h1>Houses that we build for you</h1><p>All of it is made of wood</p></div><Search /></section>\n    <section><h2>All of the rest</h2><p>It is for you</p>${inner}</section>\n  </main>\n)\n`
  const of = (search: string): Promise<string> =>
    says({
      'src/pages/home.tsx': home('<a className="btn" href="/book">Book a visit</a>'),
      'src/pages/search.tsx': `export const Search = () => <div>${search}</div>\n`,
    })
  const none = await of('<p>It is what you look for</p>')
  t.match(none, '/book')
  t.equal(await of('<input name="where" />'), '')
  t.equal(await of('<a href="/quotes"><b>Ask for a quote</b></a>'), '')
})
