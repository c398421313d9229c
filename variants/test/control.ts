import fc from 'fast-check'
import { compile as compileSvelte } from 'svelte/compiler'
import t, { type Test } from 'tap'
import { cleanUp } from '../clean-up.js'
import type { HelperReference } from '../port.js'
import { writeVariants } from '../write.js'
import { otherFor } from './support/real-files.js'
import { cleaned, edited, hero, PAGE } from './support/trial.js'

/** An edit keeps the text that visitors of the control get, or it is refused with the unit that fits. */

const CALL = "variant('hero', { control: 50, b: 50 }) === 'b'"
const BROWSER: HelperReference = { importPath: './svc-experiments.js' }
const SERVER: HelperReference = { ...BROWSER, rendersOnServer: true }

interface Attempt {
  readonly path: string
  readonly text: string
  readonly find: string
  readonly replace: string
  readonly helper?: HelperReference
}

const attempt = ({ path, text, find, replace, helper = SERVER }: Attempt): ReturnType<typeof writeVariants> =>
  writeVariants({ path, text, experiment: hero, edits: [{ find, replace, variant: 'b' }], helper })

/** The written text without the import. Checks that the cleanup leaves what an edit by hand leaves. */
function written(t: Test, one: Attempt): string {
  const result = attempt(one)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  const edits = [{ find: one.find, replace: one.replace, variant: 'b' }]
  t.equal(cleaned(one.path, result.text, result.regions, null), one.text, `taken back: ${one.text}`)
  const winner = cleaned(one.path, result.text, result.regions, 'b')
  t.equal(winner, edited(one.text, edits, 'b'), `shipped: ${one.text}`)
  return result.text.replace(/^ *import \{ variant \} from '\.\/svc-experiments\.js'\n\n?/m, '')
}

/** The units of a refusal. Checks that each is accepted. */
function units(t: Test, one: Attempt, message: RegExp): readonly string[] {
  const result = attempt(one)
  if (result.ok) throw new Error(`written: ${result.text}`)
  const [problem] = result.problems
  t.match(problem?.message, message, `${one.find} in ${one.text}`)
  for (const unit of problem?.units ?? [])
    t.ok(attempt({ ...one, find: unit, replace: unit }).ok, `the named unit is accepted: ${unit}`)
  return problem?.units ?? []
}

t.test('an address that the build reads is refused, with the unit that fits', async (t) => {
  for (const [whole, find, replace] of [
    ["new URL('./a.png', import.meta.url)", "'./a.png'", "'./b.png'"],
    ["new Worker(new URL('./a.js', import.meta.url))", "'./a.js'", "'./b.js'"],
    [
      "new Worker(new URL('./a.js', import.meta.url))",
      "new URL('./a.js', import.meta.url)",
      "new URL('./b.js', import.meta.url)",
    ],
    ["new SharedWorker('/a.js')", "'/a.js'", "'/b.js'"],
    ["import.meta.glob('./a/*', { eager: true })", "'./a/*'", "'./b/*'"],
    ["navigator.serviceWorker.register('/a.js')", "'/a.js'", "'/b.js'"],
    ["require.context('./a')", "'./a'", "'./b'"],
    ["audio.audioWorklet.addModule('a.js')", "'a.js'", "'b.js'"],
  ] as const) {
    const text = `export const f = () => ${whole}\n`
    t.strictSame(units(t, { path: 'src/a.ts', text, find, replace }, /the build reads which files/), [whole])
    const other = whole.replace(find, replace)
    const made = written(t, { path: 'src/a.ts', text, find: whole, replace: other })
    t.match(made.replace(/\n */g, ' '), `${CALL} ? ${other} : ${whole}`, 'both arms can be read')
  }
})

