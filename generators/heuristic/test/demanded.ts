import t from 'tap'
import { filledBatch, found, page, patternsOf } from '../../test/support/workspace.js'

type Files = Readonly<Record<string, string>>

/** What a rule writes, one `find → replace` an edit. */
async function written(files: Files, pattern: string): Promise<string> {
  const one = (await found(files)).proposals.find((other) => other.pattern === pattern)
  return (
    one?.files.flatMap(({ edits }) => edits.map(({ find, replace }) => `${find} → ${replace}`)).join('\n') ??
    'nothing'
  )
}

const SERVICE = 'https://formspree.io/f/abcdefgh'
const PHONE =
  '<label for="phone">Phone number *</label><input type="tel" id="phone" name="phone" placeholder="020 123" required>'
const EMAIL = '<label for="email">E-mail *</label><input type="email" id="email" name="email" required>'
interface Parts {
  phone?: string
  email?: string
  more?: string
  heading?: string
  action?: string
  after?: string
}
const ask = ({
  phone = PHONE,
  email = EMAIL,
  more = '',
  heading = 'Ask us what you want to know about the garden',
  action = SERVICE,
  after = '',
}: Parts = {}): Files => ({
  'contact.html': page(
    `<h1>${heading}</h1><form action="${action}" method="POST"><label for="name">Name *</label><input id="name" name="name" required>${email}${phone}${more}<label for="message">Message *</label><textarea id="message" name="message" required></textarea><button>Send the message</button></form>${after}`,
  ),
})
const optional = (parts: Parts = {}): Promise<string> => written(ask(parts), 'phone-optional')

t.test('a telephone number beside an e-mail address may be left out', async (t) => {
  const says = await optional()
  t.match(says, 'Phone number * → Phone number (optional)')
  t.match(says, '→ <input type="tel" id="phone" name="phone" placeholder="020 123">', 'without the attribute')
  t.match(
    await optional({
      phone: '<input type="tel" name="phone" placeholder="Phone *" required>',
      more: '<input name="day" placeholder="Day (if known)">',
    }),
    'placeholder="Phone (optional)">',
    'a placeholder names it where no label does',
  )
  t.match(
    await optional({ phone: PHONE.replace('number *', 'number <span class="star">*</span>') }),
    '<label for="phone">Phone number (optional)</label>',
    'its star goes with all around it',
  )
  t.match(
    await optional({ after: '<p>All fields are required.</p>' }),
    'All fields are required unless marked as optional.',
    'what is said of all fields stays true',
  )
})

t.test('a telephone number is asked for as before where it is needed, or nobody knows', async (t) => {
  t.not(await optional(), 'nothing')
  const same = (parts: Parts, why: string): Promise<void> =>
    optional(parts).then((says) => {
      t.equal(says, 'nothing', why)
    })
  await same({ phone: PHONE.replace(' required', '') }, 'nobody insists on it')
  await same({ email: EMAIL.replace(' required', '') }, 'it is the one way to answer')
  await same({ heading: 'Book an appointment in the garden' }, 'a day is agreed upon')
  await same({ after: '<p>We will call you back within a day.</p>' }, 'somebody calls')
  await same({ after: '<p>Rappel</p><p>We call you.</p>' }, 'somebody calls')
  await same(
    { more: '<label for="street">Street</label><input id="street" name="street" required>' },
    'something is brought',
  )
  await same({ phone: PHONE.replace('Phone number *', 'Phone number (optional)') }, 'it says so already')
  await same(
    { action: 'https://example.com/send.cgi', after: '<a href="mailto:us@example.com">Write</a>' },
    'a link is no message',
  )
  await same({ action: '/send' }, 'nobody knows who receives it')
  await same({ action: 'https://example.com/send.cgi' }, 'nobody knows what it insists on')
  await same({ after: '<script src="/check.js"></script>' }, 'nobody knows what looks at it')
  await same({ phone: PHONE.replace('<label', '<label class="required"') }, 'a style may draw the star')
})

