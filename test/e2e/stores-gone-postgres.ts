import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { Sql } from '../../postgres/client.js'
import { createKey, createWorkspace, newId, setQuota } from '../../postgres/workspaces.js'
import { readiness, type Timed, timed, untilReadiness, watchMemory } from '../support/outage.js'
import { call, type RunningService } from '../support/service.js'
import { startOnPostgres } from '../support/stores.js'
import { Traffic } from '../support/traffic.js'

/**
 * Postgres as a server, taken away in every way a network or an administrator can, under load. Keys seen lately go on, everything that needs Postgres is refused within a bound, events
 * wait in the log, and all goes on by itself.
 */
const GATEWAY_MS = 4_000
const API_MS = 8_000
const READY_MS = 5_000
const DAILY_CAP = 200

type Asserts = Pick<typeof t, 'equal' | 'match' | 'ok' | 'same'>

t.test('Postgres gone', { timeout: 110_000 }, async (t) => {
  const { service, proxy, sql, secretKey, restart } = await startOnPostgres(t)
  const { apiKey, serverKey, workspaceId } = service.keys
  /** Well formed, and under a secret of its own nobody's. */
  const strangers = await Promise.all(
    Array.from({ length: 12 }, () => makeKey(sql, randomBytes(32), workspaceId, 'server')),
  )
  let asks = 0
  const event = { events: [{ event: 'from_a_stranger', userId: 'u' }] }
  const stranger = () =>
    call(strangers[asks++ % strangers.length], 'POST', `${service.ingest}/v1/events`, event)
  const alias = () =>
    call(serverKey, 'POST', `${service.ingest}/v1/alias`, {
      anonymousId: `visitor ${asks++}`,
      userId: 'user',
    })
  const list = () => call(apiKey, 'GET', `${service.api}/v1/funnel`)
  const create = () =>
    call(apiKey, 'POST', `${service.api}/v1/funnel`, {
      name: `funnel ${asks++}`,
      steps: [{ eventName: 'a' }],
    })

  const capped = await startCapped(service, sql, secretKey)
  const traffic = new Traffic(service, { clients: 4, events: 5, filling: 100, pauseMs: 100 })
  t.ok(await traffic.sees(202, 20), 'events are taken')
  const memory = watchMemory(service)

  const isGone = async (t: Asserts): Promise<void> => {
    const from = traffic.now()
    const [ready, unknown, linked, listed, created] = await Promise.all([
      readiness(service),
      timed(stranger),
      timed(alias),
      timed(list),
      timed(create),
      traffic.sees(202, 15),
    ])
    t.same(ready.down, ['postgres'])
    t.ok(ready.ms < READY_MS, `said so after ${Math.round(ready.ms)} ms`)
    isRefused(t, 'a key not seen before', unknown, GATEWAY_MS)
    isRefused(t, 'an alias', linked, GATEWAY_MS)
    isRefused(t, 'a list', listed, API_MS)
    isRefused(t, 'a write', created, API_MS)
    t.ok(traffic.accepted(from) > 0.8, 'keys seen lately go on')
  }
  const isBack = async (t: Asserts): Promise<void> => {
    t.equal((await untilReadiness(service, 'ready')).status, 200, 'it goes on by itself')
    t.equal((await list()).status, 200)
    t.equal((await create()).status, 201)
    t.equal((await alias()).status, 202)
    t.equal((await stranger()).status, 401)
  }

  await t.test('refuses connections', async (t) => {
    await proxy.set('refuse')
    await sleep(1_000)
    await isGone(t)
    await proxy.set('pass')
    await isBack(t)
  })

  await t.test('hangs, and its old connections are dead for good', async (t) => {
    await proxy.set('hang')
    await sleep(1_000)
    await isGone(t)
    proxy.abandon()
    await proxy.set('pass')
    await isBack(t)
  })

  await t.test('answers late', async (t) => {
    await proxy.set({ lateMs: 2_000 })
    const answers = await Promise.all([timed(list), timed(create), timed(stranger), timed(alias)])
    for (const { status, ms } of answers)
      t.ok([200, 201, 202, 401, 503].includes(status) && ms < 12_000, `${status} after ${Math.round(ms)} ms`)
    await proxy.set('pass')
    await isBack(t)
  })

  await t.test('is cut off again and again', async (t) => {
    for (let i = 0; i < 12; i++) {
      proxy.cut()
      const { status } = await create()
      t.ok([201, 503].includes(status), `${status}`)
      await sleep(100)
    }
    await isBack(t)
  })

  await t.test('is restarted by its administrator', async (t) => {
    await restart()
    await isBack(t)
  })

  await t.test('a daily cap is kept all the while', async (t) => {
    t.ok(await capped.traffic.sees(429, 1, 40), 'it is reached in the end')
    await capped.traffic.stop()
    const { acknowledged } = capped.traffic
    t.ok(acknowledged > 0 && acknowledged <= DAILY_CAP, `${acknowledged} of ${DAILY_CAP} were let in`)
    const { problems, stored } = await capped.traffic.verify()
    t.same(problems.slice(0, 5), [])
    t.equal(stored, acknowledged)
    const [usage] = await sql<{ events: string }[]>`
      select sum(events) as events from daily_usage where workspace_id = ${capped.workspaceId}`
    // What was reserved while Postgres did not say so stays taken.
    const used = Number(usage?.events)
    t.ok(used >= acknowledged && used <= DAILY_CAP, `${used} are counted`)
  })

  await traffic.stop()
  const { first, most } = memory.stop()
  t.comment(`memory ${first} MB at first, ${most} MB at most`)
  t.ok(most - first < 250, `memory grew from ${first} to ${most} MB`)
  t.ok(traffic.accepted() > 0.95, `answers by status: ${JSON.stringify(traffic.statuses())}`)
  const { problems, stored } = await traffic.verify()
  t.same(problems.slice(0, 5), [], `each of ${stored} events once`)
  await proxy.set('hang')
  const stoppedAt = performance.now()
  t.equal(await service.stop(), 0)
  t.ok(
    performance.now() - stoppedAt < 25_000,
    `stopped while Postgres hangs in ${performance.now() - stoppedAt} ms`,
  )
})

