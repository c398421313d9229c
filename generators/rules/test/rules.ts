import t from 'tap'
import { html } from '../../test/support/sites.js'
import { batch, type Files } from '../../test/support/workspace.js'
import { RULES } from '../index.js'

/** The names of what one rule proposes for a site. */
const proposed = async (ruleId: string, files: Files): Promise<string[]> => {
  const { proposals } = await batch(files, { count: 20 })
  return proposals.filter((one) => one.ruleId === ruleId).map(({ name }) => name)
}
const never = async (
  test: { same(found: unknown, wanted: unknown, why: string): unknown },
  ruleId: string,
  files: Files,
  why: string,
) => test.same(await proposed(ruleId, files), [], why)

t.test('there are twelve', async (t) => t.equal(RULES.length, 12))

const SIGN_UP = `<h1>Create your account</h1><form id="join" action="/join" method="post">
<p><label for="e">Email</label> <input id="e" name="email" type="email" required></p>
<p><label for="w">Password</label> <input id="w" name="password" type="password" required></p>
<p><label for="c">Company</label> <input id="c" name="company"></p>
<p><label for="f">Phone</label> <input id="f" name="phone" type="tel"></p>
<button>Submit</button></form>`
const page = (body: string, script = ''): string =>
  html('Join', `${body}${script === '' ? '' : `<script>${script}</script>`}`)
const sends = (body: string): string =>
  `const form = document.getElementById('join'); form.onsubmit = (event) => { event.preventDefault(); ${body} }`

t.test('remove-unread-field: what code or a server reads stays', async (t) => {
  const rule = 'remove-unread-field'
  const server = (code: string): Files => ({
    'join.html': page(SIGN_UP),
    'server.js': `app.post('/join', async (req, res) => { ${code} })`,
  })
  t.same(await proposed(rule, server('await save({ email: req.body.email, password: req.body.password })')), [
    'Stop asking for “Company” and “Phone” at sign-up',
  ])
  t.same(
    await proposed(
      rule,
      server('const { email, password, phone } = req.body; await save(email, password, phone)'),
    ),
    ['Stop asking for “Company” at sign-up'],
  )
  await never(t, rule, server('await save(req.body)'), 'all of it is stored')
  await never(
    t,
    rule,
    server('const body = req.body; await save(body)'),
    'all of it is stored by another name',
  )
  await never(
    t,
    rule,
    server('const { email, ...rest } = req.body; await save(email, rest)'),
    'the rest is stored',
  )
  await never(t, rule, { 'join.html': page(SIGN_UP) }, 'the server is not known')
  await never(
    t,
    rule,
    {
      ...server('save(req.body.email)'),
      'other.js': "router.post('/join', (req) => save(req.body.company))",
    },
    'two answer',
  )
  const scripts: Readonly<Record<string, boolean>> = {
    "fetch('/j', { body: JSON.stringify({ email: form.email.value, password: form.password.value }) })": true,
    "fetch('/j', { body: new FormData(form) })": false,
    "fetch('/j', { body: JSON.stringify(Object.fromEntries(new FormData(form))) })": false,
    "const data = new FormData(form); fetch('/j', { body: data.get('email') })": true,
    "const data = new FormData(form); send(data); fetch('/j', { body: data.get('email') })": false,
    "fetch('/j', { body: read(form) + form.email.value })": false,
    "for (const one of form.elements) collect(one); fetch('/j', { body: form.email.value })": false,
  }
  for (const [code, isProposed] of Object.entries(scripts))
    t.equal((await proposed(rule, { 'join.html': page(SIGN_UP, sends(code)) })).length > 0, isProposed, code)
  const reads =
    "const company = document.getElementById('c').value; fetch('/j', { body: company + form.email.value + form.phone.value })"
  await never(t, rule, { 'join.html': page(SIGN_UP, sends(reads)) }, 'by its id')
})

