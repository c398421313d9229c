import { readdirSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { mountSmallDisk } from '../../../test/support/outage/small-disk.js'
import { temporaryDataDir, until } from '../../../test/support/service.js'
import { openEmbeddedClickHouse } from '../open.js'

t.test('if a full disk leaves a merged part empty, the parts before the merge are used again', async (t) => {
  const data = temporaryDataDir()
  t.teardown(() => data.remove())
  const path = join(data.path, 'clickhouse')
  const disk = mountSmallDisk(t, path, 60)
  if (typeof disk === 'string') {
    await t.test('on a small disk', { skip: disk }, async () => {})
    return
  }
  const clickhouse = await openEmbeddedClickHouse({ path, readers: 1 })
  t.teardown(() => clickhouse.close())
  await clickhouse.command('CREATE TABLE svc.numbers (n UInt64) ENGINE = MergeTree ORDER BY n')
  for (const from of [0, 1_000, 2_000])
    await clickhouse.command(`INSERT INTO svc.numbers SELECT number + ${from} FROM numbers(1000)`)
  await clickhouse.command('OPTIMIZE TABLE svc.numbers FINAL')
  const { rows } = await clickhouse.query<{ path: string }>(
    "SELECT path FROM system.parts WHERE table = 'numbers' AND active",
  )
  t.equal(rows.length, 1, 'one part')
  // With a full disk the engine leaves empty files, because it does not notice that its writes fail.
  const part = rows[0]?.path ?? ''
  for (const file of readdirSync(part)) truncateSync(join(part, file))
  const sum = () =>
    clickhouse.query<{ sum: number }>('SELECT sum(n) AS sum FROM svc.numbers').then(
      (answer) => Number(answer.rows[0]?.sum),
      (error: { code: string }) => error.code,
    )
  t.equal(await sum(), 'unavailable', 'what cannot be read may come back')

  const filledOnce = async () => {
    disk.fill()
    await sleep(300)
    const refused = await clickhouse.command('INSERT INTO svc.numbers SELECT 1').then(
      () => 'inserted',
      (error: { code: string }) => error.code,
    )
    disk.free()
    await sleep(300)
    return { refused, sum: await sum() }
  }
  const right = (2_999 * 3_000) / 2
  t.same(await until(filledOnce, (seen) => seen.sum === right), { refused: 'disk_full', sum: right })
  await clickhouse.command('INSERT INTO svc.numbers SELECT 1')
  t.equal(await sum(), right + 1, 'it goes on by itself')
})
