import t from 'tap'
import type { Candidate } from '../../port.js'
import { filledBatch, found, page, patternsOf } from '../../test/support/workspace.js'

const field = (name: string, more = ''): string => `<Input label="${name}" name="${name}" ${more} />`
const NEEDED = ['first', 'last', 'email'].map((name) => field(name, 'required')).join('\n')
const join = (fields: string, grid = ''): string =>
  `export const Join = () => (\n  <form>\n    <h1>Create an account for the shop</h1>\n    <div className="${grid}">${NEEDED}\n${fields}\n</div>${field('password', 'type="password" autoComplete="new-password" required')}\n    <button>Create account</button>\n  </form>\n)\n`

async function asked(files: Readonly<Record<string, string>>): Promise<Candidate | undefined> {
  return (await found(files)).proposals.find(({ pattern }) => pattern === 'ask-less')
}
/** A template string of code that prints something. */
const printed = (code: string): string => ['`Call $', `{${code}}`, '`'].join('')
const writes = async (files: Readonly<Record<string, string>>): Promise<string> =>
  (await asked(files))?.files.flatMap(({ edits }) => edits.map(({ replace }) => replace)).join('\n') ??
  'nothing'

t.test('a field that other code reads as it comes is sent as when it is left empty', async (t) => {
  const of = (code: string, phone = field('phone')): Promise<string> =>
    writes({ 'src/join.tsx': join(phone), 'src/data/customer.ts': code })
  const hidden = '<input type="hidden" name="phone" value="" />'
  t.notMatch(await of(''), 'hidden')
  t.match(await of("send({ phone: data.get('phone') as string })"), hidden, 'it would be null')
  t.notMatch(await of("send({ phone: data.get('phone') || undefined })"), 'hidden', 'nothing is expected')
  t.match(await of(`show(${printed('customer.phone')})`), hidden, 'its name would be printed')
  t.match(await of("isEqual(pick(a, ['phone']), pick(b, ['phone']))"), hidden, 'it is compared')
  t.match(
    await of("send(data.get('phone'))", field('phone', 'value={data.phone} onChange={change}')),
    '<input type="hidden" name="phone" value={data.phone} />',
    'what is known already goes with it',
  )
  const registered = "<Input {...register('phone')} />"
  t.equal(
    await of(`show(${printed('customer.phone')})`, registered),
    'nothing',
    'the page sends it by itself',
  )
})

t.test('a field without which nothing is taken stays', async (t) => {
  const of = (code: string): Promise<Candidate | undefined> =>
    asked({ 'src/join.tsx': join(field('phone')), 'src/api/join/schema.ts': code })
  t.ok(await of('const form = z.object({ phone: z.string().optional() })'))
  t.notOk(await of('const form = z.object({ phone: z.string().min(6) })'))
  t.notOk(await of('const user = new Schema({ phone: { type: String, required: true } })'))
  t.notOk(await of(`mail({ subject: ${printed('phone')} })`))
  t.ok(await of(`mail({ subject: ${printed('phone || email')} })`))
})

t.test('a label that is tied to no field goes with the one that it stands before', async (t) => {
  const form = (label: string): Readonly<Record<string, string>> => ({
    'join.html': page(
      `<h1>Create an account for the shop</h1><form action="/join"><label>Name</label><input name="name" required><label>Email</label><input type="email" name="email" required>${label}<input name="phone"><label>Password</label><input type="password" name="p" autocomplete="new-password" required><button>Create account</button></form>`,
    ),
  })
  const gone = (await asked(form('<label>Phone</label>')))?.files.flatMap(({ edits }) => edits) ?? []
  t.match(gone.map(({ find }) => find).join(' '), '<label>Phone</label>')
  t.equal(await writes(form('<label>Phone (optional)</label>')), 'nothing', 'it says so itself')
})

