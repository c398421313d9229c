import t from 'tap'
import type { Candidate } from '../../port.js'
import { found, page, patternsOf } from '../../test/support/workspace.js'

type Files = Readonly<Record<string, string>>
const proposed = async (files: Files): Promise<Candidate | undefined> =>
  (await found(files)).proposals.find(({ pattern }) => pattern === 'act-below-prices')
/** What the variant has, by file: `''` where nothing is proposed. */
const says = async (files: Files): Promise<string> =>
  (await proposed(files))?.files.flatMap(({ edits }) => edits.map(({ replace }) => replace)).join('\n') ?? ''

const BUTTON = '<a class="btn" href="/kontakt">Termin vereinbaren</a>'
const CARDS =
  '<div class="cards"><div><h3>Eine Stunde</h3><p>60 €</p></div><div><h3>Zehn Stunden</h3><p>540 €</p></div></div>'
const BELOW = `</div> <div style="margin-top: 2rem; text-align: center">${BUTTON}</div>`
const NEXT = '<section><h2>Wer wir sind</h2><p>Wir sind seit Jahren für Sie da.</p></section>'
const home = ({
  heading = 'Unsere Preise',
  cards = CARDS,
  next = NEXT,
  button = BUTTON,
}: Partial<Record<'heading' | 'cards' | 'next' | 'button', string>> = {}): string =>
  page(
    `<section><h1>Training für Ihren Hund</h1><p>Ruhig und mit Geduld</p>${button}</section><section><h2>${heading}</h2>${cards}</section>${next}`,
    'de',
  )
const ofHome = (own: Parameters<typeof home>[0]): Promise<string> => says({ 'index.html': home(own) })

t.test(
  'cards of prices with nothing to press get the button of the page once, below all of them',
  async (t) => {
    const proposal = await proposed({ 'index.html': home() })
    t.match(await ofHome({}), BELOW)
    t.equal((await ofHome({})).split(BUTTON).length, 2)
    t.match(proposal?.hypothesis, 'when any link to /kontakt is pressed, in all variants')
    t.equal(await ofHome({ heading: 'Unser Team' }), '', 'nothing says that these are prices')
    t.equal(await ofHome({ cards: CARDS.replace('540 €', 'viel') }), '', 'one price alone')
    t.equal(await ofHome({ heading: 'Externe Gebühren' }), '', 'others are paid')
    t.equal(
      await ofHome({ heading: 'Unsere Preise</h2><p>Mehr davon</p><h2>Wo wir sind' }),
      '',
      'they stand under another heading',
    )
    t.equal(
      await ofHome({ cards: '<ul><li>Eine Stunde</li><li>60 €</li></ul>' }),
      '',
      'one thing says what it costs',
    )
    const form =
      '<section><h2>Schreiben Sie uns</h2><p>Wir lesen alles</p><form><input name="q"></form></section>'
    t.equal(await ofHome({ next: NEXT + form }), '', 'the page has something to fill in further down')
    const contact = (action: string): string =>
      page(
        `<h1>Kontakt</h1><form action="${action}"><input type="email" name="email"><button>Senden</button></form>`,
        'de',
      )
    t.match(await says({ 'index.html': home(), 'kontakt.html': contact('/send') }), BUTTON)
    t.equal(
      await says({ 'index.html': home(), 'kontakt.html': contact('#') }),
      '',
      'nobody takes what is filled in where it leads',
    )
    t.equal(await says({ 'shop/index.html': home() }), '', 'a list of goods')
    t.equal(await says({ 'account/index.html': home() }), '')
  },
)

t.test('an act among the prices, or right after them, is enough', async (t) => {
  const inCard = (more: string): string => CARDS.replace('60 €</p>', `60 €</p>${more}`)
  t.equal(await ofHome({ cards: inCard('<a href="/stunde">Mehr</a>') }), '')
  t.equal(await ofHome({ cards: inCard('<button>Wählen</button>') }), '')
  t.equal(await ofHome({ cards: inCard('<input name="wie-oft">') }), '', 'it is filled in')
  t.equal(await ofHome({ cards: inCard('<span onclick="go()">Mehr</span>') }), '')
  const after = (inner: string): Promise<string> => ofHome({ next: `<section>${inner}</section>${NEXT}` })
  t.equal(await after('<h2>Noch Fragen?</h2><a href="tel:+4930123456">030 123456</a>'), '')
  t.equal(await after('<h2>Noch etwas</h2><a class="btn" href="/kurse">Alle Kurse</a>'), '')
  t.equal(await after('<form action="/senden"><input name="email"></form>'), '')
  t.equal(await after('<h2>Kontakt</h2><p>Hauptstraße 1, 12345 Berlin</p>'), '')
  t.match(await after('<h2>Mehr von uns</h2><a href="/hunde">Unsere Hunde</a>'), BELOW)
  const two = `<section><h2>Andere Preise</h2>${inCard('<a href="/stunde">Mehr</a>')}</section>${NEXT}`
  t.equal(await ofHome({ next: two }), '', 'others of the page have a way on')
})

