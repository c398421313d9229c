import { strict as assert } from 'node:assert'
import { parentPort, workerData } from 'node:worker_threads'
import { connectSharedClickHouse } from '../../embedded/shared.js'
import { blockOf, eventsOf } from './contract.js'

/**
 * Inserts twenty blocks of 1,000 rows and asks after each, as a consumer beside the API does; or inserts one
 * and asks what never ends.
 */
const clickhouse = connectSharedClickHouse({ port: workerData.port, path: workerData.path })
if (workerData.part === 'endless') {
  // More than a mebibyte, whose file waits for other rows.
  await clickhouse.insertEvents(blockOf('large', eventsOf(20_000)))
  parentPort?.postMessage('asking')
  await clickhouse.query('SELECT sum(sipHash64(number)) FROM numbers(1000000000001)')
}
for (let block = 0; block < 20; block++) {
  await clickhouse.insertEvents(blockOf(`worker-${block}`, eventsOf(1_000)))
  const { rows } = await clickhouse.query<{ echo: string; count: number }>(
    'SELECT {echo:String} AS echo, count() AS count FROM events',
    { params: { echo: `worker ${block}` } },
  )
  assert.deepEqual(rows, [{ echo: `worker ${block}`, count: (block + 1) * 1_000 }])
}
await clickhouse.close()
