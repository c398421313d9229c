import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { packageRoot } from '../../runtime/package-root.js'
import { installNode } from '../../sdk/test/support/sdk.js'
import { sendEventsSnippets } from '../../sdk/test/support/snippets.js'
import { outputOf } from '../support/output.js'
import { withoutSvc } from '../support/program.js'
import { compiledRoot, countOf, startService, temporaryDataDir, until } from '../support/service.js'

t.setTimeout(600_000)
const root = packageRoot()
const folder = join(root, 'examples')
const data = temporaryDataDir()
t.teardown(() => data.remove())
const service = await startService(join(data.path, 'svc'))
t.teardown(() => service.stop())
const { apiKey, serverKey } = service.keys

const bin = join(data.path, 'bin')
mkdirSync(bin)
writeFileSync(
  join(bin, 'npx'),
  `#!/bin/sh\nshift\nexec "${process.execPath}" "${join(root, compiledRoot(), 'cli/main.js')}" "$@"\n`,
)
chmodSync(join(bin, 'npx'), 0o755)

const ENVIRONMENT = {
  ...withoutSvc(process.env),
  PATH: `${bin}:${process.env.PATH ?? ''}`,
  SVC_INGEST_URL: service.ingest,
  SVC_API_URL: service.api,
  SVC_SERVER_KEY: serverKey,
  SVC_API_KEY: apiKey,
  PORT: '0',
}
const ran = new Set<string>()

/** Starts an example as its README says. */
function start(file: string, args: readonly string[] = [], env: Record<string, string> = {}) {
  ran.add(file)
  const [program, ...options] = file.endsWith('.sh') ? ['bash', '-euo', 'pipefail'] : [process.execPath]
  return spawn(program ?? '', [...options, join('examples', file), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...ENVIRONMENT, ...env },
  })
}

async function run(file: string, args?: readonly string[], env?: Record<string, string>): Promise<string> {
  const output = outputOf(start(file, args, env))
  const code = await output.ended
  if (code !== 0) throw new Error(`${file} exited with ${code}: ${output.out}${output.err}`)
  return output.out
}

t.test('examples send events, link a visitor and query a funnel', async (t) => {
  for (const _ of ['first', 'again'])
    t.match(JSON.parse(await run('send-events.sh')), { accepted: 2 }, 'a batch may be repeated')
  t.match(JSON.parse(await run('link-visitor.sh')), { outcome: 'linked' })
  const { entered, completed } = await until(
    async () => JSON.parse(await run('query-funnel.sh')) as { entered: number; completed: number },
    (funnel) => funnel.completed > 0,
  )
  t.same({ entered, completed }, { entered: 1, completed: 1 }, 'the visit counts as the user’s')
  t.equal(await countOf(service.api, apiKey, 'order_paid'), 1)
})

t.test('the example with retries repeats the same events and names refused fields', async (t) => {
  const bodies: string[] = []
  // Unavailable, then no answer at all, then svc.
  const front = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    bodies.push(body)
    if (bodies.length === 1) response.writeHead(503, { 'retry-after': '0' }).end('{}')
    else if (bodies.length === 2) response.destroy()
    else {
      const { authorization = '' } = request.headers
      const answer = await fetch(`${service.ingest}${request.url}`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body,
      })
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
    }
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    front.close()
    front.closeAllConnections()
  })
  const SVC_INGEST_URL = `http://127.0.0.1:${(front.address() as AddressInfo).port}`
  const output = await run('send-with-retries.mjs', [], { SVC_INGEST_URL })
  t.match(output, /^1 recorded\nVALIDATION_FAILED at events\[0\]\.event: /)
  t.equal(bodies.length, 4)
  const ids = bodies.map(
    (body) => (JSON.parse(body) as { events: { insertId: string }[] }).events[0]?.insertId,
  )
  t.equal(new Set(ids).size, 1, 'one insertId for all attempts')
})

