import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openRemoteClickHouse } from '../../../clickhouse/remote/open.js'
import { packageRoot } from '../../../runtime/package-root.js'
import { startClickHouseServer } from '../../support/clickhouse/server.js'
import { type StageKind, StageProgram } from '../../support/cluster/stage-program.js'
import { kafkaProblem, startKafka } from '../../support/kafka.js'
import { freePort } from '../../support/network/free-port.js'
import { startPostgresServer } from '../../support/postgres-server.js'
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
 * Runs "From embedded to stages" of docs/operate/README.md step by step, with its own commands and under
 * constant traffic. Postgres and ClickHouse of `npm start` become servers, and the stages store each event
 * once, also events sent again after the move. The first step, from the embedded log to Kafka, is
 * test/e2e/changeover/new-log.ts.
 */

const IDS = 120
const events = Array.from({ length: IDS }, (_, i) => ({
  event: 'kept',
  userId: `u${i}`,
  insertId: `kept-${i}`,
}))
const TABLES = ['events', 'event_names', 'event_order', 'exposures', 'identity_links']
const FEEDS = ['event_names_feed', 'event_order_feed', 'exposures_feed']
const READY_MS = 120_000

const guide = readFileSync(join(packageRoot(), 'docs/operate/README.md'), 'utf8')
const writing = /\*\*From embedded to stages\.\*\*[\s\S]*?```sh\n([\s\S]*?)```/.exec(guide)?.[1] ?? ''

