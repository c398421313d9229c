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
