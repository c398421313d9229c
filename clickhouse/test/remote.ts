import t from 'tap'
import { startClickHouseHttp } from '../../test/support/clickhouse-http.js'
import { migrateClickHouse } from '../migrate.js'
import { openRemoteClickHouse } from '../remote.js'
import { failureOf, testContract } from './support/contract.js'

t.test('a ClickHouse server over HTTP', async (t) => {
  const server = await startClickHouseHttp()
  t.teardown(() => server.close())
  const url = `${server.url}/svc_test`
  const clickhouse = await openRemoteClickHouse({ url })
  const other = await openRemoteClickHouse({ url })
  await migrateClickHouse(clickhouse)

  await t.test('a user who is refused, a server that is not there', async (t) => {
    const stranger = url.replace('//default@', '//default:wrong@')
    t.match(await failureOf(openRemoteClickHouse({ url: stranger })), {
      code: 'unavailable',
      retryable: true,
    })
    t.match(await failureOf(openRemoteClickHouse({ url: 'http://127.0.0.1:1/svc' })), { code: 'unavailable' })
  })

  await t.test('a block goes out as bytes with its settings beside it', async (t) => {
    const before = server.requests.length
    await clickhouse.command('SELECT 1', { settings: { max_threads: 1 } })
    t.equal(server.requests[before]?.get('max_threads'), '1')
    t.equal(server.requests[before]?.get('wait_end_of_query'), '1')
    t.equal(server.requests[before]?.get('database'), 'svc_test')
  })

  await testContract(t, clickhouse, other)
})
