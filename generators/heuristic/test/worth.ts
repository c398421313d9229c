import t from 'tap'
import type { Candidate } from '../../port.js'
import { batch, found, page, patternsOf, saysOf, wholeBatch } from '../../test/support/workspace.js'

type Files = Readonly<Record<string, string>>
const one = async (files: Files, pattern: string): Promise<Candidate | undefined> =>
  (await wholeBatch(files)).proposals.find((candidate) => candidate.pattern === pattern)
const tested = async (files: Files): Promise<string[]> => patternsOf(await batch(files))

const signUp = (inner: string, button = 'Create account'): string =>
  page(
    `<h1>Create an account for the site</h1><form><label for="e">Email</label><input id="e" type="email" name="email" required><label for="p">Password</label><input id="p" type="password" name="p" autocomplete="new-password" required>${inner}<button>${button}</button></form>`,
  )

t.test('what a team would rather do than test is proposed only where it is asked for', async (t) => {
  const search = page('<h1>What you have searched for in the shop</h1><div><p>No results found.</p></div>')
  t.same(await tested({ 'results.html': search }), [])
  t.ok(patternsOf(await wholeBatch({ 'results.html': search })).includes('dead-end empty'))
  t.same(await tested({ 'join.html': signUp('', 'Submit') }), ['submit-label sign up'])
  t.notOk((await tested({ 'checkout/index.html': signUp('', 'Submit') })).includes('submit-label sign up'))
  const laid = `export const Enter = () => (
  <main>
    <h2>Enter your account, and go on with your work</h2>
    <form onSubmit={form.handleSubmit(send)}>
      <FormField name="email" render={({ field }) => (<Input type="email" placeholder="Your Email" {...field} />)} />
      <FormField name="password" render={({ field }) => (<Input type="password" placeholder="Your Password" {...field} />)} />
      <Button type="submit">Submit</Button>
    </form>
    <p>No account? <a href="/register">Click here to register</a></p>
  </main>
)
`
  t.same(await tested({ 'src/enter.tsx': laid }), [], 'what lies around a field is none')
  t.ok(patternsOf(await wholeBatch({ 'src/enter.tsx': laid })).includes('submit-label sign in'))
  const rule = (least: number): string =>
    signUp('').replace('autocomplete="new-password"', `autocomplete="new-password" minlength="${least}"`)
  t.same(await tested({ 'join.html': rule(8) }), [])
  t.ok(patternsOf(await found({ 'join.html': rule(8) })).includes('password-rule'))
  const vocabulary = [{ eventName: 'search_result_opened', count: 90_000 }]
  t.same((await batch({ 'results.html': search }, { vocabulary })).proposals, [], 'however many come by')
})

t.test('the same change in several files is one proposal', async (t) => {
  const start = (more: string): string => page(`<h1>All of it for you and the team</h1>${more}`)
  const link = '<a class="btn" href="/login">Get started</a>'
  const files = {
    'index.html': start(`${link}<p>or</p><a href="/login">Get started</a>`),
    'prices.html': start(link),
    'other.html': start('<a href="/register">Make an account</a><a href="/login">Start free</a>'),
  }
  const { proposals } = await batch(files)
  const led = proposals.filter(({ pattern }) => pattern === 'starts-at-sign-up')
  t.same(led.map(({ files: own }) => own.map(({ path, edits }) => [path, edits.length])).sort(), [
    [
      ['index.html', 2],
      ['prices.html', 1],
    ],
    [['other.html', 1]],
  ])
  const both = led.find(({ files: own }) => own.length === 2)
  t.same(
    both?.surfaces.map(({ path }) => path),
    ['index.html', 'prices.html'],
  )
  t.ok(both?.files.every(({ edits }) => edits.every(({ variant }) => variant === 'b')))
})