t.test('scripts of the site that leave forms alone do not matter', async (t) => {
  const files = { ...ask({ after: '<script src="/menu.js"></script>' }) }
  t.not(
    await written(
      { ...files, 'menu.js': "document.querySelector('nav').classList.toggle('open')" },
      'phone-optional',
    ),
    'nothing',
  )
  t.equal(
    await written(
      { ...files, 'menu.js': "for (const f of document.forms) f.addEventListener('submit', check)" },
      'phone-optional',
    ),
    'nothing',
  )
})

interface Code {
  check?: string
  send?: string
  head?: string
  field?: string
}
const kept = ({
  check = '',
  send = `await fetch('${SERVICE}', { method: 'POST', body: JSON.stringify(data) })`,
  head = '',
  field = 'value={data.phone} onChange={change}',
}: Code): Files => ({
  'src/pages/contact.tsx': `${head}
export default function Contact() {
  const [data, setData] = useState({ name: '', email: '', phone: '', message: '' })
  const [errors, setErrors] = useState({})
  const change = (e) => setData({ ...data, [e.target.name]: e.target.value })
  const submit = async (e) => {
    e.preventDefault()
    const errors = {}
    if (!data.email.trim()) errors.email = 'The address is needed'
    ${check}
    ${send}
  }
  return (
    <form onSubmit={submit}>
      <h1>Ask us what you want to know</h1>
      <label htmlFor="name">Name</label><input id="name" name="name" value={data.name} onChange={change} />
      <label htmlFor="email">E-mail</label><input id="email" type="email" name="email" value={data.email} onChange={change} />
      <label htmlFor="phone">Telephone</label><input id="phone" type="tel" name="phone" ${field} />
      <label htmlFor="message">Message</label><textarea id="message" name="message" value={data.message} onChange={change} />
      <button>Send the message</button>
    </form>
  )
}
`,
})
const checked = (check: string, more: Code = {}): Promise<string> =>
  written(kept({ check, ...more }), 'phone-optional')

t.test('what a page checks of the number holds for one that is given', async (t) => {
  const both = await checked(
    "if (!data.phone.trim()) { errors.phone = 'It is needed' } else if (!NUMBER.test(data.phone.replace(/\\s/g, ''))) { errors.phone = 'It is none' }",
  )
  t.match(both, '!data.phone.trim() → false')
  t.match(both, "→ data.phone && !NUMBER.test(data.phone.replace(/\\s/g, ''))")
  t.match(both, 'Telephone → Telephone (optional)')
  t.match(
    await checked(
      "if (!data.name || !data.phone || !data.message) { setErrors({ all: 'Something is missing' }); return }",
    ),
    '!data.name || !data.phone || !data.message → !data.name || !data.message',
  )
  t.match(
    await checked('const isReady = data.name && data.phone && data.message'),
    'data.name && data.phone && data.message → data.name && data.message',
  )
  t.match(
    await checked('if (data.phone.length < 6) errors.phone = 1'),
    'data.phone.length < 6 → data.phone && data.phone.length < 6',
  )
  t.match(
    await checked('const isRight = data.name && /^[0-9]+$/.test(data.phone)'),
    '→ (!data.phone || /^[0-9]+$/.test(data.phone))',
  )
})

