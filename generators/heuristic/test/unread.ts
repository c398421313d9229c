import t from 'tap'
import { batch, page } from '../../test/support/workspace.js'

type Files = Readonly<Record<string, string>>

/** What a form is to ask for no more, as the proposal's name says it. */
async function without(files: Files): Promise<string> {
  const { proposals } = await batch(files, { focus: 'fields' })
  const found = proposals.find(({ hypothesis }) => / code .*(reads|hands on)/.test(hypothesis))
  return /without (.*)$/.exec(found?.name ?? '')?.[1] ?? 'nothing'
}

/** What stands there in place of the fields. */
async function writes(files: Files): Promise<string> {
  const { proposals } = await batch(files, { focus: 'fields' })
  return proposals
    .flatMap(({ files: all }) => all.flatMap(({ edits }) => edits.map(({ replace }) => replace)))
    .join('\n')
}

const label = (name: string, more = '', words = name): string =>
  `<label>${words} <input name="${name}" required ${more}></label>`

t.test('HTML and PHP: what a script never reads can go', async (t) => {
  const form = (action = 'send.php', more = ''): string =>
    page(
      `<h1>Ask for an offer</h1><form action="${action}" method="post">${label('name')}${label('email', 'type="email"')}${label('fax')}${label('job', '', 'Your job')}<p style="display:none">${label('website')}</p>${more}<textarea name="message"></textarea><label><input type="checkbox" name="terms" required> Terms</label><button>Ask</button></form>`,
    )
  const reads = (...names: readonly string[]): string =>
    names.map((name) => `$_POST['${name}'] ?? ''`).join(' . ')
  const php = (code: string): string => `<?php\nmail('a@b.example', 'Offer', ${code});\n`
  const both = php(reads('name', 'email', 'message'))
  const of = (code: string, html = form()): Promise<string> =>
    without({ 'ask/index.html': html, 'ask/send.php': code })
  t.equal(await of(both), '“fax” and “Your job”')
  t.equal(await of(both, form('/ask/send.php')), '“fax” and “Your job”')
  t.notMatch(await writes({ 'ask/index.html': form(), 'ask/send.php': both }), /fax|job/)
  t.equal(await of(php(reads('name', 'email', 'message', 'job'))), 'fax')
  t.equal(
    await of(
      `<?php\n$needed = ['name', 'email', 'job'];\nforeach ($needed as $one) if (empty($_POST[$one])) exit;\n${both.slice(5)}`,
    ),
    'fax',
    'a list that is gone through',
  )
  t.equal(await of(php("implode(' ', $_POST)")), 'nothing', 'all that there is is sent on')
  t.equal(await of(`${both}foreach ($_POST as $key => $value) save($key, $value);`), 'nothing')
  t.equal(await of(`${both}include 'log.php';`), 'nothing', 'another file may read the rest')
  t.equal(
    await of(`${both}// fax: not read any more`),
    '“fax” and “Your job”',
    'what is said aside is no code',
  )
  t.equal(await of(`${both}$faxNumber = 1;`), '“Your job”', 'it speaks of it in some way')
  t.equal(await of(php(reads('name'))), 'nothing', 'a script that hardly reads anything is not finished')
  t.equal(await of(php(reads('name', 'email'))), 'nothing', 'nor is one that throws messages away')
  t.equal(await without({ 'ask/index.html': form() }), 'nothing', 'nobody knows who receives it')
  t.equal(await of(both, form('https://forms.example/send.php')), 'nothing')
  t.equal(
    await of(both, form().replace('</body>', '<script>check(document.forms[0].fax.value)</script></body>')),
    '“Your job”',
    'the page looks at it',
  )
  const loads = form().replace('</body>', '<script src="menu.js"></script></body>')
  const script = (code: string): Promise<string> =>
    without({ 'ask/index.html': loads, 'ask/send.php': both, 'ask/menu.js': code })
  t.equal(await script('bar.classList.toggle("open")'), '“fax” and “Your job”')
  t.equal(await script('if (one.value === "") stop()'), 'nothing', 'another script may look at it')
  t.equal(await of(both, loads), 'nothing', 'nobody knows what another script does')
  t.match(
    await of(both, form('send.php', label('allergies') + label('taxId'))),
    /^“fax” and “Your job”$/,
    'safety and law are not weighed by what one script reads',
  )
})

