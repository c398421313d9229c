import t from 'tap'
import { batch, found, page, patternsOf, saysOf } from '../../test/support/workspace.js'

const SIGN_UP = (button: string, extra = ''): string => `<main><h1>Create an account for the site</h1>
<form id="join">
  <label for="mail">Your email</label><input id="mail" type="email" name="email">
  <label for="pass">Your password</label><input id="pass" type="password" name="password"${extra}>
  <label for="again">Repeat your password</label><input id="again" type="password" name="repeat">
  ${button}
</form></main>`

t.test('clarity: a button that only says that something is sent', async (t) => {
  const of = async (button: string, lang = 'en'): Promise<string[]> =>
    saysOf(await found({ 'join.html': page(SIGN_UP(button), lang) }), 'submit-label sign up')
  t.same(await of('<button>Submit</button>'), ['Submit → Create account'])
  t.same(await of('<button>SUBMIT</button>'), ['SUBMIT → CREATE ACCOUNT'], 'its case')
  t.same(await of('<button>submit →</button>'), ['submit → → create account →'], 'its arrow')
  t.same(await of('<input type="submit" value="Submit">'), ['Submit → Create account'], 'an attribute')
  t.same(await of('<button>Join us</button>'), [], 'says something already')
  t.same(await of('<button>Next</button>'), [], 'more is asked on the next page')
  t.same(await of('<button>Submit</button><button>Preview</button>'), [], 'which of the two sends?')
  t.same(await of('<button><b>Submit</b> now</button>'), [], 'more words than one text')
})

t.test('clarity: a step of several is not renamed to what comes last', async (t) => {
  const form = `<h1>Send us a message about the site</h1><form><label>Your email <input type="email" name="email"></label>
<label>The message <textarea name="message"></textarea></label><button>BUTTON</button></form>`
  t.same(saysOf(await found({ 'a.html': page(form.replace('BUTTON', 'Submit')) }), 'submit-label contact'), [
    'Submit → Send message',
  ])
  t.same(
    saysOf(await found({ 'a.html': page(form.replace('BUTTON', 'Send')) }), 'submit-label contact'),
    [],
    'below a message nobody wonders what is sent',
  )
  t.same(saysOf(await found({ 'a.html': page(form.replace('BUTTON', 'Next')) }), 'submit-label contact'), [])
})

t.test('clarity: languages, and those in which nothing is written', async (t) => {
  const form = (words: string, button: string): string =>
    page(
      `<h1>${words}</h1><form><input type="email" name="email" id="e"><input type="password" name="p" id="p"><input type="password" name="p2" id="p2"><button>${button}</button></form>`,
      'en',
    )
  const says = async (words: string, button: string): Promise<string[]> =>
    saysOf(await found({ 'a.html': form(words, button) }), 'submit-label sign up')
  t.same(await says('Jetzt registrieren und mit der Arbeit für das Team beginnen', 'Absenden'), [
    'Absenden → Konto erstellen',
  ])
  t.same(await says("Inscription pour les membres de la communauté, c'est par ici avec nous", 'Envoyer'), [
    'Envoyer → Créer un compte',
  ])
  t.same(await says('Crear una cuenta para los miembros de la comunidad con su correo', 'Enviar'), [
    'Enviar → Crear cuenta',
  ])
  t.same(
    await says('Registrera dig och börja arbeta tillsammans med ditt team idag', 'Submit'),
    [],
    'Swedish is left alone',
  )
})

t.test('clarity: a heading that only greets', async (t) => {
  const of = async (body: string): Promise<string[]> =>
    saysOf(await found({ 'a.html': page(body) }), 'greeting-heading page')
  t.same(await of('<h1>Welcome</h1><p>Invoices for people who work for themselves</p>'), [
    'Welcome → Invoices for people who work for themselves',
    '<p>Invoices for people who work for themselves</p> → ',
  ])
  t.same(
    await of('<h1>Invoices for everyone</h1><p>And this is the line below of it</p>'),
    [],
    'says something',
  )
  t.same(await of('<h1>Welcome</h1><p>Hello you</p>'), [], 'the line below says no more')
})

