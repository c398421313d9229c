import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { waitUntil } from '../../../test/support/wait-until.js'
import { migrateClickHouse } from '../../migrate.js'
import { failureOf, testContract } from '../../test/support/contract.js'
import { openEmbeddedClickHouse } from '../open.js'
import { connectSharedClickHouse } from '../shared.js'

t.test('another thread works on the engine of the main thread, and may end', async (t) => {
  const path = t.testdir()
  const clickhouse = await openEmbeddedClickHouse({ path })
  await migrateClickHouse(clickhouse)
  const work = (part: string) => {
    const port = clickhouse.share()
    return new Worker(new URL('../../test/support/inserting-worker.js', import.meta.url), {
      workerData: { port, path, part },
      transferList: [port],
    })
  }
  const worker = work('whole')
  let done = false
  const exited = once(worker, 'exit').then(([code]) => {
    done = true
    return code
  })
  let queries = 0
  const mixed: unknown[] = []
  while (!done) {
    // Values of queries from both threads must never mix: each answer has to hold its own.
    const answers = await Promise.all(
      [1, 2, 3, 4].map((number) =>
        clickhouse.query<{ echo: string }>('SELECT {echo:String} AS echo, count() FROM events', {
          params: { echo: `main ${queries + number}` },
        }),
      ),
    )
    for (const [index, { rows }] of answers.entries())
      if (rows[0]?.echo !== `main ${queries + index + 1}`) mixed.push(rows)
    queries += 4
  }
  t.equal(await exited, 0, 'the worker did all of it')
  t.same(mixed, [])
  t.same((await clickhouse.query('SELECT count() AS count FROM events')).rows, [{ count: 20_000 }])

  // Killed in the middle of a query: it is gone from the engine, and the engine is still there.
  const killed = work('endless')
  await once(killed, 'message')
  const running = async () =>
    (
      await clickhouse.query(
        "SELECT 1 FROM system.processes WHERE query LIKE '%1000000000001%' AND query NOT LIKE '%system%'",
      )
    ).rows.length
  await waitUntil(async () => (await running()) > 0)
  await killed.terminate()
  await waitUntil(async () => (await running()) === 0)
  await waitUntil(() => !readdirSync('/dev/shm').some((name) => name.includes(`-${process.pid}.`)))
  await clickhouse.close()
})

t.test('a shared engine meets the contract of the port', async (t) => {
  const path = t.testdir()
  const owner = await openEmbeddedClickHouse({ path })
  await migrateClickHouse(owner)
  const clickhouse = connectSharedClickHouse({ port: owner.share(), path })
  const other = connectSharedClickHouse({ port: owner.share(), path })
  await testContract(t, clickhouse, other, { textLength: 100 })
  const last = connectSharedClickHouse({ port: owner.share(), path })
  await last.ping()
  await owner.close()
  t.match(await failureOf(last.query('SELECT 1')), { code: 'closed' })
  await last.close()
})