t.test('the examples declare an experiment, and both relays serve it', async (t) => {
  t.match(await run('declare-experiment.sh'), /one-page-checkout/)
  t.equal(await run('wait-for-status.mjs', ['one-page-checkout', 'running']), 'running\n')

  const site = start('relay-in-node.mjs')
  const output = outputOf(site)
  t.teardown(() => site.kill('SIGKILL'))
  const url = await until(
    async () => /http\S+/.exec(output.out)?.[0] ?? '',
    (address) => address !== '',
  )
  t.match(await (await fetch(url)).text(), '<h1>A shop</h1>')
  const served = /^globalThis\.svcState=\{"version":1,"experiments":\{"one-page-checkout":true\}\}/
  t.match(await (await fetch(`${url}/_svc/state.js`)).text(), served)
  const exposure = (anonymousId: string, variant: string): RequestInit => ({
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({
      event: '$exposure',
      anonymousId,
      properties: { experiment: 'one-page-checkout', variant },
    }),
  })
  const reported = await fetch(`${url}/_svc/exposures`, exposure('visitor-8', 'one-page'))
  t.equal(reported.status, 204)
  site.kill('SIGTERM')
  t.equal(await output.ended, 0, output.err)

  ran.add('relay-in-fetch.mjs')
  const { default: handler } = (await import(pathToFileURL(join(folder, 'relay-in-fetch.mjs')).href)) as {
    default: {
      fetch(request: Request, env: object, context: object): Response | Promise<Response>
    }
  }
  const started: Promise<unknown>[] = []
  const context = { waitUntil: (work: Promise<unknown>) => void started.push(work) }
  const ask = (path: string, init?: RequestInit) =>
    handler.fetch(new Request(`https://shop.example${path}`, init), ENVIRONMENT, context)
  t.match(await (await ask('/')).text(), '<h1>A shop</h1>')
  t.match(await (await ask('/_svc/state.js')).text(), served)
  t.equal((await ask('/_svc/exposures', exposure('visitor-9', 'three-pages'))).status, 204)
  await Promise.all(started)
  const stored = await until(
    () => countOf(service.api, apiKey, '$exposure'),
    (count) => count === 2,
  )
  t.equal(stored, 2, 'both relays passed an exposure on')
})

t.test('the client library for Node sends an event; long suites have the rest of it', async (t) => {
  const site = join(data.path, 'site')
  installNode(site)
  writeFileSync(join(site, 'use.mjs'), sendEventsSnippets('js').get('node') ?? '')
  const before = await countOf(service.api, apiKey, 'order_paid')
  const output = outputOf(
    spawn(process.execPath, ['use.mjs'], { cwd: site, stdio: ['ignore', 'pipe', 'pipe'], env: ENVIRONMENT }),
  )
  t.equal(await output.ended, 0, output.err)
  const stored = await until(
    () => countOf(service.api, apiKey, 'order_paid'),
    (count) => count > before,
  )
  t.equal(stored, before + 1)
})

t.test('every example was run, is short and says what it shows', async (t) => {
  const files = readdirSync(folder).filter((file) => /\.(sh|mjs)$/.test(file))
  t.same([...ran].sort(), files.sort())
  for (const file of files) {
    const lines = readFileSync(join(folder, file), 'utf8').split('\n')
    t.ok(lines.length < 60, `${file}: ${lines.length} lines`)
    t.match(lines[file.endsWith('.sh') ? 1 : 0], /^(#|\/\/) [A-Z]/, file)
  }
})

t.test('documents show the examples as they are', async (t) => {
  const documents = [
    'README.md',
    ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md'))
      .map((file) => join('docs', file)),
  ]
  let shown = 0
  for (const document of documents) {
    const text = readFileSync(join(root, document), 'utf8')
    for (const [, file = '', snippet = ''] of text.matchAll(/^```\w+ example=(\S+)\n([\s\S]*?)^```/gm)) {
      shown++
      // The first comment is for readers of the file alone.
      const source = readFileSync(join(folder, file), 'utf8').replace(/^(?:(?:#|\/\/).*\n)+\n?/, '')
      t.equal(snippet.trim(), source.trim(), `${document}: ${file}`)
    }
  }
  t.ok(shown >= 5, `${shown} of them`)
})
