import { spawnSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../runtime/package-root.js'

const ROOT = packageRoot()
const require = createRequire(import.meta.url)

interface LockEntry {
  readonly link?: boolean
  readonly resolved?: string
  readonly integrity?: string
}

/** The registry that the lock was made with has no archive of these, so they cannot be installed either. */
const WITHOUT_ARCHIVE = [
  'node_modules/@chdb/lib-darwin-arm64',
  'node_modules/@chdb/lib-darwin-x64',
  'node_modules/@chdb/lib-linux-arm64-gnu',
]

t.test('the lock names the hash of each package, and no address', async (t) => {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockEntry>
  }
  const foreign = Object.entries(lock.packages).filter(
    ([path, { link }]) => path.includes('node_modules') && !link,
  )
  t.strictSame(
    foreign.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path),
    WITHOUT_ARCHIVE,
    'run scripts/lock-integrity.mjs after an install',
  )
  t.strictSame(
    foreign.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path),
    [],
  )
})

t.test('a binary of the HTTP server that is not the known one is not loaded', async (t) => {
  const { file, package: name } = require('uWebSockets.js/build').buildForThisSystem() as {
    file: string
    package: string
  }
  const entry = `${name}/package.json`
  const installed = name.startsWith('@btc-vision') ? dirname(file) : dirname(require.resolve(entry))
  const folder = t.testdir()
  cpSync(join(ROOT, 'packages', 'uwebsockets'), join(folder, 'uwebsockets'), { recursive: true })
  const copy = join(folder, 'node_modules', name)
  mkdirSync(dirname(copy), { recursive: true })
  const load = () => spawnSync(process.execPath, ['uwebsockets/index.cjs'], { cwd: folder, encoding: 'utf8' })
  symlinkSync(installed, copy)
  t.equal(load().status, 0)

  const other = join(folder, 'other')
  cpSync(join(folder, 'uwebsockets'), join(other, 'uwebsockets'), { recursive: true })
  writeFileSync(join(other, basename(file)), readFileSync(file))
  appendFileSync(join(other, basename(file)), '\0')
  const build = `module.exports.buildForThisSystem = () => (${JSON.stringify({ package: name, file: join(other, basename(file)) })})`
  writeFileSync(join(other, 'uwebsockets', 'build.cjs'), build)
  const changed = spawnSync(process.execPath, ['uwebsockets/index.cjs'], { cwd: other, encoding: 'utf8' })
  t.not(changed.status, 0)
  t.match(changed.stderr, /is not the binary that svc was tested with/)
})
