import { cpSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import type { Browser } from 'playwright-core'
import t, { type Test } from 'tap'
import { bucketOf, variantIndexOf } from '../../domain/bucketing.js'
import { buildCleanup } from '../../management/code-changes/build-cleanup.js'
import { composeAt } from '../../management/code-changes/check-changes.js'
import type { WrittenFile } from '../../management/code-changes/write-changes.js'
import type { ConnectedRepository } from '../../management/repositories/index.js'
import { localHost } from '../../repositories/local/host.js'
import { makeRepository } from '../../repositories/test/support/git-repository.js'
import { packageRoot } from '../../runtime/package-root.js'
import { chromiumProblem, launchChromium } from '../support/chromium.js'
import { installModules } from '../support/front-ends/packages.js'
import { until } from '../support/service.js'
import { spawnOwned } from '../support/spawn-owned.js'

const LAMPS = `<section>
        <h2>Our lamps</h2>
        <ul>
          {lamps.map((lamp) => (
            <li key={lamp}>{lamp}</li>
          ))}
        </ul>
      </section>`
const SAID = `<section>
        <h2>What customers say</h2>
        <p>It lights my desk.</p>
      </section>`

/** A site as a developer writes it, with the lines of the relay's README. */
const SOURCES: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({
    private: true,
    dependencies: { next: '16.4.6', react: '19.2.1', 'react-dom': '19.2.1' },
  }),
  'next.config.mjs': "export default { turbopack: { root: new URL('..', import.meta.url).pathname } }\n",
  'app/(shop)/page.jsx': `import { Counter } from '../../parts/counter.jsx'
import { Hero } from '../../parts/hero.jsx'

export default async function Page() {
  const lamps = await Promise.resolve(['Desk lamp', 'Floor lamp'])
  return (
    <main>
      <Hero />
      ${LAMPS}
      ${SAID}
      <Counter label="Count" />
    </main>
  )
}
`,
  'app/(static)/about/page.jsx': `import { Hero } from '../../../parts/hero.jsx'

export default function Page() {
  return <main><Hero /></main>
}
`,
  'public/favicon.ico': '',
  'app/(static)/layout.jsx':
    'export default ({ children }) => <html lang="en"><body>{children}</body></html>\n',
  'parts/hero.jsx': `export function Hero() {
  return (
    <header>
      <h1>Lamps that last</h1>
      <p className="by">Made by hand</p>
    </header>
  )
}
`,
  'parts/counter.jsx': `'use client'
import { useState } from 'react'

export function Counter({ label }) {
  const [count, setCount] = useState(0)
  return <button onClick={() => setCount(count + 1)}>{label} {count}</button>
}
`,
}

const b = (find: string, replace: string) => ({ find, replace, variant: 'b' })
const EXPERIMENTS = [
  { key: 'order', path: 'app/(shop)/page.jsx', edits: [b(LAMPS, SAID), b(SAID, LAMPS)] },
  { key: 'hero', path: 'parts/hero.jsx', edits: [b('Lamps that last', 'Lamps for life')] },
  { key: 'made', path: 'parts/hero.jsx', edits: [b('"by"', '"by strong"')] },
  { key: 'count', path: 'parts/counter.jsx', edits: [b('{label}', '{label.toUpperCase()}')] },
] as const
type Key = (typeof EXPERIMENTS)[number]['key']
const VARIANTS = [
  { key: 'control', displayName: 'Control', trafficSplit: 50 },
  { key: 'b', displayName: 'B', trafficSplit: 50 },
]
type Shown = Readonly<Record<Key, 'control' | 'b'>>

/** The words and the look of a page, as `WATCH` records it. */
const seenOf = ({ order, hero, made, count }: Shown, clicks = 0): string =>
  [
    hero === 'b' ? 'Lamps for life' : 'Lamps that last',
    made === 'b' ? 'by strong' : 'by',
    order === 'b' ? 'What customers say, Our lamps' : 'Our lamps, What customers say',
    `${count === 'b' ? 'COUNT' : 'Count'} ${clicks}`,
  ].join(' | ')

const WATCH = `window.seen = new Set()
const look = () => {
  const button = document.querySelector('button')
  const all = (query) => [...document.querySelectorAll(query)]
  if (button) window.seen.add([all('h1')[0].innerText, all('header p')[0].className,
    all('h2').map((one) => one.innerText).join(', '), button.innerText].join(' | '))
  requestAnimationFrame(look)
}
requestAnimationFrame(look)`

/** React names what it keeps at an element that works. */
const HYDRATED = "Object.keys(document.querySelector('button')).some((key) => key.startsWith('__reactProps'))"

