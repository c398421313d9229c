import { join } from 'node:path'
import t from 'tap'
import { readMigrations } from '../../../runtime/migrations.js'
import { packageRoot } from '../../../runtime/package-root.js'
import { startClickHouseHttp } from '../../../test/support/clickhouse/http.js'
import { startFaultProxy } from '../../../test/support/network/fault-proxy.js'
import { migrateClickHouse, statementsOf } from '../../migrate.js'
import { failureOf, testContract } from '../../test/support/contract.js'
import { openRemoteClickHouse } from '../open.js'

t.test('the remote adapter works over HTTP', async (t) => {
  const server = await startClickHouseHttp()
  t.teardown(() => server.close())
  const url = `${server.url}/svc_test`
  const clickhouse = await openRemoteClickHouse({ url })
  const other = await openRemoteClickHouse({ url })
  await migrateClickHouse(clickhouse)

  await t.test('a wrong password and an unreachable server have their error codes', async (t) => {
    const stranger = url.replace('//default@', '//default:wrong@')
    t.match(await failureOf(openRemoteClickHouse({ url: stranger })), {
      code: 'denied',
      type: 'AUTHENTICATION_FAILED',
      retryable: false,
    })
    t.match(await failureOf(openRemoteClickHouse({ url: 'http://127.0.0.1:1/svc' })), { code: 'unavailable' })
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
        statementsOf(migration, { ...clickhouse.schema, credentials: { user: 'default', password: 'old' } }),
      )
      .find((statement) => statement.startsWith('CREATE DICTIONARY'))
    await clickhouse.command('DROP DICTIONARY links SYNC')
    await clickhouse.command(definition ?? '')
    t.match(await failureOf(clickhouse.command('SYSTEM RELOAD DICTIONARY links')), { code: 'denied' })
    await migrateClickHouse(clickhouse)
    const { rows } = await clickhouse.query(`SELECT ${clickhouse.personKeySql('toUInt64(5)')} AS key`)
    t.same(rows, [{ key: 5 }])
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