t.test('HTML whose own script sends it', async (t) => {
  const of = (body: string): Promise<string> =>
    without({
      'index.html': page(
        `<h1>Join the club</h1><form id="join">${['name', 'email', 'fax', 'job'].map((name) => label(name)).join('')}<button>Join</button></form><script>join.addEventListener('submit', async (e) => { e.preventDefault(); const all = new FormData(join); await fetch('/api/join', { method: 'POST', body: ${body} }) })</script>`,
      ),
      'api/join.js': 'export default (req, res) => store(req.body.name, req.body.email)',
    })
  t.equal(await of('JSON.stringify(Object.fromEntries(all))'), '“fax” and “job”')
  t.equal(await of('JSON.stringify({ name: all.get("name"), mail: all.get("email") })'), '“fax” and “job”')
  t.equal(await of('JSON.stringify({ ...Object.fromEntries(all), fax: clean(all.get("fax")) })'), '“job”')
})

const JOIN = ['name', 'email', 'phone', 'headcount']
const join = (submit: string, tag = 'onSubmit={send}'): string =>
  `import { useState } from 'react'\nimport { save } from '../lib/save'\nexport default function Join() {\n  async function send(e) {\n    e.preventDefault()\n    ${submit}\n  }\n  return (\n    <form ${tag}>\n      <h1>Join the club</h1>\n${JOIN.map((name) => `      <label>${name}<input name="${name}" required /></label>`).join('\n')}\n      <button>Join</button>\n    </form>\n  )\n}\n`
const whole =
  "await fetch('/api/join', { method: 'POST', body: JSON.stringify({ ...Object.fromEntries(new FormData(e.currentTarget)), plan: 1 }) })"

t.test('Next: what the handler of an address never reads can go', async (t) => {
  const of = (code: string, submit = whole): Promise<string> =>
    without({ 'app/join/page.jsx': join(submit), 'app/api/join/route.ts': code })
  const post = (code: string): string => `export async function POST(req: Request) {\n${code}\n}`
  t.equal(
    await of(post('const { name, email } = await req.json(); await store(name, email)')),
    '“phone” and “headcount”',
  )
  t.equal(
    await of(
      post('const body = await req.json().catch(() => ({})); await store(body.name, body.email, body.phone)'),
    ),
    '“headcount”',
  )
  t.equal(await of(post('const { name, email, ...rest } = await req.json(); await store(rest)')), 'nothing')
  t.equal(await of(post('const body = await req.json(); await store({ ...body })')), 'nothing')
  t.equal(
    await of(post('const body = await req.json(); await store(body.name, body.email); log(body)')),
    'nothing',
  )
  t.equal(
    await of(post('const form = await req.formData(); await store(form.get("name"), form.get("email"))')),
    '“phone” and “headcount”',
  )
  t.equal(
    await of(
      post(
        'const form = await req.formData(); for (const [key] of form) store(key); form.get("name"); form.get("email")',
      ),
    ),
    'nothing',
  )
  const schema = (more: string): string =>
    `const Body = z.object({ name: z.string(), email: z.string().email() })${more}\n${post('const { data } = Body.safeParse(await req.json()); await store(data)')}`
  t.equal(await of(schema('')), '“phone” and “headcount”', 'a schema leaves out what it does not name')
  t.equal(await of(schema('.passthrough()')), 'nothing')
  const two = 'const { name, email } = await req.json(); await store(name, email)'
  t.equal(
    await of(
      post(two),
      `const all = Object.fromEntries(new FormData(e.currentTarget)); if (!all.phone) return; ${whole}`,
    ),
    '“headcount”',
    'the page itself insists on it',
  )
  t.equal(
    await of(post(two), `const all = Object.fromEntries(new FormData(e.currentTarget)); keep(all); ${whole}`),
    'nothing',
    'the page hands all on to something else as well',
  )
})

