import type { Browser } from 'playwright-core'
import t, { type Test } from 'tap'
import { chromiumProblem, launchChromium } from '../../../test/support/chromium.js'
import { HELPER_FILE, helperSource } from '../source.js'
import { buildSite } from './support/build.js'
import { EXPOSURES, type Site, STATE, startSite, visitorsOf } from './support/site.js'

/**
 * One small page in three frameworks, as a developer writes it: calls in a text, in an attribute, around an
 * element and in a list, and a field that must keep its text through hydration.
 */
interface App {
  readonly framework: string
  readonly sources: (key: string) => Readonly<Record<string, string>>
}

const SPLITS = '{ control: 50, b: 50 }'

const REACT: App = {
  framework: 'react',
  sources: (key) => ({
    'App.jsx': `import { useState } from 'react'
import { variant } from './${HELPER_FILE}'

export function App() {
  const [count, setCount] = useState(0)
  return (
    <main>
      {variant('${key}', ${SPLITS}) === 'b' ? <h1 className="b">Try it</h1> : <h1>Welcome</h1>}
      <input id="mail" placeholder={variant('${key}', ${SPLITS}) === 'b' ? 'Mail of b' : 'Your mail'} />
      <ul>
        {[1, 2].map((n) => (
          <li key={n}>{variant('${key}', ${SPLITS}) === 'b' ? 'Beta' : 'Alpha'} {n}</li>
        ))}
      </ul>
      <button onClick={() => setCount(count + 1)}>{count}</button>
    </main>
  )
}
`,
    'main.jsx': `import { StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { App } from './App.jsx'

const root = document.getElementById('root')
const app = <StrictMode><App /></StrictMode>
if (root.firstElementChild) hydrateRoot(root, app, { onRecoverableError: (error) => console.error(error.message) })
else createRoot(root).render(app)
`,
    'server.jsx': `import { renderToString } from 'react-dom/server'
import { App } from './App.jsx'
import { stateFrom, visitorFrom } from './${HELPER_FILE}'

let visitor, state
visitorFrom(() => visitor)
stateFrom(() => state)
export async function render(id, served) {
  visitor = id
  state = served
  return renderToString(<App />)
}
`,
  }),
}

const VUE: App = {
  framework: 'vue',
  sources: (key) => ({
    'App.vue': `<script setup>
import { ref } from 'vue'
import { variant } from './${HELPER_FILE}'

const count = ref(0)
</script>

<template>
  <main>
    <h1 v-if="variant('${key}', ${SPLITS}) === 'b'" class="b">Try it</h1>
    <h1 v-else>Welcome</h1>
    <input id="mail" :placeholder="variant('${key}', ${SPLITS}) === 'b' ? 'Mail of b' : 'Your mail'">
    <ul>
      <li v-for="n in 2" :key="n">{{ variant('${key}', ${SPLITS}) === 'b' ? 'Beta' : 'Alpha' }} {{ n }}</li>
    </ul>
    <button @click="count++">{{ count }}</button>
  </main>
</template>
`,
    'main.js': `import { createApp, createSSRApp } from 'vue'
import App from './App.vue'

const root = document.getElementById('root')
const app = root.firstElementChild ? createSSRApp(App) : createApp(App)
app.mount(root)
`,
    'server.js': `import { createSSRApp } from 'vue'
import { renderToString } from 'vue/server-renderer'
import App from './App.vue'
import { stateFrom, visitorFrom } from './${HELPER_FILE}'

let visitor, state
visitorFrom(() => visitor)
stateFrom(() => state)
export async function render(id, served) {
  visitor = id
  state = served
  return renderToString(createSSRApp(App))
}
`,
  }),
}

