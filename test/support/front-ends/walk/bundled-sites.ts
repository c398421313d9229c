import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import vue from '@vitejs/plugin-vue'
import { build, type PluginOption } from 'vite'
import { packageRoot } from '../../../../runtime/package-root.js'
import { serveSite } from '../site.js'
import type { WalkedSite } from './walk.js'

/** The page into which a bundle is loaded. */
export const INDEX = (entry: string, content = ''): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <link rel="icon" href="data:," />
    <title>Good tents</title>
  </head>
  <body>
    <div id="app">${content}</div>
    <script type="module" src="/src/${entry}"></script>
  </body>
</html>
`

export const IGNORED = 'node_modules\ndist\nbuild\n.svelte-kit\n'

export const APP_JSX = `import { useState } from 'react'

const COLOURS = ['green', 'blue']

export function App() {
  const [count, setCount] = useState(0)
  return (
    <main>
      <h1>Tents for two</h1>
      <p>In {COLOURS.join(' and ')}.</p>
      <button onClick={() => setCount(count + 1)}>
        {count === 0 ? 'Nothing in your basket' : count}
      </button>
      <p>Delivery in a week</p>
      <a href="/all">See all tents</a>
    </main>
  )
}
`

/** A heading and an expression, and on the same page a link and a text for everybody. */
export const JSX_EXPERIMENTS: WalkedSite['experiments'] = [
  {
    edits: {
      'src/App.jsx': [
        { find: '<h1>Tents for two</h1>', replace: '<h1>Tents for <em>all</em></h1>', variant: 'b' },
        { find: "'Nothing in your basket'", replace: "'Still empty'", variant: 'b' },
      ],
    },
    words: { control: ['Tents for two', 'Nothing in your basket'], b: ['Tents for all', 'Still empty'] },
  },
  {
    edits: {
      'index.html': [{ find: '<title>Good tents</title>', replace: '<title>Fine tents</title>' }],
      'src/App.jsx': [{ find: 'See all tents', replace: 'Choose yours', variant: 'b' }],
    },
    words: { control: ['See all tents'], b: ['Choose yours'] },
    plain: { before: 'Good tents', after: 'Fine tents' },
  },
]

const APP_VUE = `<script setup>
import { ref } from 'vue'

const colours = ref(['green', 'blue'])
const count = ref(0)
const empty = 'Nothing in your basket'
</script>

<template>
  <main>
    <h1>Tents for two</h1>
    <p>In {{ colours.join(' and ') }}.</p>
    <button @click="count++">{{ count === 0 ? empty : count }}</button>
    <p>Delivery in a week</p>
    <a href="/all">See all tents</a>
  </main>
</template>
`

export const REACT_SITE = bundledSite({
  plugin: react,
  files: {
    'package.json': '{ "private": true, "type": "module", "dependencies": { "react": "*", "vite": "*" } }\n',
    'index.html': INDEX('main.jsx'),
    'src/main.jsx': `import { createRoot } from 'react-dom/client'
import { App } from './App.jsx'

createRoot(document.getElementById('app')).render(<App />)
`,
    'src/App.jsx': APP_JSX,
  },
  experiments: JSX_EXPERIMENTS,
})

export const VUE_SITE = bundledSite({
  plugin: vue,
  files: {
    'package.json': '{ "private": true, "type": "module", "dependencies": { "vue": "*", "vite": "*" } }\n',
    'index.html': INDEX('main.js'),
    'src/main.js': `import { createApp } from 'vue'
import App from './App.vue'

createApp(App).mount('#app')
`,
    'src/App.vue': APP_VUE,
  },
  experiments: [
    {
      edits: {
        'src/App.vue': [
          { find: '<h1>Tents for two</h1>', replace: '<h1>Tents for <em>all</em></h1>', variant: 'b' },
          { find: "'Nothing in your basket'", replace: "'Still empty'", variant: 'b' },
        ],
      },
      words: { control: ['Tents for two', 'Nothing in your basket'], b: ['Tents for all', 'Still empty'] },
    },
    {
      edits: {
        'index.html': [{ find: '<title>Good tents</title>', replace: '<title>Fine tents</title>' }],
        'src/App.vue': [{ find: 'See all tents', replace: 'Choose yours', variant: 'b' }],
      },
      words: { control: ['See all tents'], b: ['Choose yours'] },
      plain: { before: 'Good tents', after: 'Fine tents' },
    },
  ],
})

/** A site that Vite builds and that renders in the browser only. */
function bundledSite(of: {
  readonly plugin: () => PluginOption
  readonly files: Readonly<Record<string, string>>
  readonly experiments: WalkedSite['experiments']
}): WalkedSite {
  return {
    files: { ...of.files, '.gitignore': IGNORED },
    experiments: of.experiments,
    async open(t, path, service) {
      symlinkSync(join(packageRoot(), 'node_modules'), join(path, 'node_modules'))
      const url = await serveSite(t, join(path, 'dist'), service, { ignoreCrawlers: true })
      return {
        async deploy() {
          await build({ root: path, configFile: false, logLevel: 'error', plugins: [of.plugin()] })
          return { url }
        },
      }
    },
  }
}