t.test(
  'a site of Next.js with experiments in Server Components',
  { skip: chromiumProblem(), timeout: 600_000 },
  async (t) => {
    const files = { ...SOURCES, ...readmeFiles() }
    const repository = makeRepository(t, { bare: false, files })
    const modules = await installModules(repository.path)
    if (typeof modules !== 'string') {
      t.equal(process.env.CI, undefined, modules.unreachable)
      t.pass('Next.js cannot be had', { skip: `optional: ${modules.unreachable}` })
      return
    }
    const host = localHost({ path: repository.path })
    const settings = { kind: 'local', allow: [], helper: null, exposures: '/_svc/exposures' }
    const connected = { host, settings } as unknown as ConnectedRepository
    const commit = (written: readonly WrittenFile[]): string =>
      repository.commit('main', Object.fromEntries(written.map(({ path, after }) => [path, after])))
    const commits = new Map<Key, string>()
    for (const { key, path, edits } of EXPERIMENTS) {
      const changes = [{ path, action: 'modify', edits }]
      const plan = { key, variants: VARIANTS, changes } as unknown as Parameters<typeof composeAt>[2]
      const { composed } = await composeAt(connected, await host.head(), plan)
      if (!composed.ok) throw new Error(JSON.stringify(composed))
      commits.set(key, commit(composed.files))
    }
    repository.git('reset', '--hard', 'main')
    const app = join(dirname(modules), `app-${process.pid}`)
    t.teardown(() => rmSync(app, { recursive: true, force: true }))
    cpSync(repository.path, app, { recursive: true, filter: (path) => !path.endsWith('.git') })
    cpSync(join(packageRoot(), 'relay'), join(app, 'node_modules/svc-relay'), { recursive: true })
    await visits(t, await startSite(t, app, modules))

    const hero = ['hero', 'b'] as const
    for (const [key, shipped] of [['count', null], hero, ['order', null], ['made', null]] as const) {
      const [head, written] = [await host.head(), commits.get(key) ?? '']
      const cleanup = await buildCleanup(connected, { key, shipped, written, head, usedIn: new Set() })
      t.same(cleanup.conflicts, [], `${key}: no conflict`)
      commit(cleanup.files)
    }
    repository.git('reset', '--hard', 'main')
    const left = repository.git('ls-files', '-z').split('\0').filter(Boolean)
    t.same(
      left.sort(),
      [...Object.keys(files), 'svc-experiments.js'].sort(),
      'component and manifests are gone, and the helper stays for the lines that name the visitor',
    )
    for (const [path, text] of Object.entries(files))
      t.equal(
        readFileSync(join(repository.path, path), 'utf8'),
        text.replace('Lamps that last', 'Lamps for life'),
        `${path} is as if edited by hand`,
      )
  },
)

/** The files that the relay's README gives to sites of Next.js. The layout is that of the shop alone. */
function readmeFiles(): Record<string, string> {
  const readme = readFileSync(join(packageRoot(), 'relay/README.md'), 'utf8')
  const blocks = [...readme.matchAll(/^```jsx?\n\/\/ ((?:app\/|proxy)\S*)\n([\s\S]*?)^```/gm)]
  const files = Object.fromEntries(blocks.map(([, path = '', text = '']) => [path, text]))
  const { 'app/layout.jsx': layout = '', ...others } = files
  return { ...others, 'app/(shop)/layout.jsx': layout.replaceAll("from './", "from '../") }
}

interface NextSite {
  readonly url: string
  /** The experiments that svc serves. */
  serve(experiments: Readonly<Record<string, true | string>>): Promise<void>
  /** `experiment visitor variant` of the exposures that the relay passed on. */
  exposures(): readonly string[]
}

/** Builds the site and serves it, with a stand-in for svc behind its relay. */
async function startSite(t: Test, app: string, modules: string): Promise<NextSite> {
  const exposures: string[] = []
  let state = '{"version":1,"experiments":{}}'
  const svc = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { events = [] } = JSON.parse(body || '{}') as { events?: Record<string, never>[] }
    for (const { anonymousId, properties } of events)
      exposures.push(`${Object(properties).experiment} ${anonymousId} ${Object(properties).variant}`)
    response.writeHead(request.method === 'GET' ? 200 : 202, { 'content-type': 'application/json' })
    response.end(request.method === 'GET' ? state : '{}')
  })
  const port = await listen(svc)
  t.teardown(() => {
    svc.closeAllConnections()
    svc.close()
  })
  const env = [`SVC_INGEST_URL=http://127.0.0.1:${port}`, 'SVC_SERVER_KEY=key', 'NEXT_TELEMETRY_DISABLED=1']
  const next = ['/usr/bin/env', ...env, process.execPath, join(modules, 'next/dist/bin/next')]
  const output = join(app, 'output.txt')
  const start = (...args: string[]) => spawnOwned([...next, ...args], { data: app, cwd: app, output })
  const built = await new Promise((done) => start('build').once('exit', done))
  if (built !== 0) throw new Error(readFileSync(output, 'utf8'))
  const server = start('start', '-H', '127.0.0.1', '-p', '0')
  t.teardown(async () => {
    const ended = new Promise((done) => server.once('exit', done))
    server.kill('SIGKILL')
    await ended
  })
  const url = await until(
    async () => /Local: +(http:\S+)/.exec(readFileSync(output, 'utf8'))?.[1] ?? '',
    (found) => found !== '',
  )
  const stateOf = (): Promise<string> =>
    fetch(`${url}/_svc/state.js`).then(
      (answer) => answer.text(),
      () => '',
    )
  const serve = async (experiments: Readonly<Record<string, true | string>>): Promise<void> => {
    state = JSON.stringify({ version: 1, experiments })
    await until(stateOf, (text) => text.includes(JSON.stringify(experiments)))
  }
  return { url, serve, exposures: () => exposures }
}

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