t.test('a form asks for less of what people like least to give, and is called what it is', async (t) => {
  // In a form to write to somebody it is a small idea.
  const asking = async (files: Files): Promise<Candidate | undefined> =>
    (await found(files)).proposals.find(({ pattern }) => pattern === 'ask-less')
  const field = (name: string, more = ''): string =>
    `<label for="${name}">${name}</label><input id="${name}" name="${name}" ${more}>`
  const form = (heading: string, fields: string): string =>
    page(
      `<h2>${heading}</h2><form>${field('email', 'type="email" required')}${fields}<label for="message">Message</label><textarea id="message" name="message" required></textarea><button>Send it to us</button></form>`,
    )
  const asked = await asking({ 'a.html': form('The offer for you', field('subject') + field('phone')) })
  t.same(
    asked?.variants.map(({ displayName }) => displayName),
    ['Control', 'Without phone number', 'Without phone number and subject'],
  )
  t.match(asked?.hypothesis, 'the “The offer for you” form', 'nothing says contact')
  const twice = form('The offer for you', field('subject') + field('phone'))
  const both = await wholeBatch({
    'a.html': twice,
    'b.html': twice.replaceAll('<input', '<input class="wide"'),
  })
  t.equal(patternsOf(both).filter((one) => one === 'ask-less').length, 1, 'one name is one idea')
  const sent = await asking({ 'a.html': form('It is on its way!', field('subject') + field('phone')) })
  t.match(sent?.hypothesis, 'fill in this form', 'what is called out is no name')
  const company = form('The offer', field('company') + field('city'))
  t.notOk(await asking({ 'a.html': company }), 'whoever answers has to know for whom')
  const script = (code: string): string => `${field('subject')}${field('phone')}<script>${code}</script>`
  const read = await asking({ 'a.html': form('The offer', script("send(data.get('phone'))")) })
  t.same(
    read?.variants.map(({ displayName }) => displayName),
    ['Control', 'Without subject'],
    'code reads the other',
  )
  const kept = await asking({ 'a.html': form('The offer', script("send(data.get('phone') || '')")) })
  t.equal(kept?.variants.length, 3)
  const cast = script("send((data.get('phone') as string) || undefined)")
  t.equal((await asking({ 'a.html': form('The offer', cast) }))?.variants.length, 3)
  const nowhere = form('The offer', field('phone') + field('subject')).replace('<form>', '<form action="#">')
  t.notOk(await asking({ 'a.html': nowhere }), 'nothing is ever sent')
  const address = (kind: string): string =>
    page(
      `<h2>${kind}</h2><form>${field('street-address', 'required')}${field('city', 'required')}${field('postal-code', 'required')}${field('company')}<button>Pay it now</button></form>`,
    )
  t.ok(patternsOf(await found({ 'checkout.html': address('Shipping address') })).includes('ask-less'))
  t.notOk(
    patternsOf(await found({ 'checkout.html': address('Billing address') })).includes('ask-less'),
    'few fill it in, for an invoice',
  )
})

t.test('a line below a button stands below the row that it is in', async (t) => {
  const far =
    '<section><h2>More</h2><p>All of the rest of it is for you and the family.</p></section>'.repeat(20)
  const says = async (row: string): Promise<string> =>
    saysOf(
      await wholeBatch({
        'index.html': page(
          `<main><section class="hero"><h1>The tool for your team</h1>${row}</section>${far}<p>No credit card required</p></main>`,
        ),
      }),
      'promise-at-button',
    ).join()
  const button = '<a class="btn" href="/j">Get started</a>'
  const other = '<a class="btn" href="/k">See prices</a>'
  const line = '<p style="margin-top: 0.5rem"><small>No credit card required</small></p>'
  t.match(await says(`<div>${button}</div>`), `${button} ${line}`)
  t.match(await says(`<div>${button}${other}</div>`), `${other} ${line}`, 'not between the two')
  t.match(await says(`<div class="flex gap-4">${button}${other}</div>`), `</div> ${line}`)
  t.match(await says(`<div class="flex flex-col">${button}</div>`), `${button} ${line}`)
  t.equal(await says(`<div class="flex">${button}<img src="a.png"></div>`), '', 'the row holds more')
})

