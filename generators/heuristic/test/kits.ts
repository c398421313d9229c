import t from 'tap'
import { batch, filledBatch, found, page, patternsOf } from '../../test/support/workspace.js'

/*
 * Repositories that are there to be taken and made a site of: none of their forms sends anything yet.
 */

const cell = (name: string, label: string, type: string): string =>
  `<div class="col-sm-6${name.endsWith('1') ? ' mb-3 mb-sm-0' : ''}"><input type="${type}" id="${name}" class="form-control" placeholder="${label}"></div>`
const SIGN_UP = page(`<h1>Create an account</h1>
<form class="user">
  <div class="form-group"><input type="email" id="mail" placeholder="Email address"></div>
  <div class="form-group row">
    ${cell('secret1', 'Password', 'password')}
    ${cell('secret2', 'Repeat password', 'password')}
  </div>
  <a href="login.html" class="btn btn-primary">Register</a>
</form>`)
const FORGOT = page(`<h1>Forgot your password?</h1>
<p>Enter your address and we'll send you a link to reset your password.</p>
<form class="user">
  <div class="form-group"><input type="email" id="mail" placeholder="Email address"></div>
  <a href="login.html" class="btn btn-primary">Reset password</a>
</form>`)
const PAGES = { 'register.html': SIGN_UP, 'forgot-password.html': FORGOT }
const KIT = { ...PAGES, 'README.md': '# Oak\n\nA free template for shops\n' }

t.test('a kit of which no form sends anything is read as if they did', async (t) => {
  const { proposals } = await batch(KIT)
  const once = proposals.find(({ pattern }) => pattern === 'password-once')
  t.ok(once)
  const written = once?.files.flatMap(({ edits }) => edits.map(({ replace }) => replace)).join('\n') ?? ''
  t.match(written, '<div class="col-sm-12"><input type="password" id="secret1"', 'no hole is left beside it')
  t.notMatch(written, 'secret2')
  const of = async (files: Readonly<Record<string, string>>): Promise<boolean> =>
    (await filledBatch({ ...KIT, ...files })).proposals.some(
      ({ pattern, size }) => pattern === 'password-once' && size === undefined,
    )
  t.notOk(await of({ 'README.md': '# The site of a shop\n' }), 'it is a site whose forms are not done yet')
  t.notOk(await of({ 'README.md': '# The shop\n\nBuilt from a template by our team\n' }))
  t.ok(await of({ 'README.md': '', 'package.json': '{ "name": "oak-ui-kit" }' }), 'by what it is called')
  t.ok(
    await of({
      'README.md': '',
      'index.html': page('').replace('<title>Site', '<title>Oak - Bootstrap theme'),
    }),
    'by the title of a page',
  )
  t.notOk(
    await of({ 'contact.html': page('<form action="/send"><input type="email" name="mail"></form>') }),
    'one of them is sent',
  )
  t.notOk(await of({ 'js/site.js': "fetch('/api/join')" }), 'something asks a server')
  t.notOk(
    await of({ 'forgot-password.html': FORGOT.replace('a link to reset', 'our best, so we reset') }),
    'nobody says that one can set it anew by mail',
  )
  t.notOk(
    await of({ 'register.html': SIGN_UP.replace('</form>', "</form><script>see('secret2')</script>") }),
    'code of the page looks for the second',
  )
})

t.test('a theme as a whole is a kit, whatever else runs in it', async (t) => {
  const samples = Object.fromEntries(
    ['blank', 'buttons', 'cards', 'charts'].map((name) => [`theme/${name}.html`, page(`<h1>${name}</h1>`)]),
  )
  const theme = {
    ...samples,
    'theme/register.html': SIGN_UP,
    'theme/forgot-password.html': FORGOT,
    'js/parts/menu.js': "export const open = () => '<nav></nav>'",
    'js/parts/data.js': "fetch('/data.json')",
  }
  t.match(patternsOf(await found(theme)).join(), 'password-once')
  t.same(
    patternsOf(await found({ ...theme, 'index.html': page('<h1>Our work for you</h1>') })),
    [],
    'it is a part of a site',
  )
})

