import t from 'tap'
import { rendersOnServer } from '../rendering.js'

t.test('a site renders on a server by its framework, or by what its sources call', async (t) => {
  t.equal(rendersOnServer(['react', 'react-dom', 'next'], []), true)
  t.equal(rendersOnServer(['vue', 'nuxt'], []), true)
  t.equal(rendersOnServer(['svelte', '@sveltejs/kit'], []), true)
  for (const text of [
    `import { hydrateRoot } from 'react-dom/client'`,
    `import { renderToPipeableStream } from "react-dom/server"`,
    `export const app = createSSRApp(App)`,
    `import { render } from 'svelte/server'`,
    `import { hydrate, tick } from 'svelte'`,
  ])
    t.equal(rendersOnServer(['vite'], ['export {}', text]), true, text)
})

t.test('and not because it uses a framework in the browser', async (t) => {
  const texts = [
    `import { createRoot } from 'react-dom/client'\ncreateRoot(root).render(app)`,
    `import { createApp } from 'vue'\ncreateApp(App).mount('#app')`,
    `import { mount } from 'svelte'\nmount(App, { target })`,
    `const text = 'hydrated skin'`,
  ]
  t.equal(rendersOnServer(['react', 'react-dom', 'vue', 'svelte', 'vite', 'nextcloud'], texts), false)
})
