import t from 'tap'
import { batch, type Files } from '../../test/support/workspace.js'
import { never, page, proposed } from './support/proposed.js'

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