t.test(
  'ways in by another account come first, and what parts them from the fields still reads right',
  async (t) => {
    const form = (divider: string, title = 'Create your account', fields = 3): string =>
      page(`<main>
  <h1>${title}</h1>
  <form action="/join" method="post">
    <input type="email" name="email" aria-label="Email">
    <input type="password" name="password" aria-label="Password" autocomplete="${fields > 2 ? 'new' : 'current'}-password">
    ${fields > 2 ? '<input name="name" aria-label="Name">' : ''}
    <button>Go on</button>
  </form>

  ${divider}

  <div class="grid"><button type="button">Google</button><button type="button">GitHub</button></div>
  <p>Anything else we should know about you comes later</p>
</main>`)
    const of = async (divider: string, title?: string, fields?: number): Promise<string> => {
      const { proposals } = await found({ 'join.html': form(divider, title, fields) })
      const one = proposals.find(({ pattern }) => pattern === 'providers-first')
      return one === undefined
        ? 'nothing'
        : `${one.reasons[0] ?? ''} ${one.files.flatMap(({ edits }) => edits.map(({ replace }) => replace)).join('\n')}`
    }
    const moved = await of('<div class="or">or sign up with</div>')
    t.match(moved, 'effect 3')
    t.match(
      moved,
      '</button></div>\n\n  <div class="or">or sign up with email</div>\n\n  <form',
      'as far from each other as before',
    )
    t.match(moved, '</form>\n  <p>', 'no empty lines are left')
    t.match(
      await of('<div><span></span><span>OR CONTINUE WITH</span></div>'),
      '<span>OR CONTINUE WITH EMAIL</span>',
    )
    t.match(await of('<hr>'), '<hr>\n\n  <form')
    t.equal(await of('<p>or sign up with Google</p>'), 'nothing', 'it would speak of what stands above it')
    t.match(await of('<p>or</p>', 'Sign in', 2), 'effect 1', 'who has an account knows how it was made')
    t.match(await of(''), 'effect 2', 'whether something parts them is not known')
  },
)

t.test('of two ways to buy one is left: as loud as the other, which a script may look for', async (t) => {
  const shop = (buy: string): string =>
    page(
      `<h1>Oak table</h1>\n<div>\n  <button class="btn btn-outline" id="add">Add to cart</button>\n  ${buy}\n</div>\n<script>document.getElementById('now').addEventListener('click', go)</script>`,
    )
  const table = { 'table.html': shop('<button class="btn btn-primary" id="now">Buy now — $129</button>') }
  t.same((await found(table)).proposals, [], 'nobody gets to a cart')
  const { proposals } = await found({
    ...table,
    'cart.html': page('<h1>What is in your cart</h1><p>All of it is listed here</p>'),
  })
  const edits = proposals
    .filter(({ pattern }) => pattern === 'ways-to-buy')
    .flatMap(({ files }) => files.flatMap((file) => file.edits.filter(({ variant }) => variant === 'b')))
  t.same(
    edits.map(({ replace }) => replace),
    ['<button class="btn btn-primary" id="add">Add to cart</button>', '<span id="now" hidden></span>'],
  )
  t.notMatch(
    patternsOf(
      await found({ 'table.html': shop('<button id="now">Buy now and save a lot</button>') }),
    ).join(),
    'ways-to-buy',
  )
})

t.test('pages of a kit that show how its parts may look are nobody’s', async (t) => {
  const table = (name: string): string =>
    `<h4>${name}</h4><div class="row">${['Small', 'Middle', 'Large'].map((plan, at) => `<div><h3>${plan}</h3><p>$${at + 1}9</p><a class="btn" href="/join">Get started</a></div>`).join('')}</div>`
  const of = async (files: Readonly<Record<string, string>>): Promise<string> =>
    patternsOf(await found(files)).join()
  const kit = { 'package.json': '{ "name": "oak", "description": "A dashboard template" }' }
  const plans = page(table('Plans for you'))
  t.match(await of({ ...kit, 'pricing.html': plans }), 'plans')
  const numbered = page(['1', '2', '3'].map((one) => table(`Pricing Table - ${one}`)).join(''))
  t.match(await of({ 'pricing.html': numbered }), 'plans', 'nothing says that it is a kit')
  t.equal(await of({ ...kit, 'pricing.html': numbered }), '')
  t.equal(await of({ ...kit, 'element_pricing.html': plans }), '', 'by its name')
  const form = (heading: string): string =>
    `<h4>${heading}</h4><form action="/join" method="post"><input type="email" name="email" placeholder="Email"><input type="password" name="password" autocomplete="new-password" placeholder="Password"><button>Submit</button></form>`
  const titled = (title: string, headings: readonly string[]): string =>
    page(`<h1>Create an account</h1>${headings.map(form).join('')}`).replace('<title>Site', `<title>${title}`)
  const samples = ['Login Form', 'Registration Forms', 'Stack forms']
  t.equal(await of({ 'forms.html': titled('Oak - Admin Dashboard', samples) }), '')
  t.not(await of({ 'register.html': titled('Oak - Admin Dashboard', samples.slice(1, 2)) }), '')
})
