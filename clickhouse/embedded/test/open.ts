import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../../runtime/package-root.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { migrateClickHouse } from '../../migrate.js'
import {
  blockOf,
  eventsOf,
  failureOf,
  storedIn,
  testContract,
  WORKSPACE,
} from '../../test/support/contract.js'
import { personOf } from '../../test/support/person-of.js'
import { openEmbeddedClickHouse } from '../open.js'
import { removeScratchFile, scratchFiles } from '../scratch-files.js'

t.test('the embedded engine meets the contract of the port', async (t) => {
  const path = t.testdir()
  const clickhouse = await openEmbeddedClickHouse({ path })
  const other = await openEmbeddedClickHouse({ path })
  await migrateClickHouse(clickhouse)
  await testContract(t, clickhouse, other)
})

t.test('a link does not wait for a block of events', async (t) => {
  const clickhouse = await openEmbeddedClickHouse({ path: t.testdir() })
  t.teardown(() => clickhouse.close())
  await migrateClickHouse(clickhouse)
  const ended: string[] = []
  // Three seconds are what a statement may sleep.
  const blocks = Promise.all(
    [1, 2].map(async () => {
      await clickhouse.command('SELECT sleep(2)')
      ended.push('block')
    }),
  )
  await clickhouse.insertLinks([{ workspaceId: WORKSPACE, anonymousKey: 7n, userKey: 8n }])
  ended.push('link')
  await blocks
  t.same(ended, ['link', 'block', 'block'])
})

t.test('stored rows are there after the engine is opened again', async (t) => {
  const path = t.testdir()
  const first = await openEmbeddedClickHouse({ path })
  await migrateClickHouse(first)
  const block = blockOf('kept', eventsOf(100))
  await first.insertEvents(block)
  await first.insertLinks([{ workspaceId: WORKSPACE, anonymousKey: 5n, userKey: 6n }])
  const stored = await storedIn(first)
  await first.close()

  const second = await openEmbeddedClickHouse({ path })
  t.same(await storedIn(second), stored)
  await second.insertEvents(block)
  await second.insertEvents({ ...block, chunks: blockOf('', eventsOf(50)).chunks })
  t.same(await storedIn(second), stored, 'tokens are kept too')
  const third = await openEmbeddedClickHouse({ path })
  t.equal(await personOf(third, WORKSPACE, 5n), '6')
  t.same((await third.query('SELECT count() AS links FROM links_join')).rows, [{ links: 1 }])
  await third.close()
  await second.close()
})

t.test('queries run in parallel; one without a free reader waits, and can be cancelled', async (t) => {
  const path = t.testdir()
  const clickhouse = await openEmbeddedClickHouse({ path, readers: 2 })
  const other = await openEmbeddedClickHouse({ path })
  const endless = (ends: AbortController) =>
    failureOf(
      clickhouse.query('SELECT sum(sipHash64(number)) FROM numbers(1000000000000)', {
        settings: { max_execution_time: 60 },
        signal: ends.signal,
      }),
    )
  const running = async (what: string): Promise<number> => {
    const { rows } = await other.query<{ n: number }>(
      `SELECT count() AS n FROM system.processes WHERE query LIKE '%${what}%' AND query NOT LIKE '%processes%'`,
    )
    return rows[0]?.n ?? 0
  }
  const ends = [new AbortController(), new AbortController()] as const
  const asked = ends.map(endless)
  await waitUntil(async () => (await running('sipHash64(number)')) >= 2)
  let answered = false
  const third = clickhouse.query('SELECT 3 AS three').then(({ rows }) => {
    answered = true
    return rows
  })
  const abort = new AbortController()
  const leaving = failureOf(clickhouse.query('SELECT 4', { signal: abort.signal }))
  await clickhouse.ping()
  await clickhouse.command('CREATE TABLE side_by_side (n UInt8) ENGINE = Memory')
  abort.abort()
  t.match(await leaving, { code: 'cancelled' })
  t.equal(answered, false, 'neither pings nor writes nor leaving waited for a reader')
  ends[0].abort()
  t.same(await third, [{ three: 3 }], 'who waited has the reader that is free')
  ends[1].abort()
  for (const failure of await Promise.all(asked)) t.match(failure, { code: 'cancelled' })

  const slow = 'SELECT sleepEachRow(3) AS slept FROM numbers(1)'
  const refused = failureOf(clickhouse.query(slow))
  const also = failureOf(clickhouse.query(slow))
  const waiting = failureOf(clickhouse.query(slow))
  await waitUntil(async () => (await running('sleepEachRow')) >= 2)
  await clickhouse.close()
  await other.close()
  t.same(await refused, {})
  t.same(await also, {})
  t.match(await waiting, { code: 'closed' }, 'what still waits at the end is refused')
})

