import t from 'tap'
import type { Batch } from '../../batch.js'
import { page, patternsOf, saysOf, wholeBatch } from '../../test/support/workspace.js'

const of = async (files: Readonly<Record<string, string>>): Promise<string[]> =>
  patternsOf(await wholeBatch(files))
t.test('an opening says what it is, or what visitors get, in its own words', async (t) => {
  const says = async (title: string, line: string, pattern: string): Promise<string[]> =>
    saysOf(
      await wholeBatch({ 'index.html': page(`<header><h1>${title}</h1><p>${line}</p></header>`) }),
      pattern,
    )
  t.same(await says('Acme', 'Invoices for people who work for themselves.', 'opening-says-what-it-is'), [
    'Acme → Invoices for people who work for themselves',
    'Invoices for people who work for themselves. → Acme',
  ])
  t.equal((await says('Acme', 'Table lamps made by hand in Porto', 'opening-says-what-it-is')).length, 2)
  const heading = 'opening-says-what-it-is'
  const line = 'Invoices for people who work for themselves'
  t.same(await says('Welcome to Acme!', line, heading), [
    `Welcome to Acme! → ${line}`,
    `${line} → Welcome to Acme!`,
  ])
  t.same(await says('Acme', 'Everything that you have been waiting for', heading), [], 'that says nothing')
  t.same(await says('Discover', line, heading), [], 'it names nobody')
  t.same(await says('Great days', line, heading), [], 'so may that')
  t.match((await says('Great days', `${line}</p><p>Great days of yours`, heading)).join(), '→ Great days')
  t.same(await says('Acme', `${line}!`, heading), [], 'it is called out')
  t.same(await says('All of the invoices', line, heading), [], 'it says it already')
  const told = (body: string, description: string): Promise<Batch> =>
    wholeBatch({
      'index.html': page(body).replace(
        '</head>',
        `<meta name="description" content="${description}"></head>`,
      ),
    })
  const brand = '<header><h1>Acme</h1><a class="btn" href="/x">Go to it for all</a></header>'
  t.same(saysOf(await told(brand, `${line} by Acme. And more.`), heading), [
    `<h1>Acme</h1> → <h1>${line} by Acme</h1>`,
  ])
  t.same(saysOf(await told(brand, `${line}. And more.`), heading), [], 'the name would be gone')
  t.same(
    saysOf(await told(brand.replace('<h1', '<h1 class="text-8xl"'), `${line} by Acme`), heading),
    [],
    'too large',
  )
  t.same(
    saysOf(await wholeBatch({ 'about/banner.html': page(`<h1>Acme</h1><p>${line}</p>`) }), heading),
    [],
    'it opens no site',
  )
  t.same(await says('About', 'All of it for the people who work', 'opening-says-what-it-is'), [])
  const benefit = 'It is for all of you. Save your team an hour each day.'
  const found = await says('The <b>platform</b> for teams', benefit, 'opening-says-benefit')
  t.same(found, [
    '<h1>The <b>platform</b> for teams</h1> → <h1>Save your team an hour each day</h1>',
    `${benefit} → The platform for teams. It is for all of you.`,
  ])
  t.same(await says('Save time for the team', benefit, 'opening-says-benefit'), [], 'the title does')
  t.same(await says('A house of wood', benefit, 'opening-says-benefit'), [], 'of what does it speak?')
  t.same(await says('The platform for teams', 'It is for all of you.', 'opening-says-benefit'), [])
})

