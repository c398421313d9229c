import t from 'tap'
import { page, saysOf, wholeBatch } from '../../test/support/workspace.js'

const HEADING = 'opening-in-concrete-words'
const described = (html: string, description: string): string =>
  html.replace('</head>', `<meta name="description" content="${description}"></head>`)
const headed = async (title: string, description: string, lang = 'en', rest = ''): Promise<string[]> =>
  saysOf(
    await wholeBatch({
      'index.html': described(page(`<main><h1>${title}</h1><p>.</p>${rest}</main>`, lang), description),
    }),
    HEADING,
  )

t.test('a heading that fits any site gives way to what the site says of itself', async (t) => {
  const repairs = 'Boiler repairs and servicing in all of Leeds.'
  t.same(await headed('Quality you can count on', repairs), [
    'Quality you can count on → Boiler repairs and servicing in all of Leeds',
  ])
  t.match(
    (await headed('Kreativität erleben', 'Drei Kurse für Anfänger in der Stadt', 'de')).join(),
    '→ Drei',
  )
  t.match(
    (await headed('Descubre tu creatividad', 'Curso de cerámica para hacer en casa', 'es')).join(),
    '→ Curso',
  )
  t.match(
    (await headed('La passion du vélo depuis toujours', 'Réparation de tous les vélos à Lyon', 'fr')).join(),
    '→ Rép',
  )
  t.same(await headed('Boilers repaired in Leeds', repairs), [], 'it names what there is')
  t.same(await headed('What we do all the day', repairs), [], 'it praises nothing')
  t.same(await headed('Quality software you can count on', repairs), [], 'it names a thing')
  t.same(await headed('Quality in Leeds you can trust', repairs), [], 'it says where')
  t.same(await headed('Quality for 20 years together', repairs), [], 'it counts')
  for (const no of [
    'Boiler repairs from £72 in all of Leeds',
    'The best boiler repairs that money can buy',
    'Boiler repairs in all of Leeds since 1994',
    'Looking for boiler repairs in Leeds?',
    'Everything that you have been waiting for',
    'Simple landing page template for repairs',
    'Our boiler repairs in all of Leeds',
  ])
    t.same(await headed('Quality you can count on', no), [], no)
  const logo = described(page('<h1 class="logo">Quality you can count on</h1><p>.</p>'), repairs)
  t.same(saysOf(await wholeBatch({ 'index.html': logo }), HEADING), [])
})

t.test('the page itself says how much and how soon, with all its conditions', async (t) => {
  const rest = (line: string, around = 'section'): string =>
    `<${around}><h2>What there is</h2><p>${line}</p></${around}>`
  const says = (line: string, around?: string): Promise<string[]> =>
    headed('Made with passion for bicycles', 'This is what it is', 'en', rest(line, around))
  const soon = 'If you bring bicycles before ten on a weekday, they are ready within two hours'
  t.same(await says(`All of it is done here. ${soon}.`), [`Made with passion for bicycles → ${soon}`])
  t.same(
    await says('They are ready within two hours, all of the bicycles.'),
    [],
    'it leans on what stands before',
  )
  t.same(await says(`${soon}, for £5.`), [], 'a price')
  t.same(await says(soon, 'blockquote'), [], 'somebody says it')
  t.same(await says(soon, 'section hidden'), [], 'it is not shown')
  t.same(await says(soon, 'form'), [], 'it belongs to what is filled in')
  t.same(await says('Dinners are ready within two hours on a weekday'), [], 'of what does it speak?')
})

t.test('in components of all kinds, and where the words come from a constant', async (t) => {
  const soon = 'Les vélos sont réparés dans l’heure ou le lendemain'
  const body = (title: string): string =>
    `<section><h1>${title}</h1><p>Bienvenue à vous dans la maison.</p></section><section><h2>Ce que nous faisons</h2><p>${soon}.</p></section>`
  const vague = 'La passion des vélos depuis toujours'
  const says = async (path: string, text: string): Promise<string[]> =>
    saysOf(await wholeBatch({ [path]: text }), HEADING)
  t.same(await says('src/routes/+page.svelte', body(vague)), [`${vague} → ${soon}`])
  t.same(await says('src/pages/Home.vue', `<template><div>${body(vague)}</div></template>`), [
    `${vague} → ${soon}`,
  ])
  t.same(
    await says(
      'src/pages/Home.tsx',
      `const TITLE = '${vague}'\nexport const Home = () => <div>${body('{TITLE}')}</div>\n`,
    ),
    [`<h1>{TITLE}</h1> → <h1>${soon}</h1>`],
  )
  const off = body(vague).replace(`<p>${soon}.</p>`, `{#if isOn}<p>${soon}.</p>{/if}`)
  t.same(await says('src/routes/+page.svelte', off), [], 'code may not show it')
})

