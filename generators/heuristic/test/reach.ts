import t from 'tap'
import { found, patternsOf } from '../../test/support/workspace.js'
import { importsOf } from '../imports.js'
import { reachOf } from '../reach.js'
import { usesOf, withoutComments } from '../uses.js'

const BARREL = /^(\s*export[^\n]*\n)*$/

/** What of some files no page shows. */
function outOf(files: Readonly<Record<string, string>>): string[] {
  const nodes = Object.entries(files).map(([path, text]) => {
    const bare = withoutComments(text)
    // What these take they show as well; what is only taken has a test of its own.
    const taken = [...bare.matchAll(/import\s+(?:(\w+)|\{([^}]*)\})\s+from/g)].flatMap(
      ([, one = '', all = '']) =>
        `${one},${all}`.split(',').map((name) => name.replace(/^.*\bas\b/, '').trim()),
    )
    const code = `${bare}\n${BARREL.test(bare) ? '' : taken.filter((name) => name !== '').join('; ')}`
    return { path, imports: importsOf(code), uses: usesOf(code) }
  })
  const { isOut } = reachOf(nodes, (path) => /(^|\/)admin\//.test(path))
  return nodes.map(({ path }) => path).filter(isOut)
}

const part = (name: string): string => `export function ${name}() {\n  return <p>All of it</p>\n}\n`
const NAMES = ['Ant', 'Bee', 'Cat', 'Dog', 'Elk', 'Fox', 'Gnu', 'Hen']
/** So many parts, and a page that shows them all: enough to know a program by. */
const program = (end = 'tsx'): Record<string, string> => ({
  ...Object.fromEntries(NAMES.map((name) => [`src/parts/${name}.${end}`, part(name)])),
  'src/pages/start.tsx': `${NAMES.map((name) => `import { ${name} } from '../parts/${name}'\n`).join('')}show(${NAMES.join()})\n`,
})

t.test('a part is shown where a page takes it, by whatever path', async (t) => {
  const lost = { 'src/parts/more/Owl.tsx': part('Owl') }
  const of = (path: string, text: string): string[] => outOf({ ...program(), ...lost, [path]: text })
  t.same(outOf({ ...program(), ...lost }), ['src/parts/more/Owl.tsx'])
  t.same(of('src/pages/a.tsx', "import { Owl } from '../parts/more/Owl'\n"), [])
  t.same(of('src/pages/a.tsx', "import { Owl } from '@/parts/more/Owl'\n"), [], 'a name of its own')
  t.same(of('src/pages/a.tsx', "import { Owl } from '@parts/more/Owl.js'\n"), [])
  t.same(of('src/pages/a.tsx', "const Owl = lazy(() => import('../parts/more/Owl'))\n"), [], 'later')
  t.same(of('src/main.tsx', "import './parts/more/Owl'\n"), [], 'where a program begins')
  t.same(
    of('src/routes.ts', "export default [route('owl', './parts/more/Owl.tsx')]\n"),
    [],
    'a list of routes',
  )
  t.same(of('app/owl/page.tsx', "import Owl from '../../src/parts/more/Owl'\n"), [])
  t.same(of('src/pages/a.js', "const all = import.meta.glob('../parts/more/*.tsx')\n"), [])
  t.same(of('src/pages/a.js', 'const one = (name) => import(`../parts/more/$'.concat('{name}`)\n')), [])
  t.same(of('src/pages/a.tsx', "import type { Owl } from '../parts/more/Owl'\n").length, 1, 'a type')
  t.same(of('src/pages/a.tsx', "// import { Owl } from '../parts/more/Owl'\n").length, 1, 'commented out')
  t.same(of('src/other.tsx', "import { Owl } from './parts/more/Owl'\n").length, 2, 'no page takes that one')
  t.same(of('src/pages/a.tsx', "import { Owl } from '../parts/other/Owl'\n").length, 1, 'another folder')
})

t.test('what a file hands on is shown where somebody takes it', async (t) => {
  const owl = { 'src/parts/owl/Owl.tsx': part('Owl'), 'src/parts/owl/Egg.tsx': part('Egg') }
  const of = (barrel: string, page: string): string[] =>
    outOf({ ...program(), ...owl, 'src/parts/owl/index.ts': barrel, 'src/pages/a.tsx': page })
  const both = "export { Owl } from './Owl'\nexport { Egg as Start } from './Egg'\n"
  t.same(of(both, "import { Owl } from '../parts/owl'\n"), ['src/parts/owl/Egg.tsx'])
  t.same(of(both, "import { Start } from '../parts/owl'\n"), ['src/parts/owl/Owl.tsx'], 'under another name')
  t.same(of(both, "import * as all from '../parts/owl'\n"), [])
  t.same(of(both, 'export const A = 1\n').length, 2, 'to hand on alone shows nothing')
  const stars = "export * from './Owl'\nexport * from './Egg'\n"
  t.same(of(stars, "import { Egg } from '../parts/owl'\n"), ['src/parts/owl/Owl.tsx'])
  t.same(of(`${stars}export const more = 1\n`, "import { Egg } from '../parts/owl'\n"), [], 'it does more')
})

