import t from 'tap'
import { batch, found, page, patternsOf, saysOf, wholeBatch } from '../../test/support/workspace.js'

const home = (...parts: string[]): string =>
  `export const Home = () => (\n  <div>\n    ${parts.map((one) => `<${one} />`).join('\n    ')}\n  </div>\n)\n`
const of = async (...parts: string[]): Promise<string[]> =>
  patternsOf(await wholeBatch({ 'src/home.tsx': home(...parts) }))

t.test('questions stand after the prices, and a call to act in the middle of a long page', async (t) => {
  t.same(await of('Hero', 'Pricing', 'Team', 'Blog', 'FAQ', 'Footer'), ['questions-at-prices'])
  t.same(await of('Hero', 'Pricing', 'FAQ', 'Team', 'Footer'), [])
  const unasked = await batch({ 'src/home.tsx': home('Hero', 'Pricing', 'Team', 'Blog', 'FAQ', 'Footer') })
  t.same(patternsOf(unasked), [], 'only where a focus asks for it')
  t.same(await of('Hero', 'Team', 'Blog', 'FAQ', 'Footer'), [], 'there are no prices')
  t.same(await of('Hero', 'Team', 'Blog', 'Gallery', 'Offices', 'Garden', 'CTA', 'Footer'), ['call-midway'])
  t.same(await of('Hero', 'Team', 'Blog', 'Gallery', 'Offices', 'CTA', 'Footer'), [], 'the end is near')
  t.same(await of('Hero', 'Team', 'CTABanner', 'Footer'), [], 'it is not far')
  t.same(await of('Hero', 'Cta', 'Team', 'Blog', 'Gallery', 'Offices', 'Cta', 'Footer'), [], 'it asks twice')
  t.same(await of('Hero', 'Team', 'Blog', 'Gallery', 'CustomersProvider', 'Footer'), [], 'it only carries')
})

t.test('a price stands at the name, where one has to choose before it is seen', async (t) => {
  const product = (between: string): string =>
    `export const Product = ({ product }) => (\n  <div>\n    <h1>{product.name}</h1>\n    ${between}\n    <p>{money(product.price)}</p>\n  </div>\n)\n`
  const has = async (between: string, path = 'src/product.tsx'): Promise<boolean> =>
    patternsOf(await wholeBatch({ [path]: product(between) })).includes('price-at-title')
  const choice = '<p>{product.text}</p>\n    <select><option>All of the sizes for you</option></select>'
  t.equal(await has(choice), true)
  t.equal(await has('<p>{product.text}</p>'), false, 'it is near')
  t.equal(await has(choice, 'src/product-card.tsx'), false, 'one of many')
})

t.test('where there is nothing yet the button that makes the first stands too', async (t) => {
  const list = (inner: string): string =>
    page(
      `<header><h1>All of the projects of your team</h1><a class="btn" href="/new">New project</a></header><div>${inner}</div>`,
    )
  const says = async (inner: string): Promise<string> =>
    saysOf(await wholeBatch({ 'projects.html': list(inner) }), 'first-step-where-empty').join()
  t.match(
    await says('<p>No projects yet</p>'),
    '<p>No projects yet</p> <a class="btn" href="/new">New project</a>',
  )
  t.equal(await says('<p>No projects yet</p><button>Make one</button>'), '', 'a way on is there')
  t.equal(await says('<p>No fees</p>'), '')
  t.equal(await says('<p>No past bookings yet</p>'), '', 'those come by themselves')
  t.equal(await says('<dialog><p>No projects yet</p></dialog>'), '', 'it opens above the page')
})

t.test('what is said by a key is repeated by its key, in every language', async (t) => {
  const files = {
    'src/pricing.vue': `<template>\n  <div>\n    <a class="btn" href="/register">{{ $t('go') }}</a>\n    ${"<section><p>{{ $t('more') }}</p></section>\n    ".repeat(30)}<p>{{ $t('card') }}</p>\n  </div>\n</template>\n`,
    'src/locales/en.json':
      '{ "go": "Sign up for the team", "more": "All of it is for you and the team", "card": "No credit card required" }\n',
  }
  t.match(saysOf(await wholeBatch(files), 'promise-at-button').join(), `<small>{{ $t('card') }}</small>`)
})