t.test('a function of another file that is given the form', async (t) => {
  const of = (code: string): Promise<string> =>
    without({
      'src/pages/Join.jsx': join('await save(new FormData(e.currentTarget))'),
      'src/lib/save.ts': `export async function save(form: FormData) {\n  await fetch('https://a.example', { method: 'POST', body: ${code} })\n}`,
    })
  t.equal(
    await of('JSON.stringify({ name: form.get("name"), email: form.get("email") })'),
    '“phone” and “headcount”',
  )
  t.equal(await of('form'), 'nothing')
})

t.test('Express: what the function of a route never reads can go', async (t) => {
  const of = (route: string): Promise<string> =>
    without({ 'src/pages/Join.jsx': join(whole), 'server/index.js': `const app = express()\n${route}` })
  const handler = '(req, res) => { const { name, email } = req.body; store(name, email); res.end() }'
  t.equal(await of(`app.post('/api/join', ${handler})`), '“phone” and “headcount”')
  t.equal(await of(`app.post('/api/join', express.json(), ${handler})`), '“phone” and “headcount”')
  t.equal(
    await of(`app.post('/api/join', checked(rules), ${handler})`),
    'nothing',
    'what stands before it may insist',
  )
  t.equal(await of(`app.post('/api/join', (req, res) => store(req.body))`), 'nothing')
  t.equal(await of(`app.post('/api/leave', ${handler})`), 'nothing', 'another address')
})

t.test('SvelteKit: what the actions beside a page never read can go', async (t) => {
  const form = `<form method="POST"><h1>Join the club</h1>{#each days as day}<input type="number" name={day.id} aria-label={day.id} />{/each}${JOIN.map((name) => `<label>${name} <input name="${name}" required /></label>`).join('')}<button>Join</button></form>`
  const of = (code: string): Promise<string> =>
    without({
      'src/routes/join/+page.svelte': form,
      'src/routes/join/+page.server.ts': `export const actions = { default: async ({ request }) => { const d = await request.formData(); ${code} } }`,
    })
  t.equal(await of('await store(d.get("name"), d.get("email"))'), '“phone” and “headcount”')
  t.equal(
    await of('for (const day of days) add(d.get(day.id)); await store(d.get("name"), d.get("email"))'),
    '“phone” and “headcount”',
    'names that both work out alike',
  )
  t.equal(await of('for (const one of days) add(d.get(one.id)); d.get("name"); d.get("email")'), 'nothing')
  t.equal(await of('d.get("name"); d.get("email"); await fetch("/x", { body: d })'), 'nothing')
})

t.test('Vue: what a page keeps, or its receiver never reads, can go', async (t) => {
  const form = (script: string, root = 'data.'): string =>
    `<script setup>\nimport { reactive, ref } from 'vue'\n${script}\n</script>\n\n<template>\n  <form @submit.prevent="send">\n    <h2>Join the club</h2>\n${JOIN.map((name) => `    <label>${name} <input v-model="${root}${name}" required /></label>`).join('\n')}\n    <button>Join</button>\n  </form>\n</template>\n`
  const state = `const data = reactive({ ${JOIN.map((name) => `${name}: ''`).join(', ')} })\n`
  const sends = (body: string): string =>
    `async function send() { await fetch('/api/join', { method: 'POST', body: JSON.stringify(${body}) }) }`
  const of = (script: string, server = ''): Promise<string> =>
    without({ 'src/Join.vue': form(script), 'server/index.js': server })
  t.equal(await of(state + sends('{ name: data.name, mail: data.email }')), '“phone” and “headcount”')
  t.equal(await of(state + sends('{ name: data.name, mail: data.email, tel: data.phone }')), '“headcount”')
  t.equal(await of(state + sends('data')), 'nothing', 'nobody knows what is read of it')
  const server = "app.post('/api/join', (req, res) => { store(req.body.name, req.body.email) })"
  t.equal(await of(state + sends('data'), server), '“phone” and “headcount”')
  t.equal(
    await of(`${state}const isFull = () => data.phone.length > 5\n${sends('data')}`, server),
    '“headcount”',
    'the page checks it',
  )
  t.equal(
    await of(`const data = useDetails()\n${sends('{ name: data.name, mail: data.email }')}`),
    'nothing',
    'what others keep others may read',
  )
  t.equal(
    await of(`${state}const send = () => data.name && data.email`),
    'nothing',
    'nothing is sent anywhere',
  )
})