t.test('sections: what people say, also behind names of companies, and a call midway', async (t) => {
  const home = (...parts: string[]): string =>
    `export const Home = () => (\n  <div>\n    ${parts.map((name) => `<${name} />`).join('\n    ')}\n  </div>\n)\n`
  const voices = (inner: string): string =>
    `export const Testimonials = () => <div><h2>They say</h2>${inner}</div>\n`
  const parts = ['Hero', 'Sponsors', 'Team', 'Blog', 'Gallery', 'Testimonials', 'Footer']
  const at = (inner: string): Promise<Candidate | undefined> =>
    one({ 'src/home.tsx': home(...parts), 'src/parts/testimonials.tsx': voices(inner) }, 'voices-earlier')
  t.equal(
    (await at('<p>They built it for us in time</p>'))?.name,
    'Show what others say one section after the opening: “They say”',
  )
  t.ok(await at('<p>They built it</p><button onClick={turn}>All of them</button>'), 'it only sorts')
  t.notOk(await at('<p>They built it</p><a className="btn" href="/x">All of them</a>'), 'it leads away')
  t.same(
    await tested({ 'src/home.tsx': home('Hero', 'Team', 'Blog', 'Gallery', 'Partners', 'Footer') }),
    [],
    'names alone are passed by',
  )
  const called = await one(
    { 'src/home.tsx': home('Hero', 'Team', 'Blog', 'Gallery', 'Services', 'About', 'CTA', 'Footer') },
    'call-midway',
  )
  t.equal(called?.conversionTargets[0]?.eventName, 'cta_clicked', 'it may lead to another site, or a phone')
  const floats = home('Hero', 'Team', 'Blog', 'Gallery', 'Services', 'About', 'StickyMobileCta', 'Footer')
  t.notOk(await one({ 'src/home.tsx': floats }, 'call-midway'), 'it goes along with the window')
})

