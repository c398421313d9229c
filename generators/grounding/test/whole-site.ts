import t from 'tap'
import { localeOf } from '../../page/locales.js'
import { SiteIndex } from '../site-index.js'
import { validateCandidate } from '../validate-candidate.js'

type Files = Readonly<Record<string, string>>

const variants = ['control', 'b'].map((key) => ({
  ...{ key, displayName: key, trafficSplit: 50 },
  isControl: key === 'control',
}))

/** The refusal of new words in place of `<p>Come in</p>`, and of edits for everybody, on a site. */
async function refusal(
  files: Files,
  path: string,
  replace: string,
  plain: readonly { path: string; find: string; replace: string }[] = [],
): Promise<string> {
  const site = new SiteIndex()
  for (const [one, text] of Object.entries(files)) {
    const locale = localeOf(one, text)
    if (locale === null) site.add(one, text)
    else site.addTexts(locale)
  }
  const edits = [{ path, find: '<p>Come in</p>', replace, variant: 'b' }, ...plain]
  const changed = [...new Set(edits.map((one) => one.path))].map((one) => ({
    path: one,
    edits: edits.filter((edit) => edit.path === one).map(({ path: _, ...edit }) => edit),
  }))
  const found = await validateCandidate(
    { name: 'A text', files: changed, variants },
    { read: async (one) => files[one] ?? null, mayChange: () => true, site },
  )
  return found === null ? 'none' : found.message
}

const START = "import { useState } from 'react'"
const page = (imports = ''): string =>
  `${START}\n${imports}\nexport function P() { const [x] = useState(''); return <main><p>Come in</p><b>{x}</b></main> }\n`
const adds = (line: string) => [{ path: 'src/P.jsx', find: START, replace: `${START}\n${line}` }]

t.test('a name that other files use is no right to call it, or to act', async (t) => {
  const nav = `import { bookUrl, logoutUrl, wipe } from './urls'
export const Nav = () => <nav><a href={bookUrl}>Book</a><a href={logoutUrl}>Out</a><Motion to={wipe} /></nav>\n`
  const on = (replace: string, name: string): Promise<string> =>
    refusal(
      { 'src/P.jsx': page(), 'src/Nav.jsx': nav },
      'src/P.jsx',
      replace,
      adds(`import { ${name} } from './urls'`),
    )
  t.equal(await on('<p>Come in <a href={bookUrl}>here</a></p>', 'bookUrl'), 'none')
  t.match(await on('<p>Come in {bookUrl()}</p>', 'bookUrl'), 'bookUrl')
  t.match(await on('<p>Come in {wipe()}</p>', 'wipe'), 'wipe')
  t.match(await on('<p>Come in <a href={logoutUrl}>here</a></p>', 'logoutUrl'), 'logoutUrl')
})

t.test('an imported component may be shown if the site shows it and it does nothing by itself', async (t) => {
  const other = { 'src/A.jsx': 'export const A = () => <div><Badge /><Navigate to="/" /></div>\n' }
  const on = (name: string): Promise<string> =>
    refusal(
      { 'src/P.jsx': page(`import { ${name} } from './parts'`), ...other },
      'src/P.jsx',
      `<div><p>Come in</p><${name} /></div>`,
    )
  t.equal(await on('Badge'), 'none')
  for (const name of ['Product', 'Navigate', 'AdminPanel', 'LogoutOnMount']) t.match(await on(name), name)
})

t.test('values that a handler reads stay off the page', async (t) => {
  const read = `<script setup>
const session = useSession()
const rooms = [{ title: 'Garden' }]
const send = async () => { await fetch('/x', { headers: { a: session.accessToken } }); track(rooms.length) }
</script>
<template><main><p>Come in</p><button @click="send">Go</button></main></template>\n`
  const vue = (code: string): Promise<string> => refusal({ 'a.vue': read }, 'a.vue', `<p>Come in ${code}</p>`)
  t.match(await vue('{{ session.accessToken }}'), 'accessToken')
  t.match(await vue('<b v-if="session.accessToken.length > 1">!</b>'), 'accessToken')
  const server = `import { config } from '../lib/config.server'
export async function getServerSideProps() { await load(config.databaseUrl); return { props: {} } }
export default function P() { return <main><p>Come in</p></main> }\n`
  const said = '<p>Come in {`$' + '{config.databaseUrl}`}</p>'
  t.match(await refusal({ 'pages/p.jsx': server }, 'pages/p.jsx', said), 'databaseUrl')
})

t.test('a list is shown by functions that only compute', async (t) => {
  const list = `export function P({ items, onMore }) {
  return <main><p>Come in</p>{items.map((one) => <li key={one.id}>{one.id}</li>)}<button onClick={onMore}>More</button></main> }\n`
  const on = (code: string): Promise<string> => refusal({ 'a.jsx': list }, 'a.jsx', code)
  t.equal(await on('<ul>{items.map((one) => <li key={one.id}>{one.id}</li>)}</ul>'), 'none')
  t.match(await on('<ul>{items.map(({ id = onMore() }) => <li>{id}</li>)}</ul>'), 'onMore')
  t.match(await on('<ul>{items.map(({ [onMore()]: id }) => <li>{id}</li>)}</ul>'), 'onMore')
})

t.test('a key with a slash hides no text', async (t) => {
  const files = {
    'locales/en.json': '{ "a": { "b": "Plan" } }',
    'a.vue': '<template><p>Come in</p></template>\n',
  }
  const plain = [
    { path: 'locales/en.json', find: '{ "a": {', replace: '{ "a/b": "<img src=x onerror=go()>", "a": {' },
  ]
  t.match(await refusal(files, 'a.vue', '<p>Come in now</p>', plain), 'onerror')
})

t.test('a link to a mailbox or a number is one that the site says as a whole', async (t) => {
  const other = '<p>ask@lumen.com.br, +49 30 90182000</p><td>1200<br/>3400</td><p>Since 1998 (2004)</p>'
  const on = (to: string): Promise<string> =>
    refusal(
      { 'src/P.jsx': page(), 'src/F.jsx': `export const F = () => <div>${other}</div>\n` },
      'src/P.jsx',
      `<p>Come in <a href="${to}">here</a></p>`,
    )
  for (const to of ['mailto:ask@lumen.com.br', 'tel:+493090182000']) t.equal(await on(to), 'none', to)
  for (const to of [
    'mailto:ask@lumen.com',
    'mailto:k@lumen.com.br',
    'tel:12003400',
    'tel:19982004',
    'mailto:ask@lumen.com.br?subject=a%0D%0ABcc:x@evil.test',
  ])
    t.match(await on(to), to, to)
})

t.test('classes in a property load nothing', async (t) => {
  const other = { 'src/A.jsx': 'export const A = () => <Editor contentCss="p-2" />\n' }
  const on = (css: string): Promise<string> =>
    refusal(
      { 'src/P.jsx': page("import Editor from './Editor'"), ...other },
      'src/P.jsx',
      `<div><p>Come in</p><Editor contentCss="${css}" /></div>`,
    )
  t.equal(await on('p-4'), 'none')
  for (const css of ['https://evil.test/x.css', '//evil.test/x', '/x.css']) t.match(await on(css), css)
})
