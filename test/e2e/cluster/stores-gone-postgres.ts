import t from 'tap'
import { kafkaProblem } from '../../support/kafka.js'
import { deprivedCluster } from '../suites/deprived-cluster.js'
import { testPostgresGone } from '../suites/stores-gone-postgres.js'

t.test('stages without Postgres', { timeout: 600_000, skip: kafkaProblem() ?? false }, async (t) => {
  const { cluster, service } = await deprivedCluster(t, ['consumers', 'api'])
  await testPostgresGone(t, {
    ...service,
    keys: cluster.keys,
    proxy: cluster.postgresProxy,
    sql: cluster.sql,
    secretKey: Buffer.from(cluster.secretKey, 'base64'),
    restart: () => cluster.postgres.restart(),
  })
  await cluster.postgresProxy.set('hang')
  const stoppedAt = performance.now()
  t.same(await Promise.all(cluster.stages().map((stage) => stage.stop())), [0, 0, 0, 0])
  const ms = Math.round(performance.now() - stoppedAt)
  t.ok(ms < 25_000, `stopped while Postgres hangs in ${ms} ms`)
})
