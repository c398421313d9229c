import t from 'tap'
import { startOnClickHouse } from '../../support/stores.js'
import { testClickHouseGone } from '../suites/stores-gone-clickhouse.js'

t.test('npm start without ClickHouse', { timeout: 600_000 }, async (t) => {
  const { service, proxy } = await startOnClickHouse(t)
  await testClickHouseGone(t, { ...service, proxy, needing: [service], programs: [service.process] })
  t.equal(await service.stop(), 0)
})
