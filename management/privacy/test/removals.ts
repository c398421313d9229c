import { randomUUID } from 'node:crypto'
import t from 'tap'
import { migrateClickHouse } from '../../../clickhouse/migrate.js'
import { openRemoteClickHouse } from '../../../clickhouse/remote/open.js'
import { blockOf, LOG } from '../../../clickhouse/test/support/contract.js'
import { connectPostgres } from '../../../postgres/driver/client.js'
import { startEmbeddedPostgres } from '../../../postgres/embedded/start.js'
import { migratePostgres } from '../../../postgres/migrate.js'
import { insertErasure, readErasureWork } from '../../../postgres/tables/erasures.js'
import { dueRetentions, findRetention, setRetention } from '../../../postgres/tables/retention.js'
import { clickhouseProblem, startClickHouseServer } from '../../../test/support/clickhouse/server.js'
import { temporaryDataDir } from '../../../test/support/service.js'
import type { Services } from '../../services.js'
import { erasureJob } from '../erasure-job.js'
import { retentionJob } from '../retention-job.js'

const skip = clickhouseProblem() ?? false
const { signal } = new AbortController()
const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 10, 27, 12)
const PERSON = 77n

class Crash extends Error {
  override readonly name = 'Crash'
}

t.test('erasures and retention on a server', { skip, timeout: 120_000 }, async (t) => {
  const folder = temporaryDataDir()
  t.teardown(() => folder.remove())
  const postgres = await startEmbeddedPostgres({ dataDir: `${folder.path}/postgres`, durable: false })
  t.teardown(() => postgres.stop())
  const sql = connectPostgres({ url: postgres.url, applicationName: 'test', maxConnections: 6 })
  t.teardown(() => sql.end({ timeout: 1 }))
  await migratePostgres(sql)
  const server = await startClickHouseServer(`${folder.path}/clickhouse`)
  t.teardown(() => server.kill())
  const clickhouse = await openRemoteClickHouse({ url: `${server.url}/svc_test` })
  t.teardown(() => clickhouse.close())
  await migrateClickHouse(clickhouse)

  let crashAt: string | undefined
  let now = NOW
  const services = {
    sql,
    clickhouse,
    log: undefined,
    embeddedPostgres: false,
    now: () => now,
    faultPoint(name: string) {
      if (name !== crashAt) return
      crashAt = undefined
      throw new Crash()
    },
  } as Partial<Services> as Services

  /** A workspace with old and new events of a person and of others. */
  async function newWorkspace(): Promise<string> {
    const workspaceId = randomUUID()
    await sql`insert into workspaces (id, name, created_at) values (${workspaceId}, 'w', now())`
    const rows = [1n, PERSON].flatMap((personKey) =>
      [100, 1].flatMap((days) =>
        ['visited', ...(days === 100 ? ['old'] : []), ...(personKey === PERSON ? ['mine'] : [])].map(
          (event) => ({
            workspaceId,
            event,
            personKey,
            receivedAt: NOW - days * DAY_MS,
          }),
        ),
      ),
    )
    await clickhouse.insertEvents(blockOf(workspaceId, rows))
    return workspaceId
  }

  async function requestErasure(workspaceId: string): Promise<string> {
    const id = randomUUID()
    await sql.begin((tx) =>
      insertErasure(tx, {
        id,
        workspaceId,
        userId: null,
        anonymousIds: ['a'],
        personKeys: [String(PERSON)],
        requestedAt: new Date(now),
      }),
    )
    return id
  }

  async function erase(workspaceId: string, erasureId: string): Promise<void> {
    const work = { services, payload: { workspaceId, erasureId }, signal, attempt: 1 }
    await erasureJob.effect?.(work)
    await sql`update erasures set status = 'done', finished_at = ${new Date(now)} where id = ${erasureId}`
  }

  const retain = async (workspaceId: string) =>
    retentionJob.effect?.({ services, payload: { workspaceId }, signal, attempt: 1 })

  async function names(workspaceId: string): Promise<unknown[]> {
    const { rows } = await clickhouse.query<{ name: string; events: number }>(
      'SELECT event AS name, sum(count) AS events FROM event_names WHERE workspace_id = {workspaceId:UUID} GROUP BY event ORDER BY event',
      { params: { workspaceId } },
    )
    return rows.map(({ name, events }) => `${name} ${events}`)
  }

  async function removedEvents(): Promise<number> {
    const [row] = await sql<{ events: number }[]>`
      select coalesce(sum(events), 0)::float8 as events from removed_events where log_id = ${LOG}`
    return row?.events ?? 0
  }

  await t.test('an erasure subtracts its rows once, although it crashes', async (t) => {
    const workspaceId = await newWorkspace()
    t.same(await names(workspaceId), ['mine 2', 'old 2', 'visited 4'])
    const id = await requestErasure(workspaceId)
    for (const point of ['erasure:events-worked', 'names:subtracted', 'erasure:names-worked']) {
      crashAt = point
      await t.rejects(erase(workspaceId, id), Crash)
      // As if the tables had forgotten the token since.
      if (point === 'erasure:names-worked')
        t.ok((await readErasureWork(sql, id))?.removedNames?.every(({ events }) => events === 0))
    }
    await erase(workspaceId, id)
    t.same(await names(workspaceId), ['old 1', 'visited 2'])
    t.equal((await readErasureWork(sql, id))?.removedNames, null, 'forgotten')
  })

  await t.test(
    'an erasure that an earlier version began compares the vocabulary with the rows',
    async (t) => {
      const workspaceId = await newWorkspace()
      const id = await requestErasure(workspaceId)
      crashAt = 'erasure:names'
      await t.rejects(erase(workspaceId, id), Crash)
      await sql`update erasures set removed_names = null where id = ${id}`
      await erase(workspaceId, id)
      t.same(await names(workspaceId), ['old 1', 'visited 2'])
    },
  )

  await t.test('retention subtracts its rows once', async (t) => {
    const workspaceId = await newWorkspace()
    await sql.begin((tx) => setRetention(tx, workspaceId, 62))
    crashAt = 'names:subtracted'
    await t.rejects(retain(workspaceId), Crash)
    const removal = await retain(workspaceId)
    t.same(await names(workspaceId), ['mine 1', 'visited 2'])
    await sql.begin((tx) =>
      retentionJob.conclude(
        tx,
        { services: { ...services, newId: randomUUID }, payload: { workspaceId }, signal, attempt: 1 },
        removal,
      ),
    )
    const [row] = await sql`select removed_names as names from retention where workspace_id = ${workspaceId}`
    t.equal(row?.names, null)
  })

  await t.test('rows that both would remove are counted once', async (t) => {
    const workspaceId = await newWorkspace()
    await sql.begin((tx) => setRetention(tx, workspaceId, 62))
    const before = await removedEvents()
    const id = await requestErasure(workspaceId)
    crashAt = 'erasure:events'
    await t.rejects(erase(workspaceId, id), Crash)
    t.notOk((await dueRetentions(sql, new Date(now))).includes(workspaceId))
    t.equal(await retain(workspaceId), undefined, 'retention waits for the erasure')
    await erase(workspaceId, id)
    t.equal(await retain(workspaceId), undefined, 'it may have counted rows that are gone')
    now += 1
    t.ok((await dueRetentions(sql, new Date(now))).includes(workspaceId))
    const second = await requestErasure(workspaceId)
    await sql`update erasures set status = 'done' where id = ${second}`
    await retain(workspaceId)
    t.match(await findRetention(sql, workspaceId), { removedBefore: null }, 'not concluded')
    await sql`update erasures set status = 'pending' where id = ${second}`
    await t.rejects(
      erase(workspaceId, second),
      /Other events of the workspace/,
      'an erasure waits for retention',
    )
    t.same(await names(workspaceId), ['visited 1'])
    t.equal((await removedEvents()) - before, 7)
    await sql`update retention set removing_until = null where workspace_id = ${workspaceId}`
    const other = await requestErasure(workspaceId)
    await sql`update erasures set status = 'running', step = 'names' where id = ${other}`
    await t.rejects(erase(workspaceId, second), /Other events of the workspace/, 'and for another erasure')
    await sql`update erasures set status = 'done' where id = ${other}`
    await erase(workspaceId, second)
    t.same(await names(workspaceId), ['visited 1'])
  })
})