t.test('only the button that the site has, where it can be seen and no bar has it', async (t) => {
  t.equal(await ofHome({ button: '<a href="/kontakt">Termin vereinbaren</a>' }), '', 'a mere link')
  t.equal(await ofHome({ button: '<a class="btn" href="/ueber-uns">Mehr erfahren</a>' }), '')
  t.equal(await ofHome({ button: '<a class="btn" href="#home">Jetzt starten</a>' }), '', 'it goes to the top')
  t.match(await ofHome({ button: '<a class="btn" href="/kontakt">Kontakt</a>' }), '>Kontakt</a></div>')
  t.equal(await ofHome({ button: '<a class="btn" href="/wir">Kontakt</a>' }), '')
  const bar = home().replace('<section>', `<header>${BUTTON}</header><section>`)
  t.equal(await says({ 'index.html': bar }), '')
  t.match(await says({ 'index.html': bar.replace('<header>', '<header><h1>Hundeschule</h1>') }), BUTTON)
  t.equal(
    await says({
      'preise.html': home({ button: '' }),
      'orte/index.html': home({ cards: '' }).replace('/kontakt', 'k.html'),
    }),
    '',
    'the address does not hold there',
  )
})

t.test(
  'who writes or books in another window acts too, without what is written beforehand elsewhere',
  async (t) => {
    const way = (href: string, label = 'Jetzt anfragen'): string =>
      `<a class="btn" href="${href}">${label}</a>`
    t.match(
      await ofHome({ button: way('https://calendly.com/hund/stunde') }),
      'https://calendly.com/hund/stunde',
    )
    t.match(await ofHome({ button: way('https://wa.me/49301234567', 'Per WhatsApp schreiben') }), 'wa.me')
    t.equal(await ofHome({ button: way('https://instagram.com/hund') }), '')
    const text = way('https://wa.me/49301234567?text=Hallo')
    t.match(await ofHome({ button: text }), 'text=Hallo')
    const files = { 'preise.html': home({ button: '' }), 'kurs.html': home({ cards: '', button: text }) }
    t.equal(await says(files), '')
  },
)

t.test(
  'it stands below the fine print, in the middle where the heading does, and by the page’s own name',
  async (t) => {
    const utility = (head: string, holder = 'mx-auto'): Promise<string> =>
      ofHome({
        cards: `<div class="${holder}"><div class="grid gap-4 px-4 text-lg"><p>60 €</p><p>80 €</p></div><p class="text-sm">Alles mit MwSt.</p></div>`,
        heading: `<span class="${head}">Preise</span>`,
      })
    t.match(await utility('text-left'), 'MwSt.</p> <div class="mt-10"><a')
    const centred = home({ cards: '<div class="grid px-4 text-lg"><p>60 €</p><p>80 €</p></div>' })
    t.match(
      await says({ 'index.html': centred.replace('<h2>Unsere', '<h2 class="text-center">Unsere') }),
      '<div class="mt-10 text-center"><a',
    )
    const table =
      '<table><tr><td>Eine Stunde</td><td>60 €</td></tr><tr><td>Zwei</td><td>100 €</td></tr></table>'
    t.match(await ofHome({ cards: table }), `</table> <div style="margin-top: 2rem">${BUTTON}`)
    const list = '<ul><li>Eine Stunde 60 €</li><li>Zwei Stunden 100 €</li></ul>'
    t.match(await ofHome({ cards: list }), `</ul> <div style="margin-top: 2rem">${BUTTON}`)
    t.match(
      await says({ 'preise.html': home({ heading: 'Was wir tun' }) }),
      BELOW,
      'a page that is called after prices',
    )
  },
)

const part = (name: string, body: string, imports = ''): string =>
  `${imports}export default function ${name}() {\n  return (\n    <section className="px-4 text-lg">\n      ${body}\n    </section>\n  )\n}\n`
const MAP =
  '<h2>Prices</h2>\n      <div className="grid">\n        {prices.map((one) => <div key={one.name}>{one.name} {one.price}</div>)}\n      </div>'
const LINKED = "import Link from 'next/link'\n"
const LINK = '<Link data-track="hero" className="bg-green-600 px-4" href="/book">Book a visit</Link>'
const files = {
  'app/page.tsx':
    "import Hero from '@/components/Hero'\nimport Prices from '@/components/Prices'\nimport Team from '@/components/Team'\nexport default function Page() { return <main><Hero /><Prices /><Team /></main> }\n",
  'components/Hero.tsx': part('Hero', `<h1>Houses that we build</h1><p>All of wood</p>${LINK}`, LINKED),
  'components/Prices.tsx': part('Prices', MAP, "import { prices } from './data'\n"),
  'components/Team.tsx': part('Team', '<h2>The people</h2><p>They are good at it</p>'),
}