t.test('specificity: buttons of plans, links and dead ends', async (t) => {
  const plan = (name: string, price: string, label: string): string =>
    `<div class="plan"><h3>${name}</h3><p>${price}</p><a class="btn" href="/buy">${label}</a></div>`
  const row = (...plans: string[]): string =>
    page(`<h1>The plans for you and your team</h1><div>${plans.join('\n')}</div>`)
  const alike = await found({ 'p.html': row(plan('Small', '$5', 'Buy now'), plan('Large', '$9', 'Buy now')) })
  t.match(saysOf(alike, 'plan-buttons').join(), 'Choose Small')
  const card = '<div><h3>{one.name}</h3><p>{one.price}</p><a className="btn" href="/buy">Buy now</a></div>'
  const listed = `const plans = [
  { name: 'Small', price: '$5' },
  { name: 'Large', price: '$9' },
]
export const Plans = () => (
  <main>
    <h1>The plans for you and your team</h1>
    <div>{plans.map((one) => ${card})}</div>
  </main>
)
`
  t.same(saysOf(await found({ 'src/plans.tsx': listed }), 'plan-buttons'), [], 'one button is shown for both')
  const differ = await found({
    'p.html': row(plan('Small', '$5', 'Buy now'), plan('Large', '$9', 'Call us')),
  })
  t.same(saysOf(differ, 'plan-buttons'), [], 'they differ already')

  const empty = (body: string): Promise<string[]> =>
    found({ 'e.html': page(`<h1>What you have searched for in the shop</h1>${body}`) }).then((one) =>
      saysOf(one, 'dead-end empty'),
    )
  t.match(
    (await empty('<div><p>No results found.</p></div>')).join(),
    'No results found. Try other words or check the spelling.',
  )
  t.same(
    await empty('<div><p>No results found.</p><p>Try the catalogue</p></div>'),
    [],
    'the next step stands there',
  )

  const cards = (...of: readonly (readonly [string, string])[]): string =>
    page(
      `<h1>All of this is for you</h1><div>${of.map(([heading, links]) => `<div><h3>${heading}</h3>${links}</div>`).join('')}</div>`,
    )
  const named = async (...of: readonly (readonly [string, string])[]): Promise<string[]> =>
    saysOf(await found({ 'c.html': cards(...of) }), 'link-names-its-topic')
  const more = (href: string): string => `<a href="${href}">Learn more</a>`
  t.match(
    (await named(['Team calendar', more('/c')], ['Shared files', more('/f')])).join(),
    /Learn more about Team calendar.*Learn more about Shared files/s,
  )
  t.same(await named(['Team calendar', more('/c')]), [], 'one alone is explained by where it stands')
  t.same(await named(['Team calendar', more('#')], ['Shared files', more('#')]), [], 'they lead nowhere')
  t.same(await named(['Team calendar', more('/a')], ['Shared files', more('/a')]), [], 'to the same page')
  t.same(
    await named(['Team calendar', more('/c')], ['Shared files', more('/f')], ['Why we care', more('/w')]),
    [],
    'one would be left',
  )
  t.same(await named(['Welcome to us', more('/c')], ['Why we care', more('/f')]), [], 'these are no topics')
  t.same(
    await named(
      ['Team calendar', `${more('/c')}<a href="/d">Docs</a>`],
      ['Shared files', `<p>Or ${more('/f')} here</p>`],
    ),
    [],
    'one of two, and one in a sentence',
  )
})

t.test('specificity: free on the button only where the heading says so and nothing costs', async (t) => {
  const of = async (heading: string, more = ''): Promise<string[]> =>
    saysOf(
      await found({
        'a.html': page(
          `<h1>${heading}</h1><form><input type="email" name="email"><input type="password"><button>Create account</button></form>${more}`,
        ),
      }),
      'free-on-button',
    )
  t.match((await of('Create your free account with us')).join(), 'Create free account')
  t.same(await of('Create your account with us'), [], 'not invented')
  t.same(await of('Create your free account with us', '<p>then $9 a month for you</p>'), [], 'it costs later')
})