t.test('what is not understood stays as it is', async (t) => {
  const NEEDED = 'if (!data.phone) errors.phone = 1'
  t.not(await checked(NEEDED), 'nothing')
  t.equal(
    await checked('if (data.phone && !NUMBER.test(data.phone)) errors.phone = 1'),
    'nothing',
    'nobody insists on it',
  )
  t.equal(await checked(`${NEEDED}; check(data.phone)`), 'nothing', 'it is given to who knows what')
  t.equal(
    await checked(`${NEEDED}; for (const one of ['name', 'phone']) if (!data[one]) return`),
    'nothing',
    'it is one of a list',
  )
  t.equal(
    await checked(`${NEEDED}; if (!Object.values(data).every(Boolean)) return`),
    'nothing',
    'nothing may be empty',
  )
  t.equal(
    await checked(NEEDED, { field: 'value={data.phone} onChange={change} onBlur={() => check(data.phone)}' }),
    'nothing',
    'it is checked when it is left',
  )
  t.equal(await checked(NEEDED, { send: 'await sendIt(data)' }), 'nothing', 'nobody knows where it goes')
  t.equal(
    await checked(NEEDED, { head: "import { contactSchema } from './schema'" }),
    'nothing',
    'checks stand elsewhere',
  )
  t.equal(
    await checked(NEEDED, {
      send: "await fetch('/api/contact', { method: 'POST', body: JSON.stringify(data) })",
    }),
    'nothing',
    'nobody knows what receives it',
  )
  t.not(
    await checked(NEEDED, {
      send: "window.open('https://wa.me/4912345?text=' + encodeURIComponent(data.phone))",
    }),
    'nothing',
    'it is a message of their own',
  )
})

t.test('what receives a form has to take it without', async (t) => {
  const sent = (code: string): Promise<string> =>
    written(
      {
        ...kept({
          check: 'if (!data.phone) errors.phone = 1',
          send: "await fetch('/api/contact', { method: 'POST', body: JSON.stringify({ name: data.name, email: data.email, phone: data.phone, message: data.message }) })",
        }),
        'src/pages/api/contact.ts': `export default async function handler(req, res) {\n  const { name, email, phone, message } = req.body\n  ${code}\n  await mail({ name, email, text: message, phone: phone })\n  res.end()\n}\n`,
      },
      'phone-optional',
    )
  t.not(await sent('if (!email) return res.status(400).end()'), 'nothing')
  t.equal(await sent('if (!email || !phone) return res.status(400).end()'), 'nothing')
  t.equal(
    await sent("if (['name', 'phone'].some((one) => !req.body[one])) return res.status(400).end()"),
    'nothing',
  )
  t.equal(
    await sent('const digits = phone.replace(/ /g, "")\n  if (!digits) return res.status(400).end()'),
    'nothing',
    'by another name',
  )
  t.equal(await sent('if (!validatePhone(phone)) return res.status(400).end()'), 'nothing')
  t.equal(await sent('if (phone.trim().length < 5) return res.status(400).end()'), 'nothing')
})

const OPTIONS =
  '<option value="">Choose</option><option value="friend">A friend</option><option value="other">Something else</option>'
const question = (says: string, inner = OPTIONS): string =>
  `<div><label for="src">${says}</label><select id="src" name="src" required>${inner}</select></div>`
const join = (asked: string, heading = 'Create an account for the shop'): Files => ({
  'join.html': page(
    `<h1>${heading}</h1><form action="/join" method="post"><label for="e">E-mail</label><input id="e" type="email" name="email" required>${asked}<label for="p">Password</label><input id="p" type="password" name="p" autocomplete="new-password" required><button>Create account</button></form>`,
  ),
})

t.test('a question for the team alone is taken out of what people join by', async (t) => {
  const hidden = '<input type="hidden" name="src" value="other">'
  for (const says of [
    'How did you hear about us?',
    'Wie sind Sie auf uns aufmerksam geworden?',
    'Comment nous avez-vous connus ?',
    '¿Cómo nos conociste?',
  ])
    t.match(await written(join(question(says)), 'without-survey'), hidden, says)
  t.notMatch(
    await written(join(question('How did you hear about us?')), 'without-survey'),
    '→ <div>',
    'with all around it',
  )
  const of = (files: Files): Promise<string> => written(files, 'without-survey')
  t.equal(
    await of(join(question('How did you hear about us?', '<option value="friend">A friend</option>'))),
    'nothing',
    'nobody knows whether it is taken without',
  )
  t.equal(await of(join(question('What did you like about us?'))), 'nothing')
  t.equal(
    await of(join(question('How did you hear about us?'), 'Our survey of all that come')),
    'nothing',
    'that is what it is for',
  )
})