t.test('no hole is left in a row of two', async (t) => {
  const two = 'grid grid-cols-1 sm:grid-cols-2'
  const of = (fields: string, grid = two): Promise<string> => writes({ 'src/join.tsx': join(fields, grid) })
  t.match(await of(field('phone')), '<div className="sm:col-span-2"><Input label="email"', 'the other grows')
  t.notMatch(await of(field('phone') + field('city')), 'col-span-2', 'there was a hole before')
  t.notMatch(await of(field('phone'), 'space-y-2'), 'col-span')
  t.equal(
    await of(`${field('phone')}${field('city')}{more && <p>More</p>}`),
    'nothing',
    'nobody knows what stands beside it',
  )
  const bootstrap = (last: string): string =>
    page(
      `<h1>Create an account for the shop</h1><form><div class="row">${['first', 'last', 'email', 'phone']
        .map(
          (name) =>
            `<div class="col-md-6"><input name="${name}" aria-label="${name}" ${name === last ? '' : 'required'}></div>`,
        )
        .join(
          '',
        )}</div><input type="password" name="p" autocomplete="new-password" required><button>Create account</button></form>`,
    )
  const wide = await writes({ 'join.html': bootstrap('phone') })
  t.match(wide, '<div class="col-md-12"><input name="email"', 'the one that is left has the row')
  const onPhones = bootstrap('phone').replaceAll('col-md-6', 'col-12 col-md-6')
  t.match(await writes({ 'join.html': onPhones }), '<div class="col-12"><input name="email"')
  t.notOk(await asked({ 'join.html': bootstrap('phone').replaceAll('col-md-6', 'col-md-3') }))
  const styled = (around: string): string =>
    page(
      `<h1>Create an account for the shop</h1><form><input name="first" aria-label="first" required><input name="last" aria-label="last" required><div class="${around}"><p><input name="email" aria-label="email" required></p><p><input name="phone" aria-label="phone"></p></div><input type="password" name="p" autocomplete="new-password" required><button>Create account</button></form>`,
    )
  t.notOk(await asked({ 'join.html': styled('frow') }), 'how many stand beside each other its style says')
  t.ok(await asked({ 'join.html': styled('stack') }))
  const brand = styled('stack').replace(
    'name="phone" aria-label="phone"',
    'name="brand" autocomplete="organization" aria-label="Brand"',
  )
  t.notOk(await asked({ 'join.html': brand }), 'what browsers fill in may be something else')
  t.ok(await asked({ 'join.html': brand.replace('"Brand"', '"Company"') }))
})

t.test('lists to choose from are counted', async (t) => {
  const proposal = await asked({ 'src/join.tsx': join(`${field('phone')}<CountrySelect name="country" />`) })
  t.match(proposal?.surfaces[0]?.anchor, '6 fields')
})

/** What mails those who have forgotten it. */
const MAIL = { 'src/lib/auth.ts': 'export const reset = (email) => sendPasswordResetEmail(auth, email)\n' }