t.test('friction: labels, autofill, password rule, optional fields', async (t) => {
  const fields =
    '<input id="n" name="first_name" type="text" placeholder="First name"><input id="e" name="email" type="text" placeholder="Email address"><input id="p" type="password" placeholder="Password" minlength="9"><input id="q" type="password" placeholder="Repeat password">'
  const labelled = page('<form><label class="name" for="x">What it is</label><input id="x"></form>')
  const form = (inner: string, other = labelled): Promise<Awaited<ReturnType<typeof found>>> =>
    found({
      'a.html': page(
        `<h1>Create an account for your team</h1><form>${inner}<button>Create account</button></form>`,
      ),
      'b.html': other,
    })
  const labels = saysOf(await form(fields), 'visible-labels').join('\n')
  t.match(
    labels,
    '<label for="n" class="name">First name</label><input id="n" name="first_name" type="text" >',
  )
  t.match(
    saysOf(await form(fields.replace('id="n" ', '')), 'visible-labels').join('\n'),
    '<label for="first_name" class="name">First name</label><input name="first_name" type="text" id="first_name">',
  )
  t.same(saysOf(await form(fields, page('')), 'visible-labels'), [], 'how labels look nobody knows')
  t.same(
    saysOf(await form(`<label for="n">First name</label>${fields}`), 'visible-labels'),
    [],
    'one has a label',
  )
  t.same(
    saysOf(
      await form(
        fields.replace(/<input[^>]*>/g, (one) => `<div><label>What it is</label><p>${one}</p></div>`),
      ),
      'visible-labels',
    ),
    [],
    'labels stand there that nothing ties to the fields',
  )
  t.same(
    saysOf(await form(fields.replace('Email address', 'you@example.com')), 'visible-labels'),
    [],
    'an example names nothing',
  )
  const named = fields.replace(/ placeholder="[^"]*"/g, '')
  const autofill = saysOf(await form(named), 'autofill').join('\n')
  t.match(autofill, 'autocomplete="email"')
  t.match(autofill, 'type="email"')
  t.notMatch(autofill, 'new-password')
  t.same(
    saysOf(await form(named.replace('id="n"', 'id="n" autocomplete="off"')), 'autofill'),
    [],
    'decided already',
  )
  t.match(saysOf(await form(named), 'password-rule').join(), 'At least 9 characters')
  t.same(saysOf(await form(`${named}<p>Use 9 characters or more</p>`), 'password-rule'), [], 'said already')
  t.same(saysOf(await form(named.replace(' minlength="9"', '')), 'password-rule'), [], 'no rule is invented')
  const mixed =
    '<label for="a">Name</label><input id="a" required><label for="b">Company</label><input id="b"><label for="c">City</label><input id="c" required>'
  t.same(
    saysOf(await form(mixed), 'mark-optional').map((one) => one.split(' → ')[1]),
    ['Company (optional)'],
  )
  t.same(saysOf(await form(mixed.replace('Name', 'Name *')), 'mark-optional'), [], 'marked already')
})

t.test('urgency, proof and risk reversal repeat what the page states', async (t) => {
  const far = '<p>'.concat('The product is made for people and for teams of all kinds. '.repeat(20), '</p>')
  const of = async (statement: string, beside = ''): Promise<string[]> =>
    patternsOf(
      await found({
        'a.html': page(
          `<main><section class="hero"><h1>The tool for your team</h1>${far}<a class="btn" href="/j">Get started</a>${beside}</section><section>${far}<p>${statement}</p></section></main>`,
        ),
      }),
    )
  t.same(await of('No credit card required'), ['promise-at-button'])
  t.same(await of('No credit card required?'), [], 'a question is no promise')
  t.same(await of('Tick what you like, no commitment'), [], 'how something is filled in')
  const before = page(
    `<main><section><p>No credit card required</p>${far}</section><section class="hero"><h1>The tool for your team</h1>${far}<a class="btn" href="/j">Get started</a></section></main>`,
  )
  t.same(patternsOf(await batch({ 'a.html': before })), [], 'it has been read')
  t.same(
    await of('No credit card required', '<p>There is no obligation</p>'),
    [],
    'nobody binds themselves there',
  )
  t.same(await of('Trusted by over 900 teams'), ['stated-proof-at-button'])
  for (const open of ['Trusted by over', 'Loved by the', 'Used by more than', 'Rated 4.8 of'])
    t.same(await of(`${open}</p><p>900 teams of all kinds`), [], 'it goes on in the next line')
  t.same(await of('Cancel anytime, except in the first year'), [], 'a condition must not be lost')
  t.same(await of('No credit card required', '<p>Cancel anytime</p>'), [], 'as much is promised there')
  t.same(await of('The tool of the year · No credit card required'), [], 'two things in one line')
  t.same(await of('Trusted by 2,000 teams'), ['stated-proof-at-button'])
  t.same(await of('So kann man Vertrauen aufbauen'), [], 'nobody is said to trust anybody')
  t.same(await of('Trusted by 20 teams'), [], 'so few speak against it')
  t.same(await of('2,000+ reviews'), [], 'how many, and not how good')
  t.same(await of('</p><h2>Loved by teams</h2><p>'), [], 'a heading names what stands below it')
  t.same(await of('The offer ends on 30 June'), ['stated-deadline-at-button'])
  t.same(await of('The offer ends soon'), [], 'no day is invented')
  t.same(await of('Nothing of the kind'), [], 'nothing is invented')
  t.same(await of('No credit card required', '<small>No credit card required</small>'), [], 'it stands there')
})

