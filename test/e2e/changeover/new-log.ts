import { spawn } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { svc } from '../../../cli/test/support/run.js'
import { packageRoot } from '../../../runtime/package-root.js'
import { kafkaProblem, startKafka } from '../../support/kafka.js'
import { freePort } from '../../support/network/free-port.js'
import { withoutSvc } from '../../support/program.js'
import {
  call,
  callAgain,
  compiledRoot,
  countOf,
  startService,
  temporaryDataDir,
  until,
} from '../../support/service.js'
import { Traffic } from '../../support/traffic.js'

/*
 * Moves from the embedded log to Kafka under constant traffic: the first log is drained, the second begins,
 * and each event is stored once, also events sent again after the change.
 * test/e2e/changeover/more-partitions.ts does the same from one log on Kafka to another, with separate
 * stages.
 */

const IDS = 120
const events = Array.from({ length: IDS }, (_, i) => ({
  event: 'kept',
  userId: `u${i}`,
  insertId: `kept-${i}`,
}))

t.test('svc moves from the embedded log to Kafka', { skip: kafkaProblem() ?? false }, async (t) => {
  const data = temporaryDataDir()
  t.teardown(() => data.remove())
  const kafka = await startKafka({ brokers: 1 })
  t.teardown(() => kafka.close())
  const [ingest, admin] = [await freePort(), await freePort()]
  const embedded = { SVC_INGEST_PORT: String(ingest), SVC_ADMIN_PORT: String(admin) }
  const onKafka = {
    ...embedded,
    SVC_KAFKA_BROKERS: kafka.brokers,
    SVC_KAFKA_PARTITIONS: '3',
    SVC_KAFKA_IDENTITY_PARTITIONS: '2',
    SVC_INSTANCE: 'one',
  }
  const log = async (...args: string[]) => {
    const { code, out, err } = await svc(['admin', 'log', ...args, '--json'], { SVC_DATA_DIR: data.path })
    return { code, err, body: out === '' ? undefined : JSON.parse(out) }
  }

  let service = await startService(data.path, { env: embedded })
  t.teardown(() => service.kill())
  const { keys } = service
  const send = (list: readonly object[]) =>
    call(keys.serverKey, 'POST', `${service.ingest}/v1/events`, { events: list }).then(({ status }) => status)
  // A busy machine may not know in time whether an id is linked.
  const alias = (anonymousId: string, userId: string) =>
    callAgain(keys.serverKey, 'POST', () => `${service.ingest}/v1/alias`, { anonymousId, userId })
  const traffic = new Traffic(
    // The API has another port at each start; the ingestion port stays.
    {
      get api() {
        return service.api
      },
      ingest: service.ingest,
      keys,
    },
    { clients: 4, events: 4, pauseMs: 100 },
  )
  t.equal(await send(events.slice(0, 80)), 202)
  t.equal(await send([{ event: 'linked', userId: 'ada', anonymousId: 'visitor' }]), 202)
  t.ok(await traffic.sees(202, 10))

  // Without a drain the second log has to wait: it says for what, and a signal ends it.
  t.equal(await service.stop(), 0)
  const early = await startEarly({ ...onKafka, SVC_DATA_DIR: data.path, SVC_API_PORT: '0' }, admin)
  t.match(early.message, /not drained: start with that log, or drain it first/)
  t.equal(early.code, 0)

  service = await startService(data.path, { env: embedded })
  t.ok(await traffic.sees(202, 10), 'the first one goes on')
  const drained = await log('drain', '--timeout', '300')
  t.equal(drained.code, 0, drained.err)
  t.match(drained.body, { state: 'drained', partitions: 1, writers: 0, problem: null })
  t.equal(await send(events), 503, 'nothing is accepted any more')
  const refused = { anonymousId: 'visitor-2', userId: 'ada' }
  t.equal((await call(keys.serverKey, 'POST', `${service.ingest}/v1/alias`, refused)).status, 503)
  t.match(await (await fetch(`${service.admin}/readyz`)).json(), { status: 'not ready', down: ['log'] })
  const { code: reopened, err } = await log('reopen')
  t.equal(reopened, 1)
  t.match(err, /LOG_DRAINED|is drained/)
  t.equal(await service.stop(), 0)
  await t.rejects(startService(data.path, { env: embedded }), /is drained, and nothing may follow in it/)

  service = await startService(data.path, { env: onKafka })
  t.ok(await traffic.sees(202, 10), 'clients go on where they were')
  t.equal(await send(events.slice(40)), 202, 'half of them for the second time')
  t.equal(await send([{ event: 'linked', userId: 'bo', anonymousId: 'visitor' }]), 202)
  t.equal((await alias('visitor', 'bo')).status, 409, 'the first link stands')
  t.match((await alias('visitor', 'ada')).body, { outcome: 'already-linked' })
  t.equal(await send(events), 202)
  t.match((await alias('visitor-2', 'ada')).body, { outcome: 'linked' })

  await traffic.stop()
  const { problems } = await traffic.verify(60)
  t.same(problems, [], 'each event of the traffic as it was answered')
  const kept = await until(
    () => countOf(service.api, keys.apiKey, 'kept'),
    (count) => count >= IDS,
  )
  t.equal(kept, IDS, 'each id once')
  const { body } = await log('list')
  t.match(body.data, [
    { state: 'drained', partitions: 1, identityPartitions: 1 },
    { state: 'open', partitions: 3, identityPartitions: 2, writers: 1 },
  ])
  t.equal(await service.stop(), 0)
})

/** Starts a program that has to wait for the log, and stops it once it reports that. */
async function startEarly(
  env: Readonly<Record<string, string>>,
  admin: number,
): Promise<{ readonly code: number | null; readonly message: string }> {
  const child = spawn(process.execPath, [join(packageRoot(), compiledRoot(), 'start/main.js')], {
    stdio: 'ignore',
    env: { ...withoutSvc(process.env), ...env },
  })
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const message = await until(
    async () => {
      try {
        const { body } = await call<{ message?: string; down: string[] }>(
          undefined,
          'GET',
          `http://127.0.0.1:${admin}/readyz`,
        )
        return body.down.includes('log') ? (body.message ?? '') : ''
      } catch {
        return ''
      }
    },
    (found) => found !== '',
    60,
  )
  child.kill('SIGTERM')
  return { code: await exited, message }
}