t.test('a password is asked for once where only the page compares the two', async (t) => {
  const join = (test: string, body = '{ email, password }'): string => `export function Join() {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [confirm, setConfirm] = useState('')
  const send = async (e) => {
    e.preventDefault()
    if (${test}) { setError('They differ'); return }
    await fetch('/api/join', { method: 'POST', body: JSON.stringify(${body}) })
  }
  return (
    <form onSubmit={send}>
      <h1>Create an account for the shop</h1>
      <label>Email <input type="email" value={email} onChange={(e) => setEmail(e.target.value)} /></label>
      <label>Password <input type="password" value={password} onChange={(e) => setPassword(e.target.value)} /></label>
      <label>Again <input type="password" name="confirm" value={confirm} onChange={(e) => setConfirm(e.target.value)} /></label>
      <button>Create account</button>
    </form>
  )
}
`
  const FORGOT = '<h1>Forgot your password?</h1>'
  const once = async (
    code: string,
    forgot = FORGOT,
    mail: Readonly<Record<string, string>> = MAIL,
  ): Promise<string> =>
    (await filledBatch({ 'src/join.tsx': code, 'src/pages/forgot.html': forgot, ...mail })).proposals
      .find(({ pattern, size }) => pattern === 'password-once' && size === undefined)
      ?.files.flatMap(({ edits }) => edits.map(({ find, replace }) => `${find} → ${replace}`))
      .join('\n') ?? 'nothing'
  const DIFFER = 'busy || password !== confirm'
  t.match(await once(join(DIFFER)), `${DIFFER} → busy`)
  t.match(await once(join(DIFFER)), /<label>Again .* → $/m)
  const bare = join('password !== confirm')
  t.match(await once(bare), 'password !== confirm → false', 'what is done only where they differ')
  t.equal(await once(bare.replace('return }', 'return } else ready()')), 'nothing', 'one of two ways on')
  t.equal(await once(join(DIFFER, '{ email, password, confirm }')), 'nothing', 'it is sent')
  const unmade = await filledBatch({
    'src/pages/join.tsx': join(DIFFER),
    'src/pages/login.tsx':
      "export const Login = () => <form><h1>Sign in to the shop</h1><Link to='/forgot-password'>Forgot your password?</Link></form>\n",
    ...MAIL,
  })
  t.notOk(patternsOf(unmade).includes('password-once'), 'no page is there that it leads to')
  const nowhere = FORGOT.replace('<h1>', '<a href="#">Forgot password?</a><h1>')
  t.equal(await once(join(DIFFER), nowhere), 'nothing', 'the way to a new one leads nowhere')
  const noted = join('busy').replace(
    '<button>',
    "<p>{password !== confirm ? 'They differ' : ''}</p>\n      <button>",
  )
  t.match(await once(noted), "password !== confirm ? 'They differ' : '' → ''", 'of a choice one is left')
  const told2 = (says: string): string => join(DIFFER).replace('<button>', `<p>${says}</p>\n      <button>`)
  t.not(await once(told2('At least eight letters')), 'nothing')
  t.equal(await once(told2('Typed twice, so that no slip stays')), 'nothing', 'it is spoken of still')
  t.equal(
    await once(
      join(DIFFER).replace('return (', "const hints = ['Typed twice, so that no slip stays']\n  return ("),
    ),
    'nothing',
    'code says so',
  )
  const reached = (way: string, ref: string): string =>
    join(DIFFER).replace('name="confirm"', `name="confirm" ${ref}`).replace('setError(', `${way}; setError(`)
  t.equal(await once(reached("again.current.setCustomValidity('')", 'ref={again}')), 'nothing', 'by a ref')
  t.equal(await once(reached("document.getElementById('again').focus()", 'id="again"')), 'nothing')
  t.equal(await once(reached('e.target.elements.confirm.focus()', 'id="again"')), 'nothing')
  t.not(await once(reached("document.getElementById('first').focus()", 'id="again"')), 'nothing')
  t.equal(await once(join('!confirm')), 'nothing', 'nothing compares the two')
  t.equal(await once(join(DIFFER), FORGOT, {}), 'nothing', 'nobody is known to get a mail')
  const later = 'export const reset = (password) => sendMail(password) // TODO: send the mail\n'
  t.equal(await once(join(DIFFER), FORGOT, { 'src/lib/auth.ts': later }), 'nothing', 'nobody does yet')
  const own = 'export const reset = (password) => sendMail({ to, text: link(password) })\n'
  t.not(await once(join(DIFFER), FORGOT, { 'src/lib/auth.ts': own }), 'nothing', 'the site mails it')
  const shown = join(DIFFER).replace(
    'type="password" value={password}',
    "type={shown ? 'text' : 'password'} value={password} autoComplete=\"new-password\"",
  )
  t.not(await once(shown, FORGOT, {}), 'nothing', 'what is typed can be looked at')
  const mailed = FORGOT.replace('<h1>', '<script>auth.resetPasswordForEmail(email)</script><h1>')
  t.equal(await once(join(DIFFER), mailed), 'nothing', 'what is mailed leads nowhere')
  const taken = mailed.replace('</script>', ';auth.updateUser({ password })</script>')
  t.not(await once(join(DIFFER), taken), 'nothing')
  const invited = await found({
    'src/pages/join/[token].tsx': join(DIFFER),
    'src/pages/forgot.html': FORGOT,
    ...MAIL,
  })
  t.notOk(patternsOf(invited).includes('password-once'), 'who is invited comes anyway')
  const asked = async (path: string, change: (code: string) => string = (code) => code): Promise<boolean> =>
    patternsOf(
      await found({ [path]: change(join(DIFFER)), 'src/pages/forgot.html': FORGOT, ...MAIL }),
    ).includes('password-once')
  t.ok(await asked('src/pages/join.tsx'))
  t.notOk(await asked('src/pages/auth-old/join.tsx'), 'another part has taken its place')
  for (const path of ['AcceptInvite', 'TenantSignup', 'client-portal/join', 'join-team'])
    t.notOk(await asked(`src/pages/${path}.tsx`), path)
  for (const line of [
    'Ruth has invited you to see her boats',
    'This invite link works once',
    'Mit der Einladung: Sie wurden eingeladen',
    'Vous êtes invité par Ruth',
    'Te han invitado a ver los barcos',
    'Join your team',
  ])
    t.notOk(await asked('src/pages/join.tsx', (code) => code.replace('</h1>', `</h1><p>${line}</p>`)), line)
  t.ok(
    await asked('src/pages/join.tsx', (code) =>
      code.replace('</h1>', '</h1><p>Make invitations for your feast</p>'),
    ),
    'what is sold there',
  )
  t.notOk(
    await asked('src/pages/join.tsx', (code) =>
      code.replace('  const send', "  const token = searchParams.get('token')\n  const send"),
    ),
    'by its sign',
  )
  t.equal(
    await once(join('busy || newPassword !== confirm').replaceAll('value={password}', 'value={newPassword}')),
    'nothing',
    'one is changed',
  )
  t.equal(await once(join('password !== confirm || other !== confirm')), 'nothing')
  t.equal(await once(join(DIFFER), '<h1>Shop</h1>'), 'nothing', 'nobody can set it anew')
  t.match(
    await once(join('!password || !confirm || password !== confirm')),
    '!password || !confirm || password !== confirm → !password',
    'whoever asks whether it is there asks the first',
  )
  t.match(
    await once(join('busy || password !== confirm')),
    'busy || password !== confirm → busy\n',
    'what is always so adds nothing to another condition',
  )
  const told = join(DIFFER).replace(
    '<button>',
    '{confirm && password !== confirm && <p>They differ</p>}\n      <button>',
  )
  t.notMatch(await once(told), 'They differ</p>', 'what is said only of a second value is never said')
  t.match(
    await once(join('!(confirm && password === confirm)')),
    '(confirm && password === confirm) → password',
    'and what asks for both to be the same has it',
  )
})

