import t from 'tap'
import { rendersOnServer, tellsRendering } from '../rendering.js'

const renders = (packages: readonly string[], files: Readonly<Record<string, string>> = {}): boolean => {
  for (const path of Object.keys(files)) t.equal(tellsRendering(path), true, path)
  return rendersOnServer(new Set(packages), new Map(Object.entries(files)))
}

t.test('server rendering is detected by the framework or by calls in the sources', async (t) => {
  t.equal(renders(['react', 'react-dom', 'next']), true)
  t.equal(renders(['vue', 'nuxt']), true)
  t.equal(renders(['svelte', '@sveltejs/kit']), true)
  t.equal(renders([], { 'apps/shop/next.config.mjs': 'export default {}' }), true)
  t.equal(renders(['gatsby'], { 'gatsby-config.ts': '' }), true)
  for (const text of [
    `import { hydrateRoot } from 'react-dom/client'`,
    `import { renderToPipeableStream } from "react-dom/server"`,
    `export const app = createSSRApp(App)`,
    `import { render } from 'svelte/server'`,
    `import { hydrate, tick } from 'svelte'`,
    `ReactDOM.hydrate(<App />, root)`,
  ])
    t.equal(renders(['vite'], { 'src/main.ts': 'export {}', 'src/entry-client.tsx': text }), true, text)
})

t.test('a framework used in the browser alone is no server rendering', async (t) => {
  const texts = [
    `import { createRoot } from 'react-dom/client'\ncreateRoot(root).render(app)`,
    `import { createApp } from 'vue'\ncreateApp(App).mount('#app')`,
    `import { mount } from 'svelte'\nmount(App, { target })`,
    `const text = 'hydrated skin'`,
  ]
  const files = Object.fromEntries(texts.map((text, n) => [`${n}/main.ts`, text]))
  t.equal(renders(['react', 'react-dom', 'vue', 'svelte', 'vite', 'nextcloud'], files), false)
  t.equal(renders(['svelte'], { 'svelte.config.js': 'export default { kit: {} }' }), false)
})

t.test('a framework with server rendering turned off for the whole site is none', async (t) => {
  const nuxt = (text: string) => renders(['nuxt'], { 'nuxt.config.ts': text })
  t.equal(nuxt('export default defineNuxtConfig({\n  ssr: false,\n})'), false)
  t.equal(nuxt('export default defineNuxtConfig({ ssr: false })'), false)
  t.equal(nuxt('export default defineNuxtConfig({\n  // ssr: false,\n})'), true)
  t.equal(
    nuxt("export default defineNuxtConfig({\n  routeRules: {\n    '/admin': { ssr: false },\n  },\n})"),
    true,
  )
  const hydrating = { 'app/entry.client.tsx': `hydrateRoot(document, <App />)` }
  t.equal(renders(['@react-router/dev'], hydrating), true)
  t.equal(
    renders(['@react-router/dev'], {
      ...hydrating,
      'react-router.config.ts': 'export default {\n  ssr: false,\n} satisfies Config\n',
    }),
    false,
  )
  t.equal(renders(['@sveltejs/kit'], { 'web/src/routes/+layout.ts': 'export const ssr = false\n' }), false)
  t.equal(renders(['@sveltejs/kit'], { 'src/routes/admin/+layout.ts': 'export const ssr = false\n' }), true)
  t.equal(
    renders(['@remix-run/react'], {
      'vite.config.ts':
        'export default defineConfig({\n  plugins: [\n    remix({\n      ssr: false,\n    }),\n  ],\n})',
    }),
    false,
  )
})

t.test('only configuration and entry files are read to detect server rendering', async (t) => {
  for (const path of ['src/components/Hero.tsx', 'src/mainframe.ts', 'README.md', 'src/config/tax.ts'])
    t.equal(tellsRendering(path), false, path)
})