t.test('an opening without what leads away above its title', async (t) => {
  const home = (link: string): string =>
    page(
      `<header><div>${link}</div><h1>Houses that we build for you</h1><p>All of it is made of wood</p><a class="btn" href="/sign-up">Sign up</a></header>`,
    )
  const has = async (link: string): Promise<boolean> =>
    (await of({ 'index.html': home(link) })).includes('opening-without-news')
  t.equal(await has('<a href="https://example.org/a">We are in the news</a>'), true)
  t.equal(await has('<a href="/blog/new-houses">We have new houses</a>'), true)
  t.equal(await has('<a href="/blog/">← All of our news</a>'), false, 'it leads back')
  const other = home('<a href="/blog/new-houses">We have new houses</a>').replace(
    '/sign-up">Sign up',
    '/prices">See prices',
  )
  const { proposals } = await wholeBatch({ 'index.html': other })
  const without = proposals.find(({ pattern }) => pattern === 'opening-without-news')
  t.match(without?.hypothesis, 'when “See prices” is pressed', 'what all variants have')
  for (const proof of [
    '★★★★★ from those who live in them',
    'Rated 4.8/5',
    '127 reviews',
    'Trusted by 2,000 teams',
  ])
    t.equal(await has(`<a href="https://example.org/a">${proof}</a>`), false, 'it speaks for it')
  t.equal(await has('<a href="https://example.org/a">Read the release notes</a>'), true)
  t.equal(await has('<a href="/houses">See the houses</a>'), false, 'it stays within what one came for')
  t.equal(await has('<a href="https://example.org/a">Buy it there</a>'), false, 'it is what the page wants')
})

t.test('slides wait where they are read', async (t) => {
  const slides = (own: string, inner = '<h2>The first of them</h2>'): string =>
    page(
      `<h1>All of it is for you</h1><div id="slides" class="carousel" ${own}>${inner}<a class="carousel-control-next" href="#slides">Next one</a></div>`,
    )
  const waits = async (own: string, inner?: string): Promise<string[]> =>
    saysOf(await wholeBatch({ 'a.html': slides(own, inner) }), 'slides-wait')
  t.match((await waits('data-bs-ride="carousel"')).join(), 'data-bs-ride="false"')
  t.same(await waits('data-bs-ride="false"'), [])
  t.same(await waits('data-bs-ride="carousel"', '<img src="a.png">'), [], 'pictures are not read')
})

t.test('figures of the page stand at its first button, as it says them', async (t) => {
  const home = (figure: string, what: string): string =>
    page(
      `<header><h1>Houses that we build for you</h1><p>All of it is made of wood</p><a class="btn" href="/sign-up">Sign up</a></header>${'<section><h2>More of it</h2><p>All of the rest of it is for you and the family, and this is what it says.</p></section>'.repeat(9)}<div><h3>${figure}</h3><p>${what}</p></div>`,
    )
  const says = async (figure: string, what: string): Promise<string> =>
    saysOf(await wholeBatch({ 'index.html': home(figure, what) }), 'figures-at-button').join()
  t.match(await says('4,200+', 'Happy customers'), '<small>4,200+ happy customers</small>')
  t.equal(await says('4,200', 'Cups of coffee'), '', 'nobody asks for that')
  t.equal(await says('0', 'Happy customers'), '', 'code counts up')
  t.equal(await says('1234', 'Happy customers'), '', 'it stands in for another')
  t.equal(await says('+20', 'Happy customers'), '', 'so few speak against it')
  t.match(await says('2k', 'Happy customers'), '2k happy customers')
})

t.test('the page to sign up says what for, with the line of the start page', async (t) => {
  const home = page(
    '<header><h1>Houses for you</h1><p>The house for a whole family</p><a class="btn" href="/sign-up">Sign up</a></header>',
  )
  const join = (below: string): string =>
    page(
      `<div><h2>Create your account</h2>${below}<form><input type="email" name="email"><input type="password" name="p" autocomplete="new-password"><button>Create account</button></form></div>`,
    )
  const says = async (below: string): Promise<string> =>
    saysOf(await wholeBatch({ 'index.html': home, 'sign-up.html': join(below) }), 'line-at-sign-up').join()
  t.match(await says(''), '</h2> <p>The house for a whole family</p>')
  t.equal(await says('<p>All of it is for you</p>'), '', 'a line stands there')
})

const HEADED = 'opening-in-concrete-words'
const LINE =
  '<p>Everything that you need, and all of it for you.</p><a class="btn" href="/more">More of it</a>'

/** What is put in the place of the heading of a page by those of these files. */
const heads = async (files: Readonly<Record<string, string>>): Promise<string[]> =>
  saysOf(await wholeBatch(files), HEADED)