t.test('React: state, what is registered, and what a function is called with', async (t) => {
  const of = (
    code: string,
    submit: string,
    field: (name: string) => string,
    more: Files = {},
  ): Promise<string> =>
    without({
      'pages/join.jsx': `import { useState } from 'react'\nimport { create } from '../lib/create'\nexport default function Join() {\n${code}\n  return (\n    <form onSubmit={${submit}}>\n      <h1>Join the club</h1>\n${JOIN.map((name) => `      <label>${name}<input ${field(name)} required /></label>`).join('\n')}\n      <button>Join</button>\n    </form>\n  )\n}\n`,
      ...more,
    })
  const api = {
    'pages/api/join.js':
      'export default (req, res) => { const { name, email } = req.body; store(name, email) }',
  }
  const each = JOIN.map((name) =>
    `const [${name}, set_${name}] = useState('')`.replace(/_(.)/, (_, one: string) => one.toUpperCase()),
  ).join('\n')
  const post = (body: string): string =>
    `await fetch('/api/join', { method: 'POST', body: JSON.stringify(${body}) })`
  const both = '“phone” and “headcount”'
  const bound = (name: string): string => `value={${name}} onChange={(e) => change(e)}`
  t.equal(
    await of(`${each}\nconst send = async () => { ${post(`{ ${JOIN.join(', ')} }`)} }`, 'send', bound, api),
    both,
  )
  t.equal(
    await of(
      `${each}\nconst send = async () => { ${post('{ name, email, headcount, mobile: `+$' + '{phone}`.trim() }')} }`,
      'send',
      bound,
      api,
    ),
    '“headcount”',
    'what stands in a text is sent by another name',
  )
  t.equal(await of(`${each}\nconst send = () => create(name, email)`, 'send', bound), both)
  t.equal(
    await of(`${each}\nconst send = () => { if (!phone) return; create(name, email) }`, 'send', bound),
    '“headcount”',
  )
  const state = `const [form, setForm] = useState({ ${JOIN.map((name) => `${name}: ''`).join(', ')} })\nconst change = (e) => setForm({ ...form, [e.target.name]: e.target.value })\n`
  const held = (name: string): string => `name="${name}" value={form.${name}} onChange={change}`
  t.equal(await of(`${state}const send = async () => { ${post('form')} }`, 'send', held, api), both)
  t.equal(
    await of(`${state}const send = () => create(form)`, 'send', held, api),
    'nothing',
    'that file is not there',
  )
  t.equal(
    await of(
      `const send = async (data) => { ${post('data')} }`,
      'handleSubmit(send)',
      (name) => `{...register('${name}')}`,
      api,
    ),
    both,
  )
})

t.test('HTML whose other script finds it by its id and sends it by names', async (t) => {
  const form = (more = ''): string =>
    page(
      `<h1>Join the club</h1><form id="join" action="/api/join" method="post">${['name', 'email', 'fax', 'job'].map((name) => label(name)).join('')}<button>Join</button></form>${more}<script src="js/join.js" defer></script>`,
    )
  const send =
    'fetch(form.action, { method: "POST", body: JSON.stringify({ name: d.name, contact: { email: d.email } }) })'
  const script = (code = send, first = 'ev.preventDefault()', id = 'join'): string =>
    `(function () {\n  var form = document.getElementById('${id}')\n  form.addEventListener('submit', function (ev) {\n    ${first}\n    var d = Object.fromEntries(new FormData(form))\n    ${code}\n  })\n})()`
  const of = (code: string, html = form()): Promise<string> =>
    without({ 'index.html': html, 'js/join.js': code })
  t.equal(await of(script()), '“fax” and “job”')
  t.equal(await of(script(), form().replace(' action="/api/join" method="post"', '')), '“fax” and “job”')
  t.equal(await of(script(`save(d); ${send}`)), 'nothing', 'all of it goes somewhere else too')
  t.equal(await of(script(send.replace('name: d.name', '...d'))), 'nothing')
  t.equal(await of(script(`if (!d.fax) return; ${send}`)), '“job”', 'the script insists on it')
  t.equal(
    await of(script(send, 'if (!ok) ev.preventDefault()')),
    'nothing',
    'the browser may send it as well',
  )
  t.equal(await of(script(`${send}; form.submit()`)), 'nothing')
  t.equal(await of(script(send, 'ev.preventDefault()', 'other')), 'nothing', 'it means another form')
  t.equal(
    await of(script(), form('<p>We answer every fax within a day.</p>')),
    '“job”',
    'the page speaks of it',
  )
  t.equal(
    await without({
      'index.html': form('<script src="js/checks.js"></script>'),
      'js/join.js': script(),
      'js/checks.js': 'for (const one of document.forms[0].elements) check(one)',
    }),
    'nothing',
    'another script looks at it',
  )
})

