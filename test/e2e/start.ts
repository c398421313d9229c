import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { basename, join } from 'node:path'
import t, { type Test } from 'tap'
import { svc } from '../../cli/test/support/run.js'
import { packageRoot } from '../../runtime/package-root.js'
import { outputOf } from '../support/output.js'
import { withoutSvc } from '../support/program.js'
import { script } from '../support/scripts.js'
import {
  call,
  compiledRoot,
  readDevKeys,
  startService,
  storedEvents,
  temporaryDataDir,
  until,
} from '../support/service.js'

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the program to its end. */
async function run(env: Record<string, string>, file = 'start/main.js'): Promise<Ended> {
  const child = spawn(process.execPath, [join(packageRoot(), compiledRoot(), file)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...withoutSvc(process.env), ...env },
  })
  const said = outputOf(child)
  const timer = setTimeout(() => child.kill('SIGKILL'), 60_000)
  const code = await said.ended
  clearTimeout(timer)
  return { code, stdout: said.out, stderr: said.err }
}

async function admin(dataDir: string, ...args: string[]): Promise<unknown> {
  const { out, err } = await svc(['admin', ...args, '--json'], { SVC_DATA_DIR: dataDir })
  return out === '' ? err : JSON.parse(out)
}

function oneLine(t: Test, ended: Ended, code: number, pattern: RegExp): void {
  t.equal(ended.code, code, `exit code of: ${ended.stderr}`)
  t.equal(ended.stderr.trim().split('\n').length, 1, `one line: ${ended.stderr}`)
  t.match(ended.stderr, pattern)
  t.equal(ended.stdout, '')
}

