import t from 'tap'
import { page, patternsOf, saysOf, wholeBatch } from '../../test/support/workspace.js'

type Files = Readonly<Record<string, string>>
const has = async (pattern: string, files: Files): Promise<boolean> =>
  patternsOf(await wholeBatch(files)).includes(pattern)

const VOICES =
  '<section><h2>What they say</h2><blockquote>It was the best day of the whole year for us.</blockquote><blockquote>We will come again with all the others.</blockquote></section>'
const form = (
  heading = 'Book a place',
  fields = '<label>Name <input name="name" required></label><label>Email <input type="email" name="email" required></label>',
): string =>
  `<section><h2>${heading}</h2><form action="https://example.org/book" method="post">${fields}<button>Book now</button></form></section>`
const TOP = '<section><h1>A day on the river</h1><p>All that you need is there.</p></section>'

t.test('what others say stands before the form, and not behind it', async (t) => {
  const is = (...parts: string[]): Promise<boolean> =>
    has('voices-at-form', { 'course.html': page(`<main>${parts.join('\n')}</main>`) })
  t.ok(await is(TOP, form(), VOICES))
  t.notOk(await is(TOP, VOICES, form()), 'they stand there')
  t.notOk(await is(TOP, VOICES, form(), VOICES), 'others speak before it')
  t.notOk(await is(TOP, form('Write a review'), VOICES), 'it is where they are written')
  t.notOk(await is(form(), VOICES), 'the form opens the page')
  t.notOk(
    await is(TOP, form('Book a place', '<input type="email" name="email">'), VOICES),
    'one field is no decision',
  )
  t.notOk(
    await is(TOP, form(), VOICES.replace('</section>', '<a class="btn" href="/x">Read more</a></section>')),
  )
  t.notOk(await is(TOP, form(), VOICES.replace('It was', '{{ first }} It was')), 'it may be empty')
  t.notOk(await is(TOP, form().replace('<form', '<form class="modal-form"'), VOICES), 'it is called up')
  t.notOk(await has('voices-at-form', { 'blog/day.html': page(`<main>${TOP}${form()}${VOICES}</main>`) }))
})

t.test('what is offered stands before what the site tells of itself', async (t) => {
  const section = (heading: string, more = ''): string =>
    `<section${more}><h2>${heading}</h2><p>There is much to be said of it, and all of it is here.</p></section>`
  const is = (path: string, lang: string, ...parts: string[]): Promise<boolean> =>
    has('offer-before-history', { [path]: page(`<main>${TOP}${parts.join('\n')}</main>`, lang) })
  t.ok(await is('index.html', 'en', section('Our story'), section('Our values'), section('What we repair')))
  t.ok(
    await is(
      'index.html',
      'de',
      section('Unsere Geschichte'),
      section('Unsere Leistungen'),
      section('Anfahrt'),
    ),
  )
  t.ok(
    await is(
      'index.html',
      'fr',
      section('Notre histoire'),
      section('Ce que nous réparons'),
      section('Horaires'),
    ),
  )
  t.ok(
    await is('index.html', 'es', section('Nuestra historia'), section('Qué reparamos'), section('Horario')),
  )
  t.notOk(
    await is('about.html', 'en', section('Our story'), section('What we repair'), section('Where')),
    'it is there for that',
  )
  t.notOk(await is('index.html', 'en', section('What we repair'), section('Our story'), section('Where')))
  t.notOk(
    await is(
      'index.html',
      'fr',
      section('Notre histoire'),
      section('Ce que nous sommes'),
      section('Horaires'),
    ),
  )
  t.notOk(
    await is(
      'index.html',
      'en',
      section('Our story', ' class="bg-dark"'),
      section('Team'),
      section('What we repair'),
    ),
    'the two are dressed otherwise',
  )
})

t.test('of plans from the dearest down the one that is said to fit comes first', async (t) => {
  const plans = (items: string, starts = ''): string =>
    `<script>\n  const plans = [${items}];\n</script>\n\n<h1>What the plans cost you</h1>\n{#each plans as p}\n  <article><h2>{p.name}</h2><p>{p.price} €</p><em>{p.note}</em><a href="/book">Book it</a></article>\n{/each}\n${starts}`
  const [big, middle, small] = [
    "{ name: 'Big', price: 119 }",
    "{ name: 'Middle', price: 69, note: 'Recommended' }",
    "{ name: 'Small', price: 35 }",
  ]
  const says = async (text: string): Promise<string> =>
    saysOf(await wholeBatch({ 'src/Plans.svelte': text }), 'fitting-plan-first').join('\n')
  t.match(await says(plans([big, middle, small].join(', '))), `→ [${[middle, big, small].join(', ')}]`)
  t.equal(await says(plans([small, middle, big].join(', '))), '', 'the cheapest comes first')
  t.equal(await says(plans([big, middle, small].join(', ').replace('Recommended', 'New'))), '')
  t.equal(
    await says(plans([big, middle, small].join(', '), '{plans[0].name}')),
    '',
    'its places mean something',
  )
})
