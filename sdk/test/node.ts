import { execFileSync } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../runtime/package-root.js'
import { deployEmbedded } from '../../test/support/deployment.js'
import { testScenarios } from './support/scenarios.js'
import { installNode, installSdk } from './support/sdk.js'

t.test('the library for Node does what both do', { timeout: 600_000 }, async (t) => {
  const sdk = installSdk(t, 'node')
  if ('unreachable' in sdk) throw new Error(sdk.unreachable)
  await testScenarios(t, sdk, await deployEmbedded(t))
})

t.test('the same sources give the same archive, of less than 20 KB', async (t) => {
  const file = join(packageRoot(), 'dist/client/svc-events.tgz')
  const before = readFileSync(file)
  const again = t.testdir()
  execFileSync(process.execPath, [join(packageRoot(), 'scripts/build-sdk.mjs'), again])
  t.ok(before.equals(readFileSync(join(again, 'svc-events.tgz'))))
  t.ok(before.length < 20_000, `${before.length} bytes`)
})

const TYPED_USE = `import { SvcEvents, type SvcFailure, type SvcStats } from 'svc-events'

type Events = { order_paid: { total: number; coupon?: string }; signed_up: { plan?: string } }
const events = new SvcEvents<Events>({ flushAt: 10, onError: (failure: SvcFailure) => void failure.events })
const isQueued: boolean = events.track({ event: 'order_paid', userId: 'grace', properties: { total: 49 } })
events.track({ event: 'signed_up', anonymousId: 'v', timestamp: new Date() })
// @ts-expect-error total is missing
events.track({ event: 'order_paid', userId: 'grace' })
// @ts-expect-error total is a number
events.track({ event: 'order_paid', userId: 'grace', properties: { total: '49' } })
// @ts-expect-error there is no such event
events.track({ event: 'order_payed', userId: 'grace' })
const durable = new SvcEvents({ durable: true, spool: '/var/spool/app' })
const isOnDisk: Promise<boolean> = durable.track({ event: 'anything', userId: 'grace', properties: { a: [1] } })
const stats: SvcStats = events.stats()
export const all = [isQueued, isOnDisk, stats, await events.flush(), await events.close(100)]
`

t.test('its types hold for ESM and CommonJS, and know the events of a workspace', async (t) => {
  const folder = t.testdir({ 'package.json': '{"type":"module"}', 'use.mts': TYPED_USE })
  installNode(folder)
  const common = TYPED_USE.replace(/export const all.*/, 'export = [isQueued, isOnDisk, stats]').replace(
    /import (.*) from ('svc-events')/,
    'import svc = require($2)\nimport SvcEvents = svc.SvcEvents\ntype SvcFailure = svc.SvcFailure\ntype SvcStats = svc.SvcStats',
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