t.test(
  'a first start makes a workspace and its keys; data and keys survive; SIGTERM leaves nothing behind',
  async (t) => {
    const data = temporaryDataDir()
    t.teardown(() => data.remove())
    let service = await startService(data.path)
    const { keys } = service
    const mode = statSync(join(data.path, 'dev-keys.json')).mode & 0o777
    t.equal(mode, 0o600, 'dev-keys.json is for its owner alone')
    t.equal(statSync(join(data.path, 'secret.key')).mode & 0o777, 0o600, 'so is the secret')
    t.strictSame(Object.keys(keys).sort(), [
      'apiKey',
      'publishableKey',
      'readOnlyKey',
      'serverKey',
      'sessionToken',
      'workspaceId',
    ])

    t.equal((await call(undefined, 'GET', `${service.admin}/healthz`)).status, 200)
    t.equal((await call(undefined, 'GET', `${service.admin}/readyz`)).status, 200)
    const metrics = await (await fetch(`${service.admin}/metrics`)).text()
    const { readMetrics } = await script<{ readMetrics(): { name: string; type: string }[] }>(
      'build-dashboard.mjs',
    )
    t.strictSame(
      [...metrics.matchAll(/^# TYPE (svc_(?!process_|nodejs_)\w+ \w+)$/gm)]
        .map(([, metric]) => metric)
        .sort(),
      readMetrics()
        .map(({ name, type }) => `${name} ${type}`)
        .sort(),
      'docs/operate/metrics.md lists them',
    )

    const sent = await call(keys.serverKey, 'POST', `${service.ingest}/v1/events`, {
      events: [{ event: 'first', userId: 'u1', insertId: 'i1' }],
    })
    t.equal(sent.status, 202)
    t.equal(sent.body.accepted, 1)
    t.equal(
      await until(
        () => storedEvents(service),
        (count) => count === 1,
      ),
      1,
    )

    const second = await run({
      SVC_DATA_DIR: data.path,
      SVC_API_PORT: '0',
      SVC_INGEST_PORT: '0',
      SVC_ADMIN_PORT: '0',
    })
    oneLine(t, second, 1, /in use by another svc/)

    const started = Date.now()
    t.equal(await service.stop(), 0, 'exit code')
    t.ok(Date.now() - started < 40_000, 'drains soon')
    t.notOk(existsSync(join(data.path, 'svc.lock')), 'the lock is given back')
    const invitation = new RegExp(`^Open ${service.api}/#code=tsk_once_\\w{37} to look around`, 'm')
    t.match(service.output(), invitation, 'a link that signs in')
    t.equal(service.output().trim().split('\n').length, 2, `quiet at level warn: ${service.output()}`)

    service = await startService(data.path)
    t.notMatch(service.output(), /#code=/, 'which only the first start prints')
    t.strictSame(service.keys, keys, 'the same keys')
    t.equal((await call(keys.apiKey, 'GET', `${service.api}/v1/me`)).status, 200)
    t.equal(
      await until(
        () => storedEvents(service),
        (count) => count === 1,
      ),
      1,
      'the event is still there',
    )
    await call(keys.serverKey, 'POST', `${service.ingest}/v1/events`, {
      events: [{ event: 'first', userId: 'u1', insertId: 'i1' }],
    })
    const ledger = await until(
      async () => (await fetch(`${service.admin}/metrics`)).text(),
      (text) => text.includes('svc_ledger_duplicates 1\n') && text.includes('svc_ledger_in_flight 0\n'),
    )
    t.equal(await storedEvents(service), 1, 'and its insertId is remembered')
    for (const [name, value] of Object.entries({
      accepted: 2,
      stored: 1,
      duplicates: 1,
      dead_letters: 0,
      in_flight: 0,
    }))
      t.match(ledger, new RegExp(`^svc_ledger_${name} ${value}$`, 'm'), 'the ledger adds up')
    const key = await call<object>(
      keys.apiKey,
      'GET',
      `${service.api}/v1/events/ledger?key=Demo%20server%20key`,
    )
    const total = { accepted: 2, stored: 1, deduplicated: 1, deadLettered: 0, erased: 0, erasedOfAnyKey: 0 }
    t.match(key.body, { since: null, waiting: 0, total }, 'so does the ledger of the key')
    const backup = join(data.path, '..', `${basename(data.path)}-backup`)
    t.teardown(() => rmSync(backup, { recursive: true, force: true }))
    const events = { acknowledged: 2, stored: 1, duplicates: 1, deadLetters: 0, waiting: 0 }
    t.match(await admin(data.path, 'backup', backup), { events }, 'a backup while it runs')
    t.match(await admin(data.path, 'verify'), { ok: true, events, difference: null })
    t.equal(await service.stop(), 0)
    t.same(leftOver(data.path), [], 'no process is left')

    const elsewhere = temporaryDataDir()
    t.teardown(() => elsewhere.remove())
    t.match(await admin(elsewhere.path, 'restore', backup), { events })
    t.match(await admin(elsewhere.path, 'verify'), { ok: true, events, difference: null })
    t.strictSame(readDevKeys(elsewhere.path), keys)
    const again = await svc(['admin', 'restore', backup], { SVC_DATA_DIR: elsewhere.path })
    t.match(again, { code: 1, err: /is not empty/ })
  },
)

t.test('an invalid configuration is reported in one line, with exit code 2', async (t) => {
  const data = temporaryDataDir()
  t.teardown(() => data.remove())
  oneLine(t, await run({ SVC_API_PORT: 'eighty' }), 2, /^svc: SVC_API_PORT must be a whole number/)
  oneLine(t, await run({ SVC_PORT: '80' }), 2, /^svc: SVC_PORT is not a variable of svc/)
  oneLine(
    t,
    await run({ SVC_POSTGRES_URL: 'postgres://x:secretpw@h/d' }),
    2,
    /^svc: SVC_SECRET_KEY must be set/,
  )
  for (const stage of ['ingest', 'consumers', 'api'])
    oneLine(t, await run({}, `start/${stage}.js`), 2, /^svc: SVC_POSTGRES_URL must be set/)
})

t.test('a taken port and an unwritable directory are reported in one line, with exit code 1', async (t) => {
  const data = temporaryDataDir()
  t.teardown(() => data.remove())
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? String(address.port) : ''
  const env = { SVC_DATA_DIR: data.path, SVC_API_PORT: '0', SVC_INGEST_PORT: '0', SVC_ADMIN_PORT: '0' }
  oneLine(
    t,
    await run({ ...env, SVC_INGEST_PORT: port }),
    1,
    /port \d+ on 127\.0\.0\.1 is taken.*SVC_INGEST_PORT/,
  )
  oneLine(t, await run({ ...env, SVC_DATA_DIR: '/proc/svc' }), 1, /cannot be written.*SVC_DATA_DIR/)
})

/** Processes of which the command line names the folder. */
function leftOver(folder: string): string[] {
  const found: string[] = []
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      if (command.includes(folder)) found.push(command.replaceAll('\0', ' '))
    } catch {
      // Ended meanwhile.
    }
  }
  return found
}
