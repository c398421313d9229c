import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { seededRandom } from '../../../bench/support/random.js'
import { kafkaProblem, startKafka } from '../../../test/support/kafka.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { KafkaAppender } from '../append/kafka-appender.js'
import { BrokerConnections } from '../protocol/connections.js'
import { GROUPS, moveLeaders, TRANSACTIONS } from './support/leaders.js'
import { KafkaLedger, makeTopics, NOTHING_WRONG, type Outcome, readTopic } from './support/ledger.js'

const PARTITIONS = 6
const CLIENTS = 8
const events = { topic: 'events', partitions: PARTITIONS }
const identity = { topic: 'identity', partitions: 1 }

/*
 * An operator moves leaders and coordinators and restarts a broker of a healthy cluster. No request may be
 * refused for long, and everything accepted is there once, whole and in order.
 */
t.test(
  'orderly moves of leaders among three brokers lose and double nothing',
  { skip: kafkaProblem() ?? false },
  async (t) => {
    const cluster = await startKafka({ brokers: 3, properties: { 'controlled.shutdown.enable': 'true' } })
    t.teardown(() => cluster.close())
    await makeTopics(cluster.brokers, [events, identity])
    const connection = { brokers: cluster.brokers.split(','), clientId: 'test' }
    const links = new BrokerConnections(connection)
    t.teardown(() => links.close())
    const appender = new KafkaAppender({
      connection,
      instance: 'gateway-1',
      eventsTopic: 'events',
      identityTopic: 'identity',
      partitions: PARTITIONS,
      identityPartitions: 1,
    })
    await appender.ready()
    const ledger = new KafkaLedger()

    /** The next move comes when requests are accepted again. */
    const move = async (topics: readonly string[], times: number): Promise<number> => {
      let moved = 0
      for (let i = 0; i < times; i++) {
        moved += await moveLeaders(links, topics)
        const from = ledger.sent.length
        const accepted = () => ledger.sent.slice(from).filter(({ outcome }) => outcome === 'accepted').length
        await waitUntil(() => accepted() >= CLIENTS)
      }
      return moved
    }

    for (const [name, topics] of [
      ['of the log', ['events', 'identity']],
      ['of transactions: their coordinators', [TRANSACTIONS]],
      ['of consumer groups, which keep the numbers of what was committed', [GROUPS]],
      ['of all at once', ['events', 'identity', TRANSACTIONS, GROUPS]],
    ] as const)
      await t.test(`leaders ${name}`, async (t) => {
        let moved = 0
        const outcomes = await underLoad(appender, ledger, async () => {
          moved = await move(topics, 5)
        })
        t.comment(`${moved} leaders moved`, JSON.stringify(outcomes))
        t.ok(moved > 5, `${moved} leaders moved`)
      })

    await t.test('a broker is restarted in an orderly way and gets its leaders back', async (t) => {
      const outcomes = await underLoad(appender, ledger, async () => {
        const node = await cluster.leaderOf('events', 0)
        await node.shutDown()
        await node.restart()
        for (let i = 0; i < 2; i++) await move(['events', 'identity', TRANSACTIONS, GROUPS], 1)
      })
      t.comment(JSON.stringify(outcomes))
      t.ok(outcomes.accepted > 2 * CLIENTS)
    })

    await appender.close()
    const found = await Promise.all([events, identity].map((topic) => readTopic(cluster.brokers, topic)))
    if (ledger.unexpected !== undefined) throw ledger.unexpected
    const count = ledger.count(found.flat())
    t.comment(JSON.stringify(count))
    t.match(count, NOTHING_WRONG)
  },
)

type Outcomes = Record<Outcome, number>

/** Counts the outcomes of requests while `work` runs. Clients continue until a request is accepted again. */
async function underLoad(
  appender: KafkaAppender,
  ledger: KafkaLedger,
  work: () => Promise<void>,
): Promise<Outcomes> {
  const from = ledger.sent.length
  let working = true
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    const random = seededRandom(client)
    for (let again = true; again; ) {
      const all = Array.from({ length: PARTITIONS + 1 }, (_, partition) => partition)
      const partitions = random() < 0.5 ? all : [Math.floor(random() * PARTITIONS), PARTITIONS]
      const { outcome } = await ledger.append(appender, partitions, 100 + random() * 4_000)
      again = working || outcome !== 'accepted'
      await pause(30 * random())
    }
  })
  try {
    await work()
  } finally {
    working = false
    await Promise.all(clients)
  }
  const outcomes: Outcomes = { accepted: 0, refused: 0, unknown: 0 }
  for (const { outcome } of ledger.sent.slice(from)) outcomes[outcome]++
  return outcomes
}
