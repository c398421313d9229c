import fc from 'fast-check'
import type { Test } from 'tap'
import { cases } from '../../../test/support/cases.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { migrateClickHouse } from '../../migrate.js'
import type { ClickHouse, EventBlock } from '../../port.js'
import { shardsOf } from '../../shards.js'
import { nativeBlocks } from '../../statements/native.js'
import { personOfSql } from './person-of.js'
import { encodeRows, type TestRow } from './rows.js'

export const WORKSPACE = '01932b5e-0000-7000-8000-000000000001'
export const LOG = '01932b5e-0000-7000-8000-0000000000aa'

/** A block of rows under a token. */
export function blockOf(token: string, rows: readonly TestRow[]): EventBlock {
  return { logId: LOG, logPartition: 3, chunks: [encodeRows(rows)], rowCount: rows.length, token }
}

export function eventsOf(count: number, more: (index: number) => Partial<TestRow> = () => ({})): TestRow[] {
  return Array.from({ length: count }, (_, index) => ({
    workspaceId: WORKSPACE,
    event: `event_${index % 5}`,
    receivedAt: Date.UTC(2026, 10, 20) + index,
    logOffset: index,
    ...more(index),
  }))
}

/** Rows and parts of the table, and the sums of the vocabulary, to compare before and after. */
export async function storedIn(clickhouse: ClickHouse) {
  const events = await clickhouse.query<{ month: number; events: number }>(
    'SELECT toYYYYMM(received_at) AS month, count() AS events FROM events GROUP BY month ORDER BY month',
  )
  const partsByShard = await Promise.all(shardsOf(clickhouse).map(partsByMonth))
  const parts = (month: number) => Math.max(...partsByShard.map((shard) => shard.get(month) ?? 0))
  const names = await clickhouse.query(
    'SELECT event, sum(count) AS events FROM event_names GROUP BY event ORDER BY event',
  )
  return { events: events.rows.map((row) => ({ ...row, parts: parts(row.month) })), names: names.rows }
}

async function partsByMonth(shard: ClickHouse): Promise<ReadonlyMap<number, number>> {
  const { rows } = await shard.query<{ month: number; parts: number }>(
    'SELECT toYYYYMM(received_at) AS month, uniqExact(_part) AS parts FROM events GROUP BY month',
  )
  return new Map(rows.map(({ month, parts }) => [month, parts]))
}

export async function failureOf(promise: Promise<unknown>): Promise<{ code?: unknown; retryable?: unknown }> {
  try {
    await promise
  } catch (error) {
    return error as { code?: unknown; retryable?: unknown }
  }
  return {}
}

/**
 * The contract of the port, for every adapter. `clickhouse` is migrated and empty; `other` is a second
 * connection to the same store.
 */