t.test('a text that is the key of its translation is refused, with the unit that fits', async (t) => {
  const component = (whole: string, from: string): string =>
    `import { Trans } from '${from}'\n\nexport const A = ({ n }) => ${whole}\n`
  for (const [whole, find] of [
    ['<Trans>Hello <b>world</b></Trans>', 'Hello'],
    ['<Trans>Hello <b>world</b></Trans>', 'world'],
    ['<Trans i18nKey="k">Hello {n}</Trans>', 'Hello'],
    ['<FormattedMessage id="k" defaultMessage="Hello" />', '"Hello"'],
    ['<Translate description="x">Hello</Translate>', 'Hello'],
    ["t({ message: 'Hello' })", "'Hello'"],
    ["intl.formatMessage({ id: 'k', defaultMessage: 'Hello' })", "'Hello'"],
    [`t\`Hello \${n.own}\``, 'n.own'],
  ] as const) {
    const text = component(whole, '@lingui/react/macro')
    const one = { path: 'src/A.tsx', text, find, replace: find.replace(/\w+/, 'Bye') }
    t.strictSame(units(t, one, /key of its translation/), [whole])
    const other = whole.replace('Hello', 'Bye')
    if (other !== whole)
      t.match(
        written(t, { ...one, find: whole, replace: other }).replace(/\n */g, ' '),
        `? ${other} : ${whole}`,
      )
  }
  const provider = component('<I18nProvider i18n={n}><p>Hello</p></I18nProvider>', 'x')
    .replace('Trans', 'I18nProvider')
    .replace("'x'", "'@lingui/react'")
  t.match(
    written(t, { path: 'src/A.tsx', text: provider, find: 'Hello', replace: 'Bye' }),
    /'Bye'\s+: 'Hello'/,
  )
  const localized = `export const f = () => $localize\`Hello\`\n`
  const named = units(t, { path: 'src/a.ts', text: localized, find: 'Hello', replace: 'Bye' }, /key of its/)
  t.strictSame(named, ['$localize`Hello`'], 'the tag and its text')
  const vue = '<template>\n  <main><i18n-t keypath="k"><b>Hello</b></i18n-t></main>\n</template>\n'
  const inVue = units(t, { path: 'src/A.vue', text: vue, find: 'Hello', replace: 'Bye' }, /key of its/)
  t.strictSame(inVue, ['<i18n-t keypath="k"><b>Hello</b></i18n-t>'])
})

t.test('code that frameworks read or that runs outside of pages is refused', async (t) => {
  const refused = (path: string, text: string, find: string, message: RegExp): boolean =>
    t.strictSame(units(t, { path, text, find, replace: "'other'" }, message), [], `${path}: ${text}`)
  for (const name of ['dynamic', 'revalidate', 'runtime', 'metadata', 'prerender', 'ssr', 'viewport'])
    refused('src/routes/a.ts', `export const ${name} = 'x1'\n`, "'x1'", /the framework reads/)
  for (const name of ['generateStaticParams', 'getStaticProps', 'getServerSideProps', 'generateMetadata'])
    refused('pages/a.tsx', `export async function ${name}() { return 'x1' }\n`, "'x1'", /the framework reads/)
  refused('src/routes/+page.ts', "export const load = () => ({ title: 'x1' })\n", "'x1'", /`load`/)
  refused('app/routes/a.tsx', "export async function loader() { return 'x1' }\n", "'x1'", /`loader`/)
  refused('src/a.ts', "'use server'\nexport const f = async () => 'x1'\n", "'x1'", /'use server'/)
  refused('src/a.tsx', "export const f = async () => { 'use server'; return 'x1' }\n", "'x1'", /'use server'/)
  refused('src/a.tsx', "'use client'\nexport const f = () => 1\n", "'use client'", /directive/)
  refused('vite.config.ts', "export default { base: 'x1' }\n", "'x1'", /read when the site is built/)
  refused('src/pages/_document.tsx', 'export const f = () => <p>x1</p>\n', 'x1', /server only/)
  refused(
    'src/a.ts',
    'export const f = () => graphql`x1`\n',
    'graphql`x1`',
    /replaced when the site is built/,
  )
  t.match(
    written(t, {
      path: 'src/site.config.ts',
      text: "export default { name: 'x1' }\n",
      find: "'x1'",
      replace: "'y1'",
    }),
    'get name()',
  )
  refused('src/a.worker.ts', "export const f = () => 'x1'\n", "'x1'", /in a worker/)
  refused('src/routes/+page.server.ts', "export const f = () => 'x1'\n", "'x1'", /server only/)
  refused('app/api/a/route.ts', "export const GET = () => 'x1'\n", "'x1'", /server only/)
  refused('src/middleware.ts', "export const f = () => 'x1'\n", "'x1'", /server only/)
  refused(
    'src/a.ts',
    "import { Inter } from 'next/font/google'\nconst i = Inter({ subsets: ['x1'] })\n",
    "'x1'",
    /Next reads/,
  )
  refused('src/a.ts', "@Component({ template: 'x1' })\nexport class A {}\n", "'x1'", /decorator/)
  const meta = "<script setup>\ndefinePageMeta({ title: 'x1' })\n</script>\n<template><p>a</p></template>\n"
  refused('pages/a.vue', meta, "'x1'", /definePageMeta is read when/)
  const page = 'export default function Page() {\n  return <p>x1</p>\n}\n'
  t.match(written(t, { path: 'src/app/page.tsx', text: page, find: 'x1', replace: 'y1' }), '<SvcVariant')
  for (const path of ['src/app/page.tsx', 'app/routes/page.tsx'])
    written(t, { path, text: `'use client'\n\n${page}`, find: 'x1', replace: 'y1' })
  written(t, { path: 'src/app/page.tsx', text: page, find: 'x1', replace: 'y1', helper: BROWSER })
  const angular = "@Component({ selector: 'a-b' })\nexport class A { title = 'x1' }\n"
  t.match(
    written(t, { path: 'src/a.component.ts', text: angular, find: "'x1'", replace: "'y1'" }),
    `title = ${CALL}`,
  )
  const template = {
    path: 'src/a.component.html',
    text: '<p *ngIf="a">x1</p>\n',
    find: 'x1',
    replace: 'y1',
    helper: PAGE,
  }
  t.strictSame(units(t, template, /template of Angular/), [])
})

