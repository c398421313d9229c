import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { packageRoot } from '../../runtime/package-root.js'
import { killGroup, withoutSvc } from '../support/program.js'
import { compiledRoot, temporaryDataDir } from '../support/service.js'
import { waitUntil } from '../support/wait-until.js'

const linux = process.platform === 'linux' ? false : 'optional: it reads /proc'

/** A first start on a folder, with a umask and a folder that leave everything open. */
function startOn(t: Test, dataDir: string): ChildProcess {
  const main = join(packageRoot(), compiledRoot(), 'start/main.js')
  const child = spawn('sh', ['-c', 'umask 0; exec "$@"', 'sh', process.execPath, main], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: {
      ...withoutSvc(process.env),
      SVC_DATA_DIR: dataDir,
      SVC_API_PORT: '0',
      SVC_INGEST_PORT: '0',
      SVC_ADMIN_PORT: '0',
      SVC_LOG_LEVEL: 'trace',
    },
  })
  t.teardown(() => killGroup(child))
  return child
}

function openFolder(t: Test): string {
  const data = temporaryDataDir()
  t.teardown(() => data.remove())
  mkdirSync(data.path, { recursive: true })
  chmodSync(data.path, 0o755)
  return data.path
}

/** Of every process whose working folder is below this one, as Postgres has, or that was started for it. */
function processesOn(dataDir: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      if (!/^\d+$/.test(pid)) return false
      if (readlinkSync(`/proc/${pid}/cwd`).startsWith(dataDir)) return true
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`SVC_DATA_DIR=${dataDir}\0`)
    } catch {
      // It has ended meanwhile, or is not ours to see.
      return false
    }
  })
}

async function ready(child: ChildProcess): Promise<void> {
  let output = ''
  for await (const chunk of child.stdout ?? []) {
    output += String(chunk)
    if (/^svc ready /m.test(output)) return
  }
  throw new Error(`it ended: ${output}`)
}

async function endsClean(t: Test, child: ChildProcess, dataDir: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  t.strictSame([child.exitCode, child.signalCode], [0, null])
  t.strictSame(processesOn(dataDir), [])
  t.notOk(existsSync(join(dataDir, 'svc.lock')))
}

t.test(
  'a closing terminal stops svc in good order, and other users can read none of its files',
  { skip: linux, timeout: 600_000 },
  async (t) => {
    const dataDir = openFolder(t)
    const child = startOn(t, dataDir)
    child.stderr?.resume()
    await ready(child)
    t.ok(processesOn(dataDir).length >= 3, 'svc, a gateway and Postgres')
    t.equal(statSync(dataDir).mode & 0o067, 0, 'Postgres of another user may pass, and no more')
    for (const entry of readdirSync(dataDir, { recursive: true, withFileTypes: true })) {
      if (entry.isSymbolicLink() || entry.parentPath.includes('/cluster')) continue
      const path = join(entry.parentPath, entry.name)
      t.equal(statSync(path).mode & 0o077, 0, path)
    }
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGHUP')
    await endsClean(t, child, dataDir)
  },
)

t.test('svc outlives the readers of its output', { skip: linux, timeout: 600_000 }, async (t) => {
  const dataDir = openFolder(t)
  const child = startOn(t, dataDir)
  child.stdout?.destroy()
  child.stderr?.destroy()
  const served = (): boolean => existsSync(join(dataDir, 'boot'))
  await waitUntil(served)
  // The ready line and the invitation follow.
  await sleep(3_000)
  t.equal(child.exitCode, null)
  t.ok(processesOn(dataDir).length >= 3)
  child.kill('SIGTERM')
  await endsClean(t, child, dataDir)
})

t.test('an exception that ends svc leaves no Postgres', { skip: linux, timeout: 600_000 }, async (t) => {
  const dataDir = openFolder(t)
  const code = `const { startEmbeddedPostgres } = await import(process.argv[1])
    await startEmbeddedPostgres({ dataDir: process.argv[2], durable: false })
    setTimeout(() => { throw new Error('a fault') })`
  const module = new URL('../../postgres/embedded/start.js', import.meta.url).href
  const ended = spawnSync(process.execPath, [
    '--input-type=module',
    '-e',
    code,
    module,
    join(dataDir, 'postgres'),
  ])
  t.equal(ended.status, 1)
  await waitUntil(() => processesOn(dataDir).length === 0)
})

/** A folder on a disk of so many kilobytes. Undefined if this user may not mount one. */
function smallDisk(t: Pick<Test, 'teardown'>, kilobytes: number): string | undefined {
  const disk = mkdtempSync(join(tmpdir(), 'svc-disk-'))
  t.teardown(() => rmSync(disk, { recursive: true, force: true }))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k,mode=755`, 'tmpfs', disk])
  if (mounted.status !== 0) return undefined
  t.teardown(() => spawnSync('umount', ['--lazy', disk]))
  return disk
}

const mountable = smallDisk(t, 4) === undefined ? 'optional: this user may not mount a disk' : false

for (const { kilobytes, fill } of [
  { kilobytes: 64, fill: true },
  { kilobytes: 8_192, fill: false },
])
  t.test(
    `a start on a full disk of ${kilobytes} kB is reported in one line and leaves no lock`,
    { skip: mountable, timeout: 600_000 },
    async (t) => {
      const disk = smallDisk(t, kilobytes)
      if (disk === undefined) throw new Error('the disk cannot be mounted')
      const dataDir = join(disk, 'data')
      mkdirSync(dataDir)
      if (fill) spawnSync('dd', ['if=/dev/zero', `of=${join(disk, 'full')}`, 'bs=4k'])
      const child = startOn(t, dataDir)
      let errors = ''
      child.stderr?.on('data', (chunk) => {
        errors += chunk
      })
      await once(child, 'close')
      t.equal(child.exitCode, 1)
      const fix = 'free some space, or set SVC_DATA_DIR to a directory on another disk'
      t.equal(errors, `svc: the disk of ${dataDir} is full: ${fix}\n`)
      t.strictSame(
        readdirSync(dataDir, { recursive: true }).filter((name) => String(name).endsWith('.lock')),
        [],
      )
      if (!linux) t.strictSame(processesOn(dataDir), [])
    },
  )
