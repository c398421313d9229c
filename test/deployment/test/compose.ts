import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Script } from 'node:vm'
import t from 'tap'
import { parse } from 'yaml'
import { type Config, ConfigError, parseConfig, type StageName } from '../../../runtime/config.js'
import { packageRoot } from '../../../runtime/package-root.js'

/** As much of a compose file as is looked at here. */
interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>
  readonly networks: Readonly<Record<string, unknown>>
  readonly volumes: Readonly<Record<string, unknown>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}

interface Service {
  readonly image?: string
  readonly build?: string
  readonly command?: readonly string[]
  readonly entrypoint?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly secrets?: readonly string[]
  readonly networks?: readonly string[]
  readonly volumes?: readonly string[]
  readonly ports?: readonly string[]
  readonly profiles?: readonly string[]
  readonly restart?: string
  readonly stop_grace_period?: string
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean }
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly deploy?: { readonly resources: { readonly limits: { readonly memory: string } } }
}

const root = packageRoot()
const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8')
const file = parse(text, { merge: true }) as ComposeFile
const services = Object.entries(file.services)
const STAGES: readonly StageName[] = ['ingest', 'consumers', 'api']

t.test('every file, volume and secret that a service names exists', (t) => {
  const used = { networks: new Set<string>(), volumes: new Set<string>(), secrets: new Set<string>() }
  for (const [name, service] of services) {
    for (const network of service.networks ?? []) used.networks.add(network)
    for (const secret of service.secrets ?? []) used.secrets.add(secret)
    for (const [source = ''] of (service.volumes ?? []).map((volume) => volume.split(':')))
      if (source.startsWith('.')) t.ok(existsSync(join(root, source)), `${name} mounts ${source}`)
      else used.volumes.add(source)
    for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
      const needed = file.services[other]
      t.ok(needed, `${name} waits for ${other}`)
      if (condition === 'service_healthy') t.ok(needed?.healthcheck?.test, `${other} says when it is healthy`)
      const needs = needed?.profiles ?? []
      t.same(
        needs.filter((profile) => !service.profiles?.includes(profile)),
        [],
        `${other} is there when ${name} is`,
      )
    }
  }
  for (const kind of ['networks', 'volumes', 'secrets'] as const)
    t.same([...used[kind]].sort(), Object.keys(file[kind]).sort(), `${kind} are those in use`)
  t.end()
})

t.test('versions are pinned, nothing secret is written down, and only the two APIs can be reached', (t) => {
  const published: string[] = []
  for (const [name, service] of services) {
    const pinned = /^[a-z0-9./-]+:\d+\.\d+(\.\d+)*(-[a-z]+)?$/
    t.match(service.image, service.build === undefined ? pinned : /^svc$/, `${name} has a version`)
    t.ok(service.restart, `${name} says when it is started again`)
    if (service.profiles === undefined)
      t.ok(service.deploy?.resources.limits.memory, `${name} has a bound of memory`)
    published.push(...(service.ports ?? []))
    for (const [variable, value] of Object.entries(service.environment ?? {})) {
      t.type(value, 'string', `${variable} is text, whatever it looks like`)
      if (/PASSWORD|SECRET|KEY|POSTGRES_URL|CLICKHOUSE_URL/.test(variable))
        t.match(value, /^\/run\/secrets\/\w+$/, `${variable} names a file`)
    }
    for (const value of Object.values(service.environment ?? {})) {
      const [, secret] = /^\/run\/secrets\/(\w+)$/.exec(value) ?? []
      if (secret !== undefined) t.ok(service.secrets?.includes(secret), `${name} is given ${secret}`)
    }
  }
  t.notMatch(text, /:\/\/[^/\s]*:[^/\s]*@/, 'no address with a password')
  t.same(published.sort(), ['127.0.0.1:8080:8080', '127.0.0.1:8081:8081'])
  for (const secret of Object.values(file.secrets)) {
    t.match(secret.file, /^\.\/secrets\//)
    t.match(readFileSync(join(root, '.gitignore'), 'utf8'), /^secrets\/$/m)
  }
  t.end()
})

t.test('each stage starts with the given settings and secrets', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-compose-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const made = spawnSync('sh', [join(root, 'deploy/make-secrets.sh'), folder], { encoding: 'utf8' })
  t.equal(made.status, 0, made.stderr)
  t.same(
    readdirSync(folder).sort(),
    Object.keys(file.secrets).sort(),
    'the script makes the secrets of the file',
  )
  t.equal(statSync(folder).mode & 0o777, 0o700)
  const before = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  spawnSync('sh', [join(root, 'deploy/make-secrets.sh'), folder])
  t.same(
    readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')),
    before,
    'and keeps those there are',
  )

  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  for (const stage of STAGES) {
    const { command = [], environment = {}, healthcheck, stop_grace_period } = file.services[stage] ?? {}
    t.match(scripts[`start:${stage}`], new RegExp(` ${command.join(' ')}$`), `${stage} runs what npm would`)
    t.ok(existsSync(join(root, command.join().replace(/^dist/, '.').replace(/js$/, 'ts'))))
    t.match(stop_grace_period, /^4[0-9]s$/, 'longer than a drain')
    const check = healthcheck?.test ?? []
    t.match(check.join(' '), /^CMD node -e .*:9464\/readyz'/, 'waited for until it serves')
    t.equal(environment.SVC_ADMIN_PORT, undefined, 'on the port that is asked')
    t.doesNotThrow(() => new Script(check.at(-1) ?? ''))
    const given = Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [name, value.replace('/run/secrets', folder)]),
    )
    const config = configOf(given, stage)
    t.match(config.postgresUrl, /@postgres:5432\/svc$/)
    if (stage !== 'ingest') t.match(config.clickhouseUrl, /@clickhouse:8123\/svc$/)
    if (stage !== 'api') t.same(config.kafka?.brokers, ['kafka:9092'])
    t.throws(
      () => configOf({ ...given, SVC_NOT_A_NAME: '1' }, stage),
      ConfigError,
      'a name that is no variable would be refused',
    )
  }
  t.end()
})

function configOf(environment: Readonly<Record<string, string>>, stage: StageName): Config {
  return parseConfig(environment, stage)
}
