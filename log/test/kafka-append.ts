import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { seededRandom } from '../../bench/support/random.js'
import { type KafkaCluster, kafkaProblem, startKafka } from '../../test/support/kafka.js'
import { createKafkaAppender, type KafkaAppender, type KafkaAppenderOptions } from '../kafka/append.js'
import type { ConnectionOptions } from '../kafka/connections.js'
import { LogOutcomeUnknownError, LogUnavailableError } from '../port.js'
import { record } from './support/contract.js'
import { type Count, KafkaLedger, makeTopics, readTopic } from './support/kafka-ledger.js'
import { API, startTamper, type Tamper, type Tampering } from './support/kafka-tamper.js'

const PARTITIONS = 6
const ALL = [0, 1, 2, 3, 4, 5]
const NOTHING_WRONG = { lost: 0, doubled: 0, torn: 0, lies: 0, disordered: 0 }

let cluster: KafkaCluster
let made = 0

interface Bench {
  readonly appender: KafkaAppender
  readonly options: KafkaAppenderOptions
  readonly ledger: KafkaLedger
  count(): Promise<Count>
}

function connection(): ConnectionOptions {
  return { brokers: cluster.brokers.split(','), clientId: 'test' }
}

/** An appender on topics of its own. */
async function bench(more: Partial<KafkaAppenderOptions> = {}, tamper?: Tamper): Promise<Bench> {
  const eventsTopic = `events-${++made}`
  const identityTopic = `identity-${made}`
  const topics = [
    { topic: eventsTopic, partitions: PARTITIONS },
    { topic: identityTopic, partitions: 1 },
  ]
  await makeTopics(cluster.brokers, topics)
  const options: KafkaAppenderOptions = {
    connection: { ...connection(), ...(tamper === undefined ? {} : { socketFactory: tamper.socketFactory }) },
    instance: 'gateway-1',
    eventsTopic,
    identityTopic,
    partitions: PARTITIONS,
    identityPartitions: 1,
    ...more,
  }
  const appender = createKafkaAppender(options)
  await appender.ready()
  const ledger = new KafkaLedger()
  return {
    appender,
    options,
    ledger,
    count: async () => {
      const found = await Promise.all(topics.map((topic) => readTopic(cluster.brokers, topic)))
      if (ledger.unexpected !== undefined) throw ledger.unexpected
      return ledger.count(found.flat())
    },
  }
}

