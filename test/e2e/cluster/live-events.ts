import t from 'tap'
import { type EventStream, openStream } from '../../../api/test/support/event-stream.js'
import { startCluster } from '../../support/cluster.js'
import { kafkaProblem } from '../../support/kafka.js'
import { call, until } from '../../support/service.js'

/*
 * The stream of events on servers: events that several consumers store over Kafka are shown once by every
 * process of the API.
 */

const PATIENCE_S = 90

t.test('events are followed on a cluster', { skip: kafkaProblem() ?? false }, async (t) => {
  const cluster = await startCluster({ brokers: 1, gateways: 1, consumers: 2, apis: 2, logLevel: 'error' })
  t.teardown(() => cluster.close())
  const { keys } = cluster
  const [gateway] = cluster.stages('ingest')
  const [one, other] = cluster.stages('api')
  const [consumer] = cluster.stages('consumers')
  if (gateway === undefined || one?.url === undefined || other?.url === undefined || consumer === undefined)
    throw new Error('a stage is missing')
  let sent = 0
  /** Events with new names, over all partitions. */
  const send = async (count: number): Promise<void> => {
    const events = Array.from({ length: count }, () => {
      sent++
      return { event: `n_${sent}`, userId: `u-${sent}`, insertId: `i-${sent}` }
    })
    // Sent again after a 503, as clients do.
    await until(
      () => call(keys.serverKey, 'POST', `${gateway.url}/v1/events`, { events }),
      ({ status }) => status === 202,
      PATIENCE_S,
    )
  }
  const names = (from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_, index) => `n_${from + index + 1}`).sort()
  const shows = (stream: EventStream, count: number): Promise<string[]> =>
    until(
      () => Promise.resolve(stream.events().sort()),
      (seen) => seen.length >= count,
      PATIENCE_S,
    )

  const stream = await openStream(one.url, keys.apiKey)
  t.equal(stream.status, 200)
  // From then on it has its place.
  await stream.until(({ messages }) => messages.some(({ name }) => name === 'rate'))
  await t.test('events that several consumers store are shown once', async (t) => {
    for (let turn = 0; turn < 20; turn++) await send(5)
    t.same(await shows(stream, sent), names(0, sent))
  })

  await t.test(
    'events are shown once, also if a consumer is killed and its partitions are taken over',
    async (t) => {
      await send(20)
      await consumer.kill()
      for (let turn = 0; turn < 10; turn++) await send(5)
      t.same(await shows(stream, sent), names(0, sent))
      await consumer.start()
    },
  )

  await t.test('a stream continues on another process of the API after the last read event', async (t) => {
    const read = stream.events().length
    const lastId = stream.lastId()
    stream.close()
    await send(30)
    const next = await openStream(other.url ?? '', keys.apiKey, { lastId })
    await send(10)
    t.same(await shows(next, sent - read), names(read, sent))
    t.equal(next.messages.filter(({ name }) => name === 'gap').length, 0)
    next.close()
  })
})