t.test('what would not look or work right is left alone', async (t) => {
  const opening = (title: string, end = '.'): string =>
    page(
      `<header><h1 class="${title}">Acme</h1><p>Invoices for people who work for themselves${end}</p></header>`,
    )
  const swaps = async (title: string, end?: string): Promise<boolean> =>
    patternsOf(await found({ 'index.html': opening(title, end) })).includes('opening-says-what-it-is')
  t.equal(await swaps('large'), true)
  t.equal(await swaps('large', '!'), false, 'what is called out says nothing')
  t.equal(await swaps('logo-font'), false, 'a logo is no sentence')

  const plan = (name: string, href: string, kind = 'plan'): string =>
    `<div class="${kind}"><h3>${name}</h3><p>$${name.length}</p><a class="btn" href="${href}">Buy now</a></div>`
  const plans = (href: string, kind = 'plan'): string =>
    page(
      `<h1>The plans for you and your team</h1><div>${plan('One', href)}${plan('Four', href, kind)}${plan('Seven', href)}</div>`,
    )
  const has = async (text: string, pattern: string): Promise<boolean> =>
    patternsOf(await found({ 'p.html': text })).includes(pattern)
  t.equal(await has(plans('/buy'), 'plan-buttons'), true)
  t.equal(await has(plans('#'), 'plan-buttons'), false, 'nothing is sold there')
  t.equal(await has(plans('/buy'), 'plans-dearest-first'), true)
  t.equal(
    await has(plans('/buy', 'plan late'), 'plans-dearest-first'),
    false,
    'it looks otherwise by its place',
  )
  const buildsOn = plans('/buy').replace('<h3>Four</h3>', '<h3>Four</h3><p>Everything in One, and more</p>')
  t.equal(await has(buildsOn, 'plans-dearest-first'), false, 'it is read after what it speaks of')

  const empty = 'export const Cart = () => <div><p>Your cart is empty</p></div>\n'
  const shop = { 'app/products/page.tsx': 'export const Page = () => <h1>All of it</h1>\n' }
  t.ok(patternsOf(await found({ 'src/cart.tsx': empty, ...shop })).includes('empty-cart-way-on'))
  t.notOk(
    patternsOf(await found({ 'src/cart/modal.tsx': empty, ...shop })).includes('empty-cart-way-on'),
    'it would stay open over the page',
  )

  const none = page(
    '<header><h1>All of the projects of your team</h1><a class="btn" href="/new">New project</a></header><div><p>No projects yet</p></div>',
  )
  t.ok(patternsOf(await found({ 'projects.html': none })).includes('first-step-where-empty'))
  t.notOk(patternsOf(await found({ 'my/addresses.html': none })).includes('first-step-where-empty'))

  const fields = Array.from(
    { length: 6 },
    (_, n) => `<input id="f${n}" name="field-${n}" placeholder="Line ${'abcdef'[n]}">`,
  )
  const address = (inner: string): string =>
    page(
      `<h1>Where to send it to you</h1><form id="checkout-shipping"><input id="s" name="street-address" placeholder="Street"><input id="c" name="city" placeholder="City">${inner}<button>Pay it now</button></form>`,
    )
  const other = page('<form><label class="name" for="x">What it is</label><input id="x"></form>')
  const labelled = async (inner: string): Promise<boolean> =>
    patternsOf(await found({ 'checkout.html': address(inner), 'other.html': other })).includes(
      'visible-labels',
    )
  t.ok(await labelled(fields.join('')))
  t.notOk(await labelled(`<div class="input-group">${fields.join('')}</div>`))
  const boxed = page(
    `<div class="fixed"><h1>Where to send it to you</h1><form id="checkout-shipping"><input id="s" name="street-address" placeholder="Street"><input id="c" name="city" placeholder="City">${fields.join('')}<button>Pay it now</button></form></div>`,
  )
  const inBox = await found({ 'checkout.html': boxed, 'other.html': other })
  t.notOk(patternsOf(inBox).includes('visible-labels'), 'it may not fit in')
})

t.test('the bar with the cart stays in sight, where phones show it at all', async (t) => {
  const bar = (cart: string): string =>
    page(
      `<nav class="navbar navbar-light bg-light"><a href="/a">About us</a><a href="/b">Blog of ours</a>${cart}</nav><h1>For you and the team</h1>`,
    )
  const cart = '<a href="/cart">Cart</a>'
  t.same(await tested({ 'a.html': bar(cart) }), ['navigation-in-sight'])
  t.same(await tested({ 'a.html': bar(`<div class="collapse navbar-collapse">${cart}</div>`) }), [])
  const proposal = await one({ 'a.html': bar(cart) }, 'navigation-in-sight')
  t.match(proposal?.hypothesis, 'when “Cart” in the bar is pressed, in all variants')
})

t.test('a form to join has one clear label to try, and ways in are for those who sign up', async (t) => {
  const join = signUp('', 'Join').replace('Create an account for the site', 'Become a member of it')
  const label = await one({ 'register.html': join }, 'join-label')
  t.same(
    label?.variants.map(({ displayName, trafficSplit }) => [displayName, trafficSplit]),
    [
      ['Control', 50],
      ['Create account', 50],
    ],
  )
  const google = '<button type="button">Continue with Google</button>'
  const signIn = page(
    `<h1>Log in to the site</h1><form><input type="email" name="email"><input type="password" name="p"><button type="submit">Log in</button></form>${google}`,
  )
  t.same(await tested({ 'login.html': signIn }), [], 'they know their way in')
  const example =
    'export const Join = () => <div><h1>Create an account for the site</h1><form><input type="email" name="email" /><input type="password" name="p" /><input type="password" name="q" /><button>Submit</button></form></div>\n'
  t.ok((await tested({ 'src/sign-up.jsx': example })).length > 0)
  t.same(await tested({ 'content/blog/forms/sign-up.jsx': example }), [], 'somebody writes about it')
})
