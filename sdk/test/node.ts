import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { shapesOf, typeScriptOf } from '../../cli/events/types.js'
import { svc } from '../../cli/test/support/run.js'
import { packageRoot } from '../../runtime/package-root.js'
import { type Deployment, deployEmbedded } from '../../test/support/deployment.js'
import { freePort } from '../../test/support/network/free-port.js'
import { countOf, until } from '../../test/support/service.js'
import type { SvcStats } from '../node/types.js'
import { testScenarios } from './support/scenarios.js'
import { installNode, installSdk } from './support/sdk.js'
import { sendEventsSnippets } from './support/snippets.js'

t.test('the library for Node does what both do', { timeout: 600_000 }, async (t) => {
  const sdk = installSdk(t, 'node')
  if ('unreachable' in sdk) throw new Error(sdk.unreachable)
  const service = await deployEmbedded(t)
  await testScenarios(t, sdk, service)
  await t.test('the snippets of the documents run', (t) => testSnippets(t, service))
})

/** Code around a snippet that calls it as its framework does. */
const CALLS: Readonly<Record<string, (code: string) => string>> = {
  node: (code) => code,
  express: (code) => `${code}
await new Promise((resolve) => setTimeout(resolve, 200))
const headers = { 'content-type': 'application/json' }
const body = JSON.stringify({ userId: 'express', total: 1 })
const answer = await fetch(\`http://127.0.0.1:\${process.env.PORT}/orders\`, { method: 'POST', headers, body })
if (answer.status !== 201) throw new Error(await answer.text())
process.kill(process.pid, 'SIGTERM')`,
  next: (code) => `${code}
const body = JSON.stringify({ userId: 'next', total: 1 })
await POST(new Request('http://shop.example/orders', { method: 'POST', body }))`,
  lambda: (code) =>
    `${code}\nawait handler({ userId: 'lambda', total: 1 })\nprocess.kill(process.pid, 'SIGKILL')`,
  check: (code) => code,
  worker: (code) =>
    `const jobs = [{ id: 'report-1', userId: 'worker' }]\n${code.replace('/var/lib/reports/events', './spool')}`,
}

async function testSnippets(t: Test, service: Deployment): Promise<void> {
  const snippets = sendEventsSnippets('js')
  t.same([...snippets.keys()].sort(), Object.keys(CALLS).sort())
  const folder = t.testdir()
  installNode(folder)
  symlinkSync(join(packageRoot(), 'node_modules', 'express'), join(folder, 'node_modules', 'express'))
  for (const [name, code] of snippets) {
    writeFileSync(join(folder, `${name}.mjs`), CALLS[name]?.(code) ?? code)
    const { status, signal, stderr } = spawnSync(process.execPath, [`${name}.mjs`], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 600_000,
      env: {
        ...process.env,
        PORT: String(await freePort()),
        SVC_INGEST_URL: service.ingest,
        SVC_SERVER_KEY: service.keys.serverKey,
      },
    })
    const expected = { express: 'SIGTERM', lambda: 'SIGKILL' }[name] ?? 0
    t.equal(signal ?? status, expected, `${name}: ${stderr}`)
  }
  await service.settled()
  for (const [event, count] of [
    ['order_paid', 4],
    ['report_sent', 1],
  ] as const)
    t.equal(
      await until(
        () => countOf(service.api, service.keys.apiKey, event),
        (found) => found >= count,
      ),
      count,
      event,
    )
  const stats = join(folder, 'stats.json')
  const environment = { SVC_API_URL: service.api, SVC_API_KEY: service.keys.apiKey, HOME: folder }
  const compare = () => svc(['ledger', '--key', 'Demo server key', '--compare', stats], environment)
  t.match(await compare(), { code: 0 }, 'what was confirmed has arrived')
  const { acceptedByHour } = JSON.parse(readFileSync(stats, 'utf8')) as SvcStats
  for (const hour of Object.keys(acceptedByHour)) acceptedByHour[hour] = 10_000_000
  writeFileSync(stats, JSON.stringify({ acceptedByHour }))
  t.match(await compare(), { code: 1, out: /fewer accepted/, err: /did not arrive/ }, 'and nothing more')
}