t.test('a constant of a module becomes a choice at its uses', async (t) => {
  const A = 'export const A = () => '
  const made = (text: string, find = "'x1'", replace = "'y1'", path = 'src/a.tsx'): string =>
    written(t, { path, text, find, replace })
  t.equal(made(`const T = 'x1'\n${A}<p>{T}</p>\n`), `const T = 'x1'\n${A}<p>{${CALL} ? 'y1' : T}</p>\n`)
  t.equal(
    made(`const C = {\n  t: 'x1',\n  n: 1,\n} as const\n${A}<p>{C.t}</p>\n`),
    `const C = {\n  get t() {\n    return ${CALL} ? 'y1' : 'x1'\n  },\n  n: 1,\n} as const\n${A}<p>{C.t}</p>\n`,
  )
  t.match(
    made("export const L: P[] = [{ t: 'x1', n: 1 }]\n"),
    `[{ get t() {\n  return ${CALL} ? 'y1' : 'x1'\n}, n: 1 }]`,
  )
  t.match(made("export default Object.freeze({ t: 'x1' })\n"), 'get t()')
  t.match(made("A.defaultProps = {\n  t: 'x1',\n};\n"), `return ${CALL} ? 'y1' : 'x1';\n  },`)
  t.match(
    made(`const L = ['x1', 'z']\n${A}L.map(f)\n`).replace(/\s+/g, ' '),
    `(${CALL} ? ['y1', 'z'] : L).map(f)`,
  )
  t.match(made(`const E = <p>x1</p>\n${A}<i>{E}</i>\n`, 'x1', 'y1'), `{${CALL} ? <p>y1</p> : E}`)
  t.match(made("export const L = K.map((k) => ({ t: 'x1', k }))\n"), 'get t()')
  t.match(made("const main = () => show('x1')\nmain()\n"), `show(${CALL}`, 'shown at once')
  t.match(made("document.title = 'x1'\n"), `document.title = ${CALL}`, 'shown at once')
  t.match(made(`const f = () => 'x1'\n`), `() => ${CALL}`)
  const both = writeVariants({
    path: 'src/a.tsx',
    text: `const C = { t: 'x1' + 'x2' }\n${A}<p>{C.t}</p>\n`,
    experiment: hero,
    edits: [
      { find: "'x1'", replace: "'y1'", variant: 'b' },
      { find: "'x2'", replace: "'y2'", variant: 'b' },
    ],
    helper: SERVER,
  })
  t.match(both.ok && both.text, `? 'y1' + 'y2' : 'x1' + 'x2'`)
  const props = (code: string): string =>
    `<script setup lang="ts">\n${code}\n</script>\n\n<template><p>{{ label }}</p></template>\n`
  for (const code of [
    "withDefaults(defineProps<P>(), { label: 'x1' })",
    "defineProps({ label: { type: String, default: 'x1' } })",
  ])
    t.match(
      made(props(code), "'x1'", "'y1'", 'src/A.vue').replace(/\s+/g, ' '),
      `() => ${CALL} ? 'y1' : 'x1' }`,
    )
  const moved = props("const own = 'x1'\nwithDefaults(defineProps<{ label?: string }>(), { label: own })")
  const inMacro = { path: 'src/A.vue', text: moved, find: "'x1'", replace: "'y1'" }
  t.strictSame(units(t, inMacro, /cannot be compiled: .*locally declared/), [])
  const module = "<script module>\n  const C = { t: 'x1' }\n</script>\n<p>{C.t}</p>\n"
  t.match(made(module, "'x1'", "'y1'", 'src/A.svelte'), 'get t()')
})