t.test('ways in by another account that are a part of their own come before the form', async (t) => {
  const join = (after: string): string =>
    `export const SignUp = () => (\n  <div>\n    <form>\n      <h2>Sign up and make your account with us</h2>\n      <input type="email" name="email" />\n      <input type="password" name="password" autoComplete="new-password" />\n      <button type="submit">Create account</button>\n    </form>\n    ${after}\n  </div>\n)\n`
  const has = async (after: string): Promise<boolean> =>
    patternsOf(await wholeBatch({ 'src/sign-up.tsx': join(after) })).includes('providers-first')
  t.equal(await has('<p>OR</p>\n    <SocialLogin />'), true)
  t.equal(await has('<p>All of the terms hold for you</p>\n    <SocialLogin />'), false)
  t.equal(await has('<SocialIcons />'), false)
})

t.test('what a part holds says whether it can be moved', async (t) => {
  const of = async (inner: string, path = 'src/home.tsx'): Promise<string[]> =>
    patternsOf(
      await wholeBatch({
        [path]: home('Hero', 'Team', 'Blog', 'Testimonials', 'Footer'),
        'src/parts/testimonials.tsx': `export const Testimonials = () => <div><h2>They say</h2>${inner}</div>\n`,
      }),
    )
  t.same(await of('<p>They built it for us in time</p>'), ['voices-earlier'])
  t.same(await of('<p>They built it</p><button>Join them</button>'), [], 'it asks for something else')
  t.same(await of('<p>Lorem ipsum dolor sit amet</p>'), [], 'nobody has said it')
  t.same(await of('<p>They built it for us in time</p>', 'src/about.tsx'), [], 'a story has its order')
})

t.test('a form asks for less where a schema in the file tells the fields apart', async (t) => {
  const join = (phone: string): string => `const schema = z.object({
  email: z.string().email(),
  message: z.string().min(2),
  name: z.string(),
  phone: z.string()${phone},
})
export const Contact = () => (
  <form>
    <h2>Write to us about all of your work</h2>
    <div><label htmlFor="name">Your name</label><input id="name" name="name" /></div>
    <div><label htmlFor="email">Email</label><input id="email" name="email" type="email" /></div>
    <div><label htmlFor="phone">Phone</label><input id="phone" name="phone" /></div>
    <div><label htmlFor="message">Message</label><textarea id="message" name="message" /></div>
    <button type="submit">Send it</button>
  </form>
)
`
  const says = async (phone: string): Promise<string[]> =>
    saysOf(await wholeBatch({ 'src/contact.tsx': join(phone) }), 'ask-less')
  t.match((await says('.optional()')).join(), /name="phone".* → $/s, 'the field goes, and its label with it')
  t.same(await says(''), [], 'the schema insists on it')
})

t.test('nothing on pages of the law and of the back office, and no field that is a trap', async (t) => {
  const form = (path: string, field: string): Promise<string[]> =>
    found({
      [path]: page(
        `<h1>Write to us about all of your work</h1><form><label for="e">Email</label><input id="e" type="email" name="email" required><label for="m">Message</label><textarea id="m" name="message" required></textarea><label for="n">Name</label><input id="n" name="name"><label for="w">Website</label><input id="w" name="website"${field}><button>Submit</button></form>`,
      ),
    }).then(patternsOf)
  t.ok((await form('contact.html', '')).includes('ask-less'))
  t.notOk((await form('contact.html', ' tabindex="-1" autocomplete="off"')).includes('ask-less'))
  t.notOk((await form('contact.html', ' tabindex="-1" autocomplete="off"')).includes('autofill-allowed'))
  t.notOk((await form('contact.html', ' autocomplete="off"')).includes('autofill-allowed'), 'by its name')
  const inJsx = (around: string, own: string): Promise<string[]> =>
    wholeBatch({
      'src/contact.tsx': `export const C = () => <form><h1>Write to us about all of your work</h1><label htmlFor="e">Email</label><input id="e" type="email" /><label htmlFor="m">Message</label><textarea id="m" name="message" /><div ${around}><label htmlFor="w">Site</label><input id="w" type="text" autoComplete="off" ${own} /></div><button>Submit</button></form>\n`,
    }).then(patternsOf)
  t.ok((await inJsx('', '')).includes('autofill-allowed'))
  t.notOk((await inJsx('', 'tabIndex={-1}')).includes('autofill-allowed'))
  t.notOk((await inJsx('aria-hidden', '')).includes('autofill-allowed'))
  t.notOk((await inJsx("style={{ position: 'absolute', left: '-9999px' }}", '')).includes('autofill-allowed'))
  t.notOk((await inJsx('className="absolute -left-[9999px]"', '')).includes('autofill-allowed'))
  t.same(await form('admin/contact.html', ''), [])
  t.same(await form('terms.html', ''), [])
  t.same(await form('features/employees/contact.html', ''), [])
  t.same(await form('pages/support/team/contact.html', ''), [])
})

