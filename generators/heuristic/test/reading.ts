import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { Drops } from '../../port.js'
import { batch, found, patternsOf, requestOf, saysOf, wholeBatch } from '../../test/support/workspace.js'
import { heuristic } from '../heuristic.js'

/*
 * Where the words of a site stand beside its markup. Each is read by the same rules, and changed where it stands.
 */

t.test('lists of objects that markup goes through: what each of them shows', async (t) => {
  const list = `const links = [
  { title: 'Docs for you and the team', href: '/docs', label: 'Read more' },
  { title: 'All of the rest', href: '/rest', label: 'Open it' },
]`
  const jsx = `${list}
export const Part = () => (
  <div>
    {links.map((link) => (
      <a key={link.href} href={link.href}>{link.label}</a>
    ))}
  </div>
)
`
  const wanted = ["'Read more' → 'Read the documentation'"]
  const of = async (path: string, text: string): Promise<string[]> =>
    saysOf(await wholeBatch({ [path]: text }), 'label-names-destination click')
  t.same(await of('src/part.tsx', jsx), wanted)
  const taken = jsx.replace('(link) =>', '({ href, label: own }) =>').replace(/link\.href/g, 'href')
  t.same(await of('src/part.tsx', taken.replace('link.label', 'own')), wanted, 'taken out of the object')
  t.same(await of('src/part.tsx', jsx.replace("'Read more'", 'words()')), [], 'code works it out')
  t.same(await of('src/part.tsx', jsx.replace("'/docs'", "'#docs'")), [], 'a place on the page')
  t.same(await of('src/pages/ContactPage.tsx', jsx), [], 'one has come to write')
  t.same(await of('src/app/sign-up/page.tsx', jsx), [], 'one has come to sign up')
  t.same(await of('src/part.tsx', `${jsx}\nconst other = (links: unknown) => { const links = 1 }`), [])
  t.same(
    await of(
      'src/Part.vue',
      `<script setup>\n${list}\n</script>\n<template>\n  <div>\n    <a v-for="link in links" :key="link.href" :href="link.href">{{ link.label }}</a>\n  </div>\n</template>\n`,
    ),
    wanted,
  )
  t.same(
    await of(
      'src/Part.svelte',
      `<script>\n${list}\n</script>\n<div>\n  {#each links as link}\n    <a href={link.href}>{link.label}</a>\n  {/each}\n</div>\n`,
    ),
    wanted,
  )
})

t.test('attributes by which components are given what they show', async (t) => {
  const part = (attributes: string): string =>
    `export const Page = () => (\n  <main>\n    <p>What is in it for you</p>\n    <Card ${attributes} />\n  </main>\n)\n`
  const of = async (attributes: string): Promise<string[]> =>
    saysOf(await wholeBatch({ 'src/page.tsx': part(attributes) }), 'plain-words')
  t.same(await of('buttonText="Select variant"'), ['Select variant → Choose options'])
  t.same(await of('name="Select variant"'), [], 'nobody says that it is shown')
  t.same(await of('buttonText={words}'), [])
})

t.test('what a component shows where it is given nothing else', async (t) => {
  const of = async (path: string, text: string): Promise<string[]> =>
    saysOf(await batch({ [path]: text }), 'free-on-button')
  const form = (title: string, label: string): string =>
    `<h1>${title}</h1>\n<form>\n<input type="email" name="email" aria-label="Email" />\n<input type="password" name="password" aria-label="Password" />\n<input name="name" aria-label="Name" />\n<button type="submit">${label}</button>\n</form>`
  const runes = `<script>\n  let { title = 'Open a free account', label = 'Create account', onsubmit } = $props()\n</script>\n${form('{title}', '{label}').replace('<form', '<form {onsubmit}')}\n<!--\n@prop label = 'Create account'\n-->\n`
  t.same(
    await of('src/SignUp.svelte', runes),
    ["label = 'Create account', → label = 'Create free account',"],
    'a comment may say it once more',
  )
  const told = `${form('Open a free account', '{label}').replace('<form', '<form on:submit={send}')}\n`
  const exported = `<script>\n  export let label = 'Create account'\n  const send = () => fetch('/join')\n</script>\n${told}`
  const wanted = ["'Create account' → 'Create free account'"]
  t.same(await of('src/SignUp.svelte', exported), wanted)
  t.same(
    await of('src/SignUp.svelte', exported.replace("fetch('/join')", "{ label = 'Sent' }")),
    [],
    'code sets it anew',
  )
  const vue = (script: string, name = 'label'): string =>
    `<script setup lang="ts">\n${script}\n</script>\n<template>\n<div>\n${form('Open a free account', `{{ ${name} }}`).replace('<form', '<form @submit="send"')}\n</div>\n</template>\n`
  const typed = "withDefaults(defineProps<{ label?: string }>(), { label: 'Create account' })"
  t.same(await of('src/SignUp.vue', vue(typed)), wanted)
  t.same(await of('src/SignUp.vue', vue(`const props = ${typed}`, 'props.label')), wanted)
  const declared = "{ label: { type: String, default: 'Create account' } }"
  t.same(await of('src/SignUp.vue', vue(`defineProps(${declared})`)), wanted)
  t.same(
    await of('src/SignUp.vue', vue(`defineProps(${declared})\nconst label = computed(() => words())`)),
    [],
    'another thing has its name',
  )
  const options = vue(`export default { props: ${declared} }`).replace(' setup', '')
  t.same(await of('src/SignUp.vue', options), wanted)
})

