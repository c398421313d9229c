import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { seededRandom } from '../../../bench/support/random.js'
import { SEED as RUN_SEED } from '../../../test/support/cases.js'
import { type KafkaCluster, kafkaProblem, startKafka } from '../../../test/support/kafka.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { KafkaAppender } from '../append/kafka-appender.js'
import { KafkaLedger, makeTopics, NOTHING_WRONG, readTopic } from './support/ledger.js'
import { API, startTamper } from './support/tamper.js'

/** `node …/kafka-hazards.js SEED SECONDS` repeats a plan, or runs a longer one. */
const SEED = Number(process.argv[2] ?? RUN_SEED)
const SECONDS = Number(process.argv[3] ?? 40)

const PARTITIONS = 9
const CLIENTS = 10
const events = { topic: 'events', partitions: PARTITIONS }
const identity = { topic: 'identity', partitions: 2 }

/*
 * Three brokers, a stream of requests, and faults: brokers killed, frozen and restarted, leaders moving,
 * answers lost. In the end everything committed is read and compared with what each caller was told.
 */
t.test(
  'nothing is lost or doubled on three brokers through one fault after another',
  { skip: kafkaProblem() ?? false },
  async (t) => {
    const random = seededRandom(SEED)
    const cluster = await startKafka({ brokers: 3 })
    t.teardown(() => cluster.close())
    await makeTopics(cluster.brokers, [events, identity])
    const tamper = await startTamper(cluster.brokers)
    t.teardown(() => tamper.close())
    const appender = new KafkaAppender({
      connection: {
        brokers: cluster.brokers.split(','),
        clientId: 'test',
        socketFactory: tamper.socketFactory,
      },
      instance: 'gateway-1',
      eventsTopic: 'events',
      identityTopic: 'identity',
      partitions: PARTITIONS,
      identityPartitions: 2,
    })
    await appender.ready()

    const ledger = new KafkaLedger()
    const stop = performance.now() + SECONDS * 1_000
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      const own = seededRandom(SEED * 1_000 + client)
      while (performance.now() < stop) {
        const all = Array.from({ length: PARTITIONS + 2 }, (_, p) => p)
        const partitions =
          own() < 0.4 ? all : [Math.floor(own() * PARTITIONS), PARTITIONS + Math.floor(own() * 2)]
        const { outcome } = await ledger.append(appender, partitions, 100 + own() * 8_000)
        await pause(outcome === 'accepted' ? 20 * own() : 100 * own())
      }
    })
    const faults = await disturb(cluster, random, stop, (share) => {
      tamper.decide = (apiKey) => {
        if ((apiKey !== API.endTransaction && apiKey !== API.produce) || random() > share) return 'pass'
        return random() < 0.6 ? 'mute' : 'lose'
      }
    })
    await Promise.all(clients)
    tamper.decide = () => 'pass'

    const started = performance.now()
    await waitUntil(async () => (await ledger.append(appender, [0, PARTITIONS], 100)).outcome === 'accepted')
    t.comment(`after the last fault: accepted again after ${Math.round(performance.now() - started)} ms`)
    for (let p = 0; p < PARTITIONS; p++)
      t.equal((await ledger.append(appender, [p], 100)).outcome, 'accepted')
    await appender.close()

    const found = [
      ...(await readTopic(cluster.brokers, events)),
      ...(await readTopic(cluster.brokers, identity)),
    ]
    const count = ledger.count(found)
    t.comment(`seed ${SEED}`, JSON.stringify(faults), JSON.stringify(count))
    t.equal(ledger.unexpected, undefined)
    t.match(count, NOTHING_WRONG)
    t.ok(count.accepted > 100)
    t.ok(count.slowestRefusal < 20_000, 'a refusal comes soon, or as soon as a commit is found not to be')
    t.ok(count.slowestUnknown < 20_000)
  },
)

type Faults = Record<'killed' | 'frozen' | 'tampered', number>

/** One broker at a time is away, so that a majority is always there. */
async function disturb(
  cluster: KafkaCluster,
  random: () => number,
  stop: number,
  tamper: (share: number) => void,
): Promise<Faults> {
  const faults: Faults = { killed: 0, frozen: 0, tampered: 0 }
  while (performance.now() < stop - 3_000) {
    await pause(500 + random() * 1_500)
    const node = cluster.nodes[Math.floor(random() * cluster.nodes.length)]
    const choice = random()
    if (choice < 0.35) {
      faults.tampered++
      tamper(0.05 + random() * 0.3)
      await pause(1_000 + random() * 1_500)
      tamper(0)
    } else if (choice < 0.7) {
      faults.frozen++
      node?.freeze()
      await pause(300 + random() * 4_000)
      node?.thaw()
    } else {
      faults.killed++
      await node?.kill()
      await pause(random() * 3_000)
      await node?.restart()
    }
  }
  return faults
}
