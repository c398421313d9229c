import t from 'tap'
import { TestStores } from '../../test/support/stores.js'
import { registerLog } from '../register-log.js'

const stores = new TestStores()
t.teardown(() => stores.close())

const LOG = { id: '0190c8f1-0000-7000-8000-00000000000a', partitions: 4, identityPartitions: 1 }
const OTHER = { ...LOG, id: '0190c8f1-0000-7000-8000-00000000000b' }

t.test('a log keeps its partition counts, and can only replace a drained log', async (t) => {
  const { sql } = await stores.postgres()
  await Promise.all([registerLog(sql, LOG), registerLog(sql, LOG)])
  await registerLog(sql, LOG)
  t.equal((await sql`select * from logs`).length, 1)
  await t.rejects(registerLog(sql, { ...LOG, partitions: 8 }), { code: 'layout', retryable: false })
  await t.rejects(registerLog(sql, { ...LOG, identityPartitions: 2 }), /keeps its counts for life/)
  await t.rejects(registerLog(sql, OTHER), { code: 'other_log_open', retryable: true })
  await sql`update logs set drained_at = now()`
  await registerLog(sql, OTHER)
  await t.rejects(registerLog(sql, LOG), { code: 'drained' }, 'the way back is closed')
})