async function visits(t: Test, site: NextSite): Promise<void> {
  const browser = await launchChromium(t)
  const served = Object.fromEntries(EXPERIMENTS.map(({ key }) => [key, true as const]))
  await site.serve(served)
  const told: string[] = []
  for (const all of ['control', 'b'] as const) {
    const shown = { order: all, hero: all, made: all, count: all }
    const visitor = visitorOf(shown)
    const { frames, complaints } = await visit(t, browser, `${site.url}/`, visitor)
    t.same(frames, [seenOf(shown), seenOf(shown, 1)], `${all}: no frame with anything else`)
    t.same(complaints, [], `${all}: no error, and none of hydration`)
    told.push(...EXPERIMENTS.map(({ key }) => `${key} ${visitor} ${all}`))
  }
  await until(
    async () => site.exposures().length,
    (count) => count >= told.length,
  )
  const mixed = { order: 'b', hero: 'control', made: 'b', count: 'control' } as const
  const { frames } = await visit(t, browser, `${site.url}/`, visitorOf(mixed))
  t.same(frames, [seenOf(mixed), seenOf(mixed, 1)], 'each experiment has its own variant')
  told.push(...EXPERIMENTS.map(({ key }) => `${key} ${visitorOf(mixed)} ${mixed[key]}`))
  await until(
    async () => site.exposures().length,
    (count) => count >= told.length,
  )

  const made = await visit(t, browser, `${site.url}/about`, visitorOf(mixed), 'h1')
  t.same(made.complaints, [], 'a page made beforehand: no error')
  t.equal(made.text, 'Lamps that last', 'it shows the control')
  const fresh = await visit(t, browser, `${site.url}/`, undefined)
  t.equal(fresh.frames.length, 2, 'a first visit has one variant, too')
  t.same(fresh.complaints, [], 'and no error')
  await site.serve({ hero: 'b' })
  const control = { order: 'control', hero: 'b', made: 'control', count: 'control' } as const
  const after = await visit(t, browser, `${site.url}/`, visitorOf(mixed))
  t.same(after.frames, [seenOf(control), seenOf(control, 1)], 'shipped to all, and the others paused')
  // A page reloaded before its exposure was answered may send it again with the same id. It counts once.
  const known = new Set(site.exposures().filter((one) => one.includes(' visitor-')))
  t.same([...known].sort(), told.sort(), 'one exposure for each visitor and experiment, over reloads')
}

/** A visitor whom svc gives these variants. */
function visitorOf(shown: Shown): string {
  for (let i = 0; ; i++) {
    const visitor = `visitor-${i}`
    const isGiven = ({ key }: { readonly key: Key }): boolean =>
      VARIANTS[variantIndexOf(bucketOf(key, visitor), [50, 50])]?.key === shown[key]
    if (EXPERIMENTS.every(isGiven)) return visitor
  }
}

/** A visit with a reload and a click. */
async function visit(
  t: Test,
  browser: Browser,
  url: string,
  visitor: string | undefined,
  wanted = 'button',
): Promise<{ frames: readonly string[]; complaints: readonly string[]; text: string | null }> {
  const context = await browser.newContext({ userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' })
  t.teardown(() => context.close())
  if (visitor !== undefined) await context.addCookies([{ name: 'svc_id', value: visitor, url }])
  const page = await context.newPage()
  await page.addInitScript(WATCH)
  const complaints: string[] = []
  page.on('console', (message) => {
    if (/error|warning/.test(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => void complaints.push(error.message))
  await page.goto(url)
  await page.reload()
  if (wanted === 'button') {
    await page.waitForFunction(HYDRATED)
    await page.click('button')
    await page.waitForFunction("document.querySelector('button').innerText.endsWith(' 1')")
  }
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  const frames = (await page.evaluate('[...window.seen]')) as string[]
  const text = await page.textContent(wanted)
  await context.close()
  return { frames, complaints, text }
}
