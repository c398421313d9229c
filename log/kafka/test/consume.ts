import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { LONG } from '../../../test/support/cases.js'
import { type KafkaCluster, kafkaProblem, startKafka } from '../../../test/support/kafka.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { type ConsumerBench, consumerBench } from './support/bench.js'
import { startConsumerProcess } from './support/child.js'

const SESSION_MS = 2_500
const PARTITIONS = 6

const problem = kafkaProblem()
if (problem !== undefined) t.plan(0, problem)
else await suite(await startKafka({ brokers: 1 }))

async function suite(kafka: KafkaCluster): Promise<void> {
  t.teardown(() => kafka.close())
  const bench = (t: Test): Promise<ConsumerBench> =>
    consumerBench(t, kafka, { partitions: PARTITIONS, sessionMs: SESSION_MS })

  await t.test('partitions are spread, and move between batches without fencing a consumer', async (t) => {
    const { positions, join, finish } = await bench(t)
    const leaveA = await join('a', 100)
    await waitUntil(() => positions.owners().get('a')?.length === PARTITIONS)
    const takeOvers = positions.takeOvers
    const leaveB = await join('b', 100)
    await waitUntil(() => positions.owners().get('b')?.length === PARTITIONS / 2)
    t.equal(positions.owners().get('a')?.length, PARTITIONS / 2)
    t.equal(positions.takeOvers, takeOvers + PARTITIONS / 2, 'those that stay are not taken over again')
    await leaveA()
    await waitUntil(() => positions.owners().get('b')?.length === PARTITIONS)
    t.same(await finish(), [])
    await leaveB()
    t.equal(positions.fenced, 0)
  })

  await t.test(
    'records are handled once and in order while members join and leave all the time',
    async (t) => {
      const { positions, join, finish } = await bench(t)
      const leaveA = await join('a', 20)
      for (let i = 0; i < 4; i++) {
        const leave = await join(`guest-${i}`, 20)
        await pause(i % 2 === 0 ? 300 : 1_200)
        await leave()
      }
      t.same(await finish(), [])
      await leaveA()
      t.equal(positions.fenced, 0)
      t.ok(positions.takeOvers <= PARTITIONS + 4 * PARTITIONS, `${positions.takeOvers} take-overs`)
    },
  )

  const inLongTier = (name: string, work: (t: Test) => Promise<void>): Promise<unknown> =>
    LONG ? t.test(name, work) : Promise.resolve()

  await inLongTier('a handler of several sessions keeps its partitions', async (t) => {
    const { positions, join, finish } = await bench(t)
    const leaveA = await join('a', 1.6 * SESSION_MS)
    await waitUntil(() => positions.owners().get('a')?.length === PARTITIONS)
    await waitUntil(() => positions.written.size > 0)
    t.equal(positions.takeOvers, PARTITIONS)
    t.equal(positions.fenced, 0)
    const leaveB = await join('b')
    await leaveA()
    t.same(await finish(), [])
    await leaveB()
  })

  await t.test('the partitions of a killed consumer are taken over within its session', async (t) => {
    const { options, positions, join, finish } = await bench(t)
    const child = startConsumerProcess({ name: 'child', options, handleMs: 20 }, positions)
    t.teardown(() => child.kill('SIGKILL'))
    await child.begins()
    const leave = await join('a')
    await waitUntil(() => positions.owners().get('a')?.length === PARTITIONS / 2)
    const killedAt = performance.now()
    child.kill('SIGKILL')
    await waitUntil(() => positions.owners().get('a')?.length === PARTITIONS)
    const tookMs = performance.now() - killedAt
    t.ok(tookMs < 30_000, `${tookMs} ms`)
    t.same(await finish(), [])
    await leave()
  })

  await inLongTier(
    'a consumer that is frozen past its session, in a batch, does no harm and comes back',
    async (t) => {
      const { options, positions, join, finish } = await bench(t)
      const child = startConsumerProcess({ name: 'child', options, handleMs: 50 }, positions)
      await child.begins()
      const leave = await join('a')
      await waitUntil(() => positions.owners().get('a')?.length === PARTITIONS / 2)
      await child.begins()
      child.kill('SIGSTOP')
      await waitUntil(() => positions.owners().get('a')?.length === PARTITIONS)
      await pause(300)
      const { takeOvers } = positions
      child.kill('SIGCONT')
      await waitUntil(() => positions.owners().get('child')?.length === PARTITIONS / 2)
      t.ok(positions.fenced >= 1, `${positions.fenced} writes of the frozen one were refused`)
      t.equal(
        positions.takeOvers,
        takeOvers + PARTITIONS / 2,
        'it took nothing over before it had joined again',
      )
      t.same(await finish(), [])
      await child.stop()
      await leave()
    },
  )

  await inLongTier(
    'a consumer that is frozen while it waits to begin again asks the group before it does',
    async (t) => {
      const { options, positions, join, finish } = await bench(t)
      const child = startConsumerProcess({ name: 'child', options, handleMs: 0 }, positions)
      t.teardown(() => child.kill('SIGKILL'))
      const leave = await join('a')
      await waitUntil(() => positions.owners().get('a')?.length === PARTITIONS / 2)
      await waitUntil(() => positions.owners().get('child')?.length === PARTITIONS / 2)
      // The pauses grow with every refused write. The consumer is frozen in a pause that is over when it
      // wakes.
      positions.refused.add('child')
      await waitUntil(() => positions.refusals >= 4 * (PARTITIONS / 2))
      child.kill('SIGSTOP')
      await waitUntil(() => positions.owners().get('a')?.length === PARTITIONS)
      await pause(2_000)
      positions.refused.delete('child')
      const { seized } = positions
      child.kill('SIGCONT')
      await waitUntil(() => positions.owners().get('child')?.length === PARTITIONS / 2)
      t.equal(positions.seized, seized, 'it took nothing over that another still had')
      t.same(await finish(), [])
      await child.stop()
      await leave()
    },
  )

  await inLongTier('a broker that is killed, and one that stands still', async (t) => {
    const { positions, join, finish } = await bench(t)
    const leave = await join('a', 10)
    await waitUntil(() => positions.written.size > 100)
    const [broker] = kafka.nodes
    await broker?.restart()
    const { size } = positions.written
    await waitUntil(() => positions.written.size > size + 100)
    broker?.freeze()
    await pause(SESSION_MS + 500)
    broker?.thaw()
    const later = positions.written.size
    await waitUntil(() => positions.written.size > later + 100)
    t.same(await finish(), [])
    await leave()
  })
}