t.test('an address is no file', (t) => {
  const owl = {
    'src/parts/owl/Owl.tsx': part('Owl'),
    'src/parts/owl/index.ts': "export { Owl } from './Owl'\n",
  }
  const of = (page: string): string[] => outOf({ ...program(), ...owl, 'src/pages/a.tsx': page })
  t.same(of('<a href="/owl">All of it</a>\n'), ['src/parts/owl/Owl.tsx'])
  t.same(of('<a href="/birds/owl">All of it</a>\n'), ['src/parts/owl/Owl.tsx'])
  t.same(of("import { Owl } from '@/parts/owl'\n"), [])
  t.same(of("const files = ['/src/parts/owl/Owl.tsx']\n"), [], 'a file of the program')
  t.end()
})

t.test('templates name parts that they take from nowhere', async (t) => {
  const tags = NAMES.map((name) => `<${name} />`).join('')
  const parts = Object.fromEntries(
    NAMES.map((name) => [`components/${name}.vue`, '<template><p /></template>']),
  )
  const of = (more: string): string[] =>
    outOf({
      ...parts,
      'components/base/Owl.client.vue': '<template><p /></template>',
      'pages/index.vue': `<template><div>${tags}${more}</div></template>`,
    })
  t.same(of(''), ['components/base/Owl.client.vue'])
  t.same(of('<BaseOwl />'), [])
  t.same(of('<lazy-base-owl />'), [])
})

t.test('where pages are not found for certain, everything may be shown', async (t) => {
  const lost = { 'src/parts/more/Owl.tsx': part('Owl') }
  const few = Object.fromEntries(Object.entries(program()).slice(4))
  t.same(outOf({ ...few, ...lost }), [], 'too little to judge by')
  const { 'src/pages/start.tsx': _, ...noPage } = program()
  t.same(outOf({ ...noPage, ...lost }), [])
  const apart = Object.fromEntries(
    Object.entries(program()).map(([path, text]) => [`apps/web/${path}`, text]),
  )
  t.same(outOf({ ...apart, ...lost }), [], 'each program by itself')
  t.same(outOf({ ...program(), 'src/content/Owl.tsx': part('Owl') }), [], 'texts may show it')
})

t.test('what only those see who run the site is no visitor’s', async (t) => {
  const lost = { 'src/parts/more/Owl.tsx': part('Owl') }
  const owl = "import { Owl } from '../../parts/more/Owl'\n"
  const isOut = (more: Readonly<Record<string, string>>): boolean =>
    outOf({ ...program(), ...lost, ...more }).includes('src/parts/more/Owl.tsx')
  t.equal(isOut({ 'src/pages/admin/a.tsx': owl }), true)
  t.equal(isOut({ 'src/pages/admin/a.tsx': owl, 'src/pages/shop/a.tsx': owl }), false)
})

t.test('nothing is proposed for what no page shows', async (t) => {
  const join = `export function Owl() {\n  return <form><h1>Create an account for the site</h1><input type="email" name="email" /><input type="password" name="p" autoComplete="new-password" /><button type="submit">Join</button></form>\n}\n`
  const lost = { ...program(), 'src/parts/more/Owl.tsx': join }
  const shown = { ...lost, 'src/pages/a.tsx': "import { Owl } from '../parts/more/Owl'\nshow(Owl)\n" }
  const { proposals, dropped } = await found(lost)
  t.same(proposals, [])
  t.same(dropped, [{ reason: 'never_shown', count: dropped[0]?.count }])
  t.ok(patternsOf(await found(shown)).includes('join-label'))
  t.ok(
    patternsOf(await found({ ...lost, 'astro.config.mjs': '' })).includes('join-label'),
    'pages of kinds that are not read may take it',
  )
})

t.test('a page that no list of routes names, where the others are named', (t) => {
  const pages = (...names: string[]): Record<string, string> =>
    Object.fromEntries(names.map((name) => [`src/pages/${name}.js`, part(name)]))
  const routes = (...names: string[]): string =>
    names.map((name) => `import { ${name} } from './pages/${name}'\n`).join('')
  const named = ['Home', 'Shop', 'Cart', 'Join']
  const app = { 'src/App.js': routes(...named) }
  t.same(outOf({ ...pages(...named, 'OldJoin'), ...app }), ['src/pages/OldJoin.js'])
  t.same(outOf({ ...pages(...named, 'OldJoin'), 'src/App.js': routes('Home', 'Shop') }), [], 'by their place')
  t.same(outOf(pages(...named, 'OldJoin')), [], 'none is named')
  const later = { 'src/App.js': `${routes(...named)}const Old = lazy(() => import('./pages/OldJoin'))\n` }
  t.same(outOf({ ...pages(...named, 'OldJoin'), ...later }), [])
  t.end()
})

