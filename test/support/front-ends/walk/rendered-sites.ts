import { spawn } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import react from '@vitejs/plugin-react'
import type { Test } from 'tap'
import { build, type InlineConfig } from 'vite'
import { packageRoot } from '../../../../runtime/package-root.js'
import { withoutSvc } from '../../program.js'
import type { RunningService } from '../../service.js'
import { until } from '../../service.js'
import { installModules, npm } from '../packages.js'
import { APP_JSX, IGNORED, INDEX, JSX_EXPERIMENTS } from './bundled-sites.js'
import type { WalkedSite } from './walk.js'

/** A Node server of one's own that renders React, and hydrates. */
export const REACT_ON_SERVER: WalkedSite = {
  files: {
    '.gitignore': IGNORED,
    'package.json':
      '{ "private": true, "type": "module", "dependencies": { "react": "*", "react-dom": "*", "vite": "*" } }\n',
    'index.html': INDEX('entry-client.jsx', '<!--app-->').replace(
      '<html lang="en">',
      '<html lang="en" data-page>',
    ),
    'src/App.jsx': APP_JSX,
    'src/entry-client.jsx': `import { hydrateRoot } from 'react-dom/client'
import { App } from './App.jsx'

hydrateRoot(document.getElementById('app'), <App />)
`,
    'src/entry-server.jsx': `import { renderToString } from 'react-dom/server'
import { App } from './App.jsx'

export const render = () => renderToString(<App />)
`,
    'server.mjs': `import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { nodeHandler } from 'svc-relay'
import { render } from './build/entry-server.js'

const { INGEST_URL, SERVER_KEY, PORT } = process.env
const page = readFileSync('dist/index.html', 'utf8')
const relay = nodeHandler({ ingestUrl: INGEST_URL, serverKey: SERVER_KEY })

async function show(request, response) {
  await relay.ready()
  const agent = request.headers['user-agent']
  const id = /(?:^|; )svc_id=([\\w-]+)/.exec(request.headers.cookie ?? '')?.[1]
  const named = (id ? \`data-svc-id="\${id}" \` : '') + \`data-svc-state="\${relay.stateAttribute(agent)}"\`
  const html = page.replace('data-page', () => named).replace('<!--app-->', () => render(id, relay.state(agent)))
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html)
}

createServer((request, response) => {
  if (request.url.startsWith('/_svc/')) relay(request, response)
  else if (request.url.startsWith('/assets/'))
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(readFileSync('dist' + request.url))
  else void show(request, response)
}).listen(PORT, '127.0.0.1')
`,
  },
  byHand: {
    'src/entry-server.jsx': `import { renderToString } from 'react-dom/server'
import { App } from './App.jsx'
import { stateFrom, visitorFrom } from './svc-experiments.js'

let visitor
let state
visitorFrom(() => visitor)
stateFrom(() => state)

export function render(id, served) {
  visitor = id
  state = served
  return renderToString(<App />)
}
`,
  },
  experiments: JSX_EXPERIMENTS,
  async open(t, path, service) {
    symlinkSync(join(packageRoot(), 'node_modules'), join(path, 'node_modules'))
    const options: InlineConfig = { root: path, configFile: false, logLevel: 'error', plugins: [react()] }
    return onServer(t, path, service, 'server.mjs', async () => {
      await build(options)
      await build({ ...options, build: { outDir: 'build', ssr: 'src/entry-server.jsx' } })
    })
  },
}

