import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { kafkaProblem } from '../../../test/support/kafka.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { LogOutcomeUnknownError, LogUnavailableError } from '../../port.js'
import { record } from '../../test/support/contract.js'
import { KafkaAppender } from '../append/kafka-appender.js'
import { ALL, appendBenches, connectionTo } from './support/append-bench.js'
import { NOTHING_WRONG } from './support/ledger.js'
import { API, startTamper } from './support/tamper.js'

/* Appenders end and start again, and a broker is away for longer than any request waits. */
t.test(
  'an appender survives restarts of its process and of its broker',
  { skip: kafkaProblem() ?? false },
  async (t) => {
    const { cluster, bench } = await appendBenches(t)

    await t.test(
      'a restarted process ends the transactions of its last run, and appends after them',
      async (t) => {
        const tamper = await startTamper(cluster.brokers)
        t.teardown(() => tamper.close())
        const { appender, ledger, options, count } = await bench({}, tamper)
        await ledger.append(appender, ALL, 10)
        const committing = new Promise<void>((resolve) => {
          tamper.decide = (key) => {
            if (key !== API.endTransaction) return 'pass'
            resolve()
            return 'hang'
          }
        })
        const left = ledger.append(appender, ALL, 10)
        await committing
        const again = new KafkaAppender({ ...options, connection: connectionTo(cluster) })
        const started = performance.now()
        await again.ready()
        t.ok(performance.now() - started < 9_500, 'it did not wait for the time-out of the transaction')
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
      'of two processes with one name the later one stays, and the other one stops with the reason',
      async (t) => {
        const lines: string[] = []
        const logger = {
          info: ignore,
          warn: ignore,
          error: (_: object, message: string) => void lines.push(message),
        }
        const { appender, ledger, options, count } = await bench({ logger })
        t.equal((await ledger.append(appender, ALL, 10)).outcome, 'accepted')
        const later = new KafkaAppender({ ...options, logger: undefined })
        await later.ready()
        const least = performance.now() + 2_500
        const end = performance.now() + 90_000
        while (performance.now() < least || (lines.length === 0 && performance.now() < end)) {
          await Promise.all([ledger.append(appender, ALL, 10), ledger.append(later, ALL, 10)])
          await pause(20)
        }
        t.match(lines[0], /another process appends to Kafka as events-\d+\.append\.gateway-1\.\d/)
        await t.rejects(appender.append([record(0, 'x')]), {
          name: 'LogUnavailableError',
          message: /another process/,
        })
        await t.rejects(appender.ping(), /another process/)
        await untilReady(t, later)
        t.equal((await ledger.append(later, ALL, 10)).outcome, 'accepted')
        await Promise.all([appender.close(), later.close()])
        const found = await count()
        t.comment(JSON.stringify(found))
        t.match({ ...found, disordered: 0 }, NOTHING_WRONG)
      },
    )

    await t.test(
      'with a frozen or killed broker answers come in time, and appends recover by themselves',
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
          // On a busy machine it is known later.
          let waited = Number.POSITIVE_INFINITY
          for (let tries = 0; waited > 1_000 && tries < 30; tries++) {
            const started = performance.now()
            await t.rejects(appender.append([record(0, 'now')]), LogUnavailableError)
            waited = performance.now() - started
          }
          t.ok(waited <= 1_000, 'once it is known to be away, requests do not wait')
          if (away === 'frozen') broker?.thaw()
          else await broker?.restart()
          const back = performance.now()
          await waitUntil(
            () => ledger.sent.findLast(({ outcome }) => outcome !== 'unknown')?.outcome === 'accepted',
          )
          t.comment(`after being ${away}: accepted again after ${Math.round(performance.now() - back)} ms`)
          stop = true
          await Promise.all(clients)
          await untilReady(t, appender)
        }
        await appender.close()
        const found = await count()
        t.comment(JSON.stringify(found))
        t.match(found, NOTHING_WRONG)
        t.ok(found.slowestRefusal < 45_000, `refused within ${found.slowestRefusal} ms`)
        t.ok(found.slowestUnknown < 45_000, `unknown within ${found.slowestUnknown} ms`)
        t.ok(found.refused > 0)
      },
    )

    await t.test('an unknown outcome is told apart from a refusal', async (t) => {
      const tamper = await startTamper(cluster.brokers)
      t.teardown(() => tamper.close())
      const { appender } = await bench({}, tamper)
      const committing = new Promise<void>((resolve) => {
        tamper.decide = (key) => {
          if (key === API.endTransaction) resolve()
          return key === API.endTransaction || key === API.initProducerId ? 'hang' : 'pass'
        }
      })
      const started = performance.now()
      const undecided = appender.append([record(0, 'x')])
      await committing
      const behind = Promise.all(
        Array.from({ length: 3 }, (_, i) => t.rejects(appender.append([record(0, `${i}`)]))),
      )
      await t.rejects(undecided, LogOutcomeUnknownError)
      t.ok(performance.now() - started < 30_000)
      await behind
      tamper.decide = () => 'pass'
      await appender.close()
    })
  },
)

/** Failures count against it for some seconds. */
async function untilReady(t: Test, appender: KafkaAppender): Promise<void> {
  let problem: unknown
  for (const end = performance.now() + 90_000; performance.now() < end; await pause(100))
    try {
      return await appender.ping()
    } catch (error) {
      problem = error
    }
  t.fail(`not ready again: ${problem}`)
}

function ignore(): void {}
