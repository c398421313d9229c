import type { Test } from 'tap'
import type { FaultMode, FaultProxy } from '../../support/network/fault-proxy.js'
import { timed } from '../../support/outage/outage.js'
import { call } from '../../support/service.js'
import { Traffic } from '../../support/traffic.js'
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

const answer = (status: string, type: string, body: string): FaultMode => ({
  answer: `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
})

const FAULTS: Readonly<Record<string, FaultMode>> = {
  'refuses connections': 'refuse',
  hangs: 'hang',
  'carries everything out, and its answers are lost': 'mute',
  'is behind a proxy that answers 503': answer(
    '503 Service Unavailable',
    'text/html',
    '<html>upstream</html>',
  ),
  'is behind a page that answers 200 to everything': answer('200 OK', 'text/html', '<html>log in</html>'),
  'answers something else than HTTP': { answer: 'SSH-2.0-OpenSSH_9.6\r\n' },
  'breaks off in the middle of an answer': { cutAfterBytes: 90 },
}

/** The management API's own bound, and for funnel queries twice two questions whether ClickHouse is there. */
const REFUSED_WITHIN_MS = 9_000
/** Longer than anybody waits for a server that says nothing. */
const TOO_LATE_MS = 9_000

/**
 * ClickHouse as a server, taken away in every way a network can, under load. Events wait in the log and come
 * in once each; questions are refused within a bound; the gateway notices nothing.
 */
export async function testClickHouseGone(
  t: Test,
  service: Deprived & { readonly proxy: FaultProxy },
): Promise<void> {
  const { proxy } = service
  const { apiKey } = service.keys
  const funnel = await call<{ id: string }>(apiKey, 'POST', `${service.api}/v1/funnel`, {
    name: 'checkout',
    steps: [{ eventName: 'batch_0' }, { eventName: 'batch_1' }],
  })
  const query = () => call(apiKey, 'POST', `${service.api}/v1/funnel/${funnel.body.id}/query`, {})
  const vocabulary = () => call(apiKey, 'GET', `${service.api}/v1/funnel/events`)
  const traffic = new Traffic(service, { clients: 4, events: 5, filling: 100, pauseMs: 150 })
  t.ok(await traffic.sees(202, 8), 'events are taken')
  const watching = watch(service.programs)

  for (const [name, mode] of Object.entries(FAULTS))
    await t.test(name, async (t) => {
      const from = traffic.now()
      await proxy.set(mode)
      const [asked, listed, ready] = await Promise.all([
        timed(query),
        timed(vocabulary),
        askAll(service, 'clickhouse'),
        traffic.sees(202, 10),
      ])
      isRefused(t, 'a funnel query', asked, REFUSED_WITHIN_MS)
      isRefused(t, 'a list', listed, REFUSED_WITHIN_MS)
      saysGone(t, ready, 'clickhouse')
      // Neither end learns that the other has gone.
      if (mode === 'hang') proxy.abandon()
      await proxy.set('pass')
      await isReadyAgain(t, service)
      t.equal((await query()).status, 200)
      t.ok(traffic.accepted(from) > 0.8, 'the gateway went on')
    })

  await t.test('ClickHouse answers late', async (t) => {
    await proxy.set({ lateMs: 1_500 })
    const asked = await timed(query)
    t.ok(
      [200, 503].includes(asked.status) && asked.ms < REFUSED_WITHIN_MS + SLACK_MS,
      `${asked.status} after ${asked.ms} ms`,
    )
    await proxy.set('pass')
    await isReadyAgain(t, service)
  })

  await t.test('ClickHouse answers after the caller has given up', async (t) => {
    const from = traffic.now()
    await proxy.set({ lateMs: TOO_LATE_MS })
    const [asked, ready] = await Promise.all([
      timed(query),
      askAll(service, 'clickhouse'),
      traffic.sees(202, 10),
    ])
    isRefused(t, 'a funnel query', asked, REFUSED_WITHIN_MS)
    saysGone(t, ready, 'clickhouse')
    await proxy.set('pass')
    await isReadyAgain(t, service)
    t.ok(traffic.accepted(from) > 0.8, 'the gateway went on')
  })

  watching.ended(t)
  await countAll(t, traffic)
  t.ok(traffic.accepted() > 0.95, `answers by status: ${JSON.stringify(traffic.statuses())}`)
}
