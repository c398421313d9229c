import t from 'tap'
import { v7 } from 'uuid'
import { quiet } from '../../../consumers/test/support/pipeline.js'
import { TestStores } from '../../../consumers/test/support/stores.js'
import { listExportedDays, requestDaysAgain } from '../../../postgres/tables/exported-days.js'
import type { Services } from '../../services.js'
import { exportJob } from '../export-job.js'

const stores = new TestStores()
t.teardown(() => stores.close())

t.test('a day waits for an erasure only while it counts and removes rows', async (t) => {
  const { sql } = await stores.postgres()
  const workspaceId = v7()
  await sql`insert into workspaces (id, name, created_at) values (${workspaceId}, 'w', now())`
  await sql`insert into exported_days (workspace_id, day) values (${workspaceId}, '2026-06-30')`
  await sql`
    insert into erasures (id, workspace_id, requested_at, status) values
      (${v7()}, ${workspaceId}, now(), 'pending'), (${v7()}, ${workspaceId}, now(), 'running')`
  const exports = { endpoint: 'http://127.0.0.1:1', bucket: 'b', region: 'auto', prefix: '', days: 1 }
  const services = {
    sql,
    clickhouse: await stores.clickhouse(),
    exports: { ...exports, accessKeyId: 'a', secretAccessKey: 'b' },
    logger: quiet,
    now: Date.now,
  } as unknown as Services
  // A day without events has no object.
  const work = { services, payload: { workspaceId }, signal: new AbortController().signal }
  const waits = async (step: string): Promise<boolean> => {
    await sql`update erasures set step = ${step} where status = 'running'`
    await sql.begin((tx) => requestDaysAgain(tx, workspaceId, ['2026-06-30']))
    await exportJob.effect?.(work as unknown as Parameters<NonNullable<typeof exportJob.effect>>[0])
    return (await listExportedDays(sql, workspaceId, 1))[0]?.due ?? false
  }
  const steps = ['wait', 'links', 'letters', 'count', 'events', 'names', 'stored-links', 'files', 'forget']
  const waiting: string[] = []
  for (const step of steps) if (await waits(step)) waiting.push(step)
  t.same(waiting, ['count', 'events'])
})