t.test('what is taken out before the rest is sent', async (t) => {
  const file = (send: string, markup = ''): Files => ({
    'src/Join.vue': `<script setup>\nimport { reactive } from 'vue'\nconst data = reactive({ ${JOIN.map((name) => `${name}: ''`).join(', ')} })\nasync function send() {\n  ${send}\n}\n</script>\n\n<template>\n  <form @submit.prevent="send">\n    <h2>Join the club</h2>\n${JOIN.map((name) => `    <label>${name} <input v-model="data.${name}" required /></label>`).join('\n')}\n    ${markup}\n    <button>Join</button>\n  </form>\n</template>\n`,
  })
  const of = (send: string, markup = ''): Promise<string> => without(file(send, markup))
  const out = 'const { phone, headcount, ...rest } = data'
  const post = (body: string): string => `await fetch('/api/join', { method: 'POST', body: ${body} })`
  const both = '“phone” and “headcount”'
  t.equal(await of(`${out}; ${post('JSON.stringify(rest)')}`), both)
  const packed = `const body = new FormData(); ${out}; body.append('join', JSON.stringify(rest))`
  t.equal(await of(`${packed}; ${post('body')}`), both, 'as one part of what is sent')
  t.equal(
    await of(`${packed}; ${post('JSON.stringify(rest)')}`),
    'nothing',
    'that is kept for something else',
  )
  t.equal(await of(`${out}; if (!phone) return; ${post('JSON.stringify(rest)')}`), '“headcount”')
  t.equal(await of(`${out}; ${post('JSON.stringify({ ...rest, tel: phone })')}`), '“headcount”')
  t.equal(await of(`${out}; keep(data); ${post('JSON.stringify(rest)')}`), 'nothing')
  t.equal(await of(`${out}; ${post('JSON.stringify({ rest, data })')}`), 'nothing')
  t.equal(
    await of(`${out}; ${post('JSON.stringify(rest)')}`, '<Summary :of="data" />'),
    'nothing',
    'a part is given all of it',
  )
  t.equal(
    await of(`${out}; ${post('JSON.stringify(rest)')}`, '<p>We call you back within a day.</p>'),
    '“headcount”',
    'somebody is called',
  )
})

t.test('names of a list that is written down', async (t) => {
  const of = (code: string): Promise<string> =>
    without({
      'src/routes/join/+page.svelte': `<form method="POST"><h1>Join the club</h1>${JOIN.map((name) => `<label>${name} <input name="${name}" required /></label>`).join('')}<button>Join</button></form>`,
      'src/routes/join/+page.server.js': `${code.includes('KEYS') ? "const KEYS = ['name', 'email', 'phone']\n" : ''}export const actions = { default: async ({ request }) => { const f = Object.fromEntries(await request.formData()); ${code}; await store(f.name, f.email) } }`,
    })
  const both = '“phone” and “headcount”'
  t.equal(await of("for (const one of ['name', 'email']) if (!f[one]) return fail(400)"), both)
  t.equal(await of("if (['name', 'email', 'phone'].some((one) => !f[one])) return fail(400)"), '“headcount”')
  t.equal(await of('for (const one of KEYS) if (!f[one]) return fail(400)'), '“headcount”')
  t.equal(
    await of("KEYS.push('headcount'); for (const one of KEYS) if (!f[one]) return fail(400)"),
    'nothing',
  )
  t.equal(await of('for (const one of needed) if (!f[one]) return fail(400)'), 'nothing')
  t.equal(
    await of("for (const one of ['name']) add(f[one]); for (const one of all) add(f[one])"),
    'nothing',
    'a name that stands for something else as well',
  )
})

