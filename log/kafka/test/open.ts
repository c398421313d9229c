import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type KafkaCluster, kafkaProblem, startKafka } from '../../../test/support/kafka.js'
import { startFaultProxy } from '../../../test/support/network/fault-proxy.js'
import { freePort } from '../../../test/support/network/free-port.js'
import { type EventLog, LogUnavailableError } from '../../port.js'
import { readEvents, record, text } from '../../test/support/contract.js'
import { openKafkaLog } from '../log.js'
import { newKafkaLog } from './support/log.js'

/** A broker may take so long to say nothing; a start asks them one after another. */
const ONE_MS = 30_000

const problem = kafkaProblem()
if (problem !== undefined) t.plan(0, problem)
else await suite(await startKafka({ brokers: 1 }))

async function suite(kafka: KafkaCluster): Promise<void> {
  t.teardown(() => kafka.close())
  const [host = '', port] = kafka.brokers.split(':')
  const still = await startFaultProxy({ host, port: Number(port) })
  t.teardown(() => still.close())
  await still.set('hang')
  const absent: Readonly<Record<string, string>> = {
    'no broker listens': `127.0.0.1:${await freePort()}`,
    'it takes connections and says nothing': `127.0.0.1:${still.port}`,
    'its name is unknown': 'nobody.invalid:9092',
    // A network for examples: it sends nothing back, or the nearest router reports that.
    'nothing comes back': '192.0.2.1:9092',
  }
  const layout = { instance: 'test', partitions: 3, identityPartitions: 2, topicPrefix: 'open' }

  // A call that waits for an absent broker does not make others wait.
  t.jobs = Object.keys(absent).length
  for (const [what, address] of Object.entries(absent))
    t.test(`one broker, and ${what}: the error names the broker`, async (t) => {
      const started = performance.now()
      await t.rejects(openKafkaLog({ ...layout, brokers: [address] }), {
        name: 'LogUnavailableError',
        retryable: true,
        message: new RegExp(`^no broker of ${address} answers: \\w`),
      })
      t.ok(performance.now() - started < ONE_MS)
    })

  t.test('if no broker answers, the error names all of them', async (t) => {
    const brokers = Object.values(absent)
    const started = performance.now()
    await t.rejects(openKafkaLog({ ...layout, brokers }), {
      message: new RegExp(`^no broker of ${brokers.join(', ')} answers: \\w`),
    })
    t.ok(performance.now() - started < brokers.length * ONE_MS)
  })

  for (const [what, brokers] of [
    ...Object.entries(absent).map(([what, address]) => [what, [address, kafka.brokers]] as const),
    ['all of this of four', [...Object.values(absent), kafka.brokers]] as const,
  ])
    t.test(`the log works if the last broker of the list answers and of the others ${what}`, async (t) => {
      const started = performance.now()
      const { log, destroy } = await newKafkaLog(kafka, { brokers })
      t.teardown(destroy)
      t.ok(performance.now() - started < brokers.length * ONE_MS)
      await appends(t, log, 'one')
      await appends(t, log, 'two')
      t.same((await readEvents(log)).get(0)?.map(text), ['one', 'two'])
      await isReady(t, log)
    })
}

/** A question that meets a silent broker may be late for once. */
async function isReady(t: Test, log: EventLog): Promise<void> {
  let problem: unknown
  for (const end = performance.now() + 30_000; performance.now() < end; await pause(50))
    try {
      return await log.ping()
    } catch (error) {
      problem = error
    }
  t.fail(`not ready: ${problem}`)
}

/** A producer that meets the wrong brokers first may refuse requests before it has found a working one. */
async function appends(t: Test, log: EventLog, payload: string): Promise<void> {
  for (const end = performance.now() + 30_000; performance.now() < end; await pause(50))
    try {
      await log.append([record(0, payload)])
      return
    } catch (error) {
      if (!(error instanceof LogUnavailableError)) throw error
    }
  t.fail(`nothing was appended: ${payload}`)
}