t.test('a heading that says nothing gives way to what the title of the window says', async (t) => {
  const says = (title: string, h1 = 'Unlock your potential', below = LINE): Promise<string[]> =>
    heads({ 'index.html': page(`<main><h1>${h1}</h1>${below}</main>`).replace('>Site<', `>${title}<`) })
  const line = 'Evening courses in Leeds for beginners'
  const changed = (h1: string): string[] => [`${h1} → ${line}`]
  for (const between of [' – ', ' | ', ' · ', ': '])
    t.same(
      await says(`Marlow${between}evening courses in Leeds for beginners`),
      changed('Unlock your potential'),
    )
  t.same(await says(`${line} | Marlow`, 'Welcome to our website'), changed('Welcome to our website'))
  t.same(await says(`Marlow – ${line}`, 'Courses made with passion'), [], 'it speaks of the same thing')
  t.same(await says(`Marlow – ${line}`, 'Where we are'), [], 'that heading is not known to say nothing')
  t.same(await says('Marlow – evening courses'), [], 'two words are a name')
  t.same(await says('Marlow – courses and all the rest'), [], 'where, or for whom?')
  t.same(await says('Marlow – the best evening courses in Leeds'), [], 'a boast')
  t.same(await says('Marlow – evening courses in Leeds from £90'), [], 'a price')
  t.same(await says('Marlow – evening courses in Leeds since 1998'), [], 'a year')
  t.same(await says('Marlow – courses, lessons, classes in Leeds'), [], 'words that are searched for')
  t.same(await says('Marlow – Evening Courses For Beginners In Leeds'), [], 'so is that written')
  t.same(await says('Home – evening courses in Leeds for beginners'), [], 'that is no name')
  t.same(await says(`Marlow – ${line} – 2`), [], 'which of three?')
  const said = LINE.replace('Everything that you need', 'Courses that you need')
  t.same(await says(`Marlow – ${line}`, 'Unlock your potential', said), [], 'it is said right below')
})

t.test('a heading that only greets gives way to the description', async (t) => {
  const says = (description: string): Promise<string[]> =>
    heads({
      'index.html': page(
        '<main><h1>Herzlich willkommen</h1><p>Auf unserer Homepage möchten wir Ihnen alles zeigen, was wir haben.</p></main>',
        'de',
      ).replace('</head>', `<meta name="description" content="${description}"></head>`),
    })
  t.same(await says('Zahnarztpraxis in Kassel-Wehlheiden. Prophylaxe, Füllungen.'), [
    'Herzlich willkommen → Zahnarztpraxis in Kassel-Wehlheiden',
  ])
  t.same(await says('Zahnarztpraxis, Prophylaxe, Füllungen in Kassel.'), [], 'words that are searched for')
})

t.test('the description heads no page that says the same right below', async (t) => {
  const says = (below: string): Promise<string[]> =>
    heads({
      'index.html': page(
        `<main><h1>Professional services</h1><p>${below}</p><p>All of it for you and the rest of us.</p></main>`,
      ).replace(
        '</head>',
        '<meta name="description" content="Commercial plumbing services for teams"></head>',
      ),
    })
  t.same(await says('Call us on any day of the week'), [
    'Professional services → Commercial plumbing services for teams',
  ])
  t.same(await says('Plumbing and commercial heating'), [])
})

t.test('a page of a program is headed with the title that stands around all pages', async (t) => {
  const home = `<template><main><h1>Soluciones de alimentación</h1><p>Apostamos por un modelo de consumo para todos los que quieren más.</p></main></template>`
  const says = (title: string): Promise<string[]> =>
    heads({
      'index.html': `<!doctype html><html lang="es"><head><title>${title}</title></head><body><div id="app"></div></body></html>`,
      'src/views/Home.vue': home,
    })
  t.same(await says('Caja – verdura de la Vega cada semana'), [
    'Soluciones de alimentación → Verdura de la Vega cada semana',
  ])
  t.same(await says('Caja – verdura de la que no hay'), [], 'where, for whom or how often?')
})

