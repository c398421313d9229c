import t from 'tap'
import { kafkaProblem } from '../../support/kafka.js'
import { deprivedCluster } from '../suites/deprived-cluster.js'
import { testClickHouseGone } from '../suites/stores-gone-clickhouse.js'

t.test('stages without ClickHouse', { timeout: 600_000, skip: kafkaProblem() ?? false }, async (t) => {
  const { cluster, service } = await deprivedCluster(t, ['consumers', 'api'])
  await testClickHouseGone(t, { ...service, proxy: cluster.clickhouseProxy })
  t.same(await Promise.all(cluster.stages().map((stage) => stage.stop())), [0, 0, 0, 0])
})