const SVELTE: App = {
  framework: 'svelte',
  sources: (key) => ({
    'App.svelte': `<script>
  import { variant } from './${HELPER_FILE}'

  let count = $state(0)
</script>

<main>
  {#if variant('${key}', ${SPLITS}) === 'b'}
    <h1 class="b">Try it</h1>
  {:else}
    <h1>Welcome</h1>
  {/if}
  <input id="mail" placeholder={variant('${key}', ${SPLITS}) === 'b' ? 'Mail of b' : 'Your mail'}>
  <ul>
    {#each [1, 2] as n}
      <li>{variant('${key}', ${SPLITS}) === 'b' ? 'Beta' : 'Alpha'} {n}</li>
    {/each}
  </ul>
  <button onclick={() => count++}>{count}</button>
</main>
`,
    'main.js': `import { hydrate, mount } from 'svelte'
import App from './App.svelte'

const target = document.getElementById('root')
if (target.firstElementChild) hydrate(App, { target })
else mount(App, { target })
`,
    'server.js': `import { render as renderApp } from 'svelte/server'
import App from './App.svelte'
import { stateFrom, visitorFrom } from './${HELPER_FILE}'

let visitor, state
visitorFrom(() => visitor)
stateFrom(() => state)
export async function render(id, served) {
  visitor = id
  state = served
  return renderApp(App).body
}
`,
  }),
}

const WORDS = {
  control: ['Welcome', 'Your mail', 'Alpha 1', 'Alpha 2'],
  b: ['Try it', 'Mail of b', 'Beta 1', 'Beta 2'],
} as const

/** Records the visible text of every frame, and hydration errors. */
const WATCH = `window.seen = []
const look = () => {
  const main = document.querySelector('main')
  if (main) window.seen.push(main.innerText + ' ' + document.querySelector('#mail')?.placeholder)
  requestAnimationFrame(look)
}
requestAnimationFrame(look)`

type Experiments = Readonly<Record<string, true | string>>

/** Rendered in the browser: loads the state first. */
const PAGE =
  `<!doctype html><html><head><script src="${STATE}"></script><script type="module" src="/main.js"></script></head>` +
  '<body><div id="root"></div></body></html>'

/** Rendered on a server: carries its visitor and state. */
function rendered(html: string, visitor: string | undefined, state: object): string {
  const id = visitor === undefined ? '' : ` data-svc-id="${visitor}"`
  return (
    `<!doctype html><html${id} data-svc-state='${JSON.stringify(state)}'>` +
    `<head><script type="module" src="/main.js"></script></head><body><div id="root">${html}</div></body></html>`
  )
}

t.test('apps built with Vite, in a browser', { skip: chromiumProblem(), timeout: 600_000 }, async (t) => {
  const browser = await launchChromium(t)
  const site = await startSite(t)
  for (const app of [REACT, VUE, SVELTE]) {
    await t.test(app.framework, async (t) => {
      await clientRendered(t, browser, site, app)
      await serverRendered(t, browser, site, app)
    })
  }
})

async function clientRendered(t: Test, browser: Browser, site: Site, app: App): Promise<void> {
  const key = `${app.framework}-client`
  const helper = helperSource('module', { exposures: EXPOSURES })
  const { files } = await buildSite(t, app.framework, { ...app.sources(key), [HELPER_FILE]: helper })
  for (const [file, text] of files) site.routes.set(file, text)
  site.routes.set('/', PAGE)
  site.serve({ [key]: true })
  const visitors = visitorsOf(key, { control: 50, b: 50 })
  for (const [variant, visitor] of visitors) {
    const shown = await visit(t, browser, site, visitor)
    check(t, `${key} ${variant}`, shown, variant)
  }
  t.same(
    await counted(site, key),
    [...visitors].map(([variant, visitor]) => `${visitor} ${variant}`).sort(),
    `${key}: one exposure a visitor over renders and reloads`,
  )
  for (const [experiments, variant] of [
    [{ [key]: 'b' }, 'b'],
    [{}, 'control'],
    [null, 'control'],
  ] as const) {
    site.serve(experiments)
    for (const visitor of [undefined, visitors.get('b')])
      check(t, `${key} with ${JSON.stringify(experiments)}`, await visit(t, browser, site, visitor), variant)
  }
  t.equal((await counted(site, key)).length, 2, `${key}: what is not assigned is not counted`)
}