t.test('a page of a kit is headed with the title that is set up for all pages', async (t) => {
  const says = (setup: string): Promise<string[]> =>
    heads({
      'nuxt.config.ts': setup,
      'pages/index.vue':
        '<template><main><h1>Bienvenue sur notre site</h1><p>Un lieu pour les vacances de tous, et pas pour une nuit.</p></main></template>',
    })
  const title = "title: 'Les Hauts – maison d’hôtes dans le Vercors'"
  t.same(
    await says(`export default defineNuxtConfig({ app: { head: { htmlAttrs: { lang: 'fr' }, ${title} } } })`),
    ['Bienvenue sur notre site → Maison d’hôtes dans le Vercors'],
  )
  t.same(await says(`export default defineNuxtConfig({ other: { ${title} } })`), [], 'no title of a window')
})

t.test('a title that stands in an object of another file', async (t) => {
  const home = `<script>\n  import { hero } from '$lib/copy.js'\n</script>\n<svelte:head><title>Marlow – rosters for teams in Leeds</title></svelte:head>\n<main><h1>{hero.title}</h1><p>{hero.text}</p></main>\n`
  const says = (copy: string, own = home): Promise<string[]> =>
    heads({ 'src/routes/+page.svelte': own, 'src/lib/copy.js': copy })
  const copy =
    "export const hero = { title: 'Unlock your potential', text: 'It is all for you and for what you are.' }"
  t.same(await says(copy), ['<h1>{hero.title}</h1> → <h1>Rosters for teams in Leeds</h1>'])
  t.same(await says(copy.replace('all for you', 'the roster for you')), [], 'it is said beside it')
  t.same(await says(copy.replace('Unlock your potential', 'A week in one go')), [], 'it says something')
  t.same(await says(copy.replace('const hero', 'let hero')), [], 'it may be another one')
  t.same(await says(copy, home.replace('{hero.title}', '{hero.title} {more}')), [], 'that is not all')
  const short = `import { text } from '@/lib/content'\nexport const metadata = { title: 'Wren – jobs in kitchens around Bristol' }\nexport default function Home() {\n  const c = text.home\n  return <main><h1>{c.h1}</h1><p>{c.sub}</p></main>\n}\n`
  const nested = (h1: string): Promise<string[]> =>
    heads({
      'app/page.tsx': short,
      'lib/content.ts': `export const text = { home: { h1: '${h1}', sub: 'It is all for you and for what you are.' } } as const`,
    })
  t.same(await nested('Connecting talent with opportunity'), [
    '<h1>{c.h1}</h1> → <h1>Jobs in kitchens around Bristol</h1>',
  ])
  t.same(await nested('Work near you'), [], 'it says something')
})

t.test('a title by its key, where the site has one language', async (t) => {
  const texts = (title: string, more = ''): string =>
    JSON.stringify({
      hero: { title, text: 'Une offre pour toutes et tous, et pas pour les autres.' },
      ...(more === '' ? {} : { rest: { a: more, b: 'Les autres', c: 'Le reste', d: 'Pour tous' } }),
    })
  const says = async (other: string): Promise<Batch> =>
    wholeBatch({
      'index.html':
        '<!doctype html><html lang="fr"><head><title>Marlou – cours du soir en arts graphiques</title></head><body><div id="root"></div></body></html>',
      'src/pages/Home.tsx':
        "export default function Home() { const { t } = useTranslation(); return <main><h1>{t('hero.title')}</h1><p>{t('hero.text')}</p></main> }",
      'public/locales/fr/site.json': texts('Révélez votre potentiel', 'Vous et nous'),
      'public/locales/en/site.json': other,
    })
  const begun = saysOf(await says('{"nav":{"a":"Courses"}}'), HEADED).join()
  t.match(begun, '"title_cours_du_soir_en": "Cours du soir en arts graphiques"')
  t.match(begun, "<h1>{t('hero.title_cours_du_soir_en')}</h1>")
  t.same(saysOf(await says(texts('Unlock your potential', 'You and us')), HEADED), [], 'in the other one too')
})