t.test('constants and other places in one file can be edited together', async (t) => {
  const text = `const T = 'x1'\nconst C = { t: 'x2' }\nexport const A = () => <p title="x3">{T}<b>{T}</b>{C.t} {'x4'}</p>\nconst L = ['x5']\nexport const B = () => L.map(f)\n`
  const edits = ["'x1'", "'x2'", '"x3"', "'x4'", "'x5'"].map((find) => {
    return { find, replace: find.replace('x', 'y'), variant: 'b' }
  })
  const result = writeVariants({ path: 'src/a.tsx', text, experiment: hero, edits, helper: SERVER })
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  t.equal(result.text.split(CALL).length - 1, 6)
  t.equal(cleaned('src/a.tsx', result.text, result.regions, null), text)
  t.equal(cleaned('src/a.tsx', result.text, result.regions, 'b'), edited(text, edits, 'b'))
})

t.test('a constant that people changed is left to them, even if its text is elsewhere', async (t) => {
  const text = "const T = 'x1'\nexport const A = () => <p>{T}</p>\n"
  const made = attempt({ path: 'src/a.tsx', text, find: "'x1'", replace: "'y1'" })
  if (!made.ok) throw new Error('refused')
  const today = made.text.replace("const T = 'x1'", "const T = 'new'\nexport const other = 'x1'")
  const file = { action: 'modify', regions: made.regions } as const
  const after = cleanUp({ path: 'src/a.tsx', text: today, file, experiment: 'hero', shipped: 'b' })
  t.match(after.text, "const T = 'new'\nexport const other = 'x1'\n")
  t.match(after.conflicts, [{ region: "'x1'" }])
})

t.test('a constant that could only be chosen on loading is refused on servers', async (t) => {
  const A = 'export const A = () => '
  for (const [text, named] of [
    [`export const T = 'x1'\n${A}<p>{T}</p>\n`, '<p>{T}</p>'],
    [`export { T }\nconst T = 'x1'\n${A}<p>{T}</p>\n`, '<p>{T}</p>'],
    [`const T = 'x1'\nregister(T)\n${A}<p>{T}</p>\n`, '<p>{T}</p>'],
    [`const T = 'x1'\n${A}{ const T = 2; return <p>{T}</p> }\n`, undefined],
    [`const c = cva('x1')\n${A}<p className={c()} />\n`, 'c()'],
    [`const C = { t: 'x1' }\nconst { t } = C\n${A}<p>{C.t}</p>\n`, '<p>{C.t}</p>'],
    [`const C = { t: 'x1' }\nC.t = 'z'\n${A}<p>{C.t}</p>\n`, '<p>{C.t}</p>'],
    [`const C = { t: f('x1') }\n${A}<p>{C.t}</p>\n`, '<p>{C.t}</p>'],
    ["export class A { static t = 'x1' }\n", undefined],
    [`const L = (() => 'x1')()\n${A}<p>{L}</p>\n`, '<p>{L}</p>'],
    ["function make() {\n  return ['x1']\n}\nexport const L = make()\n", undefined],
  ] as const) {
    const one = { path: 'src/a.tsx', text, find: "'x1'", replace: "'y1'" }
    const found = units(t, one, /makes it once, when it is loaded/)
    if (named !== undefined) t.ok(found.includes(named), `${found} for ${text}`)
    t.match(written(t, { ...one, helper: BROWSER }), CALL, 'a browser has one visitor')
  }
})