t.test('proof: voices come earlier, only as far as they are late', async (t) => {
  const section = (words: string, kind = ''): string =>
    `<section class="${kind}"><h2>${words}</h2><p>and some more of its words</p></section>`
  const rest = ['What it is for', 'How it works for you', 'What is in the box'].map((one) => section(one))
  const of = (sections: string[]): Promise<string[]> =>
    found({ 'a.html': page(`<main>${sections.join('\n')}</main>`) }).then(patternsOf)
  t.same(await of([...rest, section('What they say of us', 'testimonials')]), ['voices-earlier'])
  const articles = [...rest, section('What they say of us', 'testimonials')].map((one) =>
    one.replaceAll('section', 'article'),
  )
  t.same(await of(articles), [], 'one of several articles')
  const composite = section('What they say of us', 'testimonials').replace('some more', 'composite accounts')
  t.same(await of([...rest, composite]), [], 'nobody has said it so')
  const counted = ['What it is for', 'How it works for you', 'What is in the box'].map((one, at) =>
    section(`0${at + 1} / ${one}`),
  )
  t.same(await of([...counted, section('04 / What they say of us', 'testimonials')]), [], 'they are counted')
  t.same(await of([rest[0] ?? '', section('What they say of us', 'testimonials'), ...rest.slice(1)]), [])
})

t.test('default choice: one plan is recommended, one button is the main one', async (t) => {
  const plan = (name: string, price: string, kind = 'plan'): string =>
    `<div class="${kind}"><h3>${name}</h3><p>${price} a month</p><a class="btn" href="/${name}">Take ${name}</a></div>`
  const row = async (...plans: string[]): Promise<string[]> =>
    patternsOf(
      await found({
        'p.html': page(`<h1>The plans for you and your team</h1><div>${plans.join('\n')}</div>`),
      }),
    )
  t.ok((await row(plan('One', '$1'), plan('Two', '$2'), plan('Six', '$6'))).includes('recommended-plan'))
  t.notOk(
    (await row(plan('One', '$1'), plan('Two', '$2', 'plan featured'), plan('Six', '$6'))).includes(
      'recommended-plan',
    ),
  )
  t.notOk(
    (await row(plan('One', '$1'), plan('Two', '$2'))).includes('recommended-plan'),
    'two have no middle',
  )
  t.notOk(
    (await row(plan('One', '$1'), plan('Two', '$1'), plan('Six', '$1'))).includes('recommended-plan'),
    'things of one price are no plans',
  )
  const buttons = (main: string): string =>
    page(
      `<h1>The settings of your site</h1><div><a class="btn btn-primary" href="/s">${main}</a><a class="btn btn-primary" href="/x">Cancel</a></div>`,
    )
  const styled = page('<div><a class="btn btn-outline-secondary" href="/">The start of this site</a></div>')
  t.ok(patternsOf(await found({ 'a.html': buttons('Save'), 'b.html': styled })).includes('one-main-button'))
  t.notOk(
    patternsOf(await found({ 'a.html': buttons('Save') })).includes('one-main-button'),
    'the site has no quieter style',
  )
  t.notOk(
    patternsOf(await found({ 'a.html': buttons('Accept cookies'), 'b.html': styled })).includes(
      'one-main-button',
    ),
    'consent weighs the same',
  )
})