t.test('a heading of another file, and one by its key', async (t) => {
  const files = {
    'app/layout.tsx':
      "export const metadata = { title: 'Trust', description: 'Testing and planting sixty miles of river.' }\nexport default function L({ children }) {\n  return <html lang=\"en\"><body>{children}</body></html>\n}\n",
    'app/page.tsx':
      'export default function Home() {\n  return <section><h1>Together we can make a difference</h1><p>You are all of it and this is for you.</p></section>\n}\n',
  }
  t.same(saysOf(await wholeBatch(files), HEADING), [
    'Together we can make a difference → Testing and planting sixty miles of river',
  ])
  const main = (at: string): string =>
    `import { Product } from './pages/Product'\nexport const App = () => <Routes><Route path="${at}" element={<Product />} /></Routes>\n`
  const keyed = (at: string) => ({
    'src/main.jsx': main(at),
    'src/pages/Product.jsx':
      "export function Product() {\n  const { t } = useTranslation()\n  return <section><h1>{t('head')}</h1><ul><li>{t('one')}</li><li>{t('two')}</li></ul></section>\n}\n",
    'src/locales/en.json':
      '{\n  "head": "Made with care",\n  "one": "It is for all of you",\n  "two": "Two covers of linen with the paper that you like"\n}\n',
    'src/locales/de.json':
      '{\n  "head": "Mit Sorgfalt",\n  "one": "Es ist für alle",\n  "two": "Zwei Umschläge aus Leinen"\n}\n',
  })
  t.same(saysOf(await wholeBatch(keyed('/')), HEADING), ["<h1>{t('head')}</h1> → <h1>{t('two')}</h1>"])
  t.same(saysOf(await wholeBatch(keyed('/product')), HEADING), [], 'the site does not open with it')
})

t.test('the page that routes show first opens the site, whatever it is called', async (t) => {
  const start =
    '<template>\n  <section>\n    <h1>La casa del barro</h1>\n    <p class="mt-4 text-lg">Es un curso para los que no saben.</p>\n  </section>\n  <section>\n    <h2>Más del curso</h2>\n    <p>Es para la mesa de tu casa.</p>\n    <RouterLink to="/matricula" class="boton mt-6">Reservar mi plaza</RouterLink>\n  </section>\n</template>\n'
  const says = async (routes: string): Promise<string> =>
    saysOf(
      await wholeBatch({ 'src/main.js': routes, 'src/paginas/Inicio.vue': start }),
      'act-in-opening',
    ).join()
  const added = '<RouterLink to="/matricula" class="boton mt-6">Reservar mi plaza</RouterLink>'
  const taken = "import Inicio from './paginas/Inicio.vue'\n"
  t.match(await says(`${taken}const routes = [{ path: '/', component: Inicio }]\n`), added)
  t.match(
    await says("const routes = [{ path: '/', component: () => import('./paginas/Inicio.vue') }]\n"),
    added,
  )
  t.equal(await says(`${taken}const routes = [{ path: '/otra', component: Inicio }]\n`), '')
  const keyed = start.replace('La casa del barro', "{{ t('head') }}")
  const texts = {
    'src/locales/es.json': '{ "head": "La casa" }',
    'src/locales/en.json': '{ "head": "The house" }',
  }
  const routes = `${taken}const routes = [{ path: '/', component: Inicio }]\n`
  const inTwo = { 'src/main.js': routes, 'src/paginas/Inicio.vue': keyed, ...texts }
  t.same(saysOf(await wholeBatch(inTwo), 'act-in-opening'), [], 'it would stand there in one language')
})

t.test('the only button of an opening says where it leads, or asks for what one can do', async (t) => {
  const home = (label: string, href: string, more = ''): string =>
    page(
      `<main><section><h1>Boilers and all that is in the house</h1><p>This is what we have for you.</p><a class="btn" href="${href}">${label}</a>${more}</section><section id="about"><h2>Who we are</h2><p>All of the family is here.</p></section><section><h2>More of it</h2><p>Something is not right?</p><a class="btn" href="contact.html">Contact us</a></section></main>`,
    )
  const other = page('<h1>Weekend course</h1><p>All of it is for you.</p>')
  const says = async (label: string, href: string, pattern: string, more?: string): Promise<string> =>
    saysOf(
      await wholeBatch({ 'index.html': home(label, href, more), 'courses/weekend.html': other }),
      pattern,
    ).join(' ')
  const acts = 'opening-button-acts'
  t.match(await says('Learn more', '#about', acts), '<a class="btn" href="contact.html">Contact us</a>')
  t.equal(await says('Meet the family', '#about', acts), '', 'it says where it leads')
  t.equal(
    await says('Learn more', '#about', acts, '<a href="/sign-up">Sign up</a>'),
    '',
    'another asks already',
  )
  const where = 'opening-button-says-where'
  t.match(await says('Learn more', 'courses/weekend.html', where), 'Learn more → See the weekend course')
  t.equal(await says('Learn more', 'courses/none.html', where), '', 'it is not known what is there')
  t.equal(await says('Learn more', 'https://example.org/courses/weekend.html', where), '', 'another site')
  const german = page('<h1>Kurs in der Stadt</h1><p>Das ist für alle und mit allen.</p>', 'de')
  const opening = page(
    '<section><h1>Das Brot der Stadt</h1><p>Das ist für alle und mit allen.</p><a class="knopf" href="kurs.html">Mehr</a></section>',
    'de',
  )
  t.match(
    saysOf(await wholeBatch({ 'index.html': opening, 'kurs.html': german }), where).join(),
    'Mehr → Kurs in der Stadt ansehen',
  )
})