t.test('an aborted or failed statement leaves no file', async (t) => {
  const path = t.testdir()
  const marked = () => readdirSync('/dev/shm').filter((name) => name.includes(`-${process.pid}.`))
  const clickhouse = await openEmbeddedClickHouse({ path })
  await migrateClickHouse(clickhouse)
  /** Resolves once the statement has a file, or has ended before it was seen. */
  const hasFile = async (statement: Promise<unknown>): Promise<void> => {
    let ended = false
    void statement.then(() => {
      ended = true
    })
    await waitUntil(() => marked().length > 0 || ended, { pollMs: 1 })
  }
  const rows = eventsOf(50_000)
  const abort = new AbortController()
  const inserting = failureOf(clickhouse.insertEvents(blockOf('aborted', rows), abort.signal))
  await hasFile(inserting)
  abort.abort()
  // Unless it was done by then.
  t.match((await inserting).code ?? 'cancelled', 'cancelled')
  const damaged = blockOf('damaged', rows)
  t.match(
    await failureOf(
      clickhouse.insertEvents({ ...damaged, chunks: damaged.chunks.map((c) => c.subarray(0, -3)) }),
    ),
    { name: 'ClickHouseError', code: 'query', retryable: false },
  )
  const asking = new AbortController()
  const asked = failureOf(
    clickhouse.rowBinary('SELECT sipHash64(number) FROM numbers(3000000)', { signal: asking.signal }).next(),
  )
  await hasFile(asked)
  asking.abort()
  t.match((await asked).code ?? 'cancelled', 'cancelled')
  await clickhouse.insertEvents(blockOf('aborted', rows))
  t.same((await clickhouse.query('SELECT count() AS count FROM events')).rows, [{ count: 50_000 }])
  await clickhouse.close()
  t.same(marked(), [])
})

t.test('files of an earlier process are removed', async (t) => {
  const path = t.testdir({ data: {}, scratch: {} })
  const data = join(path, 'data')
  const scratchDir = join(path, 'scratch')
  const left = scratchFiles(data, scratchDir)
    .write([Buffer.from('rows')])
    .replace(`-${process.pid}.`, '-1.')
  const own = scratchFiles(data, scratchDir).write([Buffer.from('rows')])
  writeFileSync(left, 'rows')
  const name = left.split('/').at(-1) ?? ''
  writeFileSync(join(scratchDir, name), 'rows')
  const clickhouse = await openEmbeddedClickHouse({ path: data, scratchDir })
  t.same(readdirSync(scratchDir), [])
  const memory = readdirSync('/dev/shm')
  t.notOk(memory.includes(name))
  t.ok(memory.includes(own.split('/').at(-1) ?? ''), 'what this process has written stays')
  for (const file of memory.filter((file) => file.includes(`-${process.pid}.`)))
    removeScratchFile(join('/dev/shm', file))
  await clickhouse.close()
})

t.test('a directory that another process holds is refused at once', async (t) => {
  const path = t.testdir()
  const code = `const { Session } = require('chdb'); new Session(${JSON.stringify(path)}); console.log('open'); setInterval(() => {}, 1000)`
  const holder = spawn(process.execPath, ['--eval', code], {
    cwd: packageRoot(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => holder.kill('SIGKILL'))
  await once(holder.stdout, 'data')
  const startedAt = performance.now()
  const failure = await failureOf(openEmbeddedClickHouse({ path }))
  t.match(failure, { code: 'unavailable', message: `in use by another process (${holder.pid})` })
  t.ok(performance.now() - startedAt < 30_000)
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  const clickhouse = await openEmbeddedClickHouse({ path })
  await clickhouse.ping()
  await clickhouse.close()
})