t.test('remove-unread-field in components', async (t) => {
  const rule = 'remove-unread-field'
  const component = (submit: string, more = ''): Files => ({
    'src/pages/Join.jsx': `import { useState } from 'react'
export function Join() {
  const [email, setEmail] = useState('')
  const [company, setCompany] = useState('')
  ${more}
  const onSubmit = (event) => { event.preventDefault(); ${submit} }
  return <form onSubmit={onSubmit}><h1>Sign up for the beta</h1>
    <label>Email <input type="email" value={email} onChange={(e) => setEmail(e.target.value)} /></label>
    <label>Company <input value={company} onChange={(e) => setCompany(e.target.value)} /></label>
    <button>Join the beta</button></form>
}
`,
  })
  t.same(await proposed(rule, component('send({ email })')), ['Stop asking for “Company” at sign-up'])
  await never(t, rule, component('send({ email, company })'), 'it is sent')
  await never(
    t,
    rule,
    component('send({ email })', 'useEffect(() => track(company), [company])'),
    'it is tracked',
  )
  await never(
    t,
    rule,
    component('send({ email })', "useEffect(() => setCompany('x'), [])"),
    'it is set for a reason',
  )
  await never(t, rule, component('onDone()'), 'nothing shows what is read')
})

t.test('optional-phone: only if nothing insists on it', async (t) => {
  const rule = 'optional-phone'
  const contact = (phone: string, action = 'https://formspree.io/f/x'): Files => ({
    'contact.html': page(`<h1>Contact us</h1><form action="${action}" method="post">
<p><label for="e">Email</label> <input id="e" name="email" type="email" required></p>
<p><label for="f">Phone</label> ${phone}</p><p><label for="m">Message</label> <textarea id="m" name="message"></textarea></p>
<button>Ask the workshop</button></form>`),
  })
  const required = '<input id="f" name="phone" type="tel" required>'
  t.same(await proposed(rule, contact(required)), ['Make “Phone” optional in the contact form'])
  t.same(await proposed(rule, contact('<input id="f" name="phone" type="tel">', '/contact')), [
    'Say that “Phone” is optional in the contact form',
  ])
  await never(t, rule, contact(required, '/contact'), 'the server may insist')
  const bare = contact('<input name="phone" type="tel" required placeholder="Your number">')
  const unlabelled = {
    'contact.html': (bare['contact.html'] ?? '').replace('<label for="f">Phone</label>', ''),
  }
  t.same(await proposed(rule, unlabelled), ['Make “Your number” optional in the contact form'])
  const server = (code: string): Files => ({
    ...contact(required, '/contact'),
    'server.js': `app.post('/contact', (req) => {\n${code}\n})`,
  })
  t.equal(
    (await proposed(rule, server('mail({\n email: req.body.email,\n phone: req.body.phone\n})'))).length,
    1,
  )
  await never(
    t,
    rule,
    server('if (!req.body.phone) throw new Error("phone")\nmail(req.body.email)'),
    'the server insists',
  )
  await never(t, rule, contact('<input id="f" name="phone" type="tel" placeholder="Optional">'), 'it says so')
})

t.test('single-password', async (t) => {
  const rule = 'single-password'
  const join = (submit: string): Files => ({
    'src/pages/Join.jsx': `import { useState } from 'react'
export function Join() {
  const [email, setEmail] = useState('')
  const [first, setFirst] = useState('')
  const [second, setSecond] = useState('')
  return <form onSubmit={() => { if (first === second) ${submit} }}>
    <input type="email" value={email} onChange={(e) => setEmail(e.target.value)} />
    <input type="password" placeholder="Password" value={first} onChange={(e) => setFirst(e.target.value)} />
    <input type="password" placeholder="Repeat it" value={second} onChange={(e) => setSecond(e.target.value)} />
    <button>Create account</button></form>
}
`,
  })
  const [only] = (await batch(join('send(email, first)'))).proposals.filter((one) => one.ruleId === rule)
  t.match(
    JSON.stringify(only?.files),
    'setFirst(e.target.value); setSecond(e.target.value)',
    'what compares them still does',
  )
  await never(
    t,
    rule,
    {
      'join.html': page(
        '<h1>Sign up</h1><form><input name="p" type="password"><input name="repeat" type="password"><button>Go</button></form>',
      ),
    },
    'a server may compare them',
  )
})