async function serverRendered(t: Test, browser: Browser, site: Site, app: App): Promise<void> {
  const key = `${app.framework}-server`
  const helper = helperSource('module', { exposures: EXPOSURES, serverRendered: true })
  const { files, server } = await buildSite(t, app.framework, { ...app.sources(key), [HELPER_FILE]: helper })
  for (const [file, text] of files) site.routes.set(file, text)
  const visitors = visitorsOf(key, { control: 50, b: 50 })
  const show = async (visitor: string | undefined, experiments: Experiments): Promise<void> => {
    const state = { version: 1, experiments }
    site.routes.set('/', rendered(await server.render(visitor, state), visitor, state))
  }
  const served = { [key]: true } as const
  site.serve(served)
  for (const [variant, visitor] of visitors) {
    await show(visitor, served)
    check(t, `${key} for ${variant}`, await visit(t, browser, site, visitor), variant)
  }
  const told = [...visitors].map(([variant, visitor]) => `${visitor} ${variant}`).sort()
  t.same(await counted(site, key), told)

  // The server knew no visitor, or another one, as in a cached page.
  const b = visitors.get('b') ?? ''
  await show(undefined, served)
  check(t, `${key} for no visitor`, await visit(t, browser, site, b), 'control')
  await show(visitors.get('control'), served)
  check(t, `${key} for another`, await visit(t, browser, site, b), 'control')

  // The state changes between rendering and hydration.
  await show(b, served)
  site.serve({})
  check(t, `${key}, paused meanwhile`, await visit(t, browser, site, b), 'b')
  await show(b, {})
  site.serve(served)
  check(t, `${key}, resumed meanwhile`, await visit(t, browser, site, b), 'control')
  await show(undefined, { [key]: 'b' })
  site.serve({})
  check(t, `${key}, shipped and rendered for no visitor`, await visit(t, browser, site, undefined), 'b')
  t.same(await counted(site, key), told, `${key}: what was not assigned is not counted`)
}

/** A page reloaded before its exposure was answered may send it again with the same id. It counts once. */
const counted = async (site: Site, key: string): Promise<string[]> =>
  [...new Set(await site.exposures(key, 2))].sort()

interface Shown {
  readonly frames: readonly string[]
  readonly complaints: readonly string[]
  readonly typed: string
  readonly count: string | null
}

/** A visit with a reload, typing before the scripts run, and a click after. */
async function visit(t: Test, browser: Browser, site: Site, visitor: string | undefined): Promise<Shown> {
  const context = await browser.newContext()
  t.teardown(() => context.close())
  if (visitor !== undefined) await context.addCookies([{ name: 'svc_id', value: visitor, url: site.url }])
  const page = await context.newPage()
  await page.addInitScript(WATCH)
  const complaints: string[] = []
  page.on('console', (message) => {
    if (/error|warning/.test(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => void complaints.push(error.message))
  await page.goto(`${site.url}/`)
  await page.reload({ waitUntil: 'commit' })
  // It may be the server's field, before hydration.
  await page.fill('#mail', 'ada@')
  await page.waitForLoadState()
  await page.click('button')
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  const shown = {
    frames: (await page.evaluate('window.seen')) as string[],
    complaints,
    typed: await page.inputValue('#mail'),
    count: await page.textContent('button'),
  }
  if (visitor === undefined) t.same(await context.cookies(), [], 'no cookie is made')
  await context.close()
  return shown
}

function check(t: Test, name: string, { frames, complaints, typed, count }: Shown, variant: string): void {
  const [mine, others] = variant === 'b' ? [WORDS.b, WORDS.control] : [WORDS.control, WORDS.b]
  t.same(complaints, [], `${name}: no complaint`)
  t.same(
    frames.filter((text) => others.some((word) => text.includes(word))),
    [],
    `${name}: ${frames.length} frames`,
  )
  for (const word of mine) t.ok(frames.at(-1)?.includes(word), `${name}: ${word}`)
  t.equal(typed, 'ada@', `${name}: what was typed is still there`)
  t.equal(count, '1', `${name}: it works`)
}
