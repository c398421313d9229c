import t from 'tap'
import { DedupSet } from '../dedup-set.js'
import { createSeenIds, fillFromStore } from '../seen-ids.js'
import { TestStores } from './support/stores.js'

const stores = new TestStores()
t.teardown(() => stores.close())
const clickhouse = await stores.clickhouse()

const LOG = { id: '0190c8f1-0000-7000-8000-00000000000a', partitions: 3 }
const OTHER = '0190c8f1-0000-7000-8000-00000000000b'
const JULY = Date.UTC(2026, 6)
const AUGUST = Date.UTC(2026, 7)
const ROWS = 30_000

/** A hash as its four words, and as ClickHouse's number. */
function hashNumber(words: readonly number[]): bigint {
  return words.reduceRight((value, word) => (value << 32n) | BigInt(word >>> 0), 0n)
}

async function store(hash: bigint, receivedAt: number, logId: string, partition: number, offset: number) {
  await clickhouse.command(
    `INSERT INTO events (received_at, timestamp, insert_hash, log_id, log_partition, log_offset, event)
    SELECT fromUnixTimestamp64Milli({at:Int64}, 'UTC') AS received_at, received_at, {hash:UInt128}, {log:UUID}, {partition:UInt16}, {offset:UInt64}, 'e'`,
    { params: { at: receivedAt, hash: hash.toString(), log: logId, partition, offset } },
  )
}

t.test('fills with the ids of its month and partition, from every log, below the position', async (t) => {
  // Words of which the lowest is 1 modulo 3; the last one shows in the number's highest bytes, zeros at its end.
  const mine: readonly number[][] = [
    [1, 2, 3, 4],
    [4, 0, 0, 0],
    [7, -1, -1, -1],
    [-2147483647 - 1 + 2, 5, 6, 0x00ff0000],
  ]
  for (const [i, words] of mine.entries()) await store(hashNumber(words), JULY + i, LOG.id, 1, i)
  await store(hashNumber([10, 1, 1, 1]), AUGUST - 1, OTHER, 2, 99)
  await store(hashNumber([13, 1, 1, 1]), JULY - 1, LOG.id, 1, 0)
  await store(hashNumber([16, 1, 1, 1]), AUGUST, LOG.id, 1, 0)
  await store(hashNumber([3, 1, 1, 1]), JULY, LOG.id, 0, 0)
  await store(hashNumber([19, 1, 1, 1]), JULY, LOG.id, 1, 50)
  await store(0n, JULY, LOG.id, 1, 1)
  const set = new DedupSet()
  await fillFromStore(clickhouse, LOG, { partition: 1, month: 202607, before: 50 }, set)
  for (const [a, b, c, d] of mine) t.ok(set.has(a ?? 0, b ?? 0, c ?? 0, d ?? 0))
  t.ok(set.has(10, 1, 1, 1), 'of another log, with other partitions, in the last millisecond')
  t.notOk(set.has(19, 1, 1, 1), 'of a block that is to be carried out again')
  t.equal(set.size, 5)
})

t.test('fills page by page without missing one', async (t) => {
  await clickhouse.command(
    `INSERT INTO events (received_at, timestamp, insert_hash, log_id, event)
    SELECT fromUnixTimestamp64Milli(${AUGUST} + 1 + number, 'UTC') AS received_at, received_at,
      toUInt128(3 * number) + bitShiftLeft(toUInt128(sipHash64(number)), 64), '${LOG.id}', 'e' FROM numbers(${ROWS})`,
  )
  for (const pageHashes of [1_000_000, 5_000]) {
    const set = new DedupSet()
    const started = performance.now()
    await fillFromStore(clickhouse, LOG, { partition: 0, month: 202608, before: 1 }, set, pageHashes)
    t.comment(`${ROWS} ids in ${Math.round(performance.now() - started)} ms, ${pageHashes} a page`)
    t.equal(set.size, ROWS)
  }
})

t.test('drops what was used longest ago, and what another owner may have changed', async (t) => {
  const one = new DedupSet().bytes
  const seen = createSeenIds(clickhouse, LOG, one * 2.5)
  const first = await seen.open(2, [202601], 0)
  await seen.open(2, [202602], 0)
  t.equal((await seen.open(2, [202601], 0)).get(202601), first.get(202601), 'kept')
  const third = await seen.open(2, [202603], 0)
  seen.shrink(new Set(third.values()))
  t.equal(seen.size().bytes, one * 2)
  t.equal((await seen.open(2, [202601], 0)).get(202601), first.get(202601), 'used last, so still there')
  seen.drop(2)
  t.equal(seen.size().bytes, 0)
  t.not((await seen.open(2, [202601], 0)).get(202601), first.get(202601), 'read again')
})