t.test(
  'of two ways to buy one is left alone where it fills its row, and where the product is what one came for',
  async (t) => {
    const two =
      '<button onClick={add} className="p-3">Add to cart</button>\n      <button onClick={buy} className="p-3">Buy now</button>'
    const of = async (
      row: string,
      { inner = two, path = 'src/components/Buy.tsx', more = '' } = {},
    ): Promise<string> =>
      saysOf(
        await wholeBatch({
          [path]: `export const Buy = () => (\n  <section>\n    <h2>All of it is for you</h2>\n    ${more}\n    <div className="${row}">\n      ${inner}\n    </div>\n  </section>\n)\n`,
          'src/pages/shop.tsx': `import { Buy } from '../../${path.replace('.tsx', '')}'\nexport default () => <main><Buy /></main>\n`,
        }),
        'ways-to-buy',
      )[0] ?? ''
    t.notMatch(await of('flex gap-2'), 'col-span')
    t.match(await of('flex gap-2'), '→')
    t.match(
      await of('grid grid-cols-2 gap-2'),
      /→.*className="col-span-2 p-3">Add to cart<\/button>\s*<\/div>/s,
    )
    t.match(await of('grid gap-2 sm:grid-cols-2'), 'className="sm:col-span-2 p-3"')
    t.notMatch(await of('grid gap-2'), 'col-span')
    t.equal(await of('grid grid-cols-3 gap-2'), '', 'a hole')
    t.equal(await of('grid grid-cols-[2fr_1fr] gap-2'), '', 'a hole')
    t.equal(await of('flex', { inner: two.replaceAll('p-3', 'p-3 w-1/2') }), '', 'half a row')
    t.equal(await of('flex gap-2', { path: 'src/components/blog/Promo.tsx' }), '', 'one reads there')
    t.equal(await of('flex gap-2', { path: 'src/components/RelatedProducts.tsx' }), '', 'another is bought')
    t.equal(
      await of('flex gap-2', { more: '<a href="/oak">Go to product</a>' }),
      '',
      'a third leads to the product',
    )
    t.equal(
      await of('flex gap-2', { inner: `{relatedItems.map((one) => <div key={one.id}>${two}</div>)}` }),
      '',
      'shown along',
    )
  },
)