t.test('a second password in an object of values is read from the first', async (t) => {
  const join = (send: string): string => `export function Join() {
  const [form, setForm] = useState({ email: '', password: '', confirmPassword: '' })
  const change = (e) => setForm({ ...form, [e.target.name]: e.target.value })
  const send = async (e) => {
    e.preventDefault()
    if (busy || form.password !== form.confirmPassword) { setErrors({ confirmPassword: 'They differ' }); return }
    ${send}
  }
  return (
    <form onSubmit={send}>
      <h1>Create an account for the shop</h1>
      <label>Email <input type="email" name="email" value={form.email} onChange={change} /></label>
      <label>Password <input type="password" name="password" value={form.password} onChange={change} /></label>
      <label>Again <input type="password" name="confirmPassword" value={form.confirmPassword} onChange={change} /></label>
      <button>Create account</button>
      <a href="/forgot-password">Forgot password?</a>
    </form>
  )
}
`
  const once = async (send: string): Promise<string> =>
    (await found({ 'src/join.tsx': join(send), ...MAIL })).proposals
      .find(({ pattern, size }) => pattern === 'password-once' && size === undefined)
      ?.files.flatMap(({ edits }) => edits.map(({ find, replace }) => `${find} → ${replace}`))
      .join('\n') ?? 'nothing'
  t.match(
    await once('await signUp(form.email, form.password)'),
    'busy || form.password !== form.confirmPassword → busy',
  )
  t.match(
    await once('const { confirmPassword, ...own } = form; await signUp(own)'),
    'busy || form.password !== form.confirmPassword → busy',
  )
  t.equal(await once('await signUp(form)'), 'nothing', 'all of it is sent')
  t.equal(await once('await signUp({ ...form })'), 'nothing')
  t.equal(await once("await signUp(form['confirmPassword'])"), 'nothing')
})

