import t from 'tap'
import { shardsOf } from '../../../clickhouse/shards.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { TestStores } from '../../test/support/stores.js'
import { indexHashes } from '../index-hashes.js'

const stores = new TestStores()
t.teardown(() => stores.close())

t.test('look-ups by hash read a small part of the month, in old and new rows', async (t) => {
  const clickhouse = await stores.clickhouse()
  const [shard = clickhouse] = shardsOf(clickhouse)
  const store = (from: number, count: number) =>
    shard.command(
      `INSERT INTO events (received_at, timestamp, insert_hash, event)
      SELECT toDateTime64('2026-07-10 00:00:00', 3, 'UTC') AS received_at, received_at,
        reinterpretAsUInt128(sipHash128(number)), 'e' FROM numbers(${from}, ${count})`,
    )
  const lookUp = async () => {
    const answer = await clickhouse.query<{ n: number }>(
      `SELECT count() AS n FROM events WHERE _partition_id = '202607'
      AND insert_hash IN (SELECT reinterpretAsUInt128(sipHash128(number)) FROM numbers(299990, 20))`,
      // Answers from memory would tell nothing.
      { settings: { use_query_condition_cache: 0 } },
    )
    return { found: answer.rows[0]?.n, read: answer.rowsRead }
  }
  await store(0, 300_000)
  t.match(await lookUp(), { found: 10 })
  await indexHashes(clickhouse, 202607)
  await indexHashes(clickhouse, 202607)
  await store(300_000, 200_000)
  await waitUntil(async () => (await lookUp()).read < 20_000)
  const { found, read } = await lookUp()
  t.equal(found, 20)
  t.ok(read < 20_000, `${read} of 500,000 rows read`)
})
