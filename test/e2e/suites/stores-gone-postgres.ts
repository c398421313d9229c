import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import type { Sql } from '../../../postgres/driver/client.js'
import { createKey } from '../../../postgres/tables/keys.js'
import { createWorkspace, newId, setQuota } from '../../../postgres/tables/workspaces.js'
import type { FaultProxy } from '../../support/network/fault-proxy.js'
import { timed } from '../../support/outage/outage.js'
import { call, until } from '../../support/service.js'
import { Traffic, type TrafficTarget } from '../../support/traffic.js'
import {
  askAll,
  countAll,
  type Deprived,
  isReadyAgain,
  isRefused,
  SLACK_MS,
  saysGone,
  watch,
} from './stores-gone.js'

const GATEWAY_MS = 4_000
const API_MS = 8_000
const DAILY_CAP = 200

type Asserts = Pick<Test, 'equal' | 'match' | 'ok' | 'same'>

export interface WithoutPostgres extends Deprived {
  readonly proxy: FaultProxy
  readonly keys: Deprived['keys'] & { readonly workspaceId: string }
  /** Past the proxy. */
  readonly sql: Sql
  /** The service's own. */
  readonly secretKey: Uint8Array
  /** Stops the server as an administrator does and starts it again on the same port. */
  restart(): Promise<void>
}

/**
 * Postgres as a server is taken away in every way a network or an administrator can, under load. Recently
 * seen keys continue, requests that need Postgres are refused within a limit, events wait in the log, and
 * everything recovers by itself.
 */
export async function testPostgresGone(t: Test, service: WithoutPostgres): Promise<void> {
  const { proxy, sql, secretKey } = service
  const { apiKey, serverKey, workspaceId } = service.keys
  /** A well-formed key that was never created. */
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
  const watching = watch(service.programs)

  const isGone = async (t: Asserts): Promise<void> => {
    const from = traffic.now()
    const [ready, unknown, linked, listed, created] = await Promise.all([
      askAll(service, 'postgres'),
      timed(stranger),
      timed(alias),
      timed(list),
      timed(create),
      traffic.sees(202, 15),
    ])
    saysGone(t, ready, 'postgres')
    isRefused(t, 'a key not seen before', unknown, GATEWAY_MS)
    isRefused(t, 'an alias', linked, GATEWAY_MS)
    isRefused(t, 'a list', listed, API_MS)
    isRefused(t, 'a write', created, API_MS)
    t.ok(traffic.accepted(from) > 0.8, 'keys seen lately go on')
  }
  const isBack = async (t: Asserts): Promise<void> => {
    await isReadyAgain(t, service)
    t.equal((await list()).status, 200)
    t.equal((await create()).status, 201)
    // A gateway apart is ready all the while, by the keys it has seen.
    const linked = await until(alias, ({ status }) => status === 202, 30)
    t.equal(linked.status, 202)
    t.equal((await until(stranger, ({ status }) => status === 401, 30)).status, 401)
  }

  await t.test('Postgres refuses connections', async (t) => {
    await proxy.set('refuse')
    await sleep(1_000)
    await isGone(t)
    await proxy.set('pass')
    await isBack(t)
  })

  await t.test('Postgres hangs, and its old connections never come back', async (t) => {
    await proxy.set('hang')
    await sleep(1_000)
    await isGone(t)
    proxy.abandon()
    await proxy.set('pass')
    await isBack(t)
  })

  await t.test('Postgres answers late', async (t) => {
    await proxy.set({ lateMs: 2_000 })
    const answers = await Promise.all([timed(list), timed(create), timed(stranger), timed(alias)])
    for (const { status, ms } of answers)
      t.ok(
        [200, 201, 202, 401, 503].includes(status) && ms < API_MS + SLACK_MS,
        `${status} after ${Math.round(ms)} ms`,
      )
    await proxy.set('pass')
    await isBack(t)
  })

  await t.test('Postgres is cut off again and again', async (t) => {
    for (let i = 0; i < 12; i++) {
      proxy.cut()
      const { status } = await create()
      t.ok([201, 503].includes(status), `${status}`)
      await sleep(100)
    }
    await isBack(t)
  })

  await t.test('Postgres is restarted by its administrator', async (t) => {
    await service.restart()
    await isBack(t)
  })

  await t.test('a daily cap holds during the whole outage', async (t) => {
    t.ok(await capped.traffic.sees(429, 1, 40), 'it is reached in the end')
    await capped.traffic.stop()
    const { acknowledged } = capped.traffic
    t.ok(acknowledged > 0 && acknowledged <= DAILY_CAP, `${acknowledged} of ${DAILY_CAP} were let in`)
    const { problems, stored } = await capped.traffic.verify()
    t.same(problems.slice(0, 5), [])
    t.equal(stored, acknowledged)
    const [usage] = await sql<{ events: string }[]>`
      select sum(events) as events from daily_usage where workspace_id = ${capped.workspaceId}`
    // Events reserved during the outage stay counted, also those that were not stored.
    const used = Number(usage?.events)
    t.ok(used >= acknowledged && used <= DAILY_CAP, `${used} are counted`)
  })

  watching.ended(t)
  await countAll(t, traffic)
  t.ok(traffic.accepted() > 0.95, `answers by status: ${JSON.stringify(traffic.statuses())}`)
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
  { api, ingest }: TrafficTarget,
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
  return {
    workspaceId,
    traffic: new Traffic({ api, ingest, keys }, { clients: 2, events: 5, pauseMs: 500, name: 'capped' }),
  }
}