t.test('the same sources give the same archive, of less than 20 KB', async (t) => {
  const file = join(packageRoot(), 'dist/client/svc-events.tgz')
  const before = readFileSync(file)
  const again = t.testdir()
  execFileSync(process.execPath, [join(packageRoot(), 'scripts/build-sdk.mjs'), again])
  t.ok(before.equals(readFileSync(join(again, 'svc-events.tgz'))))
  t.ok(before.length < 20_000, `${before.length} bytes`)
})

const TYPED_USE = `import { SvcEvents, type SvcFailure, type SvcStats, type SvcWarning } from 'svc-events'
import type { Events } from './events.js'

const events = new SvcEvents<Events>({ flushAt: 10, onError: (failure: SvcFailure) => void failure.events })
const isQueued: boolean = events.track({ event: 'order_paid', userId: 'grace', properties: { total: 49 } })
events.track({ event: 'signed_up', anonymousId: 'v', timestamp: new Date() })
// @ts-expect-error total is missing
events.track({ event: 'order_paid', userId: 'grace' })
// @ts-expect-error total is a number
events.track({ event: 'order_paid', userId: 'grace', properties: { total: '49' } })
// @ts-expect-error there is no such event
events.track({ event: 'order_payed', userId: 'grace' })
const onWarning = ({ code, field, count }: SvcWarning): void => void [code, field, count]
void new SvcEvents({ warnings: true, onWarning })
const durable = new SvcEvents({ durable: true, spool: '/var/spool/app' })
const isOnDisk: Promise<boolean> = durable.track({ event: 'anything', userId: 'grace', properties: { a: [1] } })
const stats: SvcStats = events.stats()
export const all = [isQueued, isOnDisk, stats, await events.flush(), await events.close(100)]
`

t.test('its types hold for ESM and CommonJS, and know the events of a workspace', async (t) => {
  const received = new Map([
    ['order_paid', shapesOf([{ property: 'total', types: ['number'], share: 1 }])],
    ['signed_up', shapesOf([{ property: 'plan', types: ['string'], share: 0.5 }])],
  ])
  const folder = t.testdir({
    'package.json': '{}',
    'use.mts': TYPED_USE,
    'events.ts': typeScriptOf(received),
  })
  installNode(folder)
  const common = TYPED_USE.replace(/export const all.*/, 'export = [isQueued, isOnDisk, stats]').replace(
    /import (.*) from ('svc-events')/,
    'import svc = require($2)\nimport SvcEvents = svc.SvcEvents\ntype SvcFailure = svc.SvcFailure\ntype SvcStats = svc.SvcStats\ntype SvcWarning = svc.SvcWarning',
  )
  writeFileSync(join(folder, 'use.cts'), common)
  symlinkSync(join(packageRoot(), 'node_modules', '@types'), join(folder, 'node_modules', '@types'))
  const tsc = join(packageRoot(), 'node_modules/typescript/bin/tsc')
  const options =
    '--noEmit --strict --exactOptionalPropertyTypes --module nodenext --target es2022 --types node'
  t.doesNotThrow(() =>
    execFileSync(process.execPath, [tsc, ...options.split(' '), 'use.mts', 'use.cts'], {
      cwd: folder,
      stdio: 'inherit',
    }),
  )
})

t.test('it is loaded as ESM and as CommonJS', async (t) => {
  const folder = t.testdir({ 'package.json': '{}' })
  installNode(folder)
  const run = (type: string, code: string): string =>
    execFileSync(process.execPath, [`--input-type=${type}`, '-e', code], { cwd: folder, encoding: 'utf8' })
  const use =
    "const e = new SvcEvents({ key: 'k', onError() {} }); console.log(e.track({ event: 'a', userId: 'u' })); e.close(0)"
  t.equal(run('commonjs', `const { SvcEvents } = require('svc-events'); ${use}`), 'true\n')
  t.equal(run('module', `import { SvcEvents } from 'svc-events'; ${use}`), 'true\n')
})
