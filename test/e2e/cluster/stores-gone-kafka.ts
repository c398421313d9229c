import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { kafkaProblem } from '../../support/kafka.js'
import { timed } from '../../support/outage/outage.js'
import { untilMissing } from '../../support/outage/stage-readiness.js'
import { call, callAgain, until } from '../../support/service.js'
import { type Outcome, Traffic } from '../../support/traffic.js'
import { deprivedCluster } from '../suites/deprived-cluster.js'
import {
  askAll,
  countAll,
  isReadyAgain,
  isRefused,
  SLACK_MS,
  saysGone,
  watch,
} from '../suites/stores-gone.js'

/*
 * All of Kafka is killed and frozen under load. Each client gets an answer within a limit: 503 if nothing was
 * recorded, and a closed connection if that is unknown. test/e2e/stores-gone/disk.ts takes away the embedded
 * log.
 */

/** The promised limits. */
const REFUSED_WITHIN_MS = 3_000
const CLOSED_WITHIN_MS = 5_000
/** Longer than a request is held, and than consumers may be silent in their group. */
const STILL_MS = 8_000

t.test('stages without Kafka', { timeout: 600_000, skip: kafkaProblem() ?? false }, async (t) => {
  const { cluster, service } = await deprivedCluster(t, ['ingest', 'consumers'])
  const { apiKey, serverKey } = service.keys
  const [broker] = cluster.kafka.nodes
  const [api] = cluster.stages('api')
  if (broker === undefined || api === undefined) throw new Error('something is missing')
  let visitors = 0
  const alias = () =>
    call(serverKey, 'POST', `${service.ingest}/v1/alias`, {
      anonymousId: `visitor ${visitors++}`,
      userId: 'user',
    })
  const check = async () => {
    const { body } = await callAgain<{ checks: { code: string; ok: boolean }[] }>(
      apiKey,
      'GET',
      () => `${service.api}/v1/readiness`,
    )
    return body.checks.find(({ code }) => code === 'log')?.ok
  }
  const traffic = new Traffic(service, { clients: 8, events: 5, filling: 100, pauseMs: 100 })
  t.ok(await traffic.sees(202, 20), 'events are taken')
  t.equal((await until(alias, ({ status }) => status === 202)).status, 202)
  const watching = watch(service.programs)

  const isGone = async (t: Test): Promise<void> => {
    t.ok(await traffic.sees(503, 16), 'nothing is accepted')
    const from = traffic.now()
    const [ready, linked] = await Promise.all([askAll(service, 'log'), timed(alias), traffic.sees(503, 16)])
    saysGone(t, ready, 'log')
    isRefused(t, 'an alias', linked, REFUSED_WITHIN_MS)
    t.same(Object.keys(traffic.statuses(from)), ['503'], 'and each is told so')
    for (const stage of cluster.stages())
      t.equal((await fetch(`${stage.admin}/healthz`)).status, 200, `${stage.name} lives`)
    t.equal(await untilMissing(api.admin, 'ready'), 'ready', 'the API has no need of it')
    const read = await callAgain(apiKey, 'GET', () => `${service.api}/v1/events`)
    t.equal(read.status, 200, 'what is stored can be read')
    t.equal(await until(check, (ok) => ok === false), false, 'the readiness of the workspace names it')
  }
  const isBack = async (t: Test): Promise<void> => {
    await isReadyAgain(t, service)
    t.ok(await traffic.sees(202, 20), 'events are taken')
    const linked = await until(alias, ({ status }) => status === 202)
    t.equal(linked.status, 202)
    t.equal(await until(check, (ok) => ok === true), true)
  }

  await t.test('Kafka is killed', async (t) => {
    await broker.kill()
    await isGone(t)
    await broker.restart()
    await isBack(t)
  })

  await t.test('Kafka is frozen', async (t) => {
    broker.freeze()
    const frozen = sleep(STILL_MS)
    await isGone(t)
    await frozen
    broker.thaw()
    await isBack(t)
  })

  watching.ended(t)
  await countAll(t, traffic)
  const { outcomes } = traffic
  t.same(Object.keys(traffic.statuses()).sort().slice(-2), ['202', '503'], 'no other answer')
  keepsPromises(t, outcomes)
  const { dead } = await cluster.settled(30_000)
  t.equal(dead, 0)
  t.same(await Promise.all(cluster.stages().map((stage) => stage.stop())), [0, 0, 0, 0])
})

function keepsPromises(t: Test, outcomes: readonly Outcome[]): void {
  const slowest = (status: number): number =>
    Math.round(Math.max(0, ...outcomes.filter((each) => each.status === status).map(({ ms }) => ms)))
  t.ok(slowest(503) < REFUSED_WITHIN_MS + SLACK_MS, `refused after at most ${slowest(503)} ms`)
  t.ok(slowest(0) < CLOSED_WITHIN_MS + SLACK_MS, `closed after at most ${slowest(0)} ms`)
  t.comment(`refused within ${slowest(503)} ms, closed within ${slowest(0)} ms`)
  t.same(
    outcomes.filter(({ status, retryAfter }) => status === 503 && !/^[1-9]\d*$/.test(retryAfter ?? '')),
    [],
    'each 503 says when to come again',
  )
}
