import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { pythonOf, shapesOf } from '../../cli/events/types.js'
import { packageRoot } from '../../runtime/package-root.js'
import { readVersion } from '../../runtime/version.js'
import { type Deployment, deployEmbedded } from '../../test/support/deployment.js'
import { executablePath } from '../../test/support/executable.js'
import { countOf, until } from '../../test/support/service.js'
import { testScenarios } from './support/scenarios.js'
import { installSdk } from './support/sdk.js'
import { sendEventsSnippets } from './support/snippets.js'

t.test('the library for Python does what both do', { timeout: 600_000 }, async (t) => {
  const sdk = installSdk(t, 'python')
  if ('unreachable' in sdk) {
    t.pass('it cannot be run', { skip: `optional: ${sdk.unreachable}` })
    return
  }
  const service = await deployEmbedded(t)
  await testScenarios(t, sdk, service)
  await t.test('the snippets of the documents run', (t) => testSnippets(t, service))
})

/** Code around a snippet that calls it as its framework does. Neither framework is installed. */
const CALLS: Readonly<Record<string, (code: string) => string>> = {
  python: (code) => code,
  fastapi: (code) => `import asyncio, sys, types
class FastAPI:
    def post(self, path, status_code):
        return lambda handler: handler
sys.modules["fastapi"] = types.SimpleNamespace(FastAPI=FastAPI)
${code}
asyncio.run(order({"userId": "fastapi", "total": 1}))`,
  django: (code) => `import sys, types
sys.modules["django"] = types.ModuleType("django")
sys.modules["django.http"] = types.SimpleNamespace(HttpResponse=lambda status: status)
${code}
assert order(types.SimpleNamespace(user=types.SimpleNamespace(pk=7), POST={"total": "1"})) == 201`,
}

async function testSnippets(t: Test, service: Deployment): Promise<void> {
  const snippets = sendEventsSnippets('python')
  t.same([...snippets.keys()].sort(), Object.keys(CALLS).sort())
  for (const [name, code] of snippets)
    execFileSync('python3', ['-c', CALLS[name]?.(code) ?? code], {
      env: {
        ...process.env,
        PYTHONPATH: join(packageRoot(), 'dist/client', `svc_events-${readVersion()}-py3-none-any.whl`),
        SVC_INGEST_URL: service.ingest,
        SVC_SERVER_KEY: service.keys.serverKey,
      },
    })
  await service.settled()
  const stored = await until(
    () => countOf(service.api, service.keys.apiKey, 'order_paid'),
    (found) => found >= 3,
  )
  t.equal(stored, 3)
}

t.test('the types of received events are Python', async (t) => {
  const property = { types: ['object', 'string'], share: 0.5 }
  const received = new Map([
    [
      'order_paid',
      shapesOf([
        { property: 'cart', ...property },
        { property: 'cart.total', ...property, types: ['number'] },
      ]),
    ],
  ])
  const python = executablePath(['python3'])
  if (python === undefined) {
    t.pass('there is no Python', { skip: 'optional: no python3' })
    return
  }
  execFileSync(python, ['-c', `${pythonOf(received)}\nassert OrderPaid(cart="x")`])
})

t.test('pip installs the archive, which is the same each time', async (t) => {
  const folder = join(packageRoot(), 'dist/client')
  const wheel = `svc_events-${readVersion()}-py3-none-any.whl`
  const before = readFileSync(join(folder, wheel))
  const again = t.testdir({ 'svc_events-0.1.0-py3-none-any.whl': 'old' })
  execFileSync(process.execPath, [join(packageRoot(), 'scripts/build-sdk.mjs'), again])
  t.ok(before.equals(readFileSync(join(again, wheel))))
  t.same(readdirSync(again), ['svc-events.tgz', wheel], 'the one of an older version is removed')
  const python = executablePath(['python3'])
  if (python === undefined) {
    t.pass('there is no Python', { skip: 'optional: no python3' })
    return
  }
  const target = join(again, 'modules')
  const install = ['-m', 'pip', 'install', '--quiet', '--no-index', '--target', target, join(folder, wheel)]
  execFileSync(python, install, { stdio: 'inherit' })
  const use =
    'import svc_events; print(svc_events.__version__, svc_events.SvcEvents(key="k").track("a", userId="u"))'
  const env = { ...process.env, PYTHONPATH: target, SVC_INGEST_URL: 'http://127.0.0.1:1' }
  const options: ExecFileSyncOptionsWithStringEncoding = {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }
  t.equal(execFileSync(python, ['-c', use], options), `${readVersion()} True\n`)
})