t.test('specific-cta-label', async (t) => {
  const rule = 'specific-cta-label'
  const join = (button: string, lang = 'en'): Files => ({
    'join.html': html(
      'Join',
      `<h1>Newsletter</h1><form action="/subscribe"><input type="email" name="email">${button}</form>`,
      lang,
    ),
  })
  t.same(await proposed(rule, join('<button>Submit</button>')), [
    'Say “Subscribe to the newsletter” instead of “Submit” for the newsletter',
  ])
  t.same(await proposed(rule, join('<input type="submit" value="OK">')), [
    'Say “Subscribe to the newsletter” instead of “OK” for the newsletter',
  ])
  await never(t, rule, join('<button>Get the news</button>'), 'it says what happens')
  await never(t, rule, join('<button>Submit</button><button>Cancel</button>'), 'which of two is meant')
  await never(t, rule, join('<button>Submit</button>', 'nl'), 'no words in this language')
  const link = (more: string): Files => ({
    'index.html': html('Home', `<h1>Lamps for your home</h1><p>${more}</p>`),
  })
  t.same(await proposed(rule, link('<a href="/pricing">Learn more</a>')), [
    'Say “See plans and prices” instead of “Learn more” on the page',
  ])
  await never(
    t,
    rule,
    link('<a href="/about-oak">Learn more</a>'),
    'where it leads is not told by its address',
  )
})

t.test('links that say what they are about', async (t) => {
  const rule = 'specific-cta-label'
  const cards = (second: string): Files => ({
    'index.html': html(
      'Home',
      `<h1>Lamps for your home</h1><div><h3>Oak lamps</h3><p>Warm</p><a href="/oak">Learn more</a></div><div><h3>Ash lamps</h3><p>Light</p>${second}</div>`,
    ),
  })
  const { proposals } = await batch(cards('<a href="/ash">Learn more</a>'))
  t.same(
    proposals.map(({ name }) => name),
    ['Say in “Learn more” what it is about: “Learn more about Oak lamps”'],
  )
  t.match(JSON.stringify(proposals[0]?.files), 'Learn more about Ash lamps', 'all of them at once')
  await never(
    t,
    rule,
    {
      'index.html': html(
        'Home',
        '<h1>Lamps for your home</h1><div><h3>Oak</h3><a href="/a">Learn more</a><a href="/b">Buy</a></div>',
      ),
    },
    'one of two links',
  )
})

t.test('reassurance-near-cta repeats what the site says, and nothing else', async (t) => {
  const rule = 'reassurance-near-cta'
  const shop = (said: string, beside = ''): Files => ({
    'cart.html': html(
      'Cart',
      `<h1>Your cart</h1><p>Two lamps</p><div>${beside}<a class="btn" href="checkout.html">Check out now</a></div>`,
    ),
    'shipping.html': html('Shipping', `<h1>Shipping and returns of our lamps</h1><p>${said}</p>`),
  })
  t.same(await proposed(rule, shop('Free returns within 30 days.')), [
    'Repeat “Free returns within 30 days” next to “Check out now”',
  ])
  await never(t, rule, shop('We ship twice a week.'), 'nothing is promised')
  await never(t, rule, shop('Free returns within 30 days, unless it is broken.'), 'under a condition')
  await never(
    t,
    rule,
    shop('Free returns within 30 days.', '<p>Free returns within 30 days</p>'),
    'it stands there',
  )
  await never(
    t,
    rule,
    {
      ...shop('Free returns within 30 days.'),
      'faq.html': html('FAQ', '<h1>Questions about the shop</h1><p>Free returns within 14 days</p>'),
    },
    'two pages promise different things',
  )
})

t.test('labels that change while something is under way, and parts of a page in another order', async (t) => {
  const join = (label: string): Files => ({
    'src/pages/Join.svelte': `<h1>Create your account</h1><form on:submit={send}>
<label>Email <input type="email" bind:value={email} /></label>
<label>Password <input type="password" bind:value={password} /></label><button>${label}</button></form>`,
  })
  const idle = ["{busy ? 'Please wait...' : 'Submit'}", '{#if busy}Sending…{:else}Submit{/if}']
  for (const label of idle)
    t.same(await proposed('specific-cta-label', join(label)), [
      'Say “Create my account” instead of “Submit” at sign-up',
    ])
  await never(t, 'specific-cta-label', join("{busy ? 'Stop' : 'Submit'}"), 'two labels mean something')
  const home = (parts: string): Files => ({
    'src/pages/Home.jsx': `export default () => <main>${parts}</main>`,
  })
  const long = '<Hero /><Features /><Steps /><Team /><Testimonials /><Contact />'
  t.same(await proposed('reassurance-near-cta', home(long)), [
    'Show what customers say right after the opening',
  ])
  await never(
    t,
    'reassurance-near-cta',
    home('<Hero /><Testimonials /><Features /><Steps /><Team />'),
    'it is there',
  )
  await never(t, 'reassurance-near-cta', home('<Hero /><Features /><Testimonials />'), 'it is short')
})