t.test('order: ways in, plans, codes, products', async (t) => {
  const login = (first: string, last: string): string =>
    page(
      `<h1>Log in to the site</h1><form>${first}<input type="email" name="email"><input type="password" name="p">${last}<button type="submit">Log in</button></form>`,
    )
  const google = '<button type="button">Continue with Google</button>'
  t.ok(patternsOf(await found({ 'l.html': login('', google) })).includes('providers-first'))
  t.notOk(patternsOf(await found({ 'l.html': login(google, '') })).includes('providers-first'))
  const cart = (inner: string): string =>
    `export function Cart() {\n  return (\n    <div>\n${inner}\n    </div>\n  )\n}\n`
  const lines = ['      <CartTotals />', '      <CartDiscounts />', '      <CartCheckoutActions />']
  const codes = async (
    inner: readonly (string | undefined)[],
    part = '<input name="code" />',
  ): Promise<boolean> =>
    patternsOf(
      await found({
        'src/cart.tsx': cart(inner.join('\n')),
        'src/cart-discounts.tsx': `export const CartDiscounts = () => <div>${part}</div>\n`,
      }),
    ).includes('checkout-before-codes')
  t.equal(await codes(lines), true)
  t.equal(await codes([lines[0], lines[2], lines[1]]), false)
  t.equal(await codes(lines, '{isOpen && <input name="code" />}'), false, 'it is folded away')
  t.notOk(
    patternsOf(await found({ 'src/cart.tsx': cart(lines.join('\n')) })).includes('checkout-before-codes'),
    'nobody knows what is in it',
  )
  const whole = (part: string): string =>
    `${cart(lines.join('\n'))}function CartDiscounts() {\n  return <div>${part}</div>\n}\n`
  const inOne = async (part: string): Promise<boolean> =>
    patternsOf(await found({ 'src/cart.tsx': whole(part) })).includes('checkout-before-codes')
  t.equal(await inOne('<input name="code" />'), true, 'it is in the same file')
  t.equal(await inOne('<p>Codes are taken at the counter</p>'), false)
})

t.test('order: what sends comes before what throws away, where they look alike', async (t) => {
  const form = (quiet: string): string =>
    page(
      `<h1>The settings of your site</h1><form><label>Your name <input name="n"></label><div><button type="reset" class="${quiet}">Reset</button>\n<button type="submit" class="btn">Save</button></div></form>`,
    )
  t.ok(patternsOf(await found({ 'a.html': form('btn') })).includes('send-before-cancel'))
  t.notOk(patternsOf(await found({ 'a.html': form('btn quiet') })).includes('send-before-cancel'))
  const home = (first: string, second: string): string =>
    `export default () => (\n  <div>\n    <Header />\n    <${first} />\n    <${second} />\n  </div>\n)\n`
  const shop = async (first: string, second: string): Promise<string[]> =>
    patternsOf(await found({ 'app/routes/_index.tsx': home(first, second) }))
  t.same(await shop('Collections', 'RecommendedProducts'), ['products-first'])
  t.same(await shop('Hero', 'RecommendedProducts'), [], 'what the page says of itself stays first')
})

t.test('text from constants and properties, in each kind of component', async (t) => {
  const fields =
    '<input type="email" name="email" /><input type="password" name="p" /><input type="password" name="q" />'
  const heading = '<h1>Create an account for the site</h1>'
  const jsx = `export const Join = () => {\n  const label = 'Submit'\n  return <div>${heading}<form>${fields}<button>{label}</button></form></div>\n}\n`
  t.same(saysOf(await found({ 'src/join.tsx': jsx }), 'submit-label sign up'), [
    "'Submit' → 'Create account'",
  ])
  const property = `export function Join({ label = "Submit" }) { return <div>${heading}<form>${fields}<button>{label}</button></form></div> }\n`
  t.same(saysOf(await found({ 'src/join.jsx': property }), 'submit-label sign up'), [
    '"Submit" → "Create account"',
  ])
  const vue = `<script setup>\nconst label = 'Submit'\n</script>\n<template><div>${heading}<form>${fields}<button>{{ label }}</button></form></div></template>\n`
  t.same(saysOf(await found({ 'src/Join.vue': vue }), 'submit-label sign up'), [
    "'Submit' → 'Create account'",
  ])
  const svelte = `<script>\n  let { label = 'Submit' } = $props()\n</script>\n<div>${heading}<form>${fields}<button>{label}</button></form></div>\n`
  t.same(saysOf(await found({ 'src/Join.svelte': svelte }), 'submit-label sign up'), [
    "'Submit' → 'Create account'",
  ])
  t.same(
    saysOf(await found({ 'src/join.tsx': `${jsx}// 'Submit'\n` }), 'submit-label sign up'),
    ["label = 'Submit' → label = 'Create account'"],
    'with its name it stands there once',
  )
  const twice = await found({ 'src/join.tsx': `${jsx}// label = 'Submit'\n` })
  t.same(saysOf(twice, 'submit-label sign up'), [])
  t.ok(
    twice.dropped.some(({ reason }) => reason === 'ambiguous'),
    'counted',
  )
})
