import t, { type Test } from 'tap'
import { svc } from '../../cli/test/support/run.js'
import { LONG } from '../support/cases.js'
import { type Cluster, startCluster } from '../support/cluster.js'
import { kafkaProblem } from '../support/kafka.js'
import { freePort } from '../support/network/free-port.js'
import { readyz, untilMissing } from '../support/outage/stage-readiness.js'
import { call, callAgain, until } from '../support/service.js'
import { Traffic } from '../support/traffic.js'

/*
 * Separate stages over real brokers: two gateways (one of them with two processes), two consumers and a
 * management API. test/e2e/start-order.ts tests their start.
 */

t.test('stages run as separate programs', { skip: kafkaProblem() ?? false }, async (t) => {
  const [port, admin] = [await freePort(), await freePort()]
  const cluster = await startCluster({ brokers: 1, gateways: 0, consumers: 2, logLevel: 'error' })
  t.teardown(() => cluster.close())
  const first = await cluster.add('ingest', { SVC_INGEST_WORKERS: '2' })
  const fixed = { SVC_INGEST_PORT: String(port), SVC_ADMIN_PORT: String(admin) }
  const second = await cluster.add('ingest', fixed)
  const [api] = cluster.stages('api')
  const [consumer, other] = cluster.stages('consumers')
  if (api === undefined || consumer === undefined || other === undefined)
    throw new Error('a stage is missing')
  const { keys, sql } = cluster

  await t.test('events become a funnel, and each stage is ready with the stores that it needs', async (t) => {
    for (const gateway of [first, second]) {
      const events = ['seen', 'bought'].map((event, i) => ({
        event,
        userId: gateway.name,
        insertId: `${gateway.name}-${i}`,
      }))
      for (let time = 0; time < 2; time++)
        t.equal(
          (await callAgain(keys.serverKey, 'POST', () => `${gateway.url}/v1/events`, { events })).status,
          202,
        )
    }
    const { body: funnel } = await call<{ id: string }>(keys.apiKey, 'POST', `${api.url}/v1/funnel`, {
      name: 'bought',
      steps: [{ eventName: 'seen' }, { eventName: 'bought' }],
    })
    const query = await until(
      () =>
        call<{ entered: number; completed: number }>(
          keys.apiKey,
          'POST',
          `${api.url}/v1/funnel/${funnel.id}/query`,
          {},
        ),
      ({ body }) => body.completed === 2,
    )
    t.match(query.body, { entered: 2, completed: 2 })

    for (const [stage, name, needs] of [
      [first, 'ingest', ['log', 'postgres']],
      [second, 'ingest', ['log', 'postgres']],
      [consumer, 'consumers', ['log', 'postgres', 'clickhouse']],
      [api, 'api', ['postgres', 'clickhouse', 'jobs']],
    ] as const) {
      t.equal((await call(undefined, 'GET', `${stage.admin}/healthz`)).status, 200)
      const { status, body } = await readyz(stage.admin)
      t.equal(status, 200, stage.name)
      for (const one of body.stages) {
        t.equal(one.stage, name)
        t.same(
          one.checks.map((check) => check.name),
          needs,
        )
      }
      t.match(await (await fetch(`${stage.admin}/metrics`)).text(), /^svc_process_cpu_seconds_total/m)
    }
    t.same(
      (await sql`select name from log_writers order by name`).map(({ name }) => name),
      ['ingest-1:1', 'ingest-1:2', 'ingest-2:1'],
      'each gateway process has a different name',
    )
    t.match(await logCheck(cluster), { ok: true })
    const verify = async () => {
      const { out, err } = await svc(['admin', 'verify', '--json'], cluster.environment)
      return (out === '' ? { difference: err } : JSON.parse(out)) as { events?: { stored: number } }
    }
    t.match(await until(verify, ({ events }) => events?.stored === 4), {
      ok: true,
      events: { acknowledged: null, stored: 4, duplicates: 4, deadLetters: 0, waiting: null },
      difference: null,
    })
  })

  const leavesAndComesBack = async (t: Test): Promise<void> => {
    const traffic = [first, second].map(
      (gateway) =>
        new Traffic(
          { api: api.url ?? '', ingest: gateway.url ?? '', keys },
          { clients: 4, events: 5, pauseMs: 100, name: gateway.name },
        ),
    )
    await Promise.all(traffic.map((one) => one.sees(202, 20)))
    const leave = async (...stages: (typeof first)[]): Promise<void> => {
      const started = performance.now()
      t.same(await Promise.all(stages.map((stage) => stage.stop())), [0, 0], 'drained')
      t.ok(performance.now() - started < 40_000, 'and soon')
    }
    await leave(second, consumer)
    t.ok(await traffic[0]?.sees(202, 5), 'the others go on')
    await Promise.all([second.start(fixed), consumer.start()])
    t.ok(await traffic[1]?.sees(202, 5), 'clients find it again')
    await leave(first, other)
    t.same(
      (await sql`select name from log_writers order by name`).map(({ name }) => name),
      ['ingest-2:1'],
      'who leaves gives back the right to append',
    )
    await Promise.all(traffic.map((one) => one.stop()))
    for (const { problems } of await Promise.all(traffic.map((one) => one.verify(60)))) t.same(problems, [])
    for (const stage of cluster.stages()) t.notMatch(stage.everything(), /"level":[56]0/, stage.name)
  }
  if (LONG)
    await t.test('stages leave and come back under load, and no accepted event is lost', leavesAndComesBack)

  await t.test('without Kafka the gateway and the workspace are not ready', async (t) => {
    await cluster.kafka.nodes[0]?.kill()
    t.equal(await untilMissing(second.admin, 'log'), 'log')
    t.equal(await untilMissing(api.admin, 'ready'), 'ready', 'the API has no need of it')
    const check = await until(
      () => logCheck(cluster),
      ({ ok }) => !ok,
    )
    t.match(check, { ok: false, message: 'The event log takes no records' })
  })
})

/** The API's check of the log, which it knows from Postgres. */
async function logCheck(cluster: Cluster): Promise<{ readonly ok: boolean; readonly message: string }> {
  const [api] = cluster.stages('api')
  const { body } = await call<{ checks: { code: string; ok: boolean; message: string }[] }>(
    cluster.keys.apiKey,
    'GET',
    `${api?.url}/v1/readiness`,
  )
  return body.checks.find(({ code }) => code === 'log') ?? { ok: false, message: 'no such check' }
}