t.test('texts of YAML, of <Trans>, and beside their key', async (t) => {
  const page = (inner: string): string =>
    `export const Page = () => {\n  const { t } = useTranslation()\n  return <a href="/sign-up">${inner}</a>\n}\n`
  const files = (inner: string, fr: string, en: string): Record<string, string> => ({
    'src/page.tsx': page(inner),
    'src/locales/ui-fr.yaml': fr,
    'src/locales/ui-en.yaml': en,
  })
  const edits = async (all: Record<string, string>): Promise<string[]> =>
    saysOf(await wholeBatch(all), 'label-names-destination sign up')
  t.same(
    await edits(
      files(
        '<Trans>Commencer</Trans>',
        `entries:\n  Commencer: Commencer\n  'Un autre texte': 'Un autre texte'\n  Pour le reste: Pour le reste\n`,
        `entries:\n  Commencer: Get started\n  'Un autre texte': 'Another text'\n`,
      ),
    ),
    [
      '<Trans>Commencer</Trans> → <Trans>Créer un compte</Trans>',
      'Commencer: Get started → Commencer: Get started\n  "Créer un compte": "Create account"',
      'Commencer: Commencer → Commencer: Commencer\n  "Créer un compte": "Créer un compte"',
    ],
    'a text that is its own key stays one',
  )
  const keyed = await edits(
    files(
      '<Trans i18nKey="home.go">Get started</Trans>',
      'home:\n  go: Commencer\n  rest: "Le reste"\n',
      'home:\n  go: Get started\n  rest: "The rest of it"\n',
    ),
  )
  t.match(keyed.join('\n'), /<Trans i18nKey="home\.go_create_account">Create account<\/Trans>/)
  t.match(keyed.join('\n'), /go: Commencer\n {2}go_create_account: "Créer un compte"/)
  t.match(keyed.join('\n'), /go: Get started\n {2}go_create_account: "Create account"/)
  const beside = await edits(
    files(
      `{t('home.go', 'Get started')}`,
      'home:\n  go: Commencer\n',
      'home:\n  go: Get started\n  more: Go on and on\n',
    ),
  )
  t.match(beside.join('\n'), /\{t\('home\.go_create_account', 'Create account'\)\}/)
})

t.test('a button that says something else while it works has the other words', async (t) => {
  const form = (label: string): string =>
    `export const Part = () => (\n  <form><h2>An account for you and the team</h2><input type="email" name="email" /><input type="password" name="p" autoComplete="new-password" /><button type="submit">{${label}}</button></form>\n)\n`
  const of = async (label: string): Promise<string[]> =>
    patternsOf(await found({ 'src/part.tsx': form(label) })).filter((one) => /label/.test(one))
  t.same(await of(`busy ? 'Sending…' : 'Submit'`), ['submit-label sign up'])
  t.same(await of(`busy ? 'Submit' : other`), [], 'not all that it says is known')
})

