import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { readMigrations } from '../../../runtime/migrations.js'
import { packageRoot } from '../../../runtime/package-root.js'
import { startRecordingProxy } from '../../../test/support/clickhouse/recording-proxy.js'
import { clickhouseProblem, startClickHouseServer } from '../../../test/support/clickhouse/server.js'
import { startFaultProxy } from '../../../test/support/network/fault-proxy.js'
import { migrateClickHouse, statementsOf } from '../../migrate.js'
import { blockOf, eventsOf, failureOf, testContract, WORKSPACE } from '../../test/support/contract.js'
import { personOf } from '../../test/support/person-of.js'
import { openRemoteClickHouse } from '../open.js'

const skip = clickhouseProblem() ?? false
t.test('the remote adapter works over HTTP', { skip }, async (t) => {
  const behind = await startClickHouseServer(t.testdir())
  t.teardown(() => behind.kill())
  const server = await startRecordingProxy(behind.url)
  t.teardown(() => server.close())
  const url = `${server.url}/svc_test`

  await t.test('a database that is missing needs a user who may create it', async (t) => {
    const reader = openRemoteClickHouse({ url: `${behind.readerUrl}/svc_test` })
    t.match(await failureOf(reader), { code: 'denied', type: 'READONLY', retryable: false })
  })
  const clickhouse = await openRemoteClickHouse({ url })
  const other = await openRemoteClickHouse({ url })
  await migrateClickHouse(clickhouse)

  await t.test('a wrong password and an unreachable server have their error codes', async (t) => {
    for (const user of ['svc:wrong', 'nobody:', 'default:wrong']) {
      const stranger = url.replace(/\/\/.*@/, `//${user}@`)
      t.match(await failureOf(openRemoteClickHouse({ url: stranger })), {
        code: 'denied',
        message: /Authentication failed: password is incorrect/,
        retryable: false,
      })
    }
    t.match(await failureOf(openRemoteClickHouse({ url: 'http://127.0.0.1:1/svc' })), { code: 'unavailable' })
  })

  await t.test('a user who may only read can ask, and nothing else', async (t) => {
    const reader = await openRemoteClickHouse({ url: `${behind.readerUrl}/svc_test` })
    t.teardown(() => reader.close())
    t.same((await reader.query('SELECT count() AS n FROM events')).rows, [{ n: 0 }])
    const link = { workspaceId: WORKSPACE, anonymousKey: 1n, userKey: 2n }
    const block = blockOf('1', eventsOf(1))
    for (const write of [
      () => reader.insertEvents(block),
      () => reader.insertLinks([link]),
      () => migrateClickHouse(reader),
    ])
      t.match(await failureOf(write()), { code: 'denied', type: 'READONLY' })
    t.same((await reader.query('SELECT count() AS n FROM events')).rows, [{ n: 0 }])
  })

  await t.test('an old server and one that is not ClickHouse are refused', async (t) => {
    const old = await startRecordingProxy(behind.url, {
      name: () => 'old',
      playable: (statement) => statement.replace('version() AS', "'25.7.6.8' AS"),
    })
    t.teardown(() => old.close())
    t.match(await failureOf(openRemoteClickHouse({ url: `${old.url}/svc_test` })), {
      variable: 'SVC_CLICKHOUSE_URL',
      message: /leads to ClickHouse 25\.7\.6\.8/,
    })
    const page = createServer((_request, response) => response.end('<html>log in</html>'))
    await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve))
    t.teardown(() => page.close())
    const { port } = page.address() as AddressInfo
    t.match(await failureOf(openRemoteClickHouse({ url: `http://127.0.0.1:${port}/svc` })), {
      code: 'unavailable',
      message: /not ClickHouse/,
    })
  })

  await t.test('a server that accepts connections and never answers is unavailable', async (t) => {
    const { hostname: host, port } = new URL(url)
    const proxy = await startFaultProxy({ host, port: Number(port) })
    t.teardown(() => proxy.close())
    await proxy.set('hang')
    const opening = openRemoteClickHouse({ url: url.replace(`:${port}/`, `:${proxy.port}/`) })
    t.match(await failureOf(opening), { code: 'unavailable', retryable: true, message: /does not answer/ })
  })

  await t.test('a statement is sent with its settings and database as parameters', async (t) => {
    const before = server.requests.length
    await clickhouse.command('SELECT 1', { settings: { max_threads: 1 } })
    t.equal(server.requests[before]?.get('max_threads'), '1')
    t.equal(server.requests[before]?.get('wait_end_of_query'), '1')
    t.equal(server.requests[before]?.get('database'), 'svc_test')
  })

  await t.test('a dictionary whose password is no longer valid is created again', async (t) => {
    const definition = readMigrations(join(packageRoot(), 'clickhouse', 'schema'))
      .flatMap((migration) =>
        statementsOf(migration, { ...clickhouse.schema, credentials: { user: 'svc', password: 'old' } }),
      )
      .find((statement) => statement.startsWith('CREATE DICTIONARY'))
    await clickhouse.command('DROP DICTIONARY links SYNC')
    await clickhouse.command(definition ?? '')
    t.match(await failureOf(clickhouse.command('SYSTEM RELOAD DICTIONARY links')), { code: 'denied' })
    await migrateClickHouse(clickhouse)
    t.equal(await personOf(clickhouse, WORKSPACE, 5n), '5')
  })

  await t.test('long lists are part of the statement, because servers refuse long parameters', async (t) => {
    const ids = Array.from({ length: 50_000 }, (_, index) => 2n ** 128n - 1n - BigInt(index))
    const sql = `SELECT sum(n IN {ids:Array(UInt128)}) AS found, {text:String} AS text
      FROM (SELECT arrayJoin([CAST('340282366920938463463374607431768211455', 'UInt128'), 7]) AS n)`
    const text = "{ids:Array(UInt128)} '"
    const { rows } = await clickhouse.query(sql, { params: { ids, text } })
    t.same(rows, [{ found: 1, text }])
    const sent = () => server.requests.findLast((request) => request.has('param_text'))
    t.notOk(sent()?.has('param_ids'))
    t.equal(sent()?.get('param_text'), text.replace("'", "\\'"))
    // Sixteen thousand characters of address are more than many a server of HTTP takes.
    const some = clickhouse.rowBinary(sql, { params: { ids: ids.slice(0, 400), text } })
    for await (const _ of some);
    t.notOk(sent()?.has('param_ids'))
    await clickhouse.query(sql, { params: { ids: ids.slice(0, 3), text } })
    t.ok(sent()?.has('param_ids'), 'short ones are bound')
  })

  await testContract(t, clickhouse, other)
})