t.test('a product with two ways to buy, and what is commented out', async (t) => {
  const product = (second: string): string =>
    `export const Buy = () => (\n  <div>\n    <p>All of it is for you</p>\n    <button onClick={add}>Add to cart</button>\n    ${second}\n  </div>\n)\n`
  const has = async (files: Record<string, string>): Promise<string[]> => patternsOf(await wholeBatch(files))
  const both = product('<button onClick={buy}>Buy now</button>')
  t.same(await has({ 'src/buy.tsx': both }), ['ways-to-buy'])
  t.same(await has({ 'src/buy.tsx': product('<p>Buy now</p>') }), [])
  t.same(
    await has({ 'src/buy.tsx': product('<button type="button">Buy now</button>') }),
    [],
    'it does nothing',
  )
  const routes = (guard: string): string =>
    `import { Buy } from './pages/Buy'\nexport const App = () => <Routes><Route path="/buy" element={<ProtectedRoute${guard}><Buy /></ProtectedRoute>} /></Routes>\n`
  t.same(await has({ 'src/pages/Buy.tsx': both, 'src/App.tsx': routes('') }), ['ways-to-buy'])
  const ofStaff = await wholeBatch({ 'src/pages/Buy.tsx': both, 'src/App.tsx': routes(' requireAdmin') })
  t.same(patternsOf(ofStaff), [], 'staff alone see it')
  t.same(ofStaff.dropped, [{ reason: 'never_shown', count: 1 }])
  const guarded = (addresses: string): Promise<string[]> =>
    has({
      'src/app/boats/page.tsx': both,
      'src/middleware.ts': `const PUBLIC_PATHS = [${addresses}]\nexport default auth((req) => {\n  if (PUBLIC_PATHS.some((one) => req.nextUrl.pathname.startsWith(one))) return\n  return NextResponse.redirect(new URL('/login', req.url))\n})\n`,
    })
  t.same(await guarded("'/login', '/boats'"), ['ways-to-buy'])
  t.same(await guarded("'/login', '/about'"), [], 'who has signed in sees it')
  t.same(await guarded("'/api', '/about'"), ['ways-to-buy'], 'nobody signs in')
  const shop = 'src/pages/shop.tsx'
  const inPart = { 'src/components/buy.tsx': both }
  t.same(await has({ ...inPart, [shop]: 'export const Shop = () => <main><Buy /></main>\n' }), [
    'ways-to-buy',
  ])
  t.same(await has({ ...inPart, [shop]: 'export const Shop = () => <main>{/* <Buy /> */}</main>\n' }), [])
})

t.test('a call stands once more in the middle where nothing asks near it and it parts nothing', async (t) => {
  const long =
    'All that there is to be said of it, for you, for the family and for all who come along with you. '.repeat(
      2,
    )
  const part = (name: string, own = '', more = ''): string =>
    `<section class="${own || name}"><h2>The ${name} of it</h2><p>${long}</p>${more}</section>`
  let call =
    '<section class="cta"><h2>Come and see it</h2><a class="btn" href="/visit">Visit us</a></section>'
  const at = async (...parts: string[]): Promise<string> =>
    saysOf(
      await wholeBatch({
        'index.html': page(
          `<main><section class="hero"><h1>The house for you and the family</h1></section>${parts.join('')}${call}</main>`,
        ),
      }),
      'call-midway',
    ).join()
  const names = ['walls', 'roof', 'floor', 'doors', 'trees']
  t.match(await at(...names.map((name) => part(name))), /Come and see it.*The doors of it/s)
  const way = '<a class="btn" href="/doors">All of them</a>'
  t.equal(
    await at(...names.map((name) => part(name, '', name === 'roof' ? way : ''))),
    '',
    'a button is near',
  )
  const more = ['stairs', 'lamps']
  t.match(
    await at(part('walls', '', way), ...[...names.slice(1), ...more].map((name) => part(name))),
    /Come and see it.*The trees of it/s,
    'three of them further down',
  )
  t.equal(await at(...names.map((name) => part(name, 'service'))), '', 'a list')
  const short = names.map((name) =>
    name === 'roof' ? '<section class="roof"><h2>Who knows it</h2><img alt="One"></section>' : part(name),
  )
  t.equal(await at(...short), '', 'two names of others are no section')
  const last = [
    ...names.slice(0, 4).map((name) => part(name)),
    part('work', 'how', '').replace('The work of it', 'How it works'),
  ]
  t.equal(await at(...last), '', 'how it works comes after')
  const dark = names.map((name) => part(name, name === 'floor' ? 'floor bg-dark' : ''))
  t.match(await at(...dark), /Come and see it.*The doors of it/s, 'another ground')
  call = call.replace('class="cta"', 'class="cta bg-dark"')
  t.equal(await at(...dark), '', 'beside its own ground')
})