t.test('prices in a part of their own: what comes after them stands in the page', async (t) => {
  const proposal = await proposed(files)
  t.same(
    proposal?.files.map(({ path }) => path),
    ['components/Prices.tsx'],
  )
  const own = await says(files)
  t.match(own, '<div className="mt-10"><Link className="inline-block bg-green-600 px-4" href="/book">')
  t.match(own, "import Link from 'next/link'", 'and takes what it needs')
  t.notMatch(own, 'data-track', 'it is another button')
  const after = (team: string): Promise<string> => says({ ...files, 'components/Team.tsx': team })
  t.equal(await after(part('Team', `<h2>The people</h2>${LINK}`, LINKED)), '', 'the next part asks')
  t.equal(
    await after(part('Team', '<h2>The people</h2><input name="email" />')),
    '',
    'the next part is filled in',
  )
  t.equal(await says({ ...files, 'app/page.tsx': files['app/page.tsx'].replace('<Prices />', '') }), '')
  t.equal(
    await says({
      ...files,
      'app/billing/page.tsx': "import Prices from '@/components/Prices'\nexport default () => <Prices />\n",
    }),
    '',
    'customers see it too',
  )
  const asked = { 'preise.html': home({ heading: 'Was kostet es im Monat?' }) }
  t.equal(await says(asked), '', 'an answer that names prices')
})

t.test('a button that moves the page by code stands there as a link', async (t) => {
  const moves = (button: string): Files => ({
    ...files,
    'components/Hero.tsx': part(
      'Hero',
      `<h1>Houses that we build</h1><p>All of wood</p>${button}`,
      "import { Button } from '@/components/ui/button'\n",
    ),
    'components/Team.tsx': part('Team', '<h2 id="contact">The people</h2><p>They are good at it</p>'),
  })
  const press = `onClick={() => scrollTo('contact')}`
  const plain = moves(`<button type="button" ${press} className="bg-green-600 px-4">Book a visit</button>`)
  t.match(await says(plain), '<a href="#contact" className="inline-block bg-green-600 px-4">Book a visit</a>')
  t.equal(
    await says({ ...plain, 'components/Team.tsx': files['components/Team.tsx'] }),
    '',
    'that place is nowhere',
  )
  const kit = moves(`<Button ${press} className="bg-green-600 px-4">Book a visit</Button>`)
  t.equal(await says(kit), '', 'whether it takes a link is not told')
  const takes = {
    ...kit,
    'components/ui/button.tsx':
      'export const Button = ({ asChild, ...rest }) => asChild ? <Slot {...rest} /> : <button {...rest} />\n',
  }
  t.match(
    await says(takes),
    '<Button asChild className="bg-green-600 px-4"><a href="#contact">Book a visit</a></Button>',
  )
})

const rightLoud = async (files: Files): Promise<string> =>
  (await found(files)).proposals
    .filter(({ pattern }) => pattern === 'right-one-loud')
    .flatMap((one) => one.files.flatMap(({ edits }) => edits.map(({ replace }) => replace)))
    .join('\n')

t.test('the loud button of an opening is the one that the site asks for everywhere', async (t) => {
  const aside = '<a class="btn btn-primary" href="/history">Discover our history</a>'
  const act = '<a class="btn btn-outline" href="/contact">Request a quote</a>'
  const opening = (buttons: string): Promise<string> =>
    rightLoud({
      'index.html': page(
        `<section><h1>Houses that we build for you</h1><p>All of it is made of wood</p><div>${buttons}</div></section><section><h2>Ask us</h2><a class="btn" href="/contact">Request a quote</a></section>`,
      ),
    })
  t.equal(
    await opening(aside + act),
    '<a class="btn btn-primary" href="/contact">Request a quote</a>\n<a class="btn btn-outline" href="/history">Discover our history</a>',
  )
  t.equal(await opening(act.replace('outline', 'primary') + aside.replace('primary', 'outline')), '', 'it is')
  t.equal(await opening(aside + act.replace('btn-outline', 'btn-outline btn-lg')), '', 'they differ in more')
  t.equal(await opening(aside.replace('/history', '/collections') + act), '', 'what is sold')
  t.equal(await opening(aside.replace('/history', '/sign-up') + act), '', 'it asks too')
  t.equal(await opening(aside + act.replace('Request a quote', 'Contact us')), '', 'one talks')
  t.equal(await opening(aside + act + act.replace('/contact', '/book')), '', 'which one is not told')
})