t.test('what is taken and never shown', (t) => {
  const from = (code: string): string[] => importsOf(withoutComments(code)).takes.map((one) => one.from)
  const taken = "import { Owl } from './Owl'\n"
  t.same(from(`${taken}export const Page = () => <Owl />\n`), ['./Owl'])
  t.same(from(`${taken}export const Page = () => <div>{/* <Owl /> */}</div>\n`), [], 'it is commented out')
  t.same(from(`${taken}export const Page = () => <Owls />\n`), [])
  t.same(from("import './Owl.css'\n"), ['./Owl.css'], 'for what it does')
  t.same(
    from(`<script setup>\n${taken}</script>\n<template><owl /></template>\n`),
    ['./Owl'],
    'by another name',
  )
  const listed = (template: string): string[] =>
    from(
      `<template><div>${template}</div></template>\n<script>\nimport NightOwl from './NightOwl'\nexport default { components: { NightOwl } }\n</script>\n`,
    )
  t.same(listed('<night-owl />'), ['./NightOwl'])
  t.same(listed('<component :is="shown" />'), ['./NightOwl'], 'it may be that one')
  t.same(listed('<!-- <night-owl /> -->'), [], 'listed, and its tag commented out')
  t.end()
})

t.test('a part that is taken and never named again, and by nobody else', (t) => {
  const app = (use: string): Record<string, string> => ({
    'src/App.js': `import { Owl } from './components/Owl'\nexport const App = () => <div>{/* <Owl /> */}${use}</div>\n`,
    'src/components/Owl.js': part('Owl'),
  })
  const outAsWritten = (files: Readonly<Record<string, string>>): string[] => {
    const nodes = Object.entries(files).map(([path, text]) => {
      const code = withoutComments(text)
      return { path, imports: importsOf(code), uses: usesOf(code) }
    })
    const { isOut } = reachOf(nodes, () => false)
    return nodes.map(({ path }) => path).filter(isOut)
  }
  t.same(outAsWritten(app('')), ['src/components/Owl.js'])
  t.same(outAsWritten(app('<Owl />')), [])
  t.same(outAsWritten({ ...app(''), 'src/b.js': "import { Owl } from './components/Owl'\nshow(Owl)\n" }), [])
  t.end()
})

t.test('what is shown only while something is open that nothing opens', async (t) => {
  const join = (show: string): string =>
    `import { useState } from 'react'\nimport { Owl } from '../components/Owl'\nexport const Page = () => {\n  ${show}\n}\n`
  const modal = `export function Owl() {\n  return <form><h1>Create an account for the site</h1><input type="email" name="email" /><input type="password" name="p" autoComplete="new-password" /><button type="submit">Join</button></form>\n}\n`
  const has = async (files: Readonly<Record<string, string>>): Promise<boolean> =>
    patternsOf(await found(files)).includes('join-label')
  const jsx = (show: string): Promise<boolean> =>
    has({ 'src/pages/Page.tsx': join(show), 'src/components/Owl.tsx': modal })
  const state = 'const [isOpen, setOpen] = useState(false)\n  '
  const shown = 'return <main>{isOpen && <Owl onClose={() => setOpen(false)} />}</main>'
  t.equal(await jsx(`${state}${shown}`), false)
  t.equal(await jsx(`${state}if (isOpen) {\n    return <Owl />\n  }\n  return <main />`), false)
  t.equal(
    await jsx(`${state}${shown.replace('<main>', '<main><a onClick={() => setOpen(true)}>Join</a>')}`),
    true,
  )
  t.equal(
    await jsx(`${state}${shown.replace('<main>', '<main><Bar onJoin={setOpen} />')}`),
    true,
    'by others',
  )
  t.equal(await jsx(`${state.replace('false', 'true')}${shown}`), true)
  t.equal(await jsx(`${state}${shown.replace('</main>', '<Owl /></main>')}`), true, 'it is shown beside, too')
  const vue = (script: string, markup: string): Promise<boolean> =>
    has({
      'src/pages/Page.vue': `<script setup>\nimport Owl from '../components/Owl.vue'\n${script}\n</script>\n<template><main>${markup}</main></template>\n`,
      'src/components/Owl.vue': `<template>${/<form.*form>/.exec(modal)?.[0]}</template>\n`,
    })
  t.equal(await vue('const isOpen = ref(false)', '<Owl v-if="isOpen" />'), false)
  t.equal(
    await vue('const isOpen = ref(false)', '<a @click="isOpen = true">Join</a><Owl v-if="isOpen" />'),
    true,
  )
  t.equal(await vue('const isOpen = ref(false)', '<Bar v-model="isOpen" /><Owl v-if="isOpen" />'), true)
  const svelte = (script: string, markup: string): Promise<boolean> =>
    has({
      'src/routes/+page.svelte': `<script>\nimport Owl from '../components/Owl.svelte'\n${script}\n</script>\n<main>${markup}</main>\n`,
      'src/components/Owl.svelte': `${/<form.*form>/.exec(modal)?.[0]}\n`,
    })
  t.equal(await svelte('let isOpen = false', '{#if isOpen}<Owl />{/if}'), false)
  t.equal(await svelte('let isOpen = false', '{#if isOpen}<p>Soon</p>{:else}<Owl />{/if}'), true)
  t.equal(await svelte('export let isOpen = false', '{#if isOpen}<Owl />{/if}'), true, 'by who shows it')
  t.equal(await svelte('let isOpen = $state(false)', '<Bar bind:isOpen />{#if isOpen}<Owl />{/if}'), true)
})

