import { chmodSync, chownSync, copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import t, { type Test } from 'tap'
import { svc } from '../../../cli/test/support/run.js'
import { configure } from '../../../postgres/test/support/server.js'
import {
  type Certificates,
  certificatesProblem,
  makeCertificates,
} from '../../support/cluster/certificates.js'
import { runStage } from '../../support/cluster/run-stage.js'
import { type Cluster, type StageKind, startCluster } from '../../support/cluster.js'
import { permit } from '../../support/kafka/secure.js'
import { kafkaProblem } from '../../support/kafka.js'
import { freePort } from '../../support/network/free-port.js'
import { untilMissing } from '../../support/outage/stage-readiness.js'
import { call, temporaryDataDir, until } from '../../support/service.js'
import { Traffic } from '../../support/traffic.js'

/*
 * Kafka over TLS with a login, Postgres and ClickHouse over TLS, and all secrets in files. Each mistake in
 * them ends a start with one line.
 */

const USERS = { svc: 'correct-horse', stranger: 'battery-staple' }
/** No client stays connected without logging in again. kafkajs does so ten seconds before it has to. */
const REAUTHENTICATE_MS = 12_000

const skip = kafkaProblem() ?? certificatesProblem() ?? false

t.test('separate stages use stores over TLS with a login', { timeout: 600_000, skip }, async (t) => {
  const data = temporaryDataDir()
  t.teardown(() => data.remove())
  const made = makeCertificates(data.path)
  const file = (name: string, text: string): string => {
    const path = join(data.path, name)
    writeFileSync(path, `${text}\n`, { mode: 0o600 })
    return path
  }
  const login = {
    SVC_KAFKA_TLS: 'true',
    SVC_KAFKA_CA_FILE: made.ca,
    SVC_KAFKA_USERNAME: 'svc',
    SVC_KAFKA_PASSWORD_FILE: file('kafka-password', USERS.svc),
  }
  const cluster = await startCluster({
    brokers: 1,
    secure: { keystore: made.keystore, users: USERS, reauthenticateMs: REAUTHENTICATE_MS },
    dataDir: data.path,
    env: login,
    gateways: 0,
    consumers: 0,
    apis: 0,
  })
  t.teardown(() => cluster.close())
  await permit(cluster.kafka.brokers, 'svc', 'svc')
  await offerTls(cluster, data.path, made)
  const stores = {
    SVC_POSTGRES_URL: '',
    SVC_POSTGRES_URL_FILE: file(
      'postgres-url',
      `${cluster.environment.SVC_POSTGRES_URL}?sslmode=verify-full`,
    ),
    SVC_CLICKHOUSE_URL: '',
    SVC_CLICKHOUSE_URL_FILE: file('clickhouse-url', await tlsBefore(t, cluster.clickhouseUrl, made)),
    SVC_SECRET_KEY: '',
    SVC_SECRET_KEY_FILE: file('secret-key', cluster.secretKey),
    NODE_EXTRA_CA_CERTS: made.ca,
  }

  await t.test('events are accepted and stored', async (t) => {
    const [gateway, , api] = await Promise.all([
      cluster.add('ingest', { ...stores, SVC_INGEST_WORKERS: '2' }),
      cluster.add('consumers', { ...stores, SVC_KAFKA_MECHANISM: 'plain' }),
      cluster.add('api', stores),
    ])
    const target = { api: api.url ?? '', ingest: gateway.url ?? '', keys: cluster.keys }
    const traffic = new Traffic(target, { clients: 4, events: 5, pauseMs: 200 })
    t.ok(await traffic.sees(202, 20), 'events are taken')
    const again = new Promise((resolve) => setTimeout(resolve, REAUTHENTICATE_MS + 3_000))
    const clients = await cluster.sql<{ application_name: string; ssl: boolean }[]>`
      select application_name, ssl from pg_stat_activity join pg_stat_ssl using (pid)
      where application_name like 'svc %' and application_name <> 'svc test'`
    t.ok(clients.length >= 3)
    t.same(
      clients.filter(({ ssl }) => !ssl).map(({ application_name: name }) => name),
      [],
      'by TLS only',
    )
    await again
    t.ok(await traffic.sees(202, 20), 'a login that has run out is renewed')
    await traffic.stop()
    // A machine that stalls for a second refuses a batch or two.
    t.ok(traffic.accepted() > 0.9, JSON.stringify(traffic.statuses()))
    const { problems, stored } = await traffic.verify()
    t.same(problems, [])
    t.equal(stored, traffic.acknowledged)
    for (const stage of cluster.stages()) {
      await stage.ready(5_000)
      t.notMatch(stage.everything(), /"level":[56]0/, stage.name)
    }
    const listed = await svc(['admin', 'log', 'list', '--json'], { ...cluster.environment, ...stores })
    t.equal(listed.code, 0, listed.err)
  })

  await t.test('a permanent error ends the start with one line', async (t) => {
    const wrong = file('wrong', 'wrong')
    const stranger = {
      SVC_KAFKA_USERNAME: 'stranger',
      SVC_KAFKA_PASSWORD_FILE: file('stranger', USERS.stranger),
    }
    await refused(t, cluster, stranger, /does not let this user do what the log needs: .*[Aa]uthoriz/)
    await Promise.all([
      refused(
        t,
        cluster,
        { SVC_KAFKA_PASSWORD_FILE: wrong },
        /refuses the login \(SVC_KAFKA_USERNAME.*SCRAM/,
      ),
      refused(
        t,
        cluster,
        { SVC_KAFKA_PASSWORD_FILE: wrong, SVC_KAFKA_MECHANISM: 'plain' },
        /refuses the login \(SVC_KAFKA_USERNAME/,
      ),
      refused(
        t,
        cluster,
        { SVC_KAFKA_MECHANISM: 'scram-sha-256' },
        /refuses the login.* not support the requested SASL/,
      ),
      refused(
        t,
        cluster,
        { SVC_KAFKA_CA_FILE: made.strangeCa },
        /certificate of Kafka is not accepted \(SVC_KAFKA_CA_FILE\)/,
      ),
      refused(
        t,
        cluster,
        { SVC_KAFKA_CA_FILE: '' },
        /certificate of Kafka is not accepted \(SVC_KAFKA_CA_FILE\)/,
      ),
    ])
    const strange = { ...stores, NODE_EXTRA_CA_CERTS: made.strangeCa }
    await refused(t, cluster, strange, /Postgres cannot be used: .*certificate/)
    const nobody = new URL(cluster.environment.SVC_CLICKHOUSE_URL ?? '')
    nobody.username = 'nobody'
    const { SVC_POSTGRES_URL = '' } = cluster.environment
    await Promise.all([
      refused(
        t,
        cluster,
        { ...strange, SVC_POSTGRES_URL, SVC_POSTGRES_URL_FILE: '' },
        /ClickHouse cannot be used: .*certificate/,
        'api',
      ),
      refused(t, cluster, { SVC_CLICKHOUSE_URL: nobody.href }, /AUTHENTICATION_FAILED/, 'api'),
    ])
  })

  await t.test('a start waits for a temporary error to pass, and reports it', async (t) => {
    const { brokers } = cluster.kafka
    const none = { SVC_KAFKA_TLS: '', SVC_KAFKA_CA_FILE: '' }
    const nobody = { ...none, SVC_KAFKA_USERNAME: '', SVC_KAFKA_PASSWORD_FILE: '' }
    await Promise.all([
      waits(t, cluster, nobody, /Kafka closes the connection: does it want TLS \(SVC_KAFKA_TLS\)/),
      waits(t, cluster, none, /Kafka closes the connection: does it want TLS \(SVC_KAFKA_TLS\)/),
      waits(t, cluster, { SVC_KAFKA_BROKERS: brokers }, /Kafka does not answer over TLS: is it this port/),
    ])
  })
})

/** Postgres accepts the certificate while it runs. */
async function offerTls(
  { sql }: Cluster,
  dataDir: string,
  { key, certificate }: Certificates,
): Promise<void> {
  const folder = join(dataDir, 'postgres', 'cluster')
  const { uid, gid } = statSync(folder)
  for (const [from, name] of [
    [key, 'server.key'],
    [certificate, 'server.crt'],
  ] as const) {
    const path = join(folder, name)
    copyFileSync(from, path)
    chmodSync(path, 0o600)
    chownSync(path, uid, gid)
  }
  configure(folder, 'ssl = on')
  // It reloads in its own time.
  await until(
    async () => (await sql`show ssl`)[0]?.ssl,
    (ssl) => ssl === 'on',
  )
}

/** Starts a proxy that ends TLS before a server, and returns the server's address through it. */
async function tlsBefore(t: Test, url: string, { key, certificate }: Certificates): Promise<string> {
  const address = new URL(url)
  const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (near) => {
    const far = connect(Number(address.port), address.hostname)
    for (const socket of [near, far]) socket.on('error', () => {})
    near.pipe(far).pipe(near)
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  return `https://${address.username}:${address.password}@localhost:${port}${address.pathname}`
}

type Variables = Readonly<Record<string, string>>

async function refused(
  t: Test,
  cluster: Cluster,
  env: Variables,
  line: RegExp,
  stage: StageKind = 'ingest',
): Promise<void> {
  const { code, err } = await runStage(stage, {
    ...cluster.environment,
    SVC_LOG_LEVEL: 'silent',
    ...env,
  })
  t.equal(code, 1, String(line))
  t.match(err, line)
  t.equal(err.trim().split('\n').length, 1, err)
}

async function waits(t: Test, cluster: Cluster, env: Variables, line: RegExp): Promise<void> {
  const admin = await freePort()
  const stop = new AbortController()
  const ended = runStage(
    'ingest',
    { ...cluster.environment, SVC_LOG_LEVEL: 'silent', SVC_ADMIN_PORT: String(admin), ...env },
    stop.signal,
  )
  const url = `http://127.0.0.1:${admin}`
  t.equal(await untilMissing(url, 'log', 20), 'log')
  t.match((await call<{ message: string }>(undefined, 'GET', `${url}/readyz`)).body.message, line)
  stop.abort()
  t.equal((await ended).code, 0)
}