t.test('of buttons that are equally loud one stays so', async (t) => {
  const says = async (ways: string, rest = ''): Promise<string[]> =>
    saysOf(
      await wholeBatch({
        'index.html': page(
          `<section><h1>All of the houses for you</h1><p>This is what we have for you.</p><div>${ways}</div></section>${rest}`,
        ),
      }),
      'one-loud-in-opening',
    )
  const two = (name: string, second = 'Read the brochure'): string =>
    `<a class="${name}" href="/sign-up">Try it for free</a><a class="${name}" href="/brochure.pdf">${second}</a>`
  t.match(
    (await says(two('btn btn-primary'), '<a class="btn btn-secondary" href="/x">More</a>')).join(),
    'class="btn btn-secondary" href="/brochure.pdf"',
  )
  t.same(await says(two('btn btn-primary')), [], 'no quieter one is known')
  t.match(
    (await says(two('btn'), '<a class="btn btn--ghost" href="/x">More</a>')).join(),
    'class="btn btn--ghost" href="/brochure.pdf"',
  )
  t.same(await says(two('btn')), [], 'the site has no quieter one')
  t.same(await says(two('btn', 'Buy it now')), [], 'both ask')
  t.same(
    await says(two('btn').replace('Try it for free', 'See it').replace('/sign-up', '/it')),
    [],
    'none asks',
  )
  t.same(
    await says(two('btn').replace('class="btn" href="/brochure', 'class="quiet" href="/brochure')),
    [],
    'one is loud',
  )
  t.same(
    await says(two('btn').replace('class="btn" href="/brochure', 'class="btn btn--ghost" href="/brochure')),
    [],
    'one is quieter',
  )
})

t.test('the button of a form says what the site calls what it does', async (t) => {
  const form = (label: string, inner = ''): string =>
    page(
      `<h1>All of it</h1><form action="/send" method="post"><label>Name <input name="name" required></label><label>Day <input type="date" name="day" required></label>${inner}<button>${label}</button></form>`,
    )
  const home = (label: string): string =>
    page(
      `<h1>All of the boats for you</h1><p>This is what we have.</p><a class="btn" href="rent.html">${label}</a>`,
    )
  const says = async (button: string, link: string, inner?: string): Promise<string[]> =>
    saysOf(
      await wholeBatch({ 'index.html': home(link), 'rent.html': form(button, inner) }),
      'submit-says-act',
    )
  t.match((await says('Submit', 'Book a boat')).join(), 'Submit → Book a boat')
  t.same(await says('Submit', 'See the boats'), [], 'that calls to nothing')
  t.same(await says('Submit', 'Get started'), [], 'that fits any form')
  t.same(await says('Send my wishes', 'Book a boat'), [], 'it says it')
  for (const law of ['Order and pay', 'Zahlungspflichtig bestellen', 'Zahlungspflichtig buchen'])
    t.same(await says(law, 'Book a boat'), [], law)
  for (const law of ['Commander avec obligation de paiement', 'Pedido con obligación de pago'])
    t.same(await says(law, 'Book a boat'), [], law)
  t.same(await says('Submit', 'Book a boat', '<p>189 € for all of it</p>'), [], 'what it has to say is law')
  const inSteps = form('Submit', '<h2>Two of it for you</h2>')
    .replace('<h1>All of it</h1>', '')
    .replace('<label>', '<h2>Order a boat</h2><label>')
  const files = { 'index.html': home('Book a boat'), 'rent.html': inSteps }
  t.same(
    saysOf(await wholeBatch(files), 'submit-says-act'),
    ['Submit → Book a boat'],
    'no step names the whole',
  )
  const narrows = form('Go')
    .replace('type="date"', 'type="number"')
    .replace('name="name"', 'type="number" name="from"')
  const shop = await wholeBatch({ 'index.html': home('Book a boat'), 'rent.html': narrows })
  t.same(saysOf(shop, 'submit-says-act'), [], 'it only narrows down what is shown')
})