t.test('children of elements that watch them are refused, with the unit that fits', async (t) => {
  const vue = (inner: string): string => `<template>\n  <main>${inner}</main>\n</template>\n`
  for (const [whole, child] of [
    ['<Transition name="fade"><p v-if="n">Hello</p></Transition>', '<p v-if="n">Hello</p>'],
    [
      '<TransitionGroup tag="ul"><li v-for="i in n" :key="i">Hello</li></TransitionGroup>',
      '<li v-for="i in n" :key="i">Hello</li>',
    ],
    ['<Transition><KeepAlive><B title="Hello" /></KeepAlive></Transition>', '<B title="Hello" />'],
    ['<keep-alive><component :is="n" title="Hello" /></keep-alive>', '<component :is="n" title="Hello" />'],
  ] as const) {
    const one = { path: 'src/A.vue', text: vue(whole), find: child, replace: child.replace('Hello', 'Bye') }
    const named = units(t, one, /watches its children/)
    t.match(named, [whole, /Hello/], 'the outermost of them, and what is inside of the child')
  }
  const root = '<template>\n  <p v-if="n">Hello</p>\n</template>\n'
  const inRoot = units(
    t,
    { path: 'src/A.vue', text: root, find: '<p v-if="n">Hello</p>', replace: '<i />' },
    /attributes away/,
  )
  t.strictSame(inRoot, ['Hello'])
  const image = vue('<img src="/a.png">')
  t.match(
    written(t, { path: 'src/A.vue', text: image, find: '/a.png', replace: '/b.png' }),
    '<template v-else><img src="/a.png">',
  )

  for (const [whole, find, message] of [
    ['{#if n}<p transition:fade>Hello</p>{/if}', '<p transition:fade>Hello</p>', /transition/],
    [
      '{#if n}<p in:fly={{ y: 1 }} out:fade>Hello</p>{/if}',
      '<p in:fly={{ y: 1 }} out:fade>Hello</p>',
      /transition/,
    ],
    [
      '{#if n}<div><p transition:fade>Hello</p></div>{/if}',
      '<div><p transition:fade>Hello</p></div>',
      /transition/,
    ],
    ['{#each n as i (i)}<li animate:flip>Hello</li>{/each}', '<li animate:flip>Hello</li>', /only child/],
  ] as const) {
    const text = `<script>\n  import { fade, fly, flip } from './own'\n  let n = $state([])\n</script>\n\n<main>${whole}</main>\n`
    const one = { path: 'src/A.svelte', text, find, replace: find.replace('Hello', 'Bye') }
    const named = units(t, one, message)
    t.ok(named.includes('Hello'), `${named}`)
    const inner = written(t, { ...one, find: 'Hello', replace: 'Bye' })
    t.doesNotThrow(() => compileSvelte(inner, {}))
  }
  for (const whole of ['<p transition:fade|global>Hello</p>', '<p>{#if n}<i in:fade>a</i>{/if} Hello</p>']) {
    const text = `<script>\n  import { fade } from './own'\n  let n = $state(1)\n</script>\n\n${whole}\n`
    t.match(written(t, { path: 'src/A.svelte', text, find: whole, replace: '<b>Bye</b>' }), '{:else}')
  }
  const title = '<svelte:head><title>Shop</title></svelte:head>\n'
  for (const [find, replace] of [
    ['Shop', 'Store'],
    ['<title>Shop</title>', '<title>Store</title>'],
  ] as const)
    t.match(
      written(t, { path: 'src/A.svelte', text: title, find, replace }),
      `<title>{${CALL} ? 'Store' : 'Shop'}</title>`,
    )
})

/** The environment can set more. */
const RUNS = Number(process.env.SVC_TEST_RUNS ?? 40)