function isRefused(
  t: Asserts,
  what: string,
  { status, code, retryAfter, ms }: Timed,
  withinMs: number,
): void {
  t.equal(status, 503, what)
  t.equal(code, 'UNAVAILABLE', what)
  t.match(retryAfter, /^[1-9]\d*$/, what)
  t.ok(ms < withinMs, `${what}: refused after ${Math.round(ms)} ms`)
}

async function makeKey(
  sql: Sql,
  secretKey: Uint8Array,
  workspaceId: string,
  type: 'server' | 'api',
): Promise<string> {
  const made = { id: newId(), workspaceId, type, name: `${type} key`, scopes: [], now: new Date() }
  return (await createKey(sql, secretKey, made)).key
}

/** Traffic of another workspace, which has a daily cap and comes near it slowly. */
async function startCapped(
  service: RunningService,
  sql: Sql,
  secretKey: Uint8Array,
): Promise<{ readonly traffic: Traffic; readonly workspaceId: string }> {
  const workspaceId = newId()
  await createWorkspace(sql, {
    id: workspaceId,
    name: 'Capped',
    personId: newId(),
    ownerName: 'Owner',
    ownerEmail: 'owner@capped.example',
    now: new Date(),
  })
  await setQuota(sql, { workspaceId, dailyEvents: DAILY_CAP })
  const keys = {
    serverKey: await makeKey(sql, secretKey, workspaceId, 'server'),
    apiKey: await makeKey(sql, secretKey, workspaceId, 'api'),
  }
  const { api, ingest } = service
  return {
    workspaceId,
    traffic: new Traffic({ api, ingest, keys }, { clients: 2, events: 5, pauseMs: 500, name: 'capped' }),
  }
}
