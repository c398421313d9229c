import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../runtime/package-root.js'
import { readVersion } from '../../runtime/version.js'
import { deployEmbedded } from '../../test/support/deployment.js'
import { executablePath } from '../../test/support/executable.js'
import { testScenarios } from './support/scenarios.js'
import { installSdk } from './support/sdk.js'

t.test('the library for Python does what both do', { timeout: 600_000 }, async (t) => {
  const sdk = installSdk(t, 'python')
  if ('unreachable' in sdk) {
    t.pass('it cannot be run', { skip: `optional: ${sdk.unreachable}` })
    return
  }
  await testScenarios(t, sdk, await deployEmbedded(t))
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
