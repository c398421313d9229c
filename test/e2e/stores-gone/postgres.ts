import t from 'tap'
import { startOnPostgres } from '../../support/stores.js'
import { testPostgresGone } from '../suites/stores-gone-postgres.js'

t.test('npm start without Postgres', { timeout: 600_000 }, async (t) => {
  const { service, ...postgres } = await startOnPostgres(t)
  await testPostgresGone(t, { ...service, ...postgres, needing: [service], programs: [service.process] })
  await postgres.proxy.set('hang')
  const stoppedAt = performance.now()
  t.equal(await service.stop(), 0)
  const ms = Math.round(performance.now() - stoppedAt)
  t.ok(ms < 25_000, `stopped while Postgres hangs in ${ms} ms`)
})
