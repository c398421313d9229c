import t from 'tap'
import { filterCandidates } from '../../filter.js'
import { BatchRecord } from '../../port.js'
import { html } from '../../test/support/sites.js'
import { batch, type Files, requestOf } from '../../test/support/workspace.js'
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

t.test('each has its own id', async (t) =>
  t.equal(new Set(RULES.map(({ ruleId }) => ruleId)).size, RULES.length),
)

const page = (body: string, lang?: string): string => html('Page', body, lang)

t.test('form-autofill names the fields of forms with which visitors become customers', async (t) => {
  const rule = 'form-autofill'
  const field = (label: string, more = ''): string => `<p><label>${label} <input ${more}></label></p>`
  const booking = (fields: string, title = 'Book a table', path = 'booking.html'): Files => ({
    [path]: page(`<h1>${title}</h1><form action="/send">${fields}<button>Send it</button></form>`),
  })
  const changed = (files: Files, from: string, to: string): Files =>
    Object.fromEntries(Object.entries(files).map(([path, text]) => [path, text.replace(from, to)]))
  const three = field('Your name', 'name="who"') + field('E-mail') + field('Phone', 'type="number"')
  const { proposals } = await batch(booking(three))
  t.same(
    proposals.flatMap(({ ruleId, name, files }) =>
      ruleId === rule ? [name, ...(files[0]?.edits.map(({ replace }) => replace) ?? [])] : [],
    ),
    [
      'Let browsers fill in the booking form',
      '<input autocomplete="name" name="who">',
      '<input type="email" autocomplete="email" >',
      '<input autocomplete="tel" type="tel">',
    ],
  )
  const german = booking(
    field('Vorname') + field('Nachname') + field('Telefon', 'type="tel"') + field('Firma', 'tabindex="-1"'),
    'Termin buchen',
  )
  t.match(JSON.stringify((await batch(german)).proposals), /given-name.*family-name.*\\"tel/)
  t.notMatch(JSON.stringify((await batch(german)).proposals), 'organization', 'a trap for programs')
  await never(t, rule, booking(field('Your name') + field('E-mail')), 'it is short')
  const known = three.replaceAll('<input', '<input autocomplete="on"').replace('number', 'tel')
  await never(t, rule, booking(known), 'the fields say it')
  const message = (fields: string): Files => booking(fields, 'Contact us', 'contact.html')
  t.same(await proposed(rule, message(three)), ['Let browsers fill in the contact form'])
  await never(t, rule, message(three.replace('Phone', 'Subject')), 'a message is short')
  const clear = (phone: string): Files =>
    message(field('Name', 'name="name"') + field('E-mail', 'id="email" type="email"') + field('Phone', phone))
  await never(t, rule, clear('name="phone" type="tel"'), 'browsers know these fields')
  const booked = changed(clear('name="phone" type="tel"'), 'Contact us', 'Book a table')
  await never(t, rule, booked, 'also in a booking')
  const either = booking(three.replace('Your name', 'Name / Company'))
  await never(t, rule, either, 'a field for one of two')
  for (const unclear of ['type="tel"', 'name="phone" type="tel" pattern="[0-9]{10}"'])
    t.equal((await proposed(rule, clear(unclear))).length, 1, unclear)
  await never(t, rule, clear('name="phone"'), 'browsers know the names, and a message is short')
  await never(t, rule, booking(three, 'Contact us', 'create-business.html'), 'a person of the business')
  const address = field('Street') + three
  t.match(JSON.stringify((await batch(booking(address))).proposals), 'address-line1', 'an input has one line')
  const lines = booking(`${three}<label>Street address <textarea></textarea></label>`)
  t.match(
    JSON.stringify((await batch(lines)).proposals),
    'textarea autocomplete=\\"street-address',
    'several lines',
  )
  const two = JSON.stringify((await batch(booking(`${address}${field('Address (optional)')}`))).proposals)
  t.match(two, /address-line1.*address-line2/s, 'its second line')
  const parted = JSON.stringify((await batch(booking(address + field('ZIP')))).proposals)
  t.match(parted, 'address-line1')
  const national = three.replace('type="number"', 'pattern="[0-9]{10}"')
  t.match(JSON.stringify((await batch(booking(national))).proposals), '"tel-national')
  const others = three + field('Middle name') + field('User name', 'name="username"')
  t.equal(
    JSON.stringify((await batch(booking(others))).proposals).split('\\"name\\"').length,
    2,
    'one whole name',
  )
  const french = booking(field('Prénom') + field('Nom') + field('E-mail'), 'Réserver une table')
  t.match(JSON.stringify((await batch(french)).proposals), /given-name.*family-name/, 'the last name')
  const ofOthers = booking(three + field('Relationship to you'), 'Add a family member', 'booking/member.html')
  await never(t, rule, ofOthers, 'the browser knows another person')
  const own = `export const Booking = () => <form onSubmit={send}><h1>Book a table</h1><Field label="Name" /><Field label="E-mail" /><Field label="Phone" /></form>\n`
  await never(t, rule, { 'src/pages/Booking.jsx': own }, 'components may not pass attributes on')
  const passing = (input: string): Files => ({
    'src/pages/Booking.jsx': `import { Field } from '../Field'\n${own}`,
    'src/Field.jsx': `export function Field({ label, ...rest }) { return <label>{label} ${input}</label> }\n`,
  })
  t.equal((await proposed(rule, passing('<input {...rest} />'))).length, 1, 'this one does')
  const idle = changed(passing('<input {...rest} />'), ' onSubmit={send}', '')
  await never(t, rule, idle, 'its code does nothing with it')
  await never(t, rule, changed(booking(three), '/send', '//forms.example.net/f/your-form-id'), 'a sample')
  await never(t, rule, changed(booking(three), '/send', '#'), 'it posts nowhere')
  const sending = (code: string): Files =>
    changed(
      passing('<input {...rest} />'),
      'export const Booking',
      `const send = async () => { ${code} }\nexport const Booking`,
    )
  t.equal((await proposed(rule, sending('await post(data)'))).length, 1)
  const waits = 'await new Promise((resolve) => setTimeout(resolve, 1000))'
  await never(t, rule, sending(waits), 'it only waits')
  t.equal((await proposed(rule, sending(`${waits}; await fetch('/api/book', { method: 'POST' })`))).length, 1)
  await never(t, rule, sending("location.href = 'mailto:[email protected]'"), 'to an address that is masked')
  const typed = JSON.stringify((await batch(booking(three.replace('number', 'text')))).proposals)
  t.match(typed, /inputmode=\\"tel\\" type=\\"text\\"/, 'styles may select it by its type')
  const frame = '<iframe src="https://calendly.com/lamps/30min"></iframe>'
  await never(t, rule, booking(`${frame}${three}`), 'a service takes the bookings')
  await never(t, rule, passing('<input autoComplete="off" {...rest} />'), 'for a reason')
  const state = (first: string): Files => ({
    'src/pages/Booking.jsx': `export const Booking = () => { const [data, setData] = useState(${first})
  return <form><h1>Book a table</h1>${['name', 'email', 'phone'].map((one) => `<input name="${one}" value={data.${one}} />`).join('')}</form> }\n`,
  })
  t.equal((await proposed(rule, state('{}'))).length, 1)
  await never(t, rule, state('{ name: user?.name }'), 'the account fills it in')
  const lastName = booking(field('Name') + field('Nachname') + field('E-Mail'), 'Termin buchen')
  t.match(JSON.stringify((await batch(lastName)).proposals), /given-name.*family-name/, 'the first name')
  const paid = page(`<h1>Your order</h1><form>${field('Name') + field('Street') + field('ZIP')}</form>`)
  t.same(await proposed(rule, { 'warenkorb.html': paid }), ['Let browsers fill in the checkout'])
  const joined = {
    'checkout/customer-guest.html': paid,
    'index.html': page('<a href="checkout/customer-guest.html">Pay</a>'),
  }
  t.equal((await proposed(rule, joined)).length, 1, 'a customer who pays')
  const ways = `{['Post', 'Courier'].map((way) => <label key={way}><input type="radio" name="way" />{way}</label>)}`
  const choice = `export const Checkout = () => <form onSubmit={pay}><h1>Your order</h1>
  <label>Name <input /></label><label>Street <input /></label><label>ZIP <input /></label>${ways}<button>Order</button></form>\n`
  t.equal((await proposed(rule, { 'src/pages/Checkout.jsx': choice })).length, 1, 'beside a list of choices')
  const several = choice.replace(ways, ways.replaceAll('radio', 'email'))
  await never(t, rule, { 'src/pages/Checkout.jsx': several }, 'a list of people')
  t.equal((await proposed(rule, { 'visitors/order.html': paid })).length, 1)
  await never(t, rule, { 'customers/order.html': paid }, 'a record')
})

t.test('form-autofill knows what a sign-up asks for', async (t) => {
  const rule = 'form-autofill'
  const join = (fields: string, more = ''): Files => ({
    'src/pages/Join.jsx': `import { Form, FormField, FormLabel } from '../ui/form'
import { Input } from '../ui/input'
export const Join = () => <>${more}<form><h1>Create your account</h1>${fields}<button>Create account</button></form></>
`,
  })
  const password = '<input type="password" value={word} />'
  const mail = '<label>Email <input type="email" value={mail} /></label>'
  const named = (name: string): string => `<label>Name <input ${name} value={who} /></label>`
  const edits = JSON.stringify((await batch(join(named('') + mail + password))).proposals)
  t.match(edits, /autoComplete=\\"name.*autoComplete=\\"email.*autoComplete=\\"new-password/)
  const clear = named('name="name"') + mail.replace('<input', '<input name="email"') + password
  await never(t, rule, join(clear), 'browsers know these fields')
  await never(t, rule, join(mail + password), 'it is short')
  const user = clear.replaceAll(/name="name"|Name/g, 'Username').replace('name="email"', '')
  t.match(JSON.stringify((await batch(join(user))).proposals), /autoComplete=\\"username/)
  const login = "{mode === 'login' && <form><input type='email' /><input type='password' /></form>}"
  t.equal((await proposed(rule, join(named('') + mail + password, login))).length, 1, 'another form signs in')
  const same = named('')
    .replace('<label', "{mode === 'login' ? null : <label")
    .replace('</label>', '</label>}')
  await never(t, rule, join(same + mail + password), 'the same form signs in')
  const controlled = ['First name', 'Last name', 'Email']
    .map(
      (label) =>
        `<FormField name="x" render={({ field }) => <div><FormLabel>${label}</FormLabel><Input placeholder="Doe" {...field} /></div>} />`,
    )
    .join('')
  t.match(
    JSON.stringify((await batch(join(controlled + password))).proposals),
    /given-name.*family-name.*email/,
    'labels of a component library',
  )
})

t.test('pressable-submit: only if the page then says what is missing', async (t) => {
  const rule = 'pressable-submit'
  const names = ['Let people press “Book a table” and see what is missing']
  const form = ({
    disabled = '!mail || isSending',
    guard = '',
    field = 'required',
    button = '',
    around = '',
  } = {}): Files => ({
    'src/pages/Booking.jsx': `import { useState } from 'react'
export function Booking() {
  const [mail, setMail] = useState('')
  const canSend = Boolean(mail && day)
  async function send(event) {
    event.preventDefault()
    ${guard}
    await post(mail)
  }
  return <form onSubmit={send} ${around}><h1>Book a table</h1>
    <input type="email" value={mail} onChange={(e) => setMail(e.target.value)} ${field} />
    <input type="date" value={day} onChange={(e) => setDay(e.target.value)} ${field} />
    <button type="submit" disabled={${disabled}} ${button}>Book a table</button></form>
}
`,
  })
  const edit = async (files: Files): Promise<string> =>
    JSON.stringify((await batch(files)).proposals.find(({ ruleId }) => ruleId === rule)?.files ?? '')
  t.same(await proposed(rule, form()), names, 'the browser asks for it')
  t.match(await edit(form()), 'type=\\"submit\\" disabled={isSending} >Book a table')
  t.match(await edit(form({ disabled: '!canSend' })), '<button type=\\"submit\\" >Book', 'by a name')
  await never(t, rule, form({ field: '' }), 'it would be sent')
  await never(t, rule, form({ around: 'noValidate' }), 'browsers say nothing')
  await never(t, rule, form({ disabled: 'mail.length < 6' }), 'nor of this')
  await never(t, rule, form({ disabled: 'isSending' }), 'it waits')
  await never(t, rule, form({ button: 'className={mail ? "dark" : "grey"}' }), 'it would look disabled')
  const guarded = (guard: string, disabled = '!mail'): Files => form({ field: '', guard, disabled })
  t.same(await proposed(rule, guarded("if (!mail) { setError('Your address?'); return }")), names)
  t.same(await proposed(rule, guarded("if (!canSend) return alert('What?')", '!canSend')), names)
  await never(t, rule, guarded('if (!mail) return'), 'silence')
  await never(t, rule, guarded("if (!mail) { setError(''); return }"), 'no words')
  await never(t, rule, guarded("if (!day) { setError('The day?'); return }"), 'of something else')
  await never(t, rule, guarded("if (!isAvailable) return alert('Sold out')", '!isAvailable'), 'sold out')
  const library = (shown: string): Files => ({
    'src/pages/Booking.jsx': `export function Booking() {
  const { register, handleSubmit, formState: { errors, isValid, isSubmitting } } = useForm()
  return <form onSubmit={handleSubmit(send)} noValidate><h1>Book a table</h1><input {...register('mail')} /><input {...register('day')} />
    ${shown}<button disabled={!isValid || isSubmitting} aria-disabled={!isValid || isSubmitting}>Book a table</button></form>
}
`,
  })
  t.match(
    await edit(library('{errors.mail && <p>{errors.mail.message}</p>}')),
    '<button disabled={isSubmitting}>',
  )
  await never(t, rule, library(''), 'it shows no errors')
  const vue = (guard: string): Files => ({
    'src/pages/Product.vue': `<template><div><h1>Lamp</h1><button @click="choose">Large</button>
<button :disabled="!size || adding" @click="addToCart">Add to cart</button></div></template>
<script setup>
const size = ref(null)
function addToCart() {
  ${guard}
  cart.add(size.value)
}
</script>
`,
  })
  const told = vue("if (!size.value) {\n    toast.error('Which size?')\n    return\n  }")
  t.same(await proposed(rule, told), ['Let people press “Add to cart” and see what is missing'])
  t.match(await edit(told), ':disabled=\\"adding\\"')
  await never(t, rule, vue(''), 'nothing is said')
})

t.test('contact-links: a number of the business that is no link', async (t) => {
  const rule = 'contact-links'
  const site = (line: string, path = 'contact.html'): Files => ({ [path]: page(`<h1>Lamps</h1>${line}`) })
  const line = '<p>Phone: (260) 483-1415</p><p>lamps@lumen.shop</p>'
  const [one] = (await batch(site(line))).proposals
  t.equal(one?.name, 'Let visitors call “(260) 483-1415” with a tap')
  t.same(
    one?.files[0]?.edits.map(({ replace }) => replace),
    [
      '<p>Phone: <a href="tel:2604831415">(260) 483-1415</a></p>',
      '<p><a href="mailto:lamps@lumen.shop">lamps@lumen.shop</a></p>',
    ],
  )
  t.equal((await proposed(rule, site('<footer><p>+49 30 902 27 50</p></footer>', 'lamps.html'))).length, 1)
  await never(t, rule, site(line, 'lamps.html'), 'of whom, on any page')
  await never(t, rule, site(line, 'accessibility-contact.html'), 'a text of law')
  const linked = `<a href="tel:2604831415">Call</a>`
  t.same(
    await proposed(rule, site(line + linked)),
    ['Let visitors write to “lamps@lumen.shop” with a tap'],
    'there is a link to the number',
  )
  await never(t, rule, site(`${line}${linked}<a href="mailto:Lamps@lumen.shop">Write</a>`), 'to both')
  t.same(
    await proposed(rule, site(`${line}<a href="tel:2604831420">Call Ann</a>`)),
    ['Let visitors call “(260) 483-1415” with a tap'],
    'another number',
  )
  await never(t, rule, site('<p>Fax: (260) 483-1415</p>'), 'a fax')
  await never(t, rule, site('<dt>Fax</dt><dd>(260) 483-1415</dd>'), 'below its label')
  for (const sample of [
    '(555) 123-4567',
    '+31 20 765 4321',
    '+49 621 123456',
    '+49 30 0000 22',
    '030 77777 22',
  ])
    await never(t, rule, site(`<p>Phone: ${sample}</p>`), 'a sample')
  for (const sample of ['abc@gmail.com', 'john.doe@lumen.shop', 'info@yourcompany.com'])
    await never(t, rule, site(`<p>${sample}</p>`), sample)
  const called = async (number: string, more: string, lang?: string): Promise<string | undefined> => {
    const files = { 'contact.html': page(`<h1>Lamps</h1><p>${number}</p>`, lang), 'faq.html': page(more) }
    return /tel:([+\d]+)/.exec(JSON.stringify((await batch(files)).proposals))?.[1]
  }
  t.equal(await called('0875.707211', '', 'it'), '+390875707211', 'Italy keeps the zero')
  t.equal(await called('030 902 27 50', '<a href="tel:+49 30 902 27 51">x</a>'), '+49309022750')
  t.equal(await called('(260) 483-1415', '<p>+1 260 483 1420</p>'), '+12604831415')
  t.equal(
    await called('030 902 27 50', '<p>+49 30 902 27 51, +43 1 902 27 51 22</p>'),
    '0309022750',
    'of two',
  )
  t.equal(await called('(260) 483-1415', '<p>+49 30 902 27 51</p>'), '2604831415', 'not of that country')
  t.equal(await called('98103 43806', '<p>+91 98103 43807</p>'), '+919810343806')
  const two = site('<p>(260) 483-1415</p><p>Mobile: 2604831420</p>')
  t.same(await proposed(rule, two), ['Let visitors call either number with a tap'])
  t.equal((await proposed(rule, site('<p>+977 9743223799</p>'))).length, 1)
  await never(t, rule, site('<p>2604831420</p>'), 'it may be anything')
  await never(t, rule, site('<p data-phone>(260) 483-1415</p>'), 'a program may write another one')
  const staff = ['1415', '1420', '1421'].map((one) => `<p>(260) 483-${one}</p>`).join('')
  await never(t, rule, site(staff), 'a list of people')
  const block = site(
    '<p>Tel: (81) 3049-3799</p><p>(81) 99544-1368 / (81) 98611-3970 – Sales</p><p>Fax: (81) 98771-8606</p>',
  )
  const [three] = (await batch({ ...block, 'faq.html': page('+55 81 3049-3799') })).proposals
  t.equal(three?.name, 'Let visitors call each number with a tap')
  t.match(
    JSON.stringify(three?.files),
    '<a href=\\"tel:+5581995441368\\">(81) 99544-1368</a> / <a href=\\"tel:+5581986113970\\">(81) 98611-3970</a> – Sales',
  )
  t.notMatch(JSON.stringify(three?.files), '8771')
})

t.test('contact-links: numbers that a file shows by name', async (t) => {
  const rule = 'contact-links'
  const written = async (files: Files): Promise<string> => JSON.stringify((await batch(files)).proposals)
  const jsx = (data: string, shown: string, more: Files = {}): Files => ({
    'src/pages/Contact.jsx': `const facts = [{ label: 'Hours', value: 'Mon-Fri' }, ${data}]
const PHONE = '(260) 483-1415'
export default ({ open }) => <main><h1>Lamps</h1>${shown}</main>\n`,
    ...more,
  })
  const loop = '{facts.map((one) => <div><h3>{one.label}</h3><p>{one.value}</p></div>)}'
  const phone = `{ label: 'Phone', value: '+1 260 483 1415' }`
  const mail = `{ label: 'Mail', value: 'lamps@lumen.shop' }`
  t.match(
    await written(jsx(`${phone}, ${mail}`, loop)),
    `<p>{one.value === '+1 260 483 1415' ? <a href=\\"tel:+12604831415\\">{one.value}</a> : one.value === 'lamps@lumen.shop' ? <a href=\\"mailto:lamps@lumen.shop\\">{one.value}</a> : one.value}</p>`,
  )
  t.match(await written(jsx(mail, '<p>{PHONE}</p>')), `<a href=\\"tel:2604831415\\">{PHONE}</a>`)
  await never(t, rule, jsx(mail.replace('lamps@', ''), '{open && <p>{PHONE}</p>}'), 'code decides')
  await never(t, rule, jsx(phone.replace('Phone', 'Fax'), loop), 'a fax')
  await never(t, rule, jsx(`${phone}, { href: 'tel:+12604831415' }`, loop), 'the data have an address')
  const header = (path: string): Files => ({
    'src/App.jsx': `import Bar from './${path}'\nimport Contact from './pages/Contact'\nexport default () => <><Bar /><Contact /></>\n`,
    [`src/${path}.jsx`]: 'export const Bar = () => <nav><a href="tel:+12604831415">Call</a></nav>\n',
  })
  await never(t, rule, jsx(phone, loop, header('Header')), 'the header has it')
  t.equal((await proposed(rule, jsx(phone, loop, header('Footer')))).length, 1)
  const vue = `<script setup>\nconst facts = [${phone}, ${mail}]\n</script>
<template><main><h1>Lamps</h1><p v-for="one in facts">{{ one.value }}</p></main></template>\n`
  t.match(
    await written({ 'src/Contact.vue': vue }),
    `<a v-if=\\"one.value === '+1 260 483 1415'\\" href=\\"tel:+12604831415\\">{{ one.value }}</a><a v-else-if=`,
  )
  const svelte = `<script>\nconst facts = [${phone}, ${mail}]\n</script>
<h1>Lamps</h1>{#each facts as one}<p>{one.value}</p>{/each}\n`
  t.match(
    await written({ 'src/Contact.svelte': svelte }),
    `{#if one.value === '+1 260 483 1415'}<a href=\\"tel:+12604831415\\">{one.value}</a>{:else if one.value === 'lamps@lumen.shop'}`,
  )
})

t.test('wrong-number: a link that calls another number than it shows', async (t) => {
  const rule = 'wrong-number'
  const site = (link: string): Files => ({ 'lamps.html': page(`<h1>Lamps</h1>${link}`) })
  const link = (to: string, shown = '(260) 483-1415'): Files => site(`<a href="${to}">${shown}</a>`)
  const [one] = (await batch(link('tel:+12604831420', 'Call <b>(260) 483-1415</b>'))).proposals
  t.same(
    [one?.ruleId, one?.name],
    [rule, 'Let the link call “(260) 483-1415”, the number that the page shows'],
  )
  t.match(JSON.stringify(one?.files), '"replace":"tel:+12604831415"')
  for (const to of [
    'tel:+12604831415',
    'tel:260-483-1415;ext=2',
    'tel:1800LAMPS',
    'tel:911',
    'tel:{{ tel }}',
  ])
    await never(t, rule, link(to), to)
  await never(t, rule, link('tel:2604831415', '(260) 483-1415 or (260) 483-1420'), 'two numbers')
  await never(t, rule, link('tel:2604831415', 'Call us'), 'it shows none')
  t.equal((await proposed(rule, link('tel:'))).length, 1, 'it calls no one')
  t.match(
    JSON.stringify((await batch(link('mailto:hello@example.com?subject=Hi', 'lamps@lumen.shop'))).proposals),
    'mailto:lamps@lumen.shop',
  )
  await never(t, rule, link('mailto:Lamps@lumen.shop', 'lamps@lumen.shop'), 'the same')
  const mail = link('mailto:info@lumen.shop', 'lamps@lumen.shop')
  t.equal((await proposed(rule, mail)).length, 1)
  const others = { 'index.html': page('<h1>Lumen</h1><p>info@lumen.shop</p><a href="lamps.html">Lamps</a>') }
  const both = { ...others, 'about.html': page('<p>Write to info@lumen.shop</p>') }
  await never(t, rule, { ...mail, ...both }, 'the other pages say the address of the link')
  const sample = '<a href="tel:+12605551234">Call us</a>'
  t.equal((await proposed(rule, site(`${sample}<p>Phone: +1 260 483 1415</p>`))).length, 1, 'a sample')
  await never(t, rule, site(sample), 'the page shows no other')
  await never(t, rule, site(`${sample}<p>+1 260 483 1415</p><p>+1 260 483 1420</p>`), 'it shows two')
  const data = '<a data-phone href="tel:2604831420">(260) 483-1415</a>'
  await never(t, rule, site(data), 'a program may write another one')
  const footer = '<footer><a href="tel:+12604831420"><b>(260) 483-1415</b></a></footer>'
  for (const files of [
    { 'src/Footer.jsx': `export const Footer = () => ${footer}\n` },
    { 'src/Footer.vue': `<template>${footer}</template>\n` },
    { 'src/Footer.svelte': `${footer}\n` },
  ])
    t.match(JSON.stringify((await batch(files)).proposals), 'tel:+12604831415')
  const bound = footer.replace('"tel:+12604831420"', '{tel}')
  await never(t, rule, { 'src/Footer.jsx': `export const Footer = ({ tel }) => ${bound}\n` }, 'code decides')
})

t.test('map-link: the address of the business that is no link', async (t) => {
  const rule = 'map-link'
  const site = (body: string, path = 'contact.html'): Files => ({ [path]: page(`<h1>Lamps</h1>${body}`) })
  const directions = 'https://www.google.com/maps/dir/?api=1&destination='
  const line = '<p>Address: 5316 Merchandise Dr, Fort Wayne, IN 46825</p>'
  const [one] = (await batch(site(line))).proposals
  t.equal(one?.name, 'Open directions with a tap on the address “5316 Merchandise Dr, Fort Wayne, IN 46825”')
  t.match(JSON.stringify(one?.files), `<p>Address: <a href=\\"${directions}5316+Merchandise+Dr%2C+Fort`)
  const lines = '<footer><h2>Laden</h2><p>Weberstraße 50<br>45879 Gelsenkirchen</p></footer>'
  const [two] = (await batch(site(lines, 'lamps.html'))).proposals
  t.match(
    JSON.stringify(two?.files),
    `<p><a href=\\"${directions}Weberstra%C3%9Fe+50%2C+45879+Gelsenkirchen\\">Weberstraße 50<br>45879 Gelsenkirchen</a></p>`,
    'one link around two lines',
  )
  const trade =
    '<p>Dachdecker für Essen: Ihr Dachdeckermeister. Dachdecker seit 1970. Dachdeckerei. Dachdecker</p>'
  await never(t, rule, site(`${trade}${lines}`, 'lamps.html'), 'a roofer comes to the house')
  const bold = lines.replace('Weberstraße 50', '<b>Weberstraße 50</b>')
  t.equal((await proposed(rule, site(bold))).length, 1, 'the street may be bold')
  const found = async (said: string): Promise<number> => (await proposed(rule, site(`<p>${said}</p>`))).length
  for (const said of ['24 boulevard Notre Dame, 13006 Marseille', 'Calle Mayor 12, 30001 Murcia'])
    t.equal(await found(said), 1, said)
  t.equal(await found('Rua Ramiro Barcelos 2337, Porto Alegre'), 0, 'samples have no code either')
  t.equal(await found('Corso Dante 45, 82100 Benevento'), 1)
  for (const said of [
    '123 Main Street, Anytown',
    'Musterstraße 12, 12345 Musterstadt',
    'Besuchen Sie uns in der Weberstraße 50 in Gelsenkirchen',
    '12 lamps on our way, each of them new',
    'Dr. Miller, 12 lamps',
  ])
    t.equal(await found(said), 0, said)
  await never(t, rule, site(line, 'lamps.html'), 'of whom, on any page')
  const law = '<footer><p>© 2026 Lamps</p><p>Weberstraße 50, 45879 Gelsenkirchen</p></footer>'
  for (const line of ['© 2026', '2026 All Right Reserved', 'Partita IVA: IT01516690706'])
    await never(t, rule, site(law.replace('© 2026', line)), 'a line of law')
  t.equal((await proposed(rule, site(law.replace('© 2026', 'Nice')))).length, 1)
  await never(t, rule, site('<p>Lumen Srl, Via Elba 1, 86039 Termoli</p>'), 'a company')
  const [named] = (await batch(site('<p>Lumen di Rosa - Via Elba, 1 | 86039 Termoli</p>'))).proposals
  t.match(JSON.stringify(named?.files), `destination=Via+Elba%2C+1%2C+86039+Termoli\\"`, 'only the address')
  const many = (path: string): Files => ({
    ...site(lines, path),
    'index.html': page(`<h1>Lamps</h1><a href="${path}">More</a><a href="faq.html">FAQ</a>`),
  })
  await never(t, rule, many('red-lamp.html'), 'one of many pages')
  t.equal((await proposed(rule, many('about.html'))).length, 1)
  await never(t, rule, site(`<a href="/way">${line}</a>`), 'it is a link')
  await never(t, rule, site(`${line}<iframe src="https://www.google.com/maps/embed"></iframe>`), 'a map')
  await never(t, rule, site(line.replace('<p', '<p data-address')), 'a program may write there')
  const map = '<a href="https://maps.google.com/?q=lamps">Map</a>'
  const footer = (shown: string): Files => ({
    'src/App.jsx': `import { Foot } from './Foot'\nimport { Way } from '${shown}'\nexport default () => <><Way /><Foot /></>\n`,
    'src/Foot.jsx': `export const Foot = () => <footer>${line}</footer>\n`,
    [`src/${shown.slice(2)}.jsx`]: `export const Way = () => <section>${map}</section>\n`,
  })
  await never(t, rule, footer('./components/Way'), 'another part of the page has a map')
  t.equal((await proposed(rule, footer('./pages/Contact'))).length, 1, 'another page has one')
})

t.test('dead-cta leads a button to the only page that its words name', async (t) => {
  const rule = 'dead-cta'
  const nav = '<nav><a class="btn" href="booking.html">Booking</a> <a href="lamps.html">Lamps</a></nav>'
  const site = (button: string, more = ''): Files => ({
    'index.html': page(`${nav}<h1>Lamps for your home</h1>${button}${more}`),
    'booking.html': page(`${nav}<h1>Visit our workshop</h1>`),
  })
  const [one] = (await batch(site('<a class="btn" href="#">Book a visit</a>'))).proposals
  t.equal(one?.name, 'Lead “Book a visit” to the page “booking.html”')
  t.match(JSON.stringify(one?.files), '<a class=\\"btn\\" href=\\"booking.html\\">')
  t.match(
    JSON.stringify((await batch(site('<button class="btn">See the lamps</button>'))).proposals[0]?.files),
    '<a href=\\"lamps.html\\" class=\\"btn\\">See the lamps</a>',
    'by a word of the address',
  )
  await never(
    t,
    rule,
    site('<button class="big">See the lamps</button>'),
    'no link of the site looks like it',
  )
  const faq = '<button class="btn faq-head">What lamps do you make</button>'
  await never(t, rule, site(faq), 'it may open an answer')
  await never(t, rule, site('<button class="btn">What lamps do you make?</button>'), 'a question')
  await never(t, rule, site('<a class="btn" href="/tour">Book a visit</a>'), 'it leads somewhere')
  await never(t, rule, site('<a class="btn" href="#">Say hello</a>'), 'no page fits')
  await never(t, rule, site('<a class="btn" href="#" data-toggle="x">Book a visit</a>'), 'code may read it')
  const script = `<script>document.querySelector('.btn').onclick = open</script>`
  await never(t, rule, site('<a class="btn" href="#">Book a visit</a>', script), 'a script binds it')
  const two = '<nav><a href="book-a-class.html">Book a class</a></nav>'
  await never(t, rule, site('<a class="btn" href="#">Book a visit</a>', two), 'which of two')
  await never(t, rule, site('<form><button class="btn">Book a visit</button></form>'), 'it sends a form')
})

t.test('dead-cta: components, loops, and the only way to ask', async (t) => {
  const rule = 'dead-cta'
  const site = (body: string, more: Files = {}, way = '<a href="/contact">Contact</a>'): Files => ({
    'src/App.jsx': `import { Home } from './Home'\nexport default () => <><nav>${way}</nav><Home /></>\n`,
    'src/Home.jsx': `import Button from './Button'\nexport const Home = () => <main><h1>Lamps for you</h1>${body}</main>\n`,
    ...more,
  })
  const button = (attributes: string): Files => ({
    'src/Button.jsx': `export default function Button(props) { return <button className="btn"${attributes}>{props.text}</button> }\n`,
  })
  const odd = page('<h1>Lamps</h1><x-((btn>Book now</x-((btn><a href="contact.html">Contact</a>')
  await never(t, rule, { 'index.html': odd }, 'a name that is no expression')
  const part = '<Button text="Book now" />'
  const lead = ['Lead “Book now” to the page “/contact”']
  const [one] = (await batch(site(part, button('')))).proposals
  t.same(one?.name, lead[0])
  t.match(JSON.stringify(one?.files), '<a href=\\"/contact\\"><Button text=\\"Book now\\" /></a>')
  t.same(
    await proposed(rule, site(part, button(' onClick={props.onClick}'))),
    lead,
    'the use gives no handler',
  )
  await never(t, rule, site('<Button text="Book now" onClick={go} />', button('')), 'the use gives it')
  await never(t, rule, site(part, button(' onClick={scrollDown}')), 'its file acts')
  await never(t, rule, site(part), 'its file is not known')
  await never(t, rule, site(`<form>${part}</form>`, button('')), 'it sends a form')
  await never(t, rule, site(`<Card onClick={open}>${part}</Card>`, button('')), 'what is around it acts')
  const native = '<button className="px-4 bg-blue-600">Book now</button>'
  const numbered = (icon: string, around: string): Files =>
    site(`<p className="${around}"><a href="#">${icon}<b>+49 30 90182000</b></a></p>`)
  t.equal((await proposed(rule, numbered('<FaPhone />', 'p'))).length, 1)
  const foreign = (await batch(site('<button className="px-4 bg-blue-600">+234 08110844173</button>')))
    .proposals
  t.match(JSON.stringify(foreign), 'tel:+2348110844173', 'without the zero of the country')
  await never(t, rule, numbered('<FaWhatsapp />', 'p'), 'the sign of a chat')
  await never(
    t,
    rule,
    site('<button className="px-4 bg-blue-600">Free on 10/05/2026</button>', {}, ''),
    'a date',
  )
  await never(t, rule, numbered('<FaPhone />', 'hidden md:block'), 'on wide screens')
  t.same(await proposed(rule, site(`{lamps.map((lamp) => <p key={lamp}>${native}</p>)}`)), lead, 'in a loop')
  t.same(await proposed(rule, site(`<p>${native}</p><div>${native}</div>`)), lead, 'twice')
  await never(t, rule, site('{[1, 2].map(() => <button>{label}</button>)}'), 'code says its words')
  await never(
    t,
    rule,
    site(native, {}, '<button onClick={book}>Book a visit</button>'),
    'code books elsewhere',
  )
  const chat = '<a href="https://wa.me/393404040188">WhatsApp</a>'
  t.same(await proposed(rule, site(native, {}, chat)), ['Lead “Book now” to your WhatsApp chat'])
  const call = '<a href="tel:+393404040188">Call</a>'
  t.same(await proposed(rule, site(native, {}, call)), ['Lead “Book now” to a call'])
  const calls = site('<button className="px-4 bg-blue-600">Call us: +39 340 4040188</button>')
  t.same(await proposed(rule, calls), ['Let a tap on “Call us: +39 340 4040188” call'])
  t.match(JSON.stringify((await batch(calls)).proposals[0]?.files), 'href=\\"tel:+393404040188\\"')
  const stub = { 'src/pages/Contact.jsx': 'export default () => <div>page</div>\n' }
  await never(t, rule, site(native, stub), 'the target has nothing to say')
  await never(t, rule, site('<button className="px-4 bg-blue-600">Add to cart</button>'), 'a cart')
  const vue = (more: string): Files => ({
    'src/App.vue': `<template><nav><a href="/contact">Contact</a></nav><h1>Lamps for you</h1><BaseButton variant="big">Book now</BaseButton></template>`,
    'src/components/BaseButton.vue': `<template><button class="btn"${more}><slot /></button></template>`,
  })
  t.same(await proposed(rule, vue('')), lead)
  await never(t, rule, vue(' @click="open"'), 'its file acts')
})

t.test('collapse-coupon', async (t) => {
  const rule = 'collapse-coupon'
  const checkout = (more: string, path = 'checkout.html'): Files => ({
    [path]: page(`<h1>Your lamps</h1>${more}<p><a href="/pay">Pay for it</a></p>`),
  })
  const coupon =
    '<div><label>Promo code <input name="coupon"></label> <button type="button">Apply</button></div>'
  t.same(await proposed(rule, checkout(coupon)), ['Fold the coupon field away at checkout'])
  await never(t, rule, checkout(`<details><summary>Code?</summary>${coupon}</details>`), 'it is folded')
  await never(t, rule, checkout(coupon, 'lamps.html'), 'nothing is paid there')
  const component = (input: string): Files => ({
    'src/routes/cart/+page.svelte': `<h1>Your cart and the lamps in it</h1><div>${input}<button>Apply</button></div>\n`,
  })
  t.equal((await proposed(rule, component('<input placeholder="Promo code" bind:value={code} />'))).length, 1)
  await never(t, rule, component('<input placeholder="Promo code" />'), 'no code reads it')
  const opened = '{#if showsCode}<input placeholder="Promo code" bind:value={code} />{/if}'
  await never(t, rule, component(opened), 'a button opens it')
})

t.test('a link that the colours of a site may hide is not made', async (t) => {
  const shown = (styles: string, foot: string): Files => ({
    'index.html': page(`<h1>Lamps</h1>${styles}<footer><p>Phone: (260) 483-1415</p>${foot}</footer>`),
  })
  const rule = 'contact-links'
  const styles = '<link rel="stylesheet" href="style.css">'
  t.equal((await proposed(rule, shown('', ''))).length, 1, 'no styles')
  await never(t, rule, shown(styles, ''), 'it may be blue on black')
  await never(
    t,
    rule,
    shown(styles, '<a class="more" href="faq.html">Questions</a>'),
    'a class gives the colour',
  )
  t.equal(
    (await proposed(rule, shown(styles, '<a href="faq.html">Questions</a>'))).length,
    1,
    'as links beside it',
  )
  t.equal((await proposed(rule, shown(styles, '<i class="text-gray-300">.</i>'))).length, 1, 'Tailwind')
})

t.test('comments at the head of a file do not hold a batch up', async (t) => {
  const head = '// a line of words that goes on and on\n'.repeat(2_000)
  const page = { 'src/App.jsx': `${head}export default () => <h1>Lamps</h1>\n` }
  t.same((await batch(page)).proposals, [])
})

t.test('pages that nothing leads to are left alone', async (t) => {
  const line = '<h1>Lamps</h1><p>Phone: (260) 483-1415</p>'
  const html = { 'index.html': page('<h1>Lamps</h1><a href="contact.html">Contact</a>') }
  const rule = 'contact-links'
  t.equal((await proposed(rule, { ...html, 'contact.html': page(line) })).length, 1)
  await never(
    t,
    rule,
    { ...html, 'location.html': page(`${line}<a href="location.html">Here</a>`) },
    'a leftover',
  )
  const part = `export default () => <div>${line}</div>\n`
  const app = (shown: string): Files => ({
    'src/App.jsx': `import ${shown} from './pages/${shown}'\nexport default () => <Route path="/" element={<${shown} />} />\n`,
    'src/pages/Contact.jsx': part,
    'src/pages/Home.jsx': 'export default () => <h1>Lamps</h1>\n',
  })
  t.equal((await proposed(rule, app('Contact'))).length, 1)
  await never(t, rule, app('Home'), 'no route shows it')
  const idle = `import Contact from './pages/Contact'\n${app('Home')['src/App.jsx'] ?? ''}`
  await never(t, rule, { ...app('Home'), 'src/App.jsx': idle }, 'it is imported, and not shown')
  const both = (home: string): Files => ({
    ...app('Home'),
    'src/App.jsx': `${idle}\nexport const Routes = () => <Routes><Route path="/" element={<Home />} /><Route path="/contact" element={<Contact />} /></Routes>\n`,
    'src/pages/Home.jsx': `export default () => <main><h1>Lamps</h1>${home}</main>\n`,
  })
  t.equal((await proposed(rule, both('<Link to="/contact">Contact</Link>'))).length, 1, 'a table of routes')
  await never(t, rule, both('<Link to="/imprint">Imprint</Link>'), 'its page is linked from none')
  const routed = (to: string, files: Files = {}): Files => ({
    'app/layout.tsx': 'export default ({ children }) => <body>{children}</body>\n',
    'app/page.tsx': `export default () => <main><h1>Lamps</h1>${to}</main>\n`,
    'app/[locale]/(main)/contact/page.tsx': part,
    ...files,
  })
  for (const to of ['"/contact"', '{`/\u0024{locale}/contact`}', '"/en/contact?from=home"'])
    t.equal((await proposed(rule, routed(`<Link href=${to}>Contact</Link>`))).length, 1, to)
  await never(t, rule, routed('<Link href="/contacts">Contact</Link>'), 'another page')
  const leftover = { 'app/team/page.tsx': 'export default () => <Link href="/contact">Contact</Link>\n' }
  await never(
    t,
    rule,
    routed('<Link href="/about">About</Link>', leftover),
    'leftover pages link to each other',
  )
  t.equal(
    (await proposed(rule, routed('{menu.map((one) => <Link href={one.to} />)}'))).length,
    1,
    'a system has the links',
  )
  const sitemap = { 'public/sitemap.xml': '<url><loc>https://lamps.example/contact</loc></url>' }
  t.equal(
    (await proposed(rule, routed('<Link href="/about">About</Link>', sitemap))).length,
    1,
    'in the sitemap',
  )
  const listed = (shown: string, more: Files = {}): Files => ({
    'src/App.jsx': `import { ${shown} } from './parts'\nexport default () => <${shown} />\n`,
    'src/parts/index.js': "export { default as Contact } from './Contact'\nexport { Home } from './Home'\n",
    'src/parts/Contact.jsx': part.replace('<div>', '<footer>').replace('</div>', '</footer>'),
    'src/parts/Home.jsx': 'export const Home = () => <h1>Lamps</h1>\n',
    ...more,
  })
  t.equal((await proposed(rule, listed('Contact'))).length, 1, 'by way of a list')
  await never(t, rule, listed('Home'), 'a list alone names it')
  const passed = { 'src/routes/contact.jsx': "export { Contact as Page } from '../parts'\n" }
  t.equal((await proposed(rule, listed('Home', passed))).length, 1, 'a page passes it on')
})

t.test('places that phones do not show are left alone by rules for phones', async (t) => {
  const line = '<p>Phone: (260) 483-1415</p><p>5316 Merchandise Dr, Fort Wayne, IN 46825</p>'
  const both = async (files: Files): Promise<number> =>
    (await proposed('contact-links', files)).length + (await proposed('map-link', files)).length
  const site = (opening: string, tag = 'div'): Files => ({
    'contact.html': page(`<h1>Lamps</h1><${tag} ${opening}>${line}</${tag}>`),
  })
  t.equal(await both(site('class="md:block"')), 2)
  for (const classes of [
    'hidden md:block',
    'max-md:hidden',
    'd-none d-lg-flex',
    'hidden-sm-and-down',
    'hidden-xs',
    'show-for-large',
    'is-hidden-mobile',
    'uk-visible@m',
    'desktop-only',
  ])
    t.equal(await both(site(`class="${classes}"`)), 0, classes)
  t.equal(await both(site('class="hidden md:p-2"')), 2, 'a program may show it')
  const vue = (condition: string): Files => ({
    'src/App.vue': `<template><h1>Lamps</h1><side-bar ${condition} /></template>\n`,
    'src/Sidebar.vue': `<template><footer>${line}</footer></template>\n`,
  })
  t.equal(await both(vue('v-if="$vuetify.display.smAndDown"')), 2)
  t.equal(await both(vue('v-if="!isLoading"')), 2)
  for (const condition of [
    '$vuetify.display.mdAndUp',
    'isDesktop',
    '!mobile',
    '!$vuetify.breakpoint.smAndDown',
  ])
    t.equal(await both(vue(`v-if="${condition}"`)), 0, condition)
  const jsx = (shown: string): Files => ({
    'src/pages/Contact.jsx': `export default ({ open }) => <main><h1>Lamps</h1>${shown}</main>\n`,
  })
  const div = `<div>${line}</div>`
  const hidden = `<Box sx={{ display: { xs: 'none', md: 'flex' } }}>${line}</Box>`
  t.equal(await both(jsx(hidden)), 0, 'by a property')
  const footer = (shown: string): Files => ({
    'src/App.jsx': `import Footer from './Footer'\nexport default () => <main><h1>Lamps</h1>${shown}</main>\n`,
    'src/Footer.jsx': `export default () => ${div}\n`,
  })
  t.equal(await both(footer('<Footer />')), 2)
  t.equal(await both(footer('{open && <Footer />}')), 2)
  t.equal(await both(footer('{isDesktop && <Footer />}')), 0, 'a component for wide screens')
  t.equal(await both(footer('{isMobile ? <Menu /> : <Footer />}')), 0, 'otherwise')
  t.equal(await both(footer('{isMobile ? <Footer /> : <Menu />}')), 2)
  t.equal(await both(footer('<div className="hidden md:flex"><Footer /></div><Footer />')), 2, 'twice')
})

t.test('pages that no visitor gets are left alone', async (t) => {
  const rule = 'contact-links'
  const line = '<h1>Lamps</h1><p>Phone: (260) 483-1415</p>'
  const entry = page('<div id="root"></div><script type="module" src="/src/main.jsx"></script>')
  const main = { 'src/main.jsx': 'export default () => <h1>Lamps</h1>\n' }
  const built = { 'index.html': entry, 'public/index.html': page(line), ...main }
  await never(t, rule, built, 'the build writes another one')
  t.equal((await proposed(rule, { 'public/index.html': page(line), ...main })).length, 1)
  const index = (script: string): Files => ({ 'index.html': page(`${line}<script>${script}</script>`) })
  await never(t, rule, index(`setTimeout(() => { window.location.href = '/lamps' }, 3000)`), 'it sends on')
  await never(t, rule, index(`location.replace('/lamps')`), 'at once')
  t.equal((await proposed(rule, index(`button.onclick = () => { location.href = '/lamps' }`))).length, 1)
  t.equal((await proposed(rule, index(`if (old) { location.href = '/lamps' }`))).length, 1)
  const refresh = page(line).replace('<head>', '<head><meta http-equiv="refresh" content="0; url=/lamps">')
  await never(t, rule, { 'index.html': refresh }, 'a refresh')
  const app = (password: string): Files => ({
    'src/App.jsx': `import { lazy } from 'react'
import { Gate } from './Gate'
import Teaser from './Teaser'
const Contact = lazy(() => import('./pages/Contact'))
export default () => <Routes><Route path="/teaser" element={<Teaser />} /><Route path="/*" element={<Gate><Contact /></Gate>} /></Routes>
`,
    'src/Gate.jsx': `export function Gate({ children }) {
  const [word, setWord] = useState('')
  if (word === 'lamps') return <>{children}</>
  return <form><h1>For the team</h1>${password}<button>Go</button></form>
}
`,
    'src/Teaser.jsx': `export default () => <footer>${line.replace('1415', '1420')}</footer>\n`,
    'src/pages/Contact.jsx': `export default () => <div>${line}</div>\n`,
  })
  const password = '<input type="password" onChange={(e) => setWord(e.target.value)} />'
  t.same(await proposed(rule, app(password)), ['Let visitors call “(260) 483-1420” with a tap'])
  t.equal((await proposed(rule, app(''))).length, 2, 'no password')
  t.equal((await proposed(rule, app(`<input type="email" />${password}`))).length, 2, 'customers sign in')
  const layout = {
    'app/layout.jsx': `import { Gate } from '../src/Gate'\nexport default ({ children }) => <body><Gate>{children}</Gate></body>\n`,
    'app/contact/page.jsx': `export default () => <div>${line}</div>\n`,
  }
  await never(t, rule, { ...layout, 'src/Gate.jsx': app(password)['src/Gate.jsx'] ?? '' }, 'a layout')
})

t.test('a link keeps the space before it', async (t) => {
  const site = (line: string): Files => ({
    'contact.html': page(`<h1>Lamps</h1><i class="text-gray-500">.</i>${line}`),
  })
  const written = async (line: string) =>
    (await batch(site(line))).proposals[0]?.files[0]?.edits.map(({ replace }) => replace)
  const link = '<a href="tel:2604831415">(260) 483-1415</a>'
  t.same(
    await written('<p class="row"><i class="icon"></i> Phone: (260) 483-1415</p>'),
    [`<p class="row"><i class="icon"></i> <span>Phone: ${link}</span></p>`],
    'beside an icon',
  )
  t.same(await written('<p class="flex">Phone: (260) 483-1415</p>'), [
    `<p class="flex"><span>Phone: ${link}</span></p>`,
  ])
  t.same(await written('<p><b>Phone</b> (260) 483-1415</p>'), [`<p><b>Phone</b> ${link}</p>`])
})

t.test('the same address in other words is one idea', async (t) => {
  const site = (other: string): Files => ({
    'index.html': page(
      '<h1>Lamps</h1><footer>24 Bd Notre Dame, 13006 Marseille</footer><a href="contact.html">Contact</a>',
    ),
    'contact.html': page(`<h1>Contact</h1><p>${other}</p>`),
  })
  t.equal((await proposed('map-link', site('24 boulevard Notre Dame, 13006 Marseille'))).length, 1)
  t.equal((await proposed('map-link', site('18 rue des Abeilles, 13001 Marseille'))).length, 2)
})

t.test('a run prefers another rule to a second idea of the same one', async (t) => {
  const site = {
    'index.html': page(
      '<h1>Lamps</h1><footer>24 Bd Notre Dame, 13006 Marseille</footer><a href="contact.html">Contact</a>',
    ),
    'contact.html': page('<h1>Contact</h1><p>18 rue des Abeilles, 13001 Marseille</p><p>(260) 483-1415</p>'),
  }
  const { proposals } = await batch(site)
  const scored = proposals.map((one) => ({ ...one, score: one.ruleId === 'map-link' ? 9 : 1 }))
  const chosen = filterCandidates(scored, requestOf(site, { count: 2 }), new BatchRecord())
  t.same([proposals.length, ...chosen.map(({ ruleId }) => ruleId)], [3, 'map-link', 'contact-links'])
})

t.test('places that visitors do not see are left alone', async (t) => {
  const form = page(`<h1>Create your account</h1><form action="https://formspree.io/f/x">
<input name="email" type="email"><input name="who"><label>Phone <input type="tel" required></label><button>Go</button></form>`)
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
    'export const Join = () => <section><h1>Lamps for your home</h1><a className="btn" href="#">Book a visit</a></section>\n'
  const site = {
    'src/App.jsx':
      "import { Join } from './Join'\nexport default () => <><a href='/booking'>Booking</a><Join /></>\n",
    'src/Join.jsx': part,
    'src/Old.jsx': part,
  }
  const result = await batch(site)
  t.same(
    result.proposals.map(({ surfaces }) => surfaces[0]?.path),
    ['src/Join.jsx'],
  )
  t.same(
    result.dropped.filter(({ reason }) => reason !== 'page_without_idea'),
    [{ reason: 'never_shown', count: 1 }],
  )
})

t.test('carousel-autoplay: what says something stays until visitors turn it', async (t) => {
  const rule = 'carousel-autoplay'
  const reviews = (
    effect: string,
    dots = 'onClick={() => setCurrent(1)}',
    says = '{reviews[current].text}',
  ) => ({
    'src/pages/Reviews.jsx': `import { useEffect, useState } from 'react'
const reviews = [{ text: 'The lamp is bright' }, { text: 'It came in a day' }]
export function Reviews() {
  const [current, setCurrent] = useState(0)
  ${effect}
  return <section><h2>What our customers say</h2><p>${says}</p><button ${dots}>2</button></section>
}
`,
  })
  const turns = (ms: number | string, early = '') =>
    `useEffect(() => {
    ${early}
    const id = setInterval(() => setCurrent((i) => (i + 1) % reviews.length), ${ms})
    return () => clearInterval(id)
  }, [])`
  const [one] = (await batch(reviews(turns(5000)))).proposals
  t.equal(one?.name, 'Let visitors turn the customer reviews themselves')
  t.same(
    one?.files[0]?.edits.map(({ replace }) => replace),
    ['() => {}'],
  )
  t.match(one?.hypothesis, 'turning after 5 seconds')
  const pictures = reviews(turns(5000), undefined, '')['src/pages/Reviews.jsx'].replace(
    '</section>',
    '</section>{lamps.map((lamp) => <p>{lamp.text}</p>)}',
  )
  await never(t, rule, { 'src/pages/Reviews.jsx': pictures }, 'what turns says nothing')
  const byName = `const next = useCallback(() => setCurrent((i) => i + 1), [])
  const prev = () => next()
  useEffect(() => { if (reviews.length < 2) return; const id = setInterval(next, TURN); return () => clearInterval(id) }, [next])`
  const named = reviews(byName, 'onClick={prev}')['src/pages/Reviews.jsx'].replace(
    'export',
    'const TURN = 4000\nexport',
  )
  t.equal((await proposed(rule, { 'src/pages/Reviews.jsx': named })).length, 1, 'arrows by other names')
  await never(t, rule, reviews(turns(5000), ''), 'nothing else turns it')
  const onWide = 'className="hidden md:block" onClick={() => setCurrent(1)}'
  await never(t, rule, reviews(turns(5000), onWide), 'phones have no button')
  await never(t, rule, reviews(turns(12_000)), 'it is slow')
  await never(t, rule, reviews(`const slidesToShow = 3; ${turns(5000)}`), 'several are in view')
  await never(t, rule, reviews(turns(5000), undefined, '<img src={reviews[current].src} />'), 'pictures')
  await never(t, rule, reviews(turns(5000, 'track(current)')), 'the effect does more')
  await never(
    t,
    rule,
    reviews(`${turns(5000)}\n  const again = () => setInterval(() => {}, 10)`),
    'a second timer',
  )
  const swiper = (more: string) => ({
    'src/pages/Hero.vue': `<template><h1>Lamps</h1><Swiper ${more} :autoplay="{ delay: 3000 }"><p v-for="one in all" :key="one.id">{{ one.title }}</p></Swiper></template>\n`,
  })
  t.same(await proposed(rule, swiper('navigation')), ['Let visitors turn the opening slides themselves'])
  t.notMatch(
    JSON.stringify((await batch(swiper('navigation'))).proposals[0]?.files[0]?.edits[0]?.replace),
    'autoplay',
  )
  await never(t, rule, swiper(''), 'no arrows')
  const slick = `import Slider from 'react-slick'
export const LampsCarousel = ({ lamps }) => {
  const settings = {
    dots: true,
    autoplay: true,
  }
  return <Slider {...settings}>{lamps.map((lamp) => <h3>{lamp.title}</h3>)}</Slider>
}
`
  t.same(await proposed(rule, { 'src/pages/LampsCarousel.jsx': slick }), [
    'Let visitors turn the lamps slides themselves',
  ])
  const bootstrap = page(
    `<h1>Lamps</h1><div id="header" class="carousel" data-bs-ride="carousel"><p>Lamps for each room that you have, from Berlin, made by hand since 1912.</p><a data-bs-slide="next">Next</a></div>`,
  )
  t.same(await proposed(rule, { 'index.html': bootstrap }), [
    'Let visitors turn the opening slides themselves',
  ])
  t.match((await batch({ 'index.html': bootstrap })).proposals[0]?.hypothesis, 'after 5 seconds')
  const four = bootstrap.replaceAll('data-bs-', 'data-')
  await never(t, rule, { 'index.html': four }, 'Bootstrap 4 begins again')
})

t.test('hover-only: what a mouse brings out is there for fingers, too', async (t) => {
  const rule = 'hover-only'
  const card = (classes: string, inner: string, path = 'src/pages/Lamps.jsx'): Files => ({
    [path]: `export const Lamps = ({ lamp, add }) => <main><h1>Lamps</h1><div className="group"><div className="${classes}">${inner}</div></div></main>\n`,
  })
  const hidden = 'absolute opacity-0 group-hover:opacity-100'
  const button = '<button onClick={add}>Add to cart</button>'
  const [one] = (await batch(card(hidden, button))).proposals
  t.equal(one?.name, 'Show “Add to cart” on phones, too')
  t.same(one?.conversionTargets[0]?.eventName, 'added_to_cart')
  t.match(one?.files[0]?.edits[0]?.replace, 'absolute lg:opacity-0 group-hover:opacity-100')
  t.match(
    JSON.stringify((await batch(card('hidden group-hover:flex', button))).proposals[0]?.files),
    'flex lg:hidden group-hover:flex',
  )
  t.equal((await proposed(rule, card(`translate-y-4 ${hidden} group-hover:translate-y-0`, button))).length, 1)
  await never(t, rule, card(hidden, '<p>{lamp.description}</p>'), 'a text does nothing')
  await never(t, rule, card(hidden, '<div>Add to cart</div>'), 'it looks like a button, and does nothing')
  await never(t, rule, card(hidden, '<a href="#">Add to cart</a>'), 'it leads nowhere')
  await never(t, rule, card(hidden, '<button>Add to cart</button>'), 'it does nothing')
  t.equal((await proposed(rule, card(hidden, '<form><button>Add to cart</button></form>'))).length, 1)
  await never(t, rule, card(`hidden md:block ${hidden}`, button), 'phones have another one')
  const missing = (card(hidden, button)['src/pages/Lamps.jsx'] ?? '').replace(
    '=> <main>',
    '=> { if (!lamp) { return (<h1>No such lamp</h1>) } return <main>',
  )
  const [apart] = (await batch({ 'src/pages/Lamps.jsx': missing.replace('</main>', '</main> }') })).proposals
  t.same(apart?.topics.at(-1), 'Lamps', 'and not the heading of a lamp that is missing')
  await never(t, rule, card('opacity-100 group-hover:opacity-100', button), 'it is shown')
  await never(t, rule, card('md:opacity-0 group-hover:opacity-100', button), 'it is shown on phones')
  await never(t, rule, card(`${hidden} inset-0 bg-black/50`, button), 'it would darken the picture')
  await never(t, rule, card(hidden, '<button onClick={add}>Remove</button>'), 'it tidies up')
  await never(t, rule, card(hidden, '<img src="/lamp.jpg" alt="A lamp" />'), 'a second picture')
  await never(t, rule, card(hidden, button, 'src/pages/ManageLamps.jsx'), 'a page of the team')
  const list = `const lamps = [{ title: 'A' }, { title: 'B' }]
export const Lamps = () => <main><h1>Lamps</h1>{lamps.map((lamp) => <p className="${hidden}">{lamp.title} <a href="/cart">Add to cart</a></p>)}</main>\n`
  t.equal(
    (await batch({ 'src/pages/Lamps.jsx': list })).proposals[0]?.files[0]?.edits[0]?.replace.split('lg:')
      .length,
    2,
    'an element of a list is changed once',
  )
})

t.test('fixed-wait: a timer before a page is shown', async (t) => {
  const rule = 'fixed-wait'
  const site = (effect: string, path = 'src/pages/Lamps.jsx'): Files => ({
    [path]: `import { useEffect, useState } from 'react'
export function Lamps() {
  const [loading, setLoading] = useState(true)
  const [visible, setVisible] = useState(true)
  useEffect(() => { ${effect} }, [])
  return loading && visible ? <p>Wait</p> : <h1>Lamps for your home</h1>
}
`,
  })
  const wait = (done: string, ms: number): string =>
    `const timer = setTimeout(() => { ${done} }, ${ms}); return () => clearTimeout(timer)`
  const [one] = (await batch(site(wait('setLoading(false)', 1500)))).proposals
  t.equal(one?.name, 'Show “Lamps for your home” without the wait of 1.5 seconds')
  t.same(
    one?.files[0]?.edits.map(({ find, replace }) => [find, replace]),
    [['1500', '0']],
  )
  const lost =
    site(`${wait('setLoading(false)', 1500)} }, [])
  useEffect(() => {`)['src/pages/Lamps.jsx'] ?? ''
  t.same(
    await proposed(rule, {
      'src/pages/Lamps.jsx': lost.replace(
        '  return loading',
        '  if (!visible) return <h1>Sold out</h1>\n  return loading',
      ),
    }),
    ['Show “Lamps for your home” without the wait of 1.5 seconds'],
    'it is named after what visitors come for',
  )
  const screen = wait("document.body.style.overflow = ''; setVisible(false)", 1000)
  t.same(await proposed(rule, site(screen, 'src/pages/LoadingScreen.jsx')), [
    'Show the site without the wait of 1 second',
  ])
  await never(t, rule, site(screen), 'a message that goes')
  await never(t, rule, site(wait('setLoading(false)', 300)), 'a movement')
  await never(t, rule, site(`fetch('/lamps').then(show); ${wait('setLoading(false)', 1500)}`), 'it loads')
  await never(t, rule, site(wait('setLoading(false); show()', 1500)), 'it does more')
})

t.test('picture-link: pictures of cards whose link leads to the page of the thing', async (t) => {
  const rule = 'picture-link'
  const image = '<img src={room.photo} alt={room.name} className="w-full h-48 object-cover" />'
  const frame = (inside = image): string => `<div className="relative overflow-hidden">${inside}</div>`
  const details = `<Link to={\`/rooms/\${room.id}\`}>View room</Link>`
  const rooms = (shown: string, more = details, card = 'article key={room.id}'): Files => ({
    'src/pages/Rooms.jsx': `import { Link } from 'react-router-dom'
export const Rooms = ({ rooms, open }) => <main><h1>Our rooms</h1>
  {rooms.map((room) => <${card}>${shown}<h3>{room.name}</h3>${more}</${card.split(' ')[0]}>)}</main>\n`,
  })
  const { proposals } = await batch(rooms(frame()))
  t.same(
    proposals.flatMap(({ ruleId, name, files }) =>
      ruleId === rule ? [name, ...(files[0]?.edits.map(({ replace }) => replace) ?? [])] : [],
    ),
    [
      'Let the pictures of the rooms lead to them, too',
      `<Link to={\`/rooms/\${room.id}\`} className="contents">${frame()}</Link>`,
    ],
  )
  const found = async (files: Files): Promise<number> => (await proposed(rule, files)).length
  const heart = frame(`${image}<button onClick={() => save(room)}>Save</button>`)
  t.match(JSON.stringify((await batch(rooms(heart))).proposals), /contents[^<]*<img/, 'a button beside it')
  const inCode = image.replace('<img', '{room.photo && <img').replace('/>', '/>}')
  t.match(
    JSON.stringify((await batch(rooms(frame(inCode)))).proposals),
    /contents[^<]*<div/,
    'all of the frame',
  )
  await never(t, rule, rooms(`<Link to={\`/rooms/\${room.id}\`}>${image}</Link>`), 'it is a link')
  const chosen = { 'src/pages/Cart.jsx': rooms(frame())['src/pages/Rooms.jsx'] ?? '' }
  await never(t, rule, chosen, 'they have chosen it')
  await never(
    t,
    rule,
    rooms(frame(), details, 'article key={room.id} onClick={() => open(room)}'),
    'the card',
  )
  await never(t, rule, rooms(frame(image.replace('/>', 'onClick={open} />'))), 'the picture opens something')
  await never(t, rule, rooms(frame(), details, 'Card {...room}'), 'a handler may be among the properties')
  const spread = details.replace('}>', '} className="after:absolute after:inset-0">')
  await never(t, rule, rooms(frame(), spread), 'the link lies over the card')
  const cover = '<div className="absolute inset-0 bg-black/20"><button>Save</button></div>'
  await never(t, rule, rooms(frame(image + cover)), 'a layer lies over the picture')
  const clear = '<div className="absolute inset-0 pointer-events-none"><button>Save</button></div>'
  t.equal(await found(rooms(frame(image + clear))), 1, 'a finger goes through that layer')
  await never(t, rule, rooms(frame(), `{room.isFree && ${details}}`), 'some cards have no link')
  const other = details.replace('/rooms/', '/suites/')
  await never(t, rule, rooms(frame(), details + other), 'two pages')
  await never(t, rule, rooms(frame(), details.replace('/rooms/', '/blog/')), 'an article')
  await never(t, rule, rooms(frame(), details.replaceAll('room.id', 'open.id')), 'the page of another thing')
  await never(
    t,
    rule,
    rooms(frame(image.replace('w-full h-48 object-cover', 'photo'))),
    'its layout is not known',
  )
  const cards = rooms(image.replace('w-full h-48 object-cover', 'card-img-top'))
  t.match(JSON.stringify((await batch(cards)).proposals), /id}`}><img/, 'a card of Bootstrap')
  const own = {
    'src/pages/Home.jsx': `import { ServiceCard } from '../ServiceCard'\nexport const Home = () => <main><h1>Lamps</h1><ServiceCard /></main>\n`,
    'src/ServiceCard.jsx': `import { Link } from 'react-router-dom'
export const ServiceCard = ({ slug, image }) => <article><img src={image} className="w-full" /><Link to={\`/services/\${slug}\`}>More</Link></article>\n`,
  }
  t.same(
    await proposed(rule, own),
    ['Let the pictures of the services lead to them, too'],
    'what one card is given',
  )
  const vue = `<template><main><h1>Rooms</h1><article v-for="room in rooms" :key="room.id">
  <div class="relative overflow-hidden"><img :src="room.photo" class="w-full object-cover"></div>
  <RouterLink :to="\`/rooms/\${room.id}\`">View room</RouterLink></article></main></template>\n`
  t.match(
    JSON.stringify((await batch({ 'src/pages/Rooms.vue': vue })).proposals),
    /<RouterLink :to=[^>]*contents[^<]*<div/,
  )
  const svelte = `<main><h1>Rooms</h1>{#each rooms as room}<article><img src={room.photo} class="w-full object-cover" />
  <a href="/rooms/{room.id}">View room</a></article>{/each}</main>\n`
  t.match(
    JSON.stringify((await batch({ 'src/routes/rooms/+page.svelte': svelte })).proposals),
    /<a href=[^>]*contents[^<]*<img/,
  )
})