t.test('constants of other files: another text stands where the page names them', async (t) => {
  const copy = `export const copy = { home: { title: 'Welcome to Sierra', go: 'Learn more' } } as const\nexport const GO = 'Learn more'\n`
  const prices = {
    'src/pages/Pricing.tsx':
      'export const Pricing = () => <main><h1>Prices and plans for all of you</h1></main>\n',
  }
  const inner = (open: string, close: string, name: string, cls: string): string =>
    `<main><section ${cls}="hero"><h1>${open}copy.home.title${close}</h1><p>Invoices for freelancers in Leeds, sent in two minutes.</p><a ${cls}="btn" href="/pricing">${open}${name}${close}</a></section></main>`
  const of = async (path: string, text: string, texts: Record<string, string>): Promise<string[]> => {
    const result = await wholeBatch({ [path]: text, ...texts, ...prices })
    return [...saysOf(result, 'opening-says-what-it-is'), ...saysOf(result, 'label-names-destination click')]
  }
  const jsx = (name: string, given = "import { copy } from '../copy'\n"): string =>
    `${given}export const Home = () => (\n  ${inner('{', '}', name, 'className')}\n)\n`
  const wanted = (open: string, close: string, name: string, cls: string): string[] => [
    `<h1>${open}copy.home.title${close}</h1> → <h1>Invoices for freelancers in Leeds, sent in two minutes</h1>`,
    'Invoices for freelancers in Leeds, sent in two minutes. → Welcome to Sierra',
    `<a ${cls}="btn" href="/pricing">${open}${name}${close}</a> → <a ${cls}="btn" href="/pricing">See prices</a>`,
  ]
  t.same(
    await of('src/pages/Home.tsx', jsx('copy.home.go'), { 'src/copy.ts': copy }),
    wanted('{', '}', 'copy.home.go', 'className'),
  )
  const called = jsx('LABEL', "import { copy, GO as LABEL } from '@/copy'\n")
  t.same(
    await of('src/pages/Home.tsx', called, { 'src/copy.ts': copy }),
    wanted('{', '}', 'LABEL', 'className'),
    'by another name, from a folder of the program',
  )
  t.same(
    await of(
      'src/pages/Home.vue',
      `<script setup>\nimport { copy } from '../copy'\n</script>\n<template>${inner('{{ ', ' }}', 'copy.home.go', 'class')}</template>\n`,
      { 'src/copy.ts': copy },
    ),
    wanted('{{ ', ' }}', 'copy.home.go', 'class'),
  )
  t.same(
    await of(
      'src/routes/+page.svelte',
      `<script>\nimport { copy } from '$lib/copy'\n</script>\n${inner('{', '}', 'copy.home.go', 'class')}\n`,
      { 'src/lib/copy.ts': copy },
    ),
    wanted('{', '}', 'copy.home.go', 'class'),
  )
  const none = (texts: string): Promise<string[]> =>
    of('src/pages/Home.tsx', jsx('copy.home.go'), { 'src/copy.ts': texts })
  t.same(await none(copy.replace('const copy', 'let copy')), [], 'it may be another one')
  t.same(
    await none(copy.replace("'Welcome to Sierra'", 'greet()').replace("'Learn more'", 'words()')),
    [],
    'code works it out',
  )
  t.same(
    await of('src/pages/Home.tsx', jsx('copy.home.go', "import { copy } from 'copy'\n"), {
      'src/copy.ts': copy,
    }),
    [],
    'of another package',
  )
})

t.test('a page is as long as it is without its pictures', async (t) => {
  const picture = (times: number): string =>
    `<img src="data:image/png;base64,${'iVBORw0KGgo'.repeat(times)}">`
  const of = async (more: string): Promise<string> => {
    const { proposals, dropped } = await found({
      'join.html': `<!doctype html><html lang="en"><body>${more}<form action="/send" method="post"><h2>Create an account for the shop</h2><input type="email" name="email" placeholder="E-mail" required><input type="password" name="p" autocomplete="new-password"><button>Submit</button></form></body></html>`,
    })
    return [
      ...patternsOf({ generated: 0, proposals, dropped }),
      ...dropped.map(({ reason }) => reason),
    ].join()
  }
  t.match(await of(picture(1)), 'submit-label sign up')
  t.equal(await of(picture(50_000)), await of(picture(1)))
  t.equal(await of('All of it. '.repeat(50_000)), 'file_too_large')
})

t.test('what is known of files holds none of their texts in memory', async (t) => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const used = (): number => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const LENGTH = 200_000
  const PAGES = 40
  const pageOf = (at: number): string => {
    const head = `<!doctype html><html lang="en"><head><title>Boats ${at} for you and the team</title></head><body><h1>All that we have, page ${at}</h1><a href="/page-${at}" class="btn-primary">Get a quote for ${at}</a><p>`
    return `${head}${`what we say of ${at} `.repeat(LENGTH / 15)}</p></body></html>`
  }
  let grown = Number.POSITIVE_INFINITY
  const repository = {
    read: async (path: string) => pageOf(Number(/\d+/.exec(path)?.[0])),
    async *files() {
      const before = used()
      for (let at = 1; at <= PAGES; at++) yield { path: `page-${at}.html`, blobId: `${at}`, text: pageOf(at) }
      grown = used() - before
    },
  }
  for await (const _ of heuristic().propose({ ...requestOf({}), repository }, new Drops())) break
  t.ok(grown < (LENGTH * PAGES) / 3, `${grown} bytes after ${LENGTH * PAGES} characters`)
})
