import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { packageRoot } from '../../../runtime/package-root.js'
import { executablePath } from '../../../test/support/executable.js'
import { installModules } from '../../../test/support/front-ends/packages.js'
import type { Figure } from '../../support/figures.js'

const run = promisify(execFile)
const ARCHIVES = join(packageRoot(), 'dist', 'client')
const OTHERS = { 'posthog-node': '5.70.0', '@segment/analytics-node': '3.1.0' }
/** Ten minutes at 1,000 events a second. */
const AWAY_EVENTS = 600_000

/** Each tracks `count` events to `url`, sends them all, and prints the CPU seconds that took. */
const NODE_PROGRAMS: Readonly<Record<string, string>> = {
  'svc-events': `
    import { SvcEvents } from 'svc-events'
    const client = new SvcEvents({ url, key: 'k' })
    await measure((n) => client.track(event(n)), () => client.flush(60_000))`,
  'svc-events, durable': `
    import { SvcEvents } from 'svc-events'
    const client = new SvcEvents({ url, key: 'k', spool })
    let all = []
    const settle = async () => { await Promise.all(all); all = [] }
    await measure((n) => all.push(client.trackDurably(event(n))), async () => { await settle(); await client.flush(60_000) })`,
  'posthog-node': `
    import { PostHog } from 'posthog-node'
    const client = new PostHog('k', { host: url, flushAt: 500, maxQueueSize: count, maxBatchSize: 500 })
    await measure((n) => client.capture({ distinctId: 'user-' + n, event: 'order_paid', properties: event(n).properties }), () => client.flush())`,
  '@segment/analytics-node': `
    import { Analytics } from '@segment/analytics-node'
    const client = new Analytics({ writeKey: 'k', host: url, maxEventsInBatch: 500 })
    await measure((n) => client.track(event(n)), () => client.flush())`,
}

const NODE_START = `
const [url, spool, digits] = process.argv.slice(2)
const count = Number(digits)
const event = (n) => ({ event: 'order_paid', userId: 'user-' + n, properties: { total: n, plan: 'pro', path: '/checkout/done', items: [n, 2] } })
const measure = async (track, flush) => {
  const before = process.cpuUsage()
  for (let n = 0; n < count; n++) {
    track(n)
    if (n % 5_000 === 4_999) await flush()
  }
  await flush()
  const { user, system } = process.cpuUsage(before)
  console.log((user + system) / 1e6)
  process.exit(0)
}`

const PYTHON_PROGRAM = `
import sys, time
from svc_events import SvcEvents
url, spool, digits = sys.argv[1:]
client = SvcEvents(url=url, key="k")
before = time.process_time()
for n in range(int(digits)):
    client.track("order_paid", userId="user-%d" % n, properties={"total": n, "plan": "pro", "path": "/checkout/done", "items": [n, 2]})
    if n % 5_000 == 4_999:
        client.flush(60_000)
client.flush(60_000)
print(time.process_time() - before)
`

/** Tracks while the service is away, and prints by how many megabytes process and disk have grown. */
const AWAY_PROGRAM = `
import { SvcEvents } from 'svc-events'
const client = new SvcEvents({ url: 'http://127.0.0.1:1', key: 'k', onError() {}, ...(spool === '' ? {} : { spool, durable: true }) })
const before = process.memoryUsage().rss
for (let n = 0; n < count; n += 1_000) {
  await Promise.all(Array.from({ length: 1_000 }, (_, k) => client.track(event(n + k))))
  await new Promise((resolve) => setImmediate(resolve))
}
globalThis.gc?.()
console.log((process.memoryUsage().rss - before) / 1e6)
process.kill(process.pid, 'SIGKILL')`

/** CPU of the client libraries, beside those of other products, against a server that only answers. */
export async function sdkCase(folder: string, events: number): Promise<Figure[]> {
  const server = await startAnswering()
  try {
    const modules = await prepareModules(folder)
    const figures: Figure[] = []
    let ours: number | undefined
    const measured = async (name: string, program: string, args: readonly string[], env = {}) => {
      const values: number[] = []
      for (let round = 0; round < 3; round++) {
        const spool = join(folder, `spool-${figures.length}-${round}`)
        const all = [...args, server.url, spool, String(events)]
        const { stdout } = await run(program, all, { cwd: folder, env: { ...process.env, ...env } })
        values.push(events / Number(stdout))
      }
      const value = Math.max(...values)
      ours ??= value
      figures.push({ name, value, unit: 'events/CPU s', ratio: value / ours, ratioTo: 'svc-events' })
    }
    for (const [name, program] of Object.entries(NODE_PROGRAMS)) {
      if (!modules.has(name.split(',')[0] ?? '')) continue
      writeFileSync(join(folder, 'program.mjs'), NODE_START + program)
      await measured(name, process.execPath, ['program.mjs'])
    }
    const python = executablePath(['python3'])
    const wheel = readdirSync(ARCHIVES).find((name) => name.endsWith('.whl')) ?? ''
    if (python !== undefined)
      await measured('svc_events for Python', python, ['-c', PYTHON_PROGRAM], {
        PYTHONPATH: join(ARCHIVES, wheel),
      })
    const away = Math.round(Math.min(1, events / 100_000) * AWAY_EVENTS)
    for (const spool of ['', join(folder, 'away')]) {
      writeFileSync(join(folder, 'away.mjs'), NODE_START + AWAY_PROGRAM)
      const args = ['--expose-gc', 'away.mjs', server.url, spool, String(away)]
      const stdout = await run(process.execPath, args, { cwd: folder })
        .catch((error) => error)
        .then((end) => end.stdout)
      figures.push({
        name: `memory after ${away.toLocaleString('en')} events, svc away${spool === '' ? '' : ', durable'}`,
        value: Number(stdout),
        unit: 'MB',
      })
    }
    return figures
  } finally {
    server.close()
  }
}

/** The names of the packages that can be imported in a folder: the others' are fetched, if they can be. */
async function prepareModules(folder: string): Promise<ReadonlySet<string>> {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: OTHERS }))
  const others = await installModules(folder)
  const target = join(folder, 'node_modules')
  mkdirSync(target)
  if (typeof others === 'string') await run('cp', ['-r', `${others}/.`, target])
  const place = join(target, 'svc-events')
  mkdirSync(place)
  await run('tar', ['xzf', join(ARCHIVES, 'svc-events.tgz'), '--strip-components=1', '-C', place])
  return new Set(['svc-events', ...(typeof others === 'string' ? Object.keys(OTHERS) : [])])
}

/** Answers what each of the clients expects. */
async function startAnswering(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer(async (request, response) => {
    const sent = await buffer(request)
    const text = (sent[0] === 0x1f ? gunzipSync(sent) : sent).toString()
    const accepted =
      request.url === '/v1/events' ? (JSON.parse(text) as { events: object[] }).events.length : 0
    response.writeHead(accepted > 0 ? 202 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ accepted, requestId: 'r', success: true, status: 'Ok' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
