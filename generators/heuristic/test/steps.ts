import t from 'tap'
import { found, page, patternsOf, saysOf, wholeBatch } from '../../test/support/workspace.js'

const of = async (files: Readonly<Record<string, string>>): Promise<string[]> =>
  patternsOf(await wholeBatch(files))

t.test('a step names the next one, where the code goes to one alone', async (t) => {
  const step = (goes: string, label = 'Continue'): string =>
    `export const Shipping = ({ history }) => {\n  const send = () => {\n    ${goes}\n  }\n  return <Form onSubmit={send}><h1>Where to send it to you</h1><Form.Control type="text" /><Button type="submit">${label}</Button></Form>\n}\n`
  const says = async (text: string): Promise<string> =>
    saysOf(await found({ 'src/shipping.jsx': text }), 'step-names-next').join()
  t.match(await says(step(`history.push('/payment')`)), 'Continue to payment')
  t.equal(await says(step(`history.push('/payment'); history.push('/other')`)), '', 'which of the two?')
  t.equal(await says(step(`history.push('/something')`)), '')
  t.equal(await says(step(`history.push('/payment')`, 'Pay now')), '')
})

t.test('a form that sends a review says so', async (t) => {
  const form = (heading: string): string =>
    page(
      `<h2>${heading} for you and the team</h2><form><textarea name="words"></textarea><button type="submit">Submit</button></form>`,
    )
  const says = async (heading: string): Promise<string> =>
    saysOf(await found({ 'a.html': form(heading) }), 'send-names-thing').join()
  t.match(await says('Write a review'), 'Submit review')
  t.equal(await says('Write to us'), '')
  t.equal(await says('Write a review or a comment'), '', 'which of the two?')
})

t.test('what browsers fill in, what phones offer, and a button that answers', async (t) => {
  const contact = (own: string, end: string): string =>
    page(
      `<h2>Write to us, all of you</h2><form><input name="email" type="email" ${own}><textarea name="message"></textarea>${end}</form>`,
    )
  t.ok(
    (await of({ 'a.html': contact('autocomplete="off"', '<button>Send message</button>') })).includes(
      'autofill-allowed',
    ),
  )
  t.notOk((await of({ 'a.html': contact('', '<button>Send message</button>') })).includes('autofill-allowed'))
  const code = (own: string): string =>
    page(
      `<h2>The verification code for you</h2><form><input name="code" ${own}><button>Go on</button></form>`,
    )
  t.ok((await of({ 'verify.html': code('') })).includes('code-from-message'))
  t.notOk(
    (await of({ 'verify.html': code('autocomplete="off"') })).includes('code-from-message'),
    'it is said already',
  )
  const shut = (disabled: string): string =>
    `export const Contact = () => <form onSubmit={handleSubmit(send)}><h2>Write to us, all of you</h2><input name="email" type="email" /><textarea name="message" /><button type="submit" disabled={${disabled}}>Send message</button></form>\n`
  t.ok((await of({ 'src/c.tsx': shut('!isValid') })).includes('always-pressable'))
  t.notOk(
    (await of({ 'src/c.tsx': shut('isSending') })).includes('always-pressable'),
    'shut for another reason',
  )
})

t.test('an empty cart leads to the products', async (t) => {
  const cart = (link: string): string =>
    `export const Cart = () => <div>{items.length === 0 ? <p>Your cart is empty ${link}</p> : <p>All of it</p>}</div>\n`
  const says = async (files: Record<string, string>): Promise<string> =>
    saysOf(await wholeBatch(files), 'empty-cart-way-on').join()
  t.match(await says({ 'src/cart.tsx': cart('<Link to="/">Go back</Link>') }), 'Browse products')
  t.equal(await says({ 'src/cart.tsx': cart('<Link to="/">Shop now</Link>') }), '', 'it says where to')
  t.equal(await says({ 'src/cart.tsx': cart('') }), '', 'no list of products is known')
  t.match(
    await says({
      'src/cart.tsx': cart(''),
      'app/products/page.tsx': 'export const Page = () => <h1>All of it</h1>\n',
    }),
    '<a href="/products">Browse products</a>',
  )
})

t.test('a page is headed with what it offers, where its own line says it', async (t) => {
  const prices = (line: string): string =>
    page(`<h1>Pricing</h1><p>${line}</p><p>And all of the rest for you</p>`)
  const says = async (line: string): Promise<string[]> =>
    saysOf(await found({ 'a.html': prices(line) }, { focus: 'heading' }), 'heading-says-value')
  t.match((await says('One price for all of the team')).join(), 'One price for all of the team')
  t.same(await says('What does it cost you?'), [])
  t.same(await says('Learn more about all of our prices'), [], 'it says nothing of what is offered')
})

t.test('what the site says elsewhere against a doubt, at the button where it comes up', async (t) => {
  const start = page('<h1>All of it for you and the team</h1><a class="btn" href="/x">Start the test</a>')
  const other = (text: string): string => page(`<h2>Questions of yours</h2><p>${text}</p>`)
  const says = async (files: Record<string, string>): Promise<string> =>
    saysOf(await wholeBatch(files), 'reassurance-at-button account').join()
  const told = other('It is for you, and no account is needed.')
  t.match(await says({ 'index.html': start, 'faq.html': told }), '<small>No account is needed</small>')
  t.equal(await says({ 'other.html': start, 'faq.html': told }), '', 'nobody starts there')
  t.equal(
    await says({ 'index.html': start, 'faq.html': other('Why is no account needed?') }),
    '',
    'a question',
  )
  t.equal(await says({ 'index.html': start }), '', 'nothing is invented')
  const many = { 'index.html': start.replace('</h1>', '</h1><p>No account is needed</p>'), 'faq.html': told }
  t.equal(await says(many), '', 'it is said there')
  t.equal(await says({ 'index.html': start, 'terms.html': told }), '', 'the fine print has conditions')
  const account = start.replace('/x', '/register')
  t.equal(await says({ 'index.html': account, 'faq.html': told }), '', 'there one is needed')
  const inLink = start.replace('Start the test', '<button>Start the test</button>')
  t.match(
    await says({ 'index.html': inLink, 'faq.html': told }),
    '</a> <p style="margin-top: 0.5rem"><small>',
    'beside the link, not in it',
  )
})