t.test('embedded stores are moved to servers', { skip: kafkaProblem() ?? false }, async (t) => {
  const data = temporaryDataDir()
  const folder = temporaryDataDir()
  t.teardown(() => {
    data.remove()
    folder.remove()
  })
  const kafka = await startKafka({ brokers: 1 })
  t.teardown(() => kafka.close())
  const ports = { SVC_INGEST_PORT: String(await freePort()) }
  const onKafka = {
    SVC_KAFKA_BROKERS: kafka.brokers,
    SVC_KAFKA_PARTITIONS: '3',
    SVC_KAFKA_IDENTITY_PARTITIONS: '1',
  }
  const service = await startService(data.path, { env: { ...ports, ...onKafka } })
  t.teardown(() => service.kill())
  const { keys, ingest } = service
  const send = (list: readonly object[]) =>
    call(keys.serverKey, 'POST', `${ingest}/v1/events`, { events: list }).then(({ status }) => status)
  // A busy machine may not know in time whether an id is linked.
  const alias = (anonymousId: string, userId: string) =>
    callAgain(keys.serverKey, 'POST', () => `${ingest}/v1/alias`, { anonymousId, userId })
  let apiUrl = service.api
  const traffic = new Traffic(
    {
      get api() {
        return apiUrl
      },
      ingest,
      keys,
    },
    { clients: 4, events: 4, pauseMs: 100 },
  )
  t.equal(await send(events.slice(0, 80)), 202)
  t.equal(await send([{ event: 'seen', anonymousId: 'visitor', insertId: 'seen' }]), 202)
  t.equal(await send([{ event: 'linked', userId: 'ada', anonymousId: 'visitor' }]), 202)
  const steps = ['seen', 'bought'].map((eventName) => ({ eventName }))
  const funnel = await call<{ id: string }>(keys.apiKey, 'POST', `${apiUrl}/v1/funnel`, {
    name: 'Moved',
    steps,
  })
  t.equal(funnel.status, 201)
  t.ok(await traffic.sees(202, 10))
  t.equal(await service.stop(), 0, 'step 1: npm start ends')

  mkdirSync(join(folder.path, 'postgres'))
  const copied = spawnSync('cp', [
    '-a',
    join(data.path, 'postgres/cluster'),
    join(folder.path, 'postgres/cluster'),
  ])
  t.equal(copied.status, 0, String(copied.stderr))
  const postgres = await startPostgresServer(join(folder.path, 'postgres'))
  t.teardown(() => postgres.stop())
  const clickhouseServer = await startClickHouseServer(join(folder.path, 'clickhouse'))
  t.teardown(() => clickhouseServer.kill())
  const clickhouseUrl = `${clickhouseServer.url}/svc`

  const environment = {
    ...onKafka,
    SVC_POSTGRES_URL: postgres.url,
    SVC_CLICKHOUSE_URL: clickhouseUrl,
    SVC_SECRET_KEY: readFileSync(join(data.path, 'secret.key'), 'utf8').trim(),
    SVC_API_PORT: '0',
    SVC_ADMIN_PORT: '0',
    SVC_LOG_LEVEL: 'warn',
  }
  const stage = (kind: StageKind) => {
    const program = new StageProgram(kind, kind, join(packageRoot(), compiledRoot(), 'start'), {
      ...environment,
      ...(kind === 'ingest' ? ports : {}),
      SVC_INSTANCE: kind,
    })
    t.teardown(() => program.kill())
    return program
  }
  const [gateway, consumers, api] = [stage('ingest'), stage('consumers'), stage('api')]
  await gateway.start()
  t.ok(await traffic.sees(202, 10), 'step 2: events are accepted, and wait')
  t.equal(await send(events.slice(40)), 202, 'half of them for the second time')
  await api.start()
  await api.ready(READY_MS)
  t.equal(await api.stop(), 0, 'step 3: the tables are there')

  symlinkSync(join(packageRoot(), 'node_modules'), join(folder.path, 'node_modules'))
  symlinkSync(data.path, join(folder.path, 'data'))
  const written = spawnSync('bash', ['-euo', 'pipefail', '-c', writing], {
    cwd: folder.path,
    encoding: 'utf8',
  })
  t.equal(written.status, 0, `step 4: ${written.stdout}${written.stderr}`)

  const clickhouse = await openRemoteClickHouse({ url: clickhouseUrl })
  t.teardown(() => clickhouse.close())
  for (const feed of FEEDS) await clickhouse.command(`DETACH TABLE ${feed}`)
  for (const table of TABLES) {
    const address = new URL(clickhouseUrl)
    const query = new URLSearchParams({ database: 'svc', query: `INSERT INTO ${table} FORMAT Native` })
    const answer = await fetch(`${address.origin}/?${query}`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(`${address.username}:${decodeURIComponent(address.password)}`)}`,
      },
      body: readFileSync(join(folder.path, `${table}.native`)),
    })
    t.equal(answer.status, 200, `step 5: ${table}: ${await answer.text()}`)
  }
  for (const feed of FEEDS) await clickhouse.command(`ATTACH TABLE ${feed}`)

  await Promise.all([consumers.start(), api.start()])
  await Promise.all([consumers, api].map((program) => program.ready(READY_MS)))
  apiUrl = api.url ?? ''
  t.equal(await send(events), 202, 'all once more')
  t.equal((await alias('visitor', 'bo')).status, 409, 'the first link stands')
  t.equal(await send([{ event: 'bought', userId: 'ada' }]), 202)
  await traffic.stop()
  const { problems } = await traffic.verify(60)
  t.same(problems, [], 'step 6: each event of the traffic as it was answered')
  const kept = await until(
    () => countOf(apiUrl, keys.apiKey, 'kept'),
    (count) => count >= IDS,
  )
  t.equal(kept, IDS, 'each id once')
  const bought = await until(
    () => countOf(apiUrl, keys.apiKey, 'bought'),
    (count) => count >= 1,
  )
  t.equal(bought, 1)
  const { rows } = await clickhouse.query<Record<string, number>>(
    `SELECT (SELECT count() FROM events) AS events, (SELECT count() FROM event_order) AS ordered,
       (SELECT sum(count) FROM event_names) AS named`,
  )
  t.equal(rows[0]?.ordered, rows[0]?.events, 'the order of events has each once')
  t.equal(rows[0]?.named, rows[0]?.events, 'the vocabulary has each once')
  // A link is visible a moment after its events.
  const answer = await until(
    () =>
      call<{ entered: number; completed: number }>(
        keys.apiKey,
        'POST',
        `${apiUrl}/v1/funnel/${funnel.body.id}/query`,
        {},
      ),
    ({ body }) => body.completed === 1,
  )
  t.match(answer.body, { entered: 1, completed: 1 }, 'the link came along')
  for (const program of [gateway, consumers, api]) t.equal(await program.stop(), 0)
})