t.test('a trial begins where the button leads to it', async (t) => {
  const of = async (href: string): Promise<boolean> =>
    patternsOf(
      await found({
        'site/pricing.html': page(
          `<h1>Prices for you and the team</h1><p>All plans begin with a free trial of 14 days.</p><div><h3>One</h3><p>$9</p><a class="btn" href="${href}">Get started</a></div>`,
        ),
      }),
    ).includes('trial-on-button')
  t.ok(await of('/join'))
  for (const href of ['/coming-soon', '/waitlist', '/contact']) t.notOk(await of(href), href)
})

t.test('how much of a part has to be in sight before it moves is no price', async (t) => {
  const listed = (inner: string): string =>
    `const all = [{ title: 'Umzug' }, { title: 'Packen' }]\nexport default () => (\n  <main>\n    <section><h1>Umzüge für Ihre Familie und Sie</h1><p>Wir sind seit Jahren für Sie da.</p><a className="btn" href="/kontakt">Termin vereinbaren</a></section>\n    <section><h2>Unsere Leistungen</h2><div className="grid">{all.map((one) => (<motion.div viewport={{ once: true, amount: 0.3 }}><h3>{one.title}</h3>${inner}</motion.div>))}</div></section>\n    <section><h2>Wie viel es ist</h2><p>Im Ganzen sind es etwa 800 €, das ist es uns wert.</p></section>\n  </main>\n)\n`
  const of = (inner: string): Promise<string> => says({ 'src/pages/index.jsx': listed(inner) })
  t.match(await of('<p>{one.price}</p>'), 'Termin vereinbaren')
  t.equal(await of('<p>{one.says}</p>'), '')
})

t.test('where something is urgent one calls', async (t) => {
  t.match(await says({ 'preise.html': home() }), BELOW)
  t.equal(await says({ 'notdienst.html': home() }), '')
  t.equal(await ofHome({ heading: 'Preise im Notfall' }), '')
  const titled = (title: string): Promise<string> =>
    says({ 'index.html': home().replace('Training für Ihren Hund', title) })
  t.equal(await titled('Tierarzt 24/7'), '')
  t.match(await titled('Training seit 24 Jahren'), BELOW)
  for (const path of ['emergency-repairs', 'depannage', 'urgences', 'urgencia', 'notfall'])
    t.equal(await says({ [`${path}.html`]: home() }), '', path)
})

t.test('a button of the site’s own look stands where the page has one on such a ground', async (t) => {
  const on = (first: string, second: string): Promise<string> =>
    says({
      'index.html': home()
        .replace('<section>', `<section${first}>`)
        .replace('<section><h2>U', `<section${second}><h2>U`),
    })
  const dark = ' class="dark"'
  t.match(await on('', ''), BUTTON)
  t.match(await on(dark, dark), BUTTON)
  t.equal(await on('', dark), '', 'it may have the same colour')
  t.match(await on('', ' class="container"'), BUTTON, 'this gives it its width alone')
  t.equal(await says({ 'preise.html': home({ button: '' }), 'index.html': home({ cards: '' }) }), '')
  const utility = (html: string): string =>
    html
      .replaceAll('<section>', '<section class="py-8 bg-gray-100">')
      .replaceAll('class="btn"', 'class="px-4 py-2 bg-teal-700 text-white"')
  const files = { 'preise.html': home({ button: '' }), 'index.html': home({ cards: '' }) }
  t.match(
    await says(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, utility(text)]))),
    'bg-teal-700',
    'its classes say what it looks like',
  )
})

t.test('the button comes after the strip that belongs to the prices', async (t) => {
  const strip = '<div class="note"><p>Alles mit Getränken</p></div>'
  t.match(await ofHome({ cards: CARDS + strip }), `${strip} <div style=`)
  const boxed = `<div class="container">${CARDS}</div>`
  t.match(await ofHome({ cards: boxed + strip }), `${strip} <div style=`, 'below the box that they stand in')
  t.match(await ofHome({ cards: boxed }), `</div> <div style=`)
  const page = (more: string): string =>
    `import { Card } from "@/ui/card"\nimport { Link } from "router"\nexport default () => (\n  <main>\n    <section className="p-4 text-lg"><h1>Rooms for a day</h1><Link to="/contact" className="px-4 py-2 bg-teal-700 text-white">Book a room</Link></section>\n    <section className="py-8"><h2>Our prices</h2><div className="grid">{all.map((one) => <div key={one.name}><h3>{one.name}</h3><p>{one.price}</p></div>)}</div>${more}</section>\n  </main>\n)\n`
  const card = '<Card className="mt-8"><p>With drinks and with all that you need for it</p></Card>'
  t.match(await says({ 'src/pages/Rooms.tsx': page(card) }), /<\/Card>\s*<div className="mt-10"><Link/)
})