t.test('what visitors could press, in Portuguese', async (t) => {
  const contact = (way: string): Files => ({
    'contato.html': html(
      'Contato',
      `<h1>Fale conosco</h1><p>Respondemos em até 2 horas.</p><p>${way}</p>
<form action="/contato" method="post"><label>E-mail <input type="email" name="email" required></label>
<label>Sua mensagem <textarea name="mensagem" required></textarea></label><button>Enviar</button></form>`,
      'pt',
    ),
  })
  t.same(await proposed('specific-cta-label', contact('')), [
    'Say “Enviar minha mensagem” instead of “Enviar” in the contact form',
  ])
  const call = 'Let visitors call by pressing the telephone number'
  t.same(await proposed('dead-end-cta', contact('Telefone: +55 (11) 4002-8922')), [call])
  await never(
    t,
    'dead-end-cta',
    contact('<a href="tel:+551140028922">+55 (11) 4002-8922</a>'),
    'it can be pressed',
  )
  await never(t, 'dead-end-cta', contact('09:00 - 18:00, 2025-2026'), 'these are no numbers to call')
})

t.test('openings: hero-cta and single-primary-cta', async (t) => {
  const hero = (more: string, rest = '<p><a class="btn" href="/signup">Try it</a></p>'): Files => ({
    'index.html': html(
      'Home',
      `<section><h1>Lamps for your home</h1><p>By hand, in the old mill</p>${more}</section>${rest}`,
    ),
  })
  t.same(await proposed('hero-cta', hero('')), ['Put “Try it” into the opening of the page'])
  await never(t, 'hero-cta', hero('<a class="btn" href="/tour">Tour</a>'), 'there is a way on')
  t.same(await proposed('hero-cta', hero('<a class="btn" href="#how">How it works</a>')), [
    'Put “Try it” into the opening of the page',
  ])
  const home: Files = {
    'src/Home.jsx': `import Nav from './Nav'
export default () => <main><Nav /><section><h1>Lamps for your home</h1><p>By hand, in the old mill</p></section></main>`,
    'src/Nav.jsx': `export default () => <nav><a href="/lamps">Lamps</a><a href="/book">Book a visit</a><a href="/about">About</a></nav>`,
  }
  t.same(await proposed('hero-cta', home), ['Put “Book a visit” into the opening of the page'])
  t.same(await proposed('single-primary-cta', home), [], 'the site has no style for buttons')
  const styled = { ...home, 'src/Foot.jsx': '<p className="btn btn-primary">Hello</p>' }
  t.same(await proposed('single-primary-cta', { ...home, ...styled }), [
    'Make “Book a visit” in the navigation a button',
  ])
  await never(t, 'hero-cta', hero('', '<p><a href="/blog">Blog</a></p>'), 'there is nothing to lead to')
  await never(
    t,
    'hero-cta',
    hero('', '<p><a id="cta" href="/signup">Try it</a></p>'),
    'it cannot stand there twice',
  )
  const two =
    '<a class="btn btn-primary" href="/signup">Try it</a> <a class="btn btn-primary" href="/tour">Tour</a>'
  const other = '<a class="btn btn-outline" href="/blog">Blog</a>'
  t.same(await proposed('single-primary-cta', hero(two, other)), ['Let “Try it” stand out from “Tour”'])
  await never(t, 'single-primary-cta', hero(two, ''), 'the site has no quieter button')
  await never(t, 'single-primary-cta', hero(two.replace('/tour', '/pricing'), other), 'both are goals')
})