t.test('what a page shows itself only while something is open that nothing opens', async (t) => {
  const form =
    '<form><h1>Create an account for the site</h1><input type="email" name="email" /><input type="password" name="p" autoComplete="new-password" /><button type="submit">Join</button></form>'
  const has = async (more: string): Promise<boolean> =>
    patternsOf(
      await found({
        'src/pages/Page.tsx': `export const Page = () => {\n  const [isOpen, setOpen] = useState(false)\n  return <main>${more}{isOpen && (${form})}</main>\n}\n`,
      }),
    ).includes('join-label')
  t.equal(await has(''), false)
  t.equal(await has('<button onClick={() => setOpen(true)}>Join</button>'), true)
})

t.test('HTML that is no page of a site that a framework makes', async (t) => {
  const join =
    '<!doctype html>\n<html lang="en"><head><title>Site</title></head><body><form action="/join" method="post"><h1>Create an account for the site</h1><input type="email" name="email"><input type="password" name="p" autocomplete="new-password"><button type="submit">Join</button></form></body></html>\n'
  const app = {
    'src/App.tsx': 'export const App = () => <p>All of it</p>\n',
    'src/main.tsx': "import { App } from './App'\nshow(App)\n",
    'src/pages/about.tsx': 'export const About = () => <p>All of it</p>\n',
  }
  const has = async (path: string, more: Readonly<Record<string, string>> = app): Promise<boolean> =>
    patternsOf(await found({ ...more, [path]: join })).includes('join-label')
  t.equal(await has('pages-of-mine/join.html'), false)
  t.equal(await has('join_2024_ab12.html'), false)
  t.equal(await has('drawn/index.html'), false, 'no program begins there')
  t.equal(await has('index.html'), true)
  t.equal(await has('public/join.html'), true)
  t.equal(await has('static/join.html'), true)
  t.equal(await has('server/templates/join.html'), true, 'a server fills it in')
  t.equal(await has('join.html', { ...app, 'vite.config.ts': "const input = ['./join.html']\n" }), true)
  t.equal(await has('landing/join.html', { ...app, 'landing/index.html': join }), true, 'a site beside it')
  t.equal(await has('shop/join.html', {}), true, 'a site of HTML')
  const more = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [`${name}.html`, join]))
  t.equal(await has('join.html', { ...app, ...more }), true, 'most pages are HTML')
})

t.test('drafts beside the pages of a site', async (t) => {
  const join =
    '<!doctype html>\n<html lang="en"><head><title>Site</title></head><body><form action="/join" method="post"><h1>Create an account for the site</h1><input type="email" name="email"><input type="password" name="p" autocomplete="new-password"><button type="submit">Join</button></form></body></html>\n'
  const home = '<!doctype html>\n<html lang="en"><body><h1>All of it</h1></body></html>\n'
  const has = async (path: string, start = home): Promise<boolean> =>
    patternsOf(await found({ 'index.html': start, [path]: join })).includes('join-label')
  for (const path of [
    'design/join.html',
    'join-mockup.html',
    'maquette-v2.html',
    'Export/join.html',
    'index copy 2.html',
    'entwurf/index.html',
    'join_old.html',
    'ref/kit/join.html',
    'index-staging.html',
  ])
    t.equal(await has(path), false, path)
  for (const path of ['web-design.html', 'blood-tests.html', 'old-town.html', 'designers/join.html'])
    t.equal(await has(path), true, path)
  t.equal(
    await has('design.html', home.replace('All of it', '<a href="design.html">Design</a>')),
    true,
    'led to',
  )
  t.equal(
    patternsOf(await found({ 'design/join.html': join })).includes('join-label'),
    true,
    'there is no other',
  )
})