t.test('appending to Kafka', { skip: kafkaProblem() ?? false }, async (t) => {
  cluster = await startKafka({ brokers: 1 })
  t.teardown(() => cluster.close())
  await makeTopics(cluster.brokers, [{ topic: 'first', partitions: 1 }])

  await t.test(
    'calls made at once lie in their order in every partition, whichever producer wrote them',
    async (t) => {
      const points: string[] = []
      const { appender, ledger, count } = await bench({
        gatherMs: 0,
        maxGroupBytes: 3_000,
        faultPoint: (name) => void points.push(name),
      })
      await Promise.all(
        Array.from({ length: 60 }, (_, i) =>
          ledger.append(appender, i % 3 === 0 ? [...ALL, 6] : [i % 6, 6], 100),
        ),
      )
      await appender.close()
      const found = await count()
      t.match(found, NOTHING_WRONG)
      t.ok(found.accepted > 10)
      t.ok(points.filter((name) => name === 'kafka:sent').length > 1, 'in several groups')
      t.equal(points.filter((name) => name === 'kafka:committed').length * 2, points.length)
    },
  )

  await t.test(
    'nothing is half written: a partition without a leader stops the group (hazard B)',
    async (t) => {
      // The appender believes in a partition more than there is; kafkajs leaves its records out without a word.
      const { appender, ledger, count } = await bench({ partitions: PARTITIONS + 1, identityPartitions: 1 })
      const good = await ledger.append(appender, [0, 1], 10)
      const partly = await ledger.append(appender, [0, 1, PARTITIONS], 10)
      const after = await ledger.append(appender, [0, 1], 10)
      t.same([good.outcome, partly.outcome, after.outcome], ['accepted', 'refused', 'accepted'])
      await appender.close()
      t.match(await count(), NOTHING_WRONG)
    },
  )

  await t.test('a partition that the log does not have, and no records at all', async (t) => {
    const { appender } = await bench()
    await t.rejects(appender.append([record(0, 'torn'), record(PARTITIONS + 1, 'torn')]), RangeError)
    await appender.append([])
    await appender.close()
    await t.rejects(appender.append([]), LogUnavailableError)
    await t.rejects(appender.ping(), LogUnavailableError)
  })

  for (const [hazard, apiKey] of [
    ['A and C: sending fails', API.produce],
    ['D and E: committing fails', API.endTransaction],
  ] as const)
    await t.test(`${hazard}, in every way`, async (t) => {
      const tamper = await startTamper(cluster.brokers)
      t.teardown(() => tamper.close())
      const { appender, ledger, count } = await bench({ gatherMs: 0, maxGroupBytes: 4_000 }, tamper)
      const random = seededRandom(apiKey + 7)
      const ways: Tampering[] = ['lose', 'mute', 'lose', 'mute', 'hang', 'mute', 'lose']
      let tampered = 0
      let quiet = 0
      tamper.decide = (key) => {
        if (key !== apiKey || --quiet > 0) return 'pass'
        quiet = 3 + Math.floor(random() * 12)
        return ways[tampered++ % ways.length] ?? 'pass'
      }
      const end = performance.now() + 7_000
      await Promise.all(
        Array.from({ length: 12 }, async () => {
          while (performance.now() < end)
            await ledger.append(appender, random() < 0.5 ? ALL : [Math.floor(random() * 6), 6], 200)
        }),
      )
      tamper.decide = () => 'pass'
      t.equal((await ledger.append(appender, ALL, 200)).outcome, 'accepted', 'it goes on by itself')
      await appender.close()
      const found = await count()
      t.comment(`${tampered} requests tampered with`, JSON.stringify(found))
      t.match(found, NOTHING_WRONG)
      t.ok(found.accepted > 20 && tampered > 2)
      t.equal(found.unknown, 0, 'every outcome is found out')
      t.ok(found.slowestRefusal < 3_500)
    })

  await t.test(
    'a process that is started again finishes what its last life left, and goes on above it',
    async (t) => {
      const tamper = await startTamper(cluster.brokers)
      t.teardown(() => tamper.close())
      const { appender, ledger, options, count } = await bench({}, tamper)
      await ledger.append(appender, ALL, 10)
      tamper.decide = (key) => (key === API.endTransaction ? 'hang' : 'pass')
      const left = ledger.append(appender, ALL, 10)
      await pause(300)
      const again = createKafkaAppender({ ...options, connection: connection() })
      const started = performance.now()
      await again.ready()
      t.ok(performance.now() - started < 8_000, 'it did not wait for the time-out of the transaction')
      t.equal((await ledger.append(again, ALL, 10)).outcome, 'accepted')
      t.not((await left).outcome, 'accepted', 'the first life was replaced before its commit')
      for (let i = 0; i < 5; i++) await ledger.append(again, ALL, 10)
      t.same(
        ledger.sent.slice(2).map(({ outcome }) => outcome),
        Array(6).fill('accepted'),
      )
      await Promise.all([again.close(), appender.close()])
      t.match(await count(), NOTHING_WRONG)
    },
  )

  await t.test(
    'two processes of one name: the later one stays, the other one stops and says why',
    async (t) => {
      const lines: string[] = []
      const logger = {
        info: ignore,
        warn: ignore,
        error: (_: object, message: string) => void lines.push(message),
      }
      const { appender, ledger, options, count } = await bench({ logger })
      t.equal((await ledger.append(appender, ALL, 10)).outcome, 'accepted')
      const later = createKafkaAppender({ ...options, logger: undefined })
      await later.ready()
      const end = performance.now() + 2_500
      while (performance.now() < end) {
        await Promise.all([ledger.append(appender, ALL, 10), ledger.append(later, ALL, 10)])
        await pause(20)
      }
      t.match(lines[0], /another process appends to Kafka as events-\d+\.append\.gateway-1\.\d/)
      await t.rejects(appender.append([record(0, 'x')]), {
        name: 'LogUnavailableError',
        message: /another process/,
      })
      await t.rejects(appender.ping(), /another process/)
      await pause(3_000)
      await later.ping()
      t.equal((await ledger.append(later, ALL, 10)).outcome, 'accepted')
      await Promise.all([appender.close(), later.close()])
      const found = await count()
      t.comment(JSON.stringify(found))
      t.match({ ...found, disordered: 0 }, NOTHING_WRONG)
    },
  )

  await t.test('bytes in flight are bounded: more is refused at once', async (t) => {
    const { appender } = await bench({ maxBytesInFlight: 10_000 })
    const written = appender.append([record(0, 'x'.repeat(9_000))])
    const started = performance.now()
    await t.rejects(appender.append([record(0, 'x'.repeat(1_001))]), LogUnavailableError)
    t.ok(performance.now() - started < 50)
    await written
    await appender.append([record(0, 'x'.repeat(1_001))])
    await appender.close()
  })

  await t.test(
    'a broker that stands still, and one that is killed: answers in time, and back by itself',
    async (t) => {
      const { appender, ledger, count } = await bench()
      const [broker] = cluster.nodes
      await ledger.append(appender, ALL, 10)
      for (const away of ['frozen', 'killed']) {
        let stop = false
        const clients = Array.from({ length: 8 }, async () => {
          while (!stop) {
            const { outcome } = await ledger.append(appender, ALL, 1_000)
            if (outcome !== 'accepted') await pause(50)
          }
        })
        await pause(300)
        if (away === 'frozen') broker?.freeze()
        else await broker?.kill()
        await pause(5_500)
        await t.rejects(appender.ping(), `it is not ready while the broker is ${away}`)
        const started = performance.now()
        await t.rejects(appender.append([record(0, 'now')]), LogUnavailableError)
        t.ok(performance.now() - started < 1_000, 'once it is known to be away, requests do not wait')
        if (away === 'frozen') broker?.thaw()
        else await broker?.restart()
        const back = performance.now()
        while (ledger.sent.findLast(({ outcome }) => outcome !== 'unknown')?.outcome !== 'accepted')
          await pause(20)
        t.comment(`after being ${away}: accepted again after ${Math.round(performance.now() - back)} ms`)
        stop = true
        await Promise.all(clients)
        await appender.ping().catch(() => pause(3_000))
        await appender.ping()
      }
      await appender.close()
      const found = await count()
      t.comment(JSON.stringify(found))
      t.match(found, NOTHING_WRONG)
      t.ok(found.slowestRefusal < 3_500 && found.slowestUnknown < 5_200)
      t.ok(found.refused > 0)
    },
  )

  await t.test('an unknown outcome is told apart from a refusal', async (t) => {
    const tamper = await startTamper(cluster.brokers)
    t.teardown(() => tamper.close())
    const { appender } = await bench({}, tamper)
    tamper.decide = (key) => (key === API.endTransaction || key === API.initProducerId ? 'hang' : 'pass')
    const started = performance.now()
    const undecided = appender.append([record(0, 'x')])
    await pause(200)
    const behind = Promise.all(
      Array.from({ length: 3 }, (_, i) => t.rejects(appender.append([record(0, `${i}`)]))),
    )
    await t.rejects(undecided, LogOutcomeUnknownError)
    t.ok(performance.now() - started < 5_000)
    await behind
    tamper.decide = () => 'pass'
    await appender.close()
  })
})

function ignore(): void {}