export async function testContract(
  t: Test,
  clickhouse: ClickHouse,
  other: ClickHouse,
  /** Length of the texts in the largest block; long if the block's size matters to the adapter. */
  { textLength = 8_180 } = {},
): Promise<void> {
  await t.test('values are bound as they are', async (t) => {
    const { rows } = await clickhouse.query(
      `SELECT {text:String} AS text, {list:Array(String)} AS list, toString({big:UInt128}) AS big, {none:Nullable(String)} AS none,
         {number:Float64} AS number, {yes:Bool} AS yes, {id:UUID} AS id, toString({key:Int64}) AS key, {map:Map(String, UInt8)} AS map`,
      {
        params: {
          text: "'); DROP TABLE events; -- \\' \\",
          list: ["it's", '\\N', 'a\tb\n'],
          big: 2n ** 128n - 1n,
          none: null,
          number: -1.5e-7,
          yes: true,
          id: WORKSPACE,
          key: -(2n ** 63n),
          map: new Map([["k'", 7]]),
        },
      },
    )
    t.same(rows, [
      {
        text: "'); DROP TABLE events; -- \\' \\",
        list: ["it's", '\\N', 'a\tb\n'],
        big: String(2n ** 128n - 1n),
        none: null,
        number: -1.5e-7,
        yes: true,
        id: WORKSPACE,
        key: String(-(2n ** 63n)),
        map: { "k'": 7 },
      },
    ])
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme' }),
        fc.array(fc.string({ unit: 'binary-ascii' })),
        async (text, list) => {
          const answer = await clickhouse.query(
            'SELECT {text:String} AS text, {list:Array(String)} AS list',
            {
              params: { text, list },
            },
          )
          t.same(answer.rows, [{ text, list }])
        },
      ),
      { numRuns: cases(10) },
    )
  })

  await t.test('many values are bound', async (t) => {
    const ids = Array.from({ length: 20_000 }, (_, index) => BigInt(index) + 2n ** 100n)
    const { rows } = await clickhouse.query('SELECT length({ids:Array(UInt128)}) AS length', {
      params: { ids },
    })
    t.same(rows, [{ length: 20_000 }])
  })

  await t.test('answers can be read as bytes', async (t) => {
    const ask = (sql: string, params: Record<string, unknown> = {}) => clickhouse.rowBinary(sql, { params })
    const bytesOf = async (chunks: AsyncIterable<Uint8Array>) => {
      const copies: Uint8Array[] = []
      for await (const chunk of chunks) copies.push(Uint8Array.from(chunk))
      return Buffer.concat(copies)
    }
    const ids = Array.from({ length: 20_000 }, (_, index) => BigInt(index) + 2n ** 127n)
    const expected = Buffer.alloc(ids.length * 16)
    ids.forEach((_, index) => {
      expected.writeUInt32LE(index, index * 16)
      expected.writeUInt8(0x80, index * 16 + 15)
    })
    const listed = await bytesOf(ask('SELECT arrayJoin({ids:Array(UInt128)}) AS id', { ids }))
    t.ok(listed.equals(expected), 'values as ClickHouse has them, lowest byte first')

    const count = 1_000_000
    const many = await bytesOf(ask('SELECT number FROM numbers({count:UInt64}) ORDER BY number', { count }))
    t.equal(many.length, count * 8, 'more than one chunk')
    let wrong = 0
    for (let i = 0; i < count; i++) if (many.readUInt32LE(i * 8) !== i) wrong++
    t.equal(wrong, 0)
    t.equal((await bytesOf(ask('SELECT number FROM numbers(0)'))).length, 0, 'no rows, no bytes')

    t.match(await failureOf(bytesOf(ask('SELECT nothing_of_this_name'))), { code: 'query', retryable: false })
    t.match(await failureOf(bytesOf(ask('SELECT {missing:String}'))), { code: 'query' })
    const late = 'SELECT throwIf(number = 900000), number FROM numbers(1000000)'
    t.match(await failureOf(bytesOf(ask(late))), { name: 'ClickHouseError', code: 'assertion' }, 'none of it')
    for await (const chunk of ask('SELECT number FROM numbers(1000000)')) {
      t.ok(chunk.length > 0)
      break
    }

    const abort = new AbortController()
    const endless = clickhouse.rowBinary('SELECT sum(sipHash64(number)) FROM numbers(1000000000000)', {
      settings: { max_execution_time: 60 },
      signal: abort.signal,
    })
    const asked = failureOf(bytesOf(endless))
    await waitUntil(() => isRunning(other, ENDLESS))
    abort.abort()
    t.match(await asked, { code: 'cancelled', retryable: true })
    await waitUntil(async () => !(await isRunning(other, ENDLESS)))
    const gone = clickhouse.rowBinary('SELECT 1', { signal: AbortSignal.abort() })
    t.match(await failureOf(bytesOf(gone)), { code: 'cancelled' })
    t.equal((await bytesOf(ask('SELECT toUInt8(7)'))).toString('hex'), '07', 'and nothing is left of any')
  })

  await t.test('answers can be read as columns', async (t) => {
    const columnsOf = async (sql: string, params: Record<string, unknown> = {}) => {
      const blocks = [...nativeBlocks(await clickhouse.native(sql, { params }))]
      return [0, 1, 2].map((column) =>
        blocks.flatMap((block) => [...new Uint32Array(Uint8Array.from(block.columns[column] ?? []).buffer)]),
      )
    }
    t.same(
      await columnsOf(
        "SELECT {key:UInt64} AS key, fromUnixTimestamp64Milli(toInt64(-1), 'UTC') AS at, toUInt32(7) AS code",
        { key: 2n ** 63n + 5n },
      ),
      [[5, 2 ** 31], [2 ** 32 - 1, 2 ** 32 - 1], [7]],
    )
    const [many = []] = await columnsOf('SELECT toUInt32(number) FROM numbers(200000) ORDER BY number')
    t.equal(many.length, 200_000, 'several blocks')
    t.ok(many.every((value, index) => value === index))
    t.same(await columnsOf('SELECT number FROM numbers(0)'), [[], [], []])
    t.match(await failureOf(clickhouse.native('SELECT nothing_of_this_name')), { code: 'query' })
    const late = 'SELECT throwIf(number = 900000), number FROM numbers(1000000)'
    t.match(
      await failureOf(clickhouse.native(late)),
      { name: 'ClickHouseError', code: 'assertion' },
      'none of it',
    )
    const unread = { settings: { max_rows_to_read: 10 } }
    t.match(await failureOf(clickhouse.native('SELECT number FROM numbers(1000)', unread)), { code: 'rows' })
    const gone = clickhouse.native('SELECT 1', { signal: AbortSignal.abort() })
    t.match(await failureOf(gone), { code: 'cancelled' })
    t.same(await columnsOf('SELECT toUInt32(7) AS code'), [[7], [], []], 'and nothing is left of any')
  })

  await t.test('an answer has the number of rows read and the time', async (t) => {
    const answer = await clickhouse.query('SELECT count() AS count FROM numbers(100000) WHERE number % 2 = 0')
    t.same(answer.rows, [{ count: 50_000 }])
    t.equal(answer.rowsRead, 100_000)
    t.ok(answer.elapsedMs > 0)
  })

  await t.test('settings hold for one query', async (t) => {
    const setting = async (options: { settings?: Record<string, number> }) => {
      const { rows } = await clickhouse.query<{ value: string }>(
        "SELECT value FROM system.settings WHERE name = 'max_result_rows'",
        options,
      )
      return rows[0]?.value
    }
    t.equal(await setting({ settings: { max_result_rows: 77 } }), '77')
    for (let i = 0; i < 4; i++) t.equal(await setting({}), '0')
  })

  await t.test('each kind of failure has its error code', async (t) => {
    const endless = 'SELECT sum(sipHash64(number)) FROM numbers(100000000000)'
    t.match(await failureOf(clickhouse.query(endless, { settings: { max_execution_time: 0.2 } })), {
      name: 'ClickHouseError',
      code: 'timeout',
      retryable: false,
    })
    t.match(await failureOf(clickhouse.query(endless, { settings: { max_rows_to_read: 1000 } })), {
      code: 'rows',
    })
    t.match(
      await failureOf(
        clickhouse.query('SELECT length(groupArray(number)) FROM numbers(10000000)', {
          settings: { max_memory_usage: 10_000_000 },
        }),
      ),
      { code: 'memory', retryable: true },
    )
    t.match(await failureOf(clickhouse.query('SELECT nothing_of_this_name')), {
      code: 'query',
      retryable: false,
    })
    t.match(await failureOf(clickhouse.query('SELEKT 1')), { code: 'query', retryable: false })
    t.match(await failureOf(clickhouse.query('SELECT {missing:String}')), { code: 'query', retryable: false })
    t.match(await failureOf(clickhouse.command('DROP TABLE nothing_of_this_name')), { code: 'query' })
  })

  await t.test('rows that a failed query had read appear in no other answer', async (t) => {
    for (let i = 0; i < 6; i++) {
      const failing = clickhouse.query("SELECT throwIf(number = 300000), 'secret' FROM numbers(1000000)")
      t.match(await failureOf(failing), { code: 'assertion' })
      t.same((await clickhouse.query('SELECT 1 AS one')).rows, [{ one: 1 }])
    }
  })

  await t.test('aborting a query kills it', async (t) => {
    const abort = new AbortController()
    const asked = failureOf(
      clickhouse.query('SELECT sum(sipHash64(number)) FROM numbers({count:UInt64})', {
        params: { count: 10n ** 12n },
        settings: { max_execution_time: 60 },
        signal: abort.signal,
      }),
    )
    await waitUntil(() => isRunning(other, ENDLESS))
    const abortedAt = performance.now()
    abort.abort()
    t.match(await asked, { code: 'cancelled', retryable: true })
    t.ok(performance.now() - abortedAt < 30_000, 'rejected at once')
    await waitUntil(async () => !(await isRunning(other, ENDLESS)))
    t.ok(performance.now() - abortedAt < 50_000, 'gone from the engine')
    t.same((await clickhouse.query('SELECT 1 AS one')).rows, [{ one: 1 }])
    t.match(await failureOf(clickhouse.query('SELECT 1', { signal: AbortSignal.abort() })), {
      code: 'cancelled',
    })
  })

  await t.test('a large block over three months becomes one part each, once', async (t) => {
    const properties = JSON.stringify({ text: 'x'.repeat(textLength) })
    const rows = eventsOf(8_000, (index) => ({
      receivedAt: Date.UTC(2026, index % 3, 15) + index,
      properties: properties.replace('xxxxxx', String(index).padStart(6, '0')),
    }))
    const block = blockOf('block-1', rows)
    t.ok((block.chunks[0]?.byteLength ?? 0) > 7_800 * textLength)
    await clickhouse.command('SYSTEM STOP MERGES')
    await clickhouse.insertEvents(block)
    const expected = {
      events: [
        { month: 202601, events: 2_667, parts: 1 },
        { month: 202602, events: 2_667, parts: 1 },
        { month: 202603, events: 2_666, parts: 1 },
      ],
      names: [0, 1, 2, 3, 4].map((name) => ({ event: `event_${name}`, events: 1_600 })),
    }
    t.same(await storedIn(clickhouse), expected)
    await clickhouse.insertEvents(block)
    t.same(await storedIn(clickhouse), expected, 'again under the same token')
    await other.insertEvents({ ...block, chunks: blockOf('', rows.slice(0, 100)).chunks, rowCount: 100 })
    t.same(await storedIn(clickhouse), expected, 'the token decides, not the content')

    const small = blockOf('block-2', rows.slice(0, 3))
    await Promise.all([clickhouse, other, clickhouse, other].map((one) => one.insertEvents(small)))
    const more = await storedIn(clickhouse)
    t.same(
      more.events,
      expected.events.map((month) => ({ ...month, events: month.events + 1, parts: 2 })),
      'four times at once over two connections',
    )
    t.same(
      more.names,
      expected.names.map(({ event, events }, index) => ({ event, events: events + (index < 3 ? 1 : 0) })),
    )
    await clickhouse.command('SYSTEM START MERGES')
  })

  await t.test('a block in many chunks, with every column', async (t) => {
    const row: TestRow = {
      workspaceId: '01932b5e-ffff-7000-bfff-0123456789ab',
      event: 'every_column',
      receivedAt: Date.UTC(2026, 10, 20, 1, 2, 3, 4),
      timestamp: Date.UTC(2026, 10, 19, 1, 2, 3, 4),
      originalTimestamp: -62_135_596_800_000,
      adjustment: 2,
      requestIndex: 499,
      logOffset: 2 ** 53 - 1,
      insertHash: 2n ** 128n - 2n,
      personKey: -2n,
      userId: 'ü'.repeat(100),
      anonymousId: 'a',
      insertId: 'i',
      sdkVersion: 'js/1',
      properties: '{"a":"ä"}',
    }
    const chunks = Array.from({ length: 1_500 }, (_, index) =>
      encodeRows([{ ...row, requestIndex: index % 500 }]),
    )
    await clickhouse.insertEvents({ logId: LOG, logPartition: 65_535, chunks, rowCount: 1_500, token: 'all' })
    const { rows } = await clickhouse.query(
      `SELECT toString(workspace_id) AS workspace, toUnixTimestamp64Milli(received_at) AS received,
         toUnixTimestamp64Milli(timestamp) AS at, original_timestamp, has_timestamp, adjustment, log_offset,
         toString(insert_hash) AS hash, toString(person_key) AS person, user_id, anonymous_id, insert_id, sdk_version, properties,
         toString(log_id) AS log, log_partition, max(request_index) AS index, count() AS count
       FROM events WHERE event = 'every_column' GROUP BY ALL`,
    )
    t.same(rows, [
      {
        workspace: row.workspaceId,
        received: row.receivedAt,
        at: row.timestamp,
        original_timestamp: row.originalTimestamp,
        has_timestamp: 1,
        adjustment: 2,
        log_offset: 2 ** 53 - 1,
        hash: String(2n ** 128n - 2n),
        person: String(2n ** 64n - 2n),
        user_id: row.userId,
        anonymous_id: 'a',
        insert_id: 'i',
        sdk_version: 'js/1',
        properties: row.properties,
        log: LOG,
        log_partition: 65_535,
        index: 499,
        count: 1_500,
      },
    ])
  })

  await t.test('links turn anonymous keys into those of users, immediately and permanently', async (t) => {
    const keys = async () => {
      const { rows } = await other.query<{ key: string }>(
        personOfSql(other, WORKSPACE, 'SELECT arrayJoin({keys:Array(UInt64)}) AS person_key'),
        { params: { keys: [1n, 2n, 2n ** 64n - 5n] } },
      )
      return rows.map((row) => row.key)
    }
    t.same(await keys(), ['1', '2', String(2n ** 64n - 5n)])
    await clickhouse.insertLinks([])
    await clickhouse.insertLinks([{ workspaceId: WORKSPACE, anonymousKey: -5n, userKey: -7n }])
    t.same(await keys(), ['1', '2', String(2n ** 64n - 7n)])
    await clickhouse.insertLinks([
      { workspaceId: WORKSPACE, anonymousKey: -5n, userKey: -7n },
      { workspaceId: WORKSPACE, anonymousKey: 1n, userKey: 9n },
    ])
    t.same(await keys(), ['9', '2', String(2n ** 64n - 7n)])
  })

  await t.test('migrating again changes nothing, also by two connections concurrently', async (t) => {
    await Promise.all([migrateClickHouse(clickhouse), migrateClickHouse(other)])
    const { rows } = await clickhouse.query('SELECT count() AS count FROM events')
    t.same(rows, [{ count: 9_503 }])
  })

  await t.test('a connection answers a ping, and refuses every call after it is closed', async (t) => {
    await clickhouse.ping()
    const running = clickhouse.query('SELECT sleep(1) AS zero')
    let ended = false
    void running.then(() => {
      ended = true
    })
    await waitUntil(async () => ended || (await isRunning(other, 'sleep(1)')))
    await clickhouse.close()
    t.same((await running).rows, [{ zero: 0 }], 'what runs is finished')
    t.match(await failureOf(clickhouse.query('SELECT 1')), { code: 'closed' })
    t.match(await failureOf(clickhouse.ping()), { code: 'closed' })
    t.match(await failureOf(clickhouse.rowBinary('SELECT 1').next()), { code: 'closed' })
    await clickhouse.close()
    await other.ping()
    await other.close()
  })
}

/** Text of the queries that are to be aborted. */
const ENDLESS = 'sum(sipHash64(number))'

/** Whether a query with this text is under way on any server, other than the one that asks. */
async function isRunning(clickhouse: ClickHouse, text: string): Promise<boolean> {
  const asked = shardsOf(clickhouse).map((shard) =>
    shard.query(
      `SELECT 1 FROM system.processes
       WHERE position(query, {text:String}) > 0 AND position(query, 'system.processes') = 0`,
      { params: { text } },
    ),
  )
  return (await Promise.all(asked)).some(({ rows }) => rows.length > 0)
}