t.test('the answer that fits everybody is what a form in code begins with', async (t) => {
  const vue = (more = '', start = "''"): Files => ({
    'pages/register.vue': `<template>
  <form @submit.prevent="send">
    <h1>Create an account for the shop</h1>
    <label>E-mail <input v-model="form.email" type="email" required></label>
    <label>Password <input v-model="form.password" type="password" autocomplete="new-password" required></label>
    <div>
      <label for="src">How did you hear about us?</label>
      <select id="src" v-model="form.src" required>${OPTIONS}</select>
    </div>
    ${more}
    <button>Create account</button>
  </form>
</template>
<script setup>
const form = reactive({ email: '', password: '', src: ${start} })
const send = () => post('/join', form)
</script>
`,
  })
  const of = (files: Files): Promise<string> => written(files, 'without-survey')
  const says = await of(vue())
  t.match(says, "src: 'other' })")
  t.notMatch(says.slice(says.indexOf(' → ')), 'How did you hear')
  t.equal(
    await of(vue('<p v-if="form.src === \'other\'">Which one? <input v-model="form.which"></p>')),
    'nothing',
    'whoever says so is asked on',
  )
  t.equal(await of(vue('', 'route.query.src')), 'nothing', 'it begins with what is not known')
})

t.test('a schema is given the one password for both', async (t) => {
  const joins = (inner: { resolver?: string; more?: string } = {}): Files => ({
    'src/forgot.html': '<h1>Forgot your password?</h1>',
    'src/lib/auth.ts': 'export const reset = (email) => sendPasswordResetEmail(auth, email)\n',
    'src/pages/join.tsx': `import { registerSchema } from '@/schemas'
export default function Join() {
  const { register, handleSubmit, watch } = useForm({
    resolver: ${inner.resolver ?? 'zodResolver(registerSchema)'},
    defaultValues: { email: '', password: '', confirmPassword: '' },
  })
  ${inner.more ?? ''}
  return (
    <form onSubmit={handleSubmit(send)}>
      <h1>Create an account for the shop</h1>
      <div><label htmlFor="email">Email</label><input id="email" type="email" {...register('email')} /></div>
      <div><label htmlFor="one">Password</label><input id="one" type="password" autoComplete="new-password" {...register('password')} /></div>
      <div><label htmlFor="two">Again</label><input id="two" type="password" autoComplete="new-password" {...register('confirmPassword')} /></div>
      <button>Create account</button>
    </form>
  )
}
`,
  })
  const once = (files: Files): Promise<string> => written(files, 'password-once')
  const says = await once(joins())
  t.match(
    says,
    'zodResolver(registerSchema) → (values, context, options) => zodResolver(registerSchema)({ ...values, confirmPassword: values.password }, context, options)',
  )
  t.notMatch(says.slice(says.lastIndexOf(' → ')), '<label htmlFor="two">', 'the second is gone')
  t.equal(
    await once(joins({ more: "const isSame = watch('confirmPassword') === watch('password')" })),
    'nothing',
    'the page looks at it',
  )
  t.equal(await once(joins({ resolver: 'checkAll' })), 'nothing', 'nobody knows what it takes')
  const unasked = { ...joins(), 'src/forgot.html': '<h1>Shop</h1>' }
  t.same(
    patternsOf(await filledBatch(unasked)).filter((pattern) => pattern === 'password-once'),
    [],
    'typed blindly, and nobody is known to set it anew: who mistypes it is locked out',
  )
  const unknown = await filledBatch({
    ...unasked,
    'src/pages/join.tsx': (joins()['src/pages/join.tsx'] ?? '').replace(
      'id="one" type="password"',
      "id=\"one\" type={isShown ? 'text' : 'password'}",
    ),
  })
  t.match(
    unknown.proposals.find(({ pattern }) => pattern === 'password-once'),
    { size: 'small', hypothesis: /check that a forgotten one can be set anew/ },
    'nobody is known to set it anew',
  )
  t.equal(
    await once({
      ...joins(),
      'src/pages/join.tsx': (joins()['src/pages/join.tsx'] ?? '').replaceAll("'password'", "'newPassword'"),
    }),
    'nothing',
    'one is changed',
  )
})
