import t from 'tap'
import { seededRandom } from '../../../bench/support/random.js'
import { SEED } from '../../../test/support/cases.js'
import { kafkaProblem } from '../../../test/support/kafka.js'
import { LogUnavailableError } from '../../port.js'
import { record } from '../../test/support/contract.js'
import { watchStalls } from '../../test/support/stalls.js'
import { KafkaAppender } from '../append/kafka-appender.js'
import { ALL, appendBenches, PARTITIONS } from './support/append-bench.js'
import { NOTHING_WRONG } from './support/ledger.js'
import { API, startTamper, type Tampering } from './support/tamper.js'

/** Kafka's error code. */
const CONCURRENT_TRANSACTIONS = 51

/** Whether it is a commit of records. The commit while a producer opens follows an offset only. */
function endsGroup(apiKey: number, before: number): boolean {
  return apiKey === API.endTransaction && before === API.produce
}

t.test('requests are appended to Kafka', { skip: kafkaProblem() ?? false }, async (t) => {
  const { cluster, bench } = await appendBenches(t)

  await t.test(
    'concurrent calls keep their order in every partition, whichever producer writes them',
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
    'a group with a partition without a leader is written whole or not at all (hazard B)',
    async (t) => {
      // The appender expects one partition more than there is; kafkajs silently drops its records.
      const { appender, ledger, count } = await bench({ partitions: PARTITIONS + 1, identityPartitions: 1 })
      const good = await ledger.append(appender, [0, 1], 10)
      const partly = await ledger.append(appender, [0, 1, PARTITIONS], 10)
      const after = await ledger.append(appender, [0, 1], 10)
      t.same([good.outcome, partly.outcome, after.outcome], ['accepted', 'refused', 'accepted'])
      await appender.close()
      t.match(await count(), NOTHING_WRONG)
    },
  )

  await t.test(
    'an unknown partition is refused, and a call without records is accepted until the appender closes',
    async (t) => {
      const { appender } = await bench()
      await t.rejects(appender.append([record(0, 'torn'), record(PARTITIONS + 1, 'torn')]), RangeError)
      await appender.append([])
      await appender.close()
      await t.rejects(appender.append([]), LogUnavailableError)
      await t.rejects(appender.ping(), LogUnavailableError)
    },
  )

  for (const [hazard, apiKey] of [
    ['A and C: sending fails', API.produce],
    // A refusal comes as soon as a commit is found not to have been.
    ['D and E: committing fails', API.endTransaction],
  ] as const)
    await t.test(`${hazard}, in every way`, async (t) => {
      const tamper = await startTamper(cluster.brokers)
      t.teardown(() => tamper.close())
      const { appender, ledger, count } = await bench({ gatherMs: 0, maxGroupBytes: 4_000 }, tamper)
      const random = seededRandom(apiKey + SEED)
      const stalls = watchStalls()
      t.teardown(() => stalls.stop())
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
      // Each outcome becomes known. One commit of up to twelve requests may stay open if the machine stalled.
      t.ok(
        found.unknown === 0 || (found.unknown <= 12 && stalls.worst() > 250),
        `${found.unknown} outcomes are not found out`,
      )
      t.ok(found.slowestRefusal < 20_000, `refused within ${found.slowestRefusal} ms`)
    })

  await t.test('a coordinator that answers CONCURRENT_TRANSACTIONS has not committed yet', async (t) => {
    const tamper = await startTamper(cluster.brokers)
    t.teardown(() => tamper.close())
    const { appender, ledger, options, count } = await bench({}, tamper)
    const patience = Buffer.alloc(6)
    patience.writeInt16BE(CONCURRENT_TRANSACTIONS, 4)
    let asked = 0
    tamper.decide = (key, before) => {
      const isAgain = key === API.endTransaction && before === API.endTransaction
      if (!isAgain && !endsGroup(key, before)) return 'pass'
      return ++asked <= 2 ? { answer: patience } : 'pass'
    }
    const { outcome } = await ledger.append(appender, ALL, 10)
    // On a machine that stands still the producer is given up before: then it is refused.
    t.ok(asked >= 3 || outcome !== 'accepted', `${outcome} after ${asked} questions`)
    tamper.decide = () => 'pass'
    await appender.close()
    // A new appender aborts the transaction that was left open.
    const again = new KafkaAppender(options)
    await again.ready()
    await again.close()
    t.match(await count(), NOTHING_WRONG)
  })

  await t.test('an older state of the coordinator does not decide the outcome of a commit', async (t) => {
    const tamper = await startTamper(cluster.brokers)
    t.teardown(() => tamper.close())
    const { appender, ledger, count } = await bench({}, tamper)
    for (const after of ['mute', 'lose'] as const) {
      await ledger.append(appender, ALL, 10)
      const stale = tamper.firstAnswers.get(API.offsetFetch)
      if (stale === undefined) throw new Error('no producer has asked for its id')
      let ended = false
      let asked = 0
      tamper.decide = (key, before) => {
        if (endsGroup(key, before) && !ended) {
          ended = true
          return after
        }
        // As a broker that was frozen while another took its place, and still answers.
        return ended && key === API.offsetFetch && ++asked <= 3 ? { answer: stale } : 'pass'
      }
      const { outcome } = await ledger.append(appender, ALL, 10)
      // On a machine that stands still the producer is given up before it ends anything: then it is refused.
      t.ok(ended ? outcome !== (after === 'mute' ? 'refused' : 'accepted') : outcome === 'refused', after)
      t.ok(!ended || asked > 3 || outcome === 'unknown', 'the question was asked until the answer was new')
      tamper.decide = () => 'pass'
    }
    await appender.close()
    t.match(await count(), NOTHING_WRONG)
  })

  await t.test(
    'bytes in flight are limited, and requests beyond the limit are refused immediately',
    async (t) => {
      const { appender } = await bench({ maxBytesInFlight: 10_000 })
      const answers: string[] = []
      const written = appender.append([record(0, 'x'.repeat(9_000))]).then(() => answers.push('written'))
      await t.rejects(appender.append([record(0, 'x'.repeat(1_001))]), LogUnavailableError)
      answers.push('refused')
      await written
      t.same(answers, ['refused', 'written'])
      await appender.append([record(0, 'x'.repeat(1_001))])
      await appender.close()
    },
  )
})
