import { strict as assert } from 'node:assert'
import { workerData } from 'node:worker_threads'
import { openEmbeddedClickHouse } from '../../embedded.js'
import { blockOf, eventsOf } from './contract.js'

/** Inserts twenty blocks of 1,000 rows and asks after each, as a consumer beside the API does. */
const clickhouse = await openEmbeddedClickHouse({ path: workerData.path, readers: 1 })
for (let block = 0; block < 20; block++) {
  await clickhouse.insertEvents(blockOf(`worker-${block}`, eventsOf(1_000)))
  const { rows } = await clickhouse.query<{ echo: string; count: number }>(
    'SELECT {echo:String} AS echo, count() AS count FROM events',
    { params: { echo: `worker ${block}` } },
  )
  assert.deepEqual(rows, [{ echo: `worker ${block}`, count: (block + 1) * 1_000 }])
}
await clickhouse.close()