t.test('a field stays where it is one of two, and where a note beside it names it', async (t) => {
  const form = (note: string, send = 'save(email)'): string =>
    `export const Join = () => {\n  const send = () => { ${send} }\n  return (\n  <form onSubmit={send}>\n    <h1>Create an account for the shop</h1>\n    ${NEEDED}\n    ${field('phone')}\n    ${note}\n    ${field('password', 'type="password" autoComplete="new-password" required')}\n    <button>Create account</button>\n  </form>\n  )\n}\n`
  const of = (note: string, send?: string): Promise<string> => writes({ 'src/join.tsx': form(note, send) })
  t.not(await of(''), 'nothing')
  t.equal(await of('', "if (!email && !phone) throw new Error('one of them')"), 'nothing')
  t.equal(await of('<p>Give an e-mail address or a phone number</p>'), 'nothing')
  t.not(await of('<p>We never give your address to others</p>'), 'nothing')
})

t.test(
  'forms of those who keep records of others, or edit what is there, ask for what they need',
  async (t) => {
    const form = (fields: string, around: readonly [string, string] = ['', ''], code = ''): string =>
      `<script>\n${code}\n</script>\n${around[0]}<form method="POST"><h2>The offer for you</h2>${['name', 'city', 'street'].map((name) => `<label for="${name}">${name}</label><input id="${name}" name="${name}" required />`).join('')}${fields}<button>Send it</button></form>${around[1]}\n`
    const phone = (value = '', words = 'Phone'): string =>
      `<label for="phone">${words}</label><input id="phone" name="phone" ${value} />`
    const of = async (
      text: string,
      path = 'offer',
      files: Readonly<Record<string, string>> = {},
    ): Promise<boolean> =>
      (await asked({ [`src/routes/${path}/+page.svelte`]: text, ...files })) !== undefined
    t.ok(await of(form(phone())))
    t.ok(await of(form(phone("value={form?.phone ?? ''}"))), 'what was turned down')
    t.notOk(await of(form(phone("value={member.phone ?? ''}"))), 'a record')
    t.ok(await of(form(phone('bind:value={call.phone}'), undefined, "let call = $state({ phone: '' })")))
    t.notOk(await of(form(phone('bind:value={call.phone}'), undefined, 'let call = $derived(data.call)')))
    t.notOk(await of(form(phone(), ['{#if isStaff}', '{/if}'])), 'staff alone see it')
    t.ok(await of(form(phone(), ['{#if isOpen}', '{/if}'])))
    t.notOk(
      await of(
        form(`${phone()}<label for="status">Status</label><select id="status" name="status"></select>`),
      ),
    )
    t.notOk(await of(form(phone()), 'members/new'), 'by its folder')
    const gate = (list: string): Record<string, string> => ({
      'src/hooks.server.ts': `${list}\nexport const handle = ({ event, resolve }) => isFor(event) ? resolve(event) : redirect(302, '/login')\n`,
    })
    t.notOk(await of(form(phone()), 'offer', gate("const staffPaths = ['/offer']")))
    t.notOk(await of(form(phone()), 'offer', gate("const protectedPaths = ['/offer', '/plans']")))
    t.notOk(await of(form(phone()), 'offer', gate("const publicPaths = ['/login', '/plans']")))
    t.ok(await of(form(phone()), 'offer', gate("const publicPaths = ['/login', '/offer']")))
    for (const words of [
      'Phone (optional)',
      'Téléphone (facultatif)',
      'Telefon – freiwillig',
      'Teléfono opcional',
    ])
      t.notOk(await of(form(phone('', words))), words)
    for (const line of [
      'What is the best way to reach you?',
      'Wir rufen Sie an: Rückruf am selben Tag',
      'Nous vous rappelons',
      'We will call you',
    ])
      t.notOk(await of(form(`<p>${line}</p>${phone()}`)), line)
  },
)
