import { spawn } from 'node:child_process'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { packageRoot } from '../../runtime/package-root.js'
import { runStage } from '../support/cluster/run-stage.js'
import { type Cluster, type StageKind, startCluster } from '../support/cluster.js'
import { kafkaProblem } from '../support/kafka.js'
import { freePort } from '../support/network/free-port.js'
import { untilMissing } from '../support/outage/stage-readiness.js'
import { withoutSvc } from '../support/program.js'
import { call, compiledRoot, until } from '../support/service.js'

/* Programs and stores start in any order, and errors are reported in one line. */

t.test('separate stages start before their stores', { skip: kafkaProblem() ?? false }, async (t) => {
  const cluster = await startCluster({ brokers: 1, gateways: 0, consumers: 0, apis: 0, logLevel: 'error' })
  t.teardown(() => cluster.close())
  const [broker] = cluster.kafka.nodes
  const { keys, sql } = cluster

  await t.test('stages wait for their stores, whichever comes first', async (t) => {
    cluster.postgres.kill()
    await Promise.all([cluster.clickhouse.kill(), broker?.kill()])
    const admins = { consumers: await freePort(), ingest: await freePort(), api: await freePort() }
    const urlOf = (kind: keyof typeof admins): string => `http://127.0.0.1:${admins[kind]}`
    const start = (kind: keyof typeof admins) => cluster.add(kind, { SVC_ADMIN_PORT: String(admins[kind]) })
    const starting = Promise.all([start('ingest'), start('consumers'), start('api')])
    for (const kind of ['consumers', 'ingest', 'api'] as const) {
      t.equal(await untilMissing(urlOf(kind), 'postgres'), 'postgres', kind)
      t.equal((await fetch(`${urlOf(kind)}/healthz`)).status, 200, 'alive')
    }
    await cluster.postgres.restart()
    t.equal(await untilMissing(urlOf('consumers'), 'clickhouse'), 'clickhouse')
    t.equal(await untilMissing(urlOf('ingest'), 'log'), 'log')
    await cluster.clickhouse.start()
    t.equal(await untilMissing(urlOf('api'), 'ready'), 'ready', 'the API has what it needs')
    t.equal(await untilMissing(urlOf('consumers'), 'log'), 'log')
    const { body: waiting } = await call<{ message?: string }>(
      undefined,
      'GET',
      `${urlOf('consumers')}/readyz`,
    )
    t.match(waiting.message, new RegExp(`^no broker of ${cluster.kafka.brokers} answers: .*ECONNREFUSED`))

    t.equal(await interrupted(cluster), 0, 'a start that waits ends on a signal')
    await broker?.restart()
    const [gateway] = await starting
    for (const kind of ['consumers', 'ingest'] as const)
      t.equal(await untilMissing(urlOf(kind), 'ready'), 'ready', kind)
    const sent = await until(
      () =>
        call(keys.serverKey, 'POST', `${gateway.url}/v1/events`, {
          events: [{ event: 'late', userId: 'u' }],
        }),
      ({ status }) => status === 202,
    )
    t.equal(sent.status, 202, JSON.stringify(sent.body))
  })

  await t.test('a permanent error at the start is reported in one line', async (t) => {
    const wrong = new URL(cluster.environment.SVC_POSTGRES_URL ?? '')
    wrong.password = 'wrong'
    await refused(t, cluster, 'api', { SVC_POSTGRES_URL: wrong.href }, /password authentication failed/)
    await refused(
      t,
      cluster,
      'consumers',
      { SVC_KAFKA_PARTITIONS: '7' },
      /6 partitions, not 7: set SVC_KAFKA_PARTITIONS/,
    )
    await sql`insert into schema_migrations (version, name, checksum) values (999, 'later', '')`
    await refused(t, cluster, 'ingest', {}, /Postgres has schema version 999, newer than/)
    await sql`delete from schema_migrations where version = 999`
  })
})

t.test('a stage without the address of a store it needs exits with code 2', async (t) => {
  const secret = { SVC_SECRET_KEY: Buffer.alloc(32, 1).toString('base64') }
  const postgres = { ...secret, SVC_POSTGRES_URL: 'postgres://127.0.0.1:1/svc' }
  const kafka = { ...postgres, SVC_KAFKA_BROKERS: '127.0.0.1:1' }
  for (const [stage, env, variable] of [
    ['ingest', secret, 'SVC_POSTGRES_URL'],
    ['ingest', postgres, 'SVC_KAFKA_BROKERS'],
    ['consumers', postgres, 'SVC_KAFKA_BROKERS'],
    ['consumers', kafka, 'SVC_CLICKHOUSE_URL'],
    ['api', kafka, 'SVC_CLICKHOUSE_URL'],
    ['api', { ...kafka, SVC_KAFKA_BROKER: 'x:1' }, 'SVC_KAFKA_BROKER'],
  ] as const) {
    const { code, err } = await runStage(stage, env)
    t.equal(code, 2, stage)
    t.match(err, new RegExp(`^svc: ${variable} [^\\n]+\\n$`))
  }
})

/** A gateway that waits for Kafka, told to stop. */
async function interrupted(cluster: Cluster): Promise<number | null> {
  const admin = await freePort()
  const child = spawn(process.execPath, [join(packageRoot(), compiledRoot(), 'start/ingest.js')], {
    stdio: 'ignore',
    env: {
      ...withoutSvc(process.env),
      ...cluster.environment,
      SVC_ADMIN_PORT: String(admin),
      SVC_LOG_LEVEL: 'silent',
    },
  })
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  await untilMissing(`http://127.0.0.1:${admin}`, 'log')
  child.kill('SIGTERM')
  return exited
}

async function refused(
  t: Test,
  cluster: Cluster,
  stage: StageKind,
  env: Readonly<Record<string, string>>,
  line: RegExp,
): Promise<void> {
  const { code, err } = await runStage(stage, { ...cluster.environment, SVC_LOG_LEVEL: 'silent', ...env })
  t.equal(code, 1, stage)
  t.match(err, line)
  t.equal(err.trim().split('\n').length, 1, err)
}
