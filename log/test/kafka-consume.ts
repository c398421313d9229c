import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type KafkaCluster, kafkaProblem, startKafka } from '../../test/support/kafka.js'
import { type KafkaLogOptions, openKafkaLog } from '../kafka.js'
import { type EventLog, LogOutcomeUnknownError, LogUnavailableError } from '../port.js'
import { OPTIONS, record } from './support/contract.js'
import { startConsumerProcess } from './support/kafka-child.js'
import { newKafkaLog } from './support/kafka-log.js'
import { portTo, SharedPositions, sharedHandler } from './support/kafka-shared.js'

const SESSION_MS = 2_500
const PARTITIONS = 6

const problem = kafkaProblem()
if (problem !== undefined) t.plan(0, problem)
else await suite(await startKafka({ brokers: 1 }))

/** A log, one that appends to it all the time, and what its consumers have written. */
interface Bench {
  readonly options: KafkaLogOptions
  readonly log: EventLog
  readonly positions: SharedPositions
  /** A consumer in this process; resolves when it has left. */
  join(instance: string, handleMs?: number): Promise<() => Promise<void>>
  /** Stops appending; resolves when all has been written, and gives what was not written once. */
  finish(): Promise<string[]>
}

async function suite(kafka: KafkaCluster): Promise<void> {
  t.teardown(() => kafka.close())

  const bench = async (t: Test): Promise<Bench> => {
    const timing = { sessionMs: SESSION_MS, heartbeatMs: 200, rebalanceMs: SESSION_MS }
    const { log, options, destroy } = await newKafkaLog(kafka, { partitions: PARTITIONS, timing })
    t.teardown(destroy)
    const positions = new SharedPositions()
    const sent: string[] = []
    const unknown: string[] = []
    let appending = true
    const appender = (async () => {
      for (let i = 0; appending; i++) {
        const payloads = Array.from({ length: PARTITIONS }, (_, partition) => `${partition}:${i}`)
        try {
          await log.append(payloads.map((payload, partition) => record(partition, payload)))
          sent.push(...payloads)
        } catch (error) {
          if (error instanceof LogOutcomeUnknownError) unknown.push(...payloads)
          else if (!(error instanceof LogUnavailableError)) throw error
        }
        await pause(5)
      }
    })()
    return {
      options,
      log,
      positions,
      join: async (instance, handleMs = 0) => {
        const own = await openKafkaLog({ ...options, instance: undefined })
        t.teardown(() => own.close())
        const abort = new AbortController()
        const handler = sharedHandler(portTo(positions, instance), handleMs)
        const consuming = own.consume(OPTIONS, handler, abort.signal)
        return async () => {
          abort.abort()
          await consuming
          await own.close()
        }
      },
      finish: async () => {
        appending = false
        await appender
        await until(() => sent.every((payload) => positions.written.has(payload)))
        const found = unknown.filter((payload) => positions.written.has(payload))
        return positions.faults([...sent, ...found])
      },
    }
  }

  await t.test('partitions are spread, and move between batches: nobody is fenced', async (t) => {
    const { positions, join, finish } = await bench(t)
    const leaveA = await join('a', 100)
    await until(() => positions.owners().get('a')?.length === PARTITIONS)
    const takeOvers = positions.takeOvers
    const leaveB = await join('b', 100)
    await until(() => positions.owners().get('b')?.length === PARTITIONS / 2)
    t.equal(positions.owners().get('a')?.length, PARTITIONS / 2)
    t.equal(positions.takeOvers, takeOvers + PARTITIONS / 2, 'those that stay are not taken over again')
    await leaveA()
    await until(() => positions.owners().get('b')?.length === PARTITIONS)
    t.same(await finish(), [])
    await leaveB()
    t.equal(positions.fenced, 0)
  })

  await t.test('members that come and go all the time', async (t) => {
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
  })

  await t.test('a handler of several sessions keeps its partitions', async (t) => {
    const { positions, join, finish } = await bench(t)
    const leaveA = await join('a', 1.6 * SESSION_MS)
    await until(() => positions.owners().get('a')?.length === PARTITIONS)
    await until(() => positions.written.size > 0)
    t.equal(positions.takeOvers, PARTITIONS)
    t.equal(positions.fenced, 0)
    const leaveB = await join('b')
    await leaveA()
    t.same(await finish(), [])
    await leaveB()
  })

  await t.test('a consumer that is killed is followed within its session', async (t) => {
    const { options, positions, join, finish } = await bench(t)
    const child = startConsumerProcess({ name: 'child', options, handleMs: 20 }, positions)
    t.teardown(() => child.kill('SIGKILL'))
    await child.begins()
    const leave = await join('a')
    await until(() => positions.owners().get('a')?.length === PARTITIONS / 2)
    const killedAt = performance.now()
    child.kill('SIGKILL')
    await until(() => positions.owners().get('a')?.length === PARTITIONS)
    const tookMs = performance.now() - killedAt
    t.ok(tookMs < SESSION_MS + 2_000, `${tookMs} ms`)
    t.same(await finish(), [])
    await leave()
  })

  await t.test(
    'a consumer that is frozen past its session, in a batch, does no harm and comes back',
    async (t) => {
      const { options, positions, join, finish } = await bench(t)
      const child = startConsumerProcess({ name: 'child', options, handleMs: 50 }, positions)
      await child.begins()
      const leave = await join('a')
      await until(() => positions.owners().get('a')?.length === PARTITIONS / 2)
      await child.begins()
      child.kill('SIGSTOP')
      await until(() => positions.owners().get('a')?.length === PARTITIONS)
      await pause(300)
      const { takeOvers } = positions
      child.kill('SIGCONT')
      await until(() => positions.owners().get('child')?.length === PARTITIONS / 2)
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

  await t.test('a broker that is killed, and one that stands still', async (t) => {
    const { positions, join, finish } = await bench(t)
    const leave = await join('a', 10)
    await until(() => positions.written.size > 100)
    const [broker] = kafka.nodes
    await broker?.restart()
    const { size } = positions.written
    await until(() => positions.written.size > size + 100)
    broker?.freeze()
    await pause(SESSION_MS + 500)
    broker?.thaw()
    const later = positions.written.size
    await until(() => positions.written.size > later + 100)
    t.same(await finish(), [])
    await leave()
  })
}

async function until(holds: () => boolean, withinMs = 20_000): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`it did not come true: ${holds}`)
    await pause(10)
  }
}