t.test('one state for each field, whose labels stand in another file', async (t) => {
  const of = (texts: string, send = '', more = ''): Promise<string> =>
    without({
      'src/Plot.tsx': `import { useState } from 'preact/hooks'\nimport { COPY } from './copy'\nexport function Plot() {\n  const [size, setSize] = useState('')\n  const [ph, setPh] = useState('')\n  const [area, setArea] = useState('')\n  async function finish(e: Event) {\n    e.preventDefault()\n    ${send}\n    await fetch('/api/plots', { method: 'POST', body: JSON.stringify({ size, area: area.trim() }) })\n  }\n  return (\n    <form onSubmit={finish}>\n      <h1>Your plot</h1>\n      ${['size', 'ph', 'area'].map((name) => `<label>{COPY.plot.${name}}<input value={${name}} onInput={(e) => set${name.charAt(0).toUpperCase()}${name.slice(1)}(e.currentTarget.value)} required /></label>`).join('\n      ')}\n      ${more}\n      <button>Next</button>\n    </form>\n  )\n}\n`,
      'src/copy.ts': `export const COPY = { plot: { ${texts} } } as const\n`,
    })
  const copy = "size: 'Plot size', ph: 'Soil pH', area: 'Area', why: 'The soil pH says what grows.'"
  t.equal(await of(copy), '“Soil pH”')
  t.equal(await of("size: 'Plot size'"), 'nothing', 'nobody knows what people see it called')
  t.equal(await of(copy.replace('Soil pH', 'Allergies')), 'nothing', 'people see what it is by its label')
  t.equal(await of(copy, 'if (!ph) return'), 'nothing')
  t.equal(await of(copy, '', '<small>{COPY.plot.why}</small>'), 'nothing', 'another text speaks of it')
})

t.test('of two forms of a page each is sent by its own code', async (t) => {
  const field = (name: string, type: string): string =>
    `<label htmlFor="${name}">${name}</label><input id="${name}" type="${type}" required value={${name}} onChange={(e) => set${name}(e.target.value)} />`
  const fields = field('email', 'email') + field('word', 'password')
  const pageWith = (made: string): string =>
    `import { useState } from 'react'\nexport default function Doors() {\n  const [email, setemail] = useState('')\n  const [word, setword] = useState('')\n  const [fullName, setfullName] = useState('')\n  async function enter(e) {\n    e.preventDefault()\n    await fetch('/api/enter', { method: 'POST', body: JSON.stringify({ email, word }) })\n  }\n  async function make(e) {\n    e.preventDefault()\n    ${made}\n  }\n  return <main><h1>All that is here for you</h1><form onSubmit={enter}>${fields}<button>Log in</button></form><form onSubmit={make}>${field('fullName', 'text')}${fields}<button>Create the account</button></form></main>\n}\n`
  const of = (made: string): Promise<string> =>
    without({
      'app/doors/page.tsx': pageWith(made),
      'app/api/enter/route.ts':
        'export async function POST(request) {\n  const { email, word } = await request.json()\n  if (!email || !word) throw new Error()\n  return Response.json(await save(email, word))\n}\n',
    })
  t.equal(await of('await auth.signUp({ email, word, options: { data: { said: fullName } } })'), 'nothing')
  t.equal(
    await of(
      "await send()\n  }\n  async function send() {\n    await fetch('/api/enter', { method: 'POST', body: JSON.stringify({ email, word, fullName }) })",
    ),
    '“fullName”',
    'by the same address',
  )
})
