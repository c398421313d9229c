import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { type KafkaCluster, type KafkaNode, kafkaProblem, startKafka } from '../../../test/support/kafka.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { openKafkaLog } from '../log.js'
import { BrokerConnections } from '../protocol/connections.js'
import { findCoordinator, GROUP } from '../protocol/coordinator.js'
import { type ConsumerBench, consumerBench } from './support/bench.js'
import { GROUPS, moveLeaders } from './support/leaders.js'

const PARTITIONS = 6
const SESSION_MS = 4_000
/** Longer than a broker is waited for by the others. */
const FROZEN_MS = 6_000

/*
 * Two consumers on three brokers while leaders and coordinators move, one is killed and one is frozen. Every
 * committed record is written once and in order, and a fenced consumer writes nothing.
 */
const problem = kafkaProblem()
if (problem !== undefined) t.plan(0, problem)
else await suite(await startKafka({ brokers: 3 }))

async function suite(kafka: KafkaCluster): Promise<void> {
  t.teardown(() => kafka.close())
  const links = new BrokerConnections({ brokers: kafka.brokers.split(','), clientId: 'test' })
  t.teardown(() => links.close())

  await t.test('consumers continue while brokers hand over, die and freeze', async (t) => {
    const bench = await consumerBench(t, kafka, { partitions: PARTITIONS, sessionMs: SESSION_MS })
    const { positions, options, groupId, join, finish } = bench
    const topic = `${options.topicPrefix}-events`
    const half = (name: string): boolean => positions.owners().get(name)?.length === PARTITIONS / 2
    const leaveA = await join('a', 10)
    const leaveB = await join('b', 10)
    await waitUntil(() => half('a') && half('b'))
    await goesOn(bench)
    const { takeOvers } = positions

    for (const [what, moving] of [
      ['of the log', topic],
      ['that coordinate the group', GROUPS],
    ] as const) {
      let moved = 0
      for (let i = 0; i < 4; i++) {
        moved += await moveLeaders(links, [moving])
        await pause(300)
      }
      await goesOn(bench)
      t.ok(moved > 0, `${moved} leaders ${what} have moved`)
      t.equal(positions.takeOvers, takeOvers, 'each partition still has the same owner')
    }

    await (await kafka.leaderOf(topic, 0)).restart()
    await goesOn(bench)
    await (await coordinatorOf(kafka, links, groupId)).restart()
    await goesOn(bench)
    await waitUntil(() => half('a') && half('b'))
    t.same(
      [positions.late, positions.fenced, positions.seized],
      [0, 0, 0],
      'no consumer loses a partition that it works on',
    )

    const frozen = await coordinatorOf(kafka, links, groupId)
    frozen.freeze()
    const thawAt = performance.now() + FROZEN_MS
    // While the others still count on it.
    const others = options.brokers.filter((address) => address !== frozen.address)
    const beside = await openKafkaLog({
      ...options,
      brokers: [frozen.address, ...others],
      instance: undefined,
    })
    await beside.close()
    t.comment(`a log was opened ${Math.round(thawAt - performance.now())} ms before the broker went on`)
    await pause(Math.max(0, thawAt - performance.now()))
    await goesOn(bench)
    frozen.thaw()
    await goesOn(bench)
    await waitUntil(() => half('a') && half('b'))

    t.same(await finish(), [])
    const { late, fenced, seized } = positions
    t.comment(`${positions.takeOvers} take-overs, ${seized} seized, ${late} late, ${fenced} writes fenced`)
    t.equal(late, 0, 'who has lost a partition begins nothing there')
    await Promise.all([leaveA(), leaveB()])
  })
}

/** Every partition gets on, whichever broker leads it. */
async function goesOn({ positions }: ConsumerBench): Promise<void> {
  const counts = (): number[] => {
    const found = new Array<number>(PARTITIONS).fill(0)
    for (const payload of positions.written.keys()) {
      const partition = Number(payload.split(':')[0])
      found[partition] = (found[partition] ?? 0) + 1
    }
    return found
  }
  const before = counts()
  await waitUntil(() => counts().every((count, partition) => count > (before[partition] ?? 0) + 10))
}

/** The broker that keeps the consumer group of a log's events. */
async function coordinatorOf(
  kafka: KafkaCluster,
  links: BrokerConnections,
  groupId: string,
): Promise<KafkaNode> {
  const address = await findCoordinator(links, groupId, GROUP)
  const node = kafka.nodes.find((one) => one.address === address)
  if (node === undefined) throw new Error(`no broker has the address ${address}`)
  return node
}
