import t from 'tap'
import { shardsOf } from '../../../clickhouse/shards.js'
import { failingClickHouse, wrapped } from '../../test/support/failing.js'
import { hashNumber } from '../../test/support/hashes.js'
import { TestStores } from '../../test/support/stores.js'
import { DedupSet, SEEN } from '../dedup-set.js'
import { countStored, fillFromStore, findStored } from '../stored-ids.js'

const stores = new TestStores()
t.teardown(() => stores.close())
const clickhouse = await stores.clickhouse()

const LOG = { id: '0190c8f1-0000-7000-8000-00000000000a', partitions: 3 }
const OTHER = '0190c8f1-0000-7000-8000-00000000000b'
const JULY = Date.UTC(2026, 6)
const AUGUST = Date.UTC(2026, 7)
const ROWS = 30_000

const shards = shardsOf(clickhouse)
const [shard = clickhouse] = shards

async function store(hash: bigint, receivedAt: number, logId: string, partition: number, offset: number) {
  await (shards[offset % shards.length] ?? shard).command(
    `INSERT INTO events (received_at, timestamp, insert_hash, log_id, log_partition, log_offset, event)
    SELECT fromUnixTimestamp64Milli({at:Int64}, 'UTC') AS received_at, received_at, {hash:UInt128}, {log:UUID}, {partition:UInt16}, {offset:UInt64}, 'e'`,
    { params: { at: receivedAt, hash: hash.toString(), log: logId, partition, offset } },
  )
}

// Words whose lowest is 1 modulo 3. The last one fills the number's highest bytes, so zeros end it.
const MINE: readonly (readonly [number, number, number, number])[] = [
  [1, 2, 3, 4],
  [4, 0, 0, 0],
  [7, -1, -1, -1],
  [-2147483647 - 1 + 2, 5, 6, 0x00ff0000],
]

t.before(async () => {
  for (const [i, words] of MINE.entries()) await store(hashNumber(words), JULY + i, LOG.id, 1, i)
  await store(hashNumber([10, 1, 1, 1]), AUGUST - 1, OTHER, 2, 99)
  await store(hashNumber([13, 1, 1, 1]), JULY - 1, LOG.id, 1, 0)
  await store(hashNumber([16, 1, 1, 1]), AUGUST, LOG.id, 1, 0)
  await store(hashNumber([3, 1, 1, 1]), JULY, LOG.id, 0, 0)
  await store(hashNumber([19, 1, 1, 1]), JULY, LOG.id, 1, 50)
  await store(0n, JULY, LOG.id, 1, 1)
})

const SCOPE = { partition: 1, month: 202607, before: 50 }

t.test(
  'a set is filled with the ids of its month and partition, from every log, below the position',
  async (t) => {
    const set = new DedupSet()
    const stored = await countStored(clickhouse, LOG, SCOPE)
    t.equal(stored, 5)
    await fillFromStore(clickhouse, LOG, SCOPE, set, { stored })
    for (const words of MINE) t.equal(set.has(...words), SEEN.yes)
    t.equal(set.has(10, 1, 1, 1), SEEN.yes, 'of another log, with other partitions, in the last millisecond')
    t.equal(set.has(19, 1, 1, 1), SEEN.no, 'of a block that is to be carried out again')
    t.equal(set.size, 5)
  },
)

t.test('the stored ids among given rows of a month are found', async (t) => {
  const asked = [...MINE, [10, 1, 1, 1], [13, 1, 1, 1], [16, 1, 1, 1], [19, 1, 1, 1], [22, 1, 1, 1]]
  const hashes = Int32Array.from(asked.flat())
  const rows = asked.map((_, row) => row)
  const answers = async (again: boolean, of = rows) => {
    const found = await findStored(clickhouse, LOG, SCOPE, hashes, of, again)
    return of.map((row) => {
      const [w0 = 0, w1 = 0, w2 = 0, w3 = 0] = asked[row] ?? []
      return found.has(w0, w1, w2, w3) === SEEN.yes ? 1 : 0
    })
  }
  t.same(await answers(false), [1, 1, 1, 1, 1, 0, 0, 1, 0])
  t.same(await answers(true), [1, 1, 1, 1, 1, 0, 0, 0, 0], 'not what may be of the block itself')
  t.same(await answers(false, [1, 8, 4]), [1, 0, 1], 'only the rows asked for')
  t.same(await answers(false, []), [])
})

t.test('a set is filled page by page without a missing id, however the bytes are split', async (t) => {
  await shard.command(
    `INSERT INTO events (received_at, timestamp, insert_hash, log_id, event)
    SELECT fromUnixTimestamp64Milli(${AUGUST} + 1 + number, 'UTC') AS received_at, received_at,
      toUInt128(3 * number) + bitShiftLeft(toUInt128(sipHash64(number)), 64), '${LOG.id}', 'e' FROM numbers(${ROWS})`,
  )
  const scope = { partition: 0, month: 202608, before: 1 }
  const stored = await countStored(clickhouse, LOG, scope)
  t.equal(stored, ROWS)
  const crumbs = wrapped(clickhouse, {
    async *rowBinary(sql, options) {
      let length = 1
      for await (const chunk of clickhouse.rowBinary(sql, options))
        for (let at = 0; at < chunk.length; at += length++ % 61)
          // Buffers somewhere in memory of others, as they come over HTTP.
          yield Buffer.from(chunk.subarray(at, at + (length % 61)))
    },
  })
  for (const [store, pageHashes] of [
    [clickhouse, 1_000_000],
    [clickhouse, 5_000],
    [crumbs, 10_000],
  ] as const) {
    const set = new DedupSet()
    set.reserve(stored)
    let turns = 0
    await fillFromStore(store, LOG, scope, set, {
      stored,
      pageHashes,
      added: async () => {
        turns++
      },
    })
    t.equal(set.size, ROWS, `${pageHashes} a page`)
    t.ok(turns >= Math.min(4, ROWS / pageHashes))
  }
})

t.test('a failure in the middle is reported, and pages read ahead are released', async (t) => {
  const scope = { partition: 0, month: 202608, before: 1 }
  let asked = 0
  let left = 0
  const failing = wrapped(
    failingClickHouse(clickhouse, () => 'none'),
    {
      async *rowBinary(sql, options) {
        const number = ++asked
        try {
          for await (const chunk of clickhouse.rowBinary(sql, options)) {
            if (number === 2) throw new Error('connection reset')
            yield chunk
          }
        } finally {
          left++
        }
      },
    },
  )
  const filling = fillFromStore(failing, LOG, scope, new DedupSet(), { stored: ROWS, pageHashes: 5_000 })
  await t.rejects(filling, /connection reset/)
  t.equal(left, asked, 'every answer was closed')
  const torn = wrapped(clickhouse, {
    async *rowBinary() {
      yield new Uint8Array(24).fill(1)
    },
  })
  await t.rejects(fillFromStore(torn, LOG, scope, new DedupSet(), { stored: 1 }), /8 bytes of another/)
})