t.test('default-selection, delayed-popup, dead-end-cta, highlight-plan, collapse-coupon', async (t) => {
  const choice = (first: string, second = '', name = 'delivery'): Files => ({
    'order.html': html(
      'Order',
      `<h1>Your order with us</h1><form><label><input type="radio" name="${name}" value="a"${second}> Standard ${first}</label><label><input type="radio" name="${name}" value="b"> Express</label><button>Order now</button></form>`,
    ),
  })
  t.same(await proposed('default-selection', choice('(recommended)')), ['Preselect “Standard (recommended)”'])
  await never(t, 'default-selection', choice(''), 'the page recommends none')
  await never(t, 'default-selection', choice('(recommended)', ' checked'), 'one is selected')
  await never(
    t,
    'default-selection',
    choice('(recommended)', '', 'payment'),
    'a choice that only the visitor can make',
  )

  const popup = (call: string): Files => ({
    'src/App.jsx': `import x from './x'\nexport default function App() { useEffect(() => { ${call} }, []); return <p>Tea for you and for me</p> }\n`,
  })
  t.same(await proposed('delayed-popup', popup('setTimeout(() => setShowPopup(true), 2000)')), [
    'Wait 30 seconds before the pop-up opens',
  ])
  await never(t, 'delayed-popup', popup('setTimeout(() => setShowPopup(true), 45000)'), 'late enough')
  await never(t, 'delayed-popup', popup('setTimeout(() => closeModal(), 2000)'), 'it closes')

  const cart = (more: string): Files => ({
    'cart.html': html('Cart', `<h1>Cart</h1><div><p>Your cart is empty</p>${more}</div>`),
  })
  t.same(await proposed('dead-end-cta', cart('')), ['Offer a way on if the cart is empty'])
  await never(t, 'dead-end-cta', cart('<a href="/lamps">Lamps</a>'), 'there is a way on')

  const plan = (name: string, price: string, more = ''): string =>
    `<div class="plan"><h3>${name}</h3><p>${price} per month</p>${more}<a href="/join?plan=${name}">Choose</a></div>`
  const plans = (...all: string[]): Files => ({
    'pricing.html': html('Plans', `<h1>The plans that we have for you</h1><div>${all.join('')}</div>`),
  })
  t.same(
    await proposed('highlight-plan', plans(plan('Free', '$0'), plan('Team', '$9'), plan('Firm', '$30'))),
    ['Mark the plan “Firm” as recommended'],
  )
  await never(
    t,
    'highlight-plan',
    plans(plan('Team', '$9', '<b>Most popular</b>'), plan('Firm', '$30')),
    'one is marked',
  )
  await never(
    t,
    'highlight-plan',
    plans(plan('Team', '$9'), plan('Firm', '$30').replace('"plan"', '"plan featured"')),
    'one looks marked',
  )

  const checkout = (more: string): Files => ({
    'checkout.html': html(
      'Checkout',
      `<h1>Checkout of your order</h1>${more}<p><a href="/pay">Pay for it</a></p>`,
    ),
  })
  const coupon =
    '<div><label>Promo code <input name="coupon"></label> <button type="button">Apply</button></div>'
  t.same(await proposed('collapse-coupon', checkout(coupon)), ['Fold the coupon field away at checkout'])
  await never(
    t,
    'collapse-coupon',
    checkout(`<details><summary>Code?</summary>${coupon}</details>`),
    'it is folded',
  )
})

t.test('places that visitors do not see are left alone', async (t) => {
  const form = page(SIGN_UP)
  t.same(
    (
      await batch({
        'admin/join.html': form,
        'test/join.html': form,
        'dist/join.html': form,
        'privacy.html': form,
      })
    ).generated,
    0,
  )
  const part =
    'export const Join = () => <form><h1>Sign up</h1><input type="email" name="email" /><input type="password" name="p" /><button>Submit</button></form>\n'
  const site = {
    'src/App.jsx': "import { Join } from './Join'\nexport default () => <Join />\n",
    'src/Join.jsx': part,
    'src/Old.jsx': part,
  }
  const result = await batch(site)
  t.same(
    result.proposals.map(({ surfaces }) => surfaces[0]?.path),
    ['src/Join.jsx'],
  )
  t.same(result.dropped, [{ reason: 'never_shown', count: 1 }])
})
