import t from 'tap'
import { svc } from '../../../cli/test/support/run.js'
import { startCluster } from '../../support/cluster.js'
import { kafkaProblem } from '../../support/kafka.js'
import { freePort } from '../../support/network/free-port.js'
import { call, callAgain, countOf, until } from '../../support/service.js'
import { Traffic } from '../../support/traffic.js'

/*
 * A log on Kafka has its partitions for life: more of them are a new log. The programs of the new one are
 * started beside the old ones and wait; when an operator drains the old log they begin by themselves.
 */

const IDS = 120
const events = Array.from({ length: IDS }, (_, i) => ({
  event: 'kept',
  userId: `u${i}`,
  insertId: `kept-${i}`,
}))

t.test(
  'svc moves from three partitions to five while the old programs still run',
  { skip: kafkaProblem() ?? false },
  async (t) => {
    const cluster = await startCluster({
      brokers: 1,
      env: { SVC_KAFKA_PARTITIONS: '3', SVC_KAFKA_IDENTITY_PARTITIONS: '1' },
    })
    t.teardown(() => cluster.close())
    const { keys, environment } = cluster
    const [api] = cluster.stages('api')
    const [oldGateway] = cluster.stages('ingest')
    const [oldConsumers] = cluster.stages('consumers')
    if (api === undefined || oldGateway === undefined || oldConsumers === undefined)
      throw new Error('no stages')
    const send = (url: string | undefined, list: readonly object[]) =>
      call(keys.serverKey, 'POST', `${url}/v1/events`, { events: list }).then(({ status }) => status)
    const alias = (url: string | undefined, userId: string, ask = callAgain) =>
      ask(keys.serverKey, 'POST', () => `${url}/v1/alias`, { anonymousId: 'visitor', userId }).then(
        ({ status }) => status,
      )
    const log = async (...args: string[]) => {
      const { code, out, err } = await svc(['admin', 'log', ...args, '--json'], environment)
      return { code, err, body: JSON.parse(out) }
    }
    const trafficTo = (ingest: string | undefined, name: string) =>
      new Traffic(
        { api: api.url ?? '', ingest: ingest ?? '', keys },
        { clients: 4, events: 4, pauseMs: 100, name },
      )

    const before = trafficTo(oldGateway.url, 'before')
    t.equal(await send(oldGateway.url, events.slice(0, 80)), 202)
    t.equal(await send(oldGateway.url, [{ event: 'linked', userId: 'ada', anonymousId: 'visitor' }]), 202)
    t.ok(await before.sees(202, 10))

    const next = {
      SVC_KAFKA_PARTITIONS: '5',
      SVC_KAFKA_IDENTITY_PARTITIONS: '2',
      SVC_KAFKA_TOPIC_PREFIX: 'next',
    }
    const admin = await freePort()
    const starting = Promise.all([
      cluster.add('ingest', { ...next, SVC_ADMIN_PORT: String(admin) }),
      cluster.add('consumers', next),
    ])
    const waiting = await until(
      () =>
        call<{ down?: string[] }>(undefined, 'GET', `http://127.0.0.1:${admin}/readyz`).catch(
          () => undefined,
        ),
      (answer) => answer?.body.down?.includes('log') === true,
    )
    t.match(waiting?.body, { status: 'starting', message: /which is not drained/ })
    t.ok(await before.sees(202, 5), 'the old gateway accepts meanwhile')

    const drained = await log('drain', '--timeout', '300')
    t.equal(drained.code, 0, drained.err)
    t.match(drained.body, { state: 'drained', partitions: 3, writers: 0 })
    const [gateway] = await starting
    t.equal(await send(oldGateway.url, events), 503, 'the old gateway accepts nothing')
    t.equal(
      await alias(oldGateway.url, 'bo', (key, method, url, body) => call(key, method, url(), body)),
      503,
    )
    await before.stop()

    const after = trafficTo(gateway.url, 'after')
    t.equal(await send(gateway.url, events.slice(40)), 202, 'half of them for the second time')
    t.equal(await send(gateway.url, [{ event: 'linked', userId: 'bo', anonymousId: 'visitor' }]), 202)
    t.equal(await alias(gateway.url, 'bo'), 409, 'the first link stands')
    t.equal(await alias(gateway.url, 'ada'), 202)
    t.ok(await after.sees(202, 10))
    t.equal(await send(gateway.url, events), 202)
    // In a rolling restart they leave at the end.
    t.same([await oldGateway.stop(), await oldConsumers.stop()], [0, 0])
    await after.stop()

    for (const { problems } of await Promise.all([before, after].map((one) => one.verify(60))))
      t.same(problems, [])
    const kept = await until(
      () => countOf(api.url ?? '', keys.apiKey, 'kept'),
      (count) => count >= IDS,
    )
    t.equal(kept, IDS, 'each id once')
    t.match((await log('list')).body.data, [
      { state: 'drained', partitions: 3 },
      { state: 'open', partitions: 5, identityPartitions: 2 },
    ])
  },
)
