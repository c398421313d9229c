import t from 'tap'
import type { FaultMode } from '../support/fault-proxy.js'
import { readiness, timed, untilReadiness, watchMemory } from '../support/outage.js'
import { call } from '../support/service.js'
import { startOnClickHouse } from '../support/stores.js'
import { Traffic } from '../support/traffic.js'

/**
 * ClickHouse as a server, taken away in every way a network can, under load. Events wait in the log and come in once each; questions are refused within a bound; the gateway notices
 * nothing.
 */
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

t.test('ClickHouse gone', { timeout: 110_000 }, async (t) => {
  const { service, proxy } = await startOnClickHouse(t)
  const { apiKey } = service.keys
  const funnel = await call<{ id: string }>(apiKey, 'POST', `${service.api}/v1/funnel`, {
    name: 'checkout',
    steps: [{ eventName: 'batch_0' }, { eventName: 'batch_1' }],
  })
  const query = () => call(apiKey, 'POST', `${service.api}/v1/funnel/${funnel.body.id}/query`, {})
  const vocabulary = () => call(apiKey, 'GET', `${service.api}/v1/funnel/events`)
  const traffic = new Traffic(service, { clients: 4, events: 5, filling: 100, pauseMs: 150 })
  t.ok(await traffic.sees(202, 8), 'events are taken')
  const memory = watchMemory(service)

  for (const [name, mode] of Object.entries(FAULTS))
    await t.test(name, async (t) => {
      const from = traffic.now()
      await proxy.set(mode)
      const [asked, listed, ready] = await Promise.all([
        timed(query),
        timed(vocabulary),
        readiness(service),
        traffic.sees(202, 10),
      ])
      for (const { status, code, retryAfter, ms } of [asked, listed]) {
        t.equal(status, 503)
        t.equal(code, 'UNAVAILABLE')
        t.match(retryAfter, /^[1-9]\d*$/)
        t.ok(ms < REFUSED_WITHIN_MS, `refused after ${Math.round(ms)} ms`)
      }
      t.same(ready.down, ['clickhouse'])
      t.ok(ready.ms < 5_000, `said so after ${Math.round(ready.ms)} ms`)
      // Neither end learns that the other has gone.
      if (mode === 'hang') proxy.abandon()
      await proxy.set('pass')
      t.equal((await untilReadiness(service, 'ready')).status, 200, 'it goes on by itself')
      t.equal((await query()).status, 200)
      t.ok(traffic.accepted(from) > 0.8, 'the gateway went on')
    })

  await t.test('answers late', async (t) => {
    await proxy.set({ lateMs: 1_500 })
    const asked = await timed(query)
    t.ok(
      [200, 503].includes(asked.status) && asked.ms < REFUSED_WITHIN_MS,
      `${asked.status} after ${asked.ms} ms`,
    )
    await proxy.set('pass')
    t.equal((await untilReadiness(service, 'ready')).status, 200)
  })

  await traffic.stop()
  const { first, most } = memory.stop()
  t.comment(`memory ${first} MB at first, ${most} MB at most`)
  t.ok(most - first < 250, `memory grew from ${first} to ${most} MB`)
  t.ok(traffic.accepted() > 0.95, `answers by status: ${JSON.stringify(traffic.statuses())}`)
  const { problems, stored } = await traffic.verify()
  t.same(problems.slice(0, 5), [], `each of ${stored} events once`)
  t.ok(stored >= traffic.acknowledged)
  t.equal(await service.stop(), 0)
})
