import t from 'tap'
import { found } from '../../test/support/workspace.js'

const field = (name: string, label: string, type: string, bound: string): string =>
  `<label>${label}<input name="${name}" type="${type}" ${bound} /></label>`
const FIELDS = (bind: (name: string) => string): string =>
  [
    field('name', 'Name', 'text', `required ${bind('name')}`),
    field('email', 'E-mail address', 'email', `required ${bind('email')}`),
    field('phone', 'Phone', 'tel', bind('phone')),
    field('password', 'Password', 'password', bind('password')),
  ].join('\n    ')

/** A page on which one joins, with what runs when the form is sent. */
const react = (handler: string, submit = 'onSubmit={send}', imports = ''): Promise<number> =>
  proposed(
    'src/pages/join.tsx',
    `${imports}export const Join = () => {\n  ${handler}\n  return (\n  <form ${submit}>\n    <h1>Create an account for the shop</h1>\n    ${FIELDS(() => '')}\n    <button type="submit">Create account</button>\n  </form>\n  )\n}\n`,
  )
const vue = (script: string, submit = '@submit.prevent="send"'): Promise<number> =>
  proposed(
    'src/views/Join.vue',
    `<script>\n${script}\n</script>\n<template>\n  <form ${submit}>\n    <h1>Create an account for the shop</h1>\n    ${FIELDS((name) => `v-model="${name}"`)}\n    <button type="submit">Create account</button>\n  </form>\n</template>\n`,
  )
const svelte = (script: string, submit = 'on:submit|preventDefault={send}'): Promise<number> =>
  proposed(
    'src/routes/join/+page.svelte',
    `<script>\n${script}\n</script>\n<form ${submit}>\n    <h1>Create an account for the shop</h1>\n    ${FIELDS((name) => `bind:value={${name}}`)}\n    <button type="submit">Create account</button>\n</form>\n`,
  )
const html = (script: string): Promise<number> =>
  proposed(
    'join.html',
    `<!doctype html><html lang="en"><head><title>Join</title></head><body><main><form id="join">\n    <h1>Create an account for the shop</h1>\n    ${FIELDS(() => '')}\n    <button type="submit">Create account</button>\n</form></main><script>${script}</script></body></html>\n`,
  )

async function proposed(path: string, text: string): Promise<number> {
  return (await found({ [path]: text })).proposals.length
}

t.test('a form that says thanks and sends nothing is no place for a test', async (t) => {
  for (const handler of [
    'const send = (e) => { e.preventDefault(); setSent(true) }',
    'const send = async (e) => { e.preventDefault(); setBusy(true); await new Promise((resolve) => setTimeout(resolve, 1500)); toast.success("Welcome") }',
    'const send = (e) => { e.preventDefault(); thank() }\n  function thank() { alert("Thank you"); console.log(form) }',
    'const send = (e) => { e.preventDefault(); window.location.href = "mailto:shop@example.com?body=" + name }',
    'const send = (e) => { e.preventDefault(); const to = "mailto:shop@example.com?body=" + encodeURIComponent(name); window.open(to) }',
    'const send = useCallback((e) => { e.preventDefault(); localStorageNote.toString(); navigate("/welcome") }, [])',
  ])
    t.equal(await react(handler), 0, handler)
  t.equal(
    await react(
      'const { handleSubmit } = useForm()\n  const send = (data) => console.log(data)',
      'onSubmit={handleSubmit(send)}',
    ),
    0,
  )
  t.equal(await react('', 'onSubmit={(e) => e.preventDefault()}'), 0)
  t.equal(
    await vue('export default { methods: { send() { this.$data.sent.toString(); alert("Thank you") } } }'),
    0,
  )
  t.equal(
    await svelte('let name, email, phone, password\nlet sent = false\nfunction send() { sent = true }'),
    0,
  )
  t.equal(
    await html(
      'document.getElementById("join").addEventListener("submit", (e) => { e.preventDefault(); alert("Thank you") })',
    ),
    0,
  )
})

t.test('a form that may send something is one', async (t) => {
  for (const handler of [
    'const send = async (e) => { e.preventDefault(); await fetch("/api/join", { method: "POST", body: JSON.stringify({ name, email, password }) }) }',
    'const send = (e) => { e.preventDefault(); join(name, email, password) }',
    'const send = (e) => { e.preventDefault(); keep() }\n  const keep = async () => { await supabase.auth.signUp({ email, password }) }',
    'const send = (e) => { e.preventDefault(); window.location.href = "/join?mail=" + name }',
    'const send = (e) => { e.preventDefault(); setStep(2) }',
    'const { send } = useJoin()',
  ])
    t.ok((await react(handler)) > 0, handler)
  t.ok((await react('const { handleSubmit } = useForm()', 'onSubmit={handleSubmit(save)}')) > 0)
  t.ok(
    (await vue(
      'export default { methods: { async send() { await this.$axios.post("/join", { name: this.name, email: this.email }) } } }',
    )) > 0,
  )
  t.ok((await vue('export default { methods: { send() { this.$emit("join") } } }')) > 0)
  t.ok(
    (await svelte(
      'import { join } from "$lib/api"\nlet name, email, phone, password\nasync function send() { await join({ name, email, password }) }',
    )) > 0,
  )
})

t.test('a form of HTML that nothing sends is none', async (t) => {
  const of = async (
    form: string,
    after: string,
    files: Readonly<Record<string, string>> = {},
  ): Promise<number> =>
    (
      await found({
        'join.html': `<!doctype html><html lang="en"><head><title>Join</title></head><body><main>${form}\n    <h1>Create an account for the shop</h1>\n    ${FIELDS(() => '')}\n    <button type="submit">Submit</button>\n</form></main>${after}</body></html>\n`,
        ...files,
      })
    ).proposals.length
  const menu = '<script src="js/menu.js"></script>'
  const opens = { 'js/menu.js': 'bar.classList.toggle("open")' }
  const library = '<script src="https://cdn.example/bootstrap@5.3.0/bootstrap.min.js"></script>'
  t.equal(await of('<form id="join">', library), 0, 'a library sends nothing')
  t.equal(await of('<form id="join">', library + menu, opens), 0, 'nor does its own script')
  t.equal(await of('<form id="join" onsubmit="return false">', menu, opens), 0)
  t.equal(await of('<form action="mailto:shop@example.com" method="post">', ''), 0)
  t.not(await of('<form id="join">', menu), 0, 'nobody knows what it does')
  t.not(await of('<form id="join">', menu, { 'js/menu.js': '$("#join").submit(go)' }), 0)
  t.not(await of('<form id="join">', '<script src="https://forms.example/all.js"></script>'), 0)
  t.not(await of('<form id="join" method="post">', library), 0, 'what made the page may take it')
  const thanks = (first: string): string =>
    `${menu}<script>document.getElementById('join').addEventListener('submit', (e) => { ${first} thanks.classList.add('shown') })</script>`
  t.equal(await of('<form id="join">', thanks('e.preventDefault();')), 0, 'its own script says thanks')
  t.not(await of('<form id="join">', thanks('')), 0, 'another one may send it')
  t.not(await of('<form id="other">', thanks('e.preventDefault();')), 0, 'another form is meant')
})