/** SvelteKit as it is created, with its adapter for Node. */
export const SVELTEKIT: WalkedSite = {
  files: {
    '.gitignore': IGNORED,
    'package.json': `${JSON.stringify(
      {
        private: true,
        type: 'module',
        scripts: { build: 'vite build' },
        devDependencies: {
          '@sveltejs/adapter-node': '5.3.3',
          '@sveltejs/kit': '2.43.3',
          '@sveltejs/vite-plugin-svelte': '6.2.1',
          svelte: '5.39.6',
          vite: '7.1.7',
        },
      },
      null,
      2,
    )}\n`,
    'svelte.config.js': `import adapter from '@sveltejs/adapter-node'

export default { kit: { adapter: adapter() } }
`,
    'vite.config.js': `import { sveltekit } from '@sveltejs/kit/vite'
import { defineConfig } from 'vite'

export default defineConfig({ plugins: [sveltekit()] })
`,
    'src/app.html': appHtml('<html lang="en">'),
    'src/routes/+page.svelte': `<script>
  let count = $state(0)
</script>

<svelte:head>
  <title>Good tents</title>
</svelte:head>

<main>
  <h1>Tents for two</h1>
  <p>In green and blue.</p>
  <button onclick={() => count++}>{count === 0 ? 'Nothing in your basket' : count}</button>
  <p>Delivery in a week</p>
  <a href="/all">See all tents</a>
</main>
`,
  },
  byHand: {
    'src/app.html': appHtml('<html lang="en" %svc%>'),
    'src/hooks.server.js': `import { AsyncLocalStorage } from 'node:async_hooks'
import { env } from 'node:process'
import { fetchHandler } from 'svc-relay'
import { stateFrom, visitorFrom } from './svc-experiments.js'

const relay = fetchHandler({ ingestUrl: env.INGEST_URL ?? 'http://unknown', serverKey: env.SERVER_KEY ?? 'none' })
const requests = new AsyncLocalStorage()
visitorFrom(() => requests.getStore()?.id)
stateFrom(() => requests.getStore()?.state)

export async function handle({ event, resolve }) {
  if (event.url.pathname.startsWith('/_svc/')) return relay(event.request)
  await relay.ready()
  const agent = event.request.headers.get('user-agent')
  const id = event.cookies.get('svc_id')?.replace(/[^\\w-]/g, '')
  const named = (id ? \`data-svc-id="\${id}" \` : '') + \`data-svc-state="\${relay.stateAttribute(agent)}"\`
  return requests.run({ id, state: relay.state(agent) }, () =>
    resolve(event, { transformPageChunk: ({ html }) => html.replace('%svc%', () => named) }),
  )
}
`,
  },
  experiments: [
    {
      edits: {
        'src/routes/+page.svelte': [
          { find: '<h1>Tents for two</h1>', replace: '<h1>Tents for <em>all</em></h1>', variant: 'b' },
          { find: 'Good tents', replace: 'Shelter', variant: 'b' },
        ],
      },
      words: { control: ['Tents for two', 'Good tents'], b: ['Tents for all', 'Shelter'] },
    },
    {
      edits: {
        'src/routes/+page.svelte': [
          { find: 'See all tents', replace: 'Choose yours', variant: 'b' },
          { find: 'Delivery in a week', replace: 'Delivery in two days' },
        ],
      },
      words: { control: ['See all tents'], b: ['Choose yours'] },
      plain: { before: 'Delivery in a week', after: 'Delivery in two days' },
    },
  ],
  async open(t, path, service) {
    const modules = await installModules(path)
    if (typeof modules !== 'string') return modules
    symlinkSync(modules, join(path, 'node_modules'))
    return onServer(t, path, service, 'build/index.js', () => npm(['run', 'build'], path))
  },
}

function appHtml(html: string): string {
  return `<!doctype html>
${html}
  <head>
    <meta charset="utf-8" />
    <link rel="icon" href="data:," />
    %sveltekit.head%
  </head>
  <body>
    <div>%sveltekit.body%</div>
  </body>
</html>
`
}

/** A site with a separate server, which is started again with each build. */
async function onServer(
  t: Test,
  path: string,
  { ingest, keys }: RunningService,
  entry: string,
  buildSite: () => Promise<void>,
) {
  // Found from above, as if installed.
  const modules = join(dirname(path), 'node_modules')
  mkdirSync(modules)
  symlinkSync(join(packageRoot(), 'relay'), join(modules, 'svc-relay'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let stop = () => Promise.resolve()
  t.teardown(() => stop())
  return {
    async deploy() {
      await buildSite()
      await stop()
      const child = spawn(process.execPath, [join(path, entry)], {
        cwd: path,
        stdio: ['ignore', 'ignore', 'inherit'],
        env: {
          ...withoutSvc(process.env),
          INGEST_URL: ingest,
          SERVER_KEY: keys.serverKey,
          HOST: '127.0.0.1',
          PORT: `${port}`,
          ORIGIN: url,
        },
      })
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
      stop = () => {
        child.kill('SIGKILL')
        return ended
      }
      const isUp = () =>
        fetch(url).then(
          ({ ok }) => ok,
          () => false,
        )
      if (!(await until(isUp, Boolean))) throw new Error('the built site does not answer')
      return { url }
    },
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