const SAMPLES: readonly (readonly [path: string, text: string])[] = [
  [
    'a.html',
    `<!doctype html>\n<html>\n<head><title>Shop one</title><meta name="description" content="All of it"></head>\n<body>\n<main class="wide page"><h1>Welcome <em>home</em> now</h1>\n<ul><li>First<li>Second</ul><img src="a.png" alt="A cat"><svg viewBox="0 0 1 1"><text>Art</text></svg>\n<select><option>Red</option></select><textarea>Words</textarea><table><tr><td>Cell</td></tr></table></main>\n<!-- note -->\n<script>const inner = 'code'</script></body></html>\n`,
  ],
  [
    'src/A.tsx',
    `'use client'\n\nimport { useState } from 'react'\nimport { Trans } from '@lingui/react/macro'\n\nconst TITLE = 'Shop'\nexport const LIST = [{ name: 'One', big: true }, { name: 'Two' }]\nconst kind = make({ size: 'small' })\n\nexport function A({ label = 'Send' }: { label?: string }) {\n  const [tab, setTab] = useState('month')\n  const image = new URL('./cat.png', import.meta.url)\n  return (\n    <main className={kind} title="Hint">\n      <h1>{TITLE} for {label}</h1>\n      <Trans>Hello <b>world</b></Trans>\n      {tab === 'year' ? <p>Yearly</p> : <p>Monthly: {\`about \${image}\`}</p>}\n      <button type="button" onClick={() => setTab('year')}>Switch over</button>\n    </main>\n  )\n}\n`,
  ],
  [
    'app/page.tsx',
    `import Link from 'next/link'\n\nexport const metadata = { title: 'Shop' }\nconst KIND = 'small'\n\nexport default async function Page() {\n  const all = await load('lamps')\n  return (\n    <main className="wide" title="Hint">\n      <h1>Lamps {KIND} and home</h1>\n      <Link href="/shop">All our lamps</Link>\n      {all.length > 2 && <p title="Many">Many of them</p>}\n      <ul>{all.map((one) => <li key={one.id}>{one.name} <b>here</b></li>)}</ul>\n      <select><option>Red</option></select>\n    </main>\n  )\n}\n`,
  ],
  [
    'src/A.vue',
    `<script>\nconst KIND = 'small'\nexport default { name: 'Shop' }\n</script>\n<script setup lang="ts">\nimport { ref } from 'vue'\nconst open = ref(true)\nwithDefaults(defineProps<{ label?: string }>(), { label: 'Send' })\n</script>\n\n<template>\n  <main class="wide" :title="'Hint ' + label">\n    <Transition><p v-if="open">Hello <b>world</b></p></Transition>\n    <i18n-t keypath="k"><i>Word</i></i18n-t>\n    <h1 v-if="open">Open now</h1><h1 v-else>Closed</h1>\n    <img src="/a.png" alt="A cat"><textarea>Words</textarea>\n    <button type="button" @click="open = !open">Switch {{ label }} over</button>\n  </main>\n</template>\n`,
  ],
  [
    'src/A.svelte',
    `<script module>\n  export const KIND = 'small'\n  const copy = { name: 'Shop' }\n</script>\n\n<script lang="ts">\n  import { fade, flip } from './own'\n  let open = $state(true)\n  let items = $state(['One'])\n</script>\n\n<svelte:head><title>Shop one</title></svelte:head>\n<main class="wide {KIND}" title="Hint">\n  {#if open}<p transition:fade>Hello <b>world</b></p>{:else}<p>Closed</p>{/if}\n  {#each items as item (item)}<li animate:flip>Entry {item} here</li>{/each}\n  <input type="text" bind:value={items[0]} placeholder="Your name">\n  <button type="button" onclick={() => (open = !open)}>{copy.name} switch</button>\n</main>\n`,
  ],
]

t.test('every unit that a refusal names is accepted', async (t) => {
  let named = 0
  fc.assert(
    fc.property(
      fc.constantFrom(...SAMPLES),
      fc.nat(),
      fc.integer({ min: 1, max: 60 }),
      fc.boolean(),
      ([path, text], from, length, rendersOnServer) => {
        const start = from % text.length
        const find = text.slice(start, start + length)
        const helper = path.endsWith('.html') ? PAGE : { ...BROWSER, rendersOnServer }
        const result = attempt({ path, text, find, replace: 'Other words', helper })
        for (const unit of result.ok ? [] : result.problems.flatMap(({ units = [] }) => units)) {
          named += 1
          const isText = /^(["']).*\1$|^<\w[^<>]*>[^<>]*<\/\w+>$/s.test(unit)
          const again = { path, text, find: unit, replace: isText ? otherFor(unit, 'x') : unit, helper }
          const second = attempt(again)
          if (!second.ok) throw new Error(`${path}: ${find} named ${unit}: ${second.problems[0]?.message}`)
        }
      },
    ),
    { numRuns: RUNS },
  )
  t.ok(named > RUNS / 8, `${named} units`)
})
