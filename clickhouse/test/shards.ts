import { join } from 'node:path'
import t, { type Test } from 'tap'
import {
  clickhouseProblem,
  freeServerPorts,
  startClickHouseServer,
} from '../../test/support/clickhouse/server.js'
import { SHARDS_CLUSTER, startClickHouseShards } from '../../test/support/clickhouse/shards.js'
import { migrateClickHouse } from '../migrate.js'
import { type ClickHouse, ClickHouseError } from '../port.js'
import { openRemoteClickHouse } from '../remote/open.js'
import { ShardedClickHouse } from '../remote/sharded-clickhouse.js'
import {
  blankAnonymousIds,
  countRows,
  keepInsertIds,
  removeLinks,
  removeRows,
  rowsOfPersons,
} from '../removal.js'
import { subtractNames, trimNames } from '../removed-names.js'
import { cutByShard, shardCountOf, shardSuffix, shardsOf } from '../shards.js'
import { blockOf, eventsOf, failureOf, testContract, WORKSPACE } from './support/contract.js'
import { spreading } from './support/open-store.js'
import { personOf, personOfSql } from './support/person-of.js'

const skip = clickhouseProblem() ?? false
const DATABASE = 'svc_test'

async function startShards(t: Test, count: number, folder = t.testdir()) {
  const servers = await startClickHouseShards(folder, count)
  t.teardown(() => Promise.all(servers.map((server) => server.kill())))
  return { servers, urls: servers.map(({ url }) => `${url}/${DATABASE}`) }
}

async function openShards(t: Test, urls: readonly string[]): Promise<ClickHouse> {
  const clickhouse = await openRemoteClickHouse({ url: urls.join(), cluster: SHARDS_CLUSTER })
  t.teardown(() => clickhouse.close())
  await migrateClickHouse(clickhouse)
  return clickhouse
}

const persons = (count: number) => eventsOf(count, (index) => ({ personKey: BigInt(index) * 7n }))
const COUNTS = `SELECT count() AS events, uniqExact(log_offset) AS distinct,
  (SELECT sum(count) FROM event_names) AS names, (SELECT count() FROM event_order) AS listed FROM events`

async function countsOf(clickhouse: ClickHouse): Promise<unknown> {
  return (await clickhouse.query(COUNTS)).rows[0]
}
const once = (count: number) => ({ events: count, distinct: count, names: count, listed: count })

async function eventsByShard(clickhouse: ClickHouse): Promise<number[]> {
  const answers = shardsOf(clickhouse).map((shard) =>
    shard.query<{ n: number }>('SELECT count() AS n FROM events'),
  )
  return (await Promise.all(answers)).map(({ rows }) => rows[0]?.n ?? 0)
}

t.test('a block is cut by the persons of its rows, as often as its token says', (t) => {
  const rows = persons(1_000)
  const block = blockOf('a', rows)
  t.same(cutByShard(block, 3), [block], 'a token without a number is of one shard')
  const two = { ...block, token: 'a:2-shards:part:7' }
  const [first, second, ...others] = cutByShard(two, 3)
  t.same(others, [])
  t.equal((first?.rowCount ?? 0) + (second?.rowCount ?? 0), 1_000)
  t.ok(Math.abs((first?.rowCount ?? 0) - 500) < 100, 'evenly')
  const bytes = (pieces: ReturnType<typeof cutByShard>) =>
    pieces.reduce((sum, piece) => sum + (piece?.chunks[0]?.length ?? 0), 0)
  t.equal(bytes([first, second]), block.chunks[0]?.length)
  t.not(first?.token, second?.token)
  const single = rows.slice(0, 1).map((row) => ({ ...row, properties: `{"x":"${'y'.repeat(70_000)}"}` }))
  t.equal(cutByShard({ ...blockOf('', single), token: 'a:2-shards' }, 2).filter(Boolean).length, 1)
  const empty = cutByShard({ ...two, chunks: [], rowCount: 0 }, 2)
  t.same(
    empty.map((piece) => piece?.rowCount),
    [0, 0],
    'a block without rows asks every shard',
  )
  t.throws(() => cutByShard({ ...two, token: 'a:4-shards' }, 3), { code: 'unavailable', message: /4 shards/ })
  t.throws(() => cutByShard({ ...two, chunks: [new Uint8Array(80).fill(1)] }, 3), RangeError)
  t.same(['a', 'a:2-shards', 'a:12-shards:rows:3', 'a2-shards'].map(shardCountOf), [1, 2, 12, 1])
  t.end()
})

t.test('a refused block is reported after all of its pieces have ended', async (t) => {
  const ended: string[] = []
  const store = (end: () => Promise<void>) =>
    ({ insertEvents: end }) as Pick<ClickHouse, 'insertEvents'> as ClickHouse
  let slow = (): void => {}
  const clickhouse = new ShardedClickHouse(
    [
      store(() => Promise.reject(new ClickHouseError('query', 'refused'))),
      store(() => new Promise((resolve) => (slow = resolve))),
    ],
    [],
    'c',
  )
  const inserting = failureOf(
    clickhouse.insertEvents({ ...blockOf('', persons(100)), token: 'a:2-shards' }),
  ).then((failure) => ended.push(String(failure.code)))
  await new Promise((resolve) => setImmediate(resolve))
  ended.push('second piece')
  slow()
  await inserting
  t.same(ended, ['second piece', 'query'])
})

t.test('the adapter meets the contract of the port on two shards', { skip }, async (t) => {
  const { urls } = await startShards(t, 2)
  const clickhouse = await openShards(t, urls)
  await testContract(t, spreading(clickhouse), spreading(await openShards(t, urls)), { textLength: 100 })
})

t.test('each piece of a block is stored once', { skip }, async (t) => {
  const folder = t.testdir()
  const { servers, urls } = await startShards(t, 2, folder)
  const clickhouse = await openShards(t, urls)
  const block = { ...blockOf('a', persons(2_000)), token: `a${shardSuffix(clickhouse)}` }
  const [, second] = servers

  await t.test('although a shard died between two pieces', async (t) => {
    await second?.kill()
    t.match(await failureOf(clickhouse.insertEvents(block)), { code: 'unavailable', retryable: true })
    t.match(
      await failureOf(clickhouse.query('SELECT count() FROM events')),
      { code: 'unavailable' },
      'no part',
    )
    t.match(await failureOf(clickhouse.ping()), { code: 'unavailable' })
    await second?.start()
    t.match(await countsOf(clickhouse), { events: (await eventsByShard(clickhouse))[0] }, 'one piece')
    await clickhouse.insertEvents(block)
    t.match(await countsOf(clickhouse), once(2_000))
    t.notOk((await eventsByShard(clickhouse)).includes(0))
    await clickhouse.insertEvents(block)
    t.match(await countsOf(clickhouse), once(2_000))
  })

  await t.test('although a shard hangs', async (t) => {
    second?.freeze()
    t.teardown(() => second?.thaw())
    t.match(await failureOf(clickhouse.query('SELECT count() FROM events')), {
      code: 'unavailable',
      retryable: true,
      message: /does not answer/,
    })
  })

  await t.test('a piece that is refused makes the block refused, unless another one is open', async (t) => {
    const [first] = servers
    const [, last] = shardsOf(clickhouse)
    const rows = persons(100).map((row) => ({ ...row, logOffset: 3_000 + (row.logOffset ?? 0) }))
    const refused = { ...blockOf('r', rows), token: `r${shardSuffix(clickhouse)}` }
    await last?.command("ALTER TABLE events ADD CONSTRAINT never CHECK event = ''")
    t.match(await failureOf(clickhouse.insertEvents(refused)), { code: 'query', retryable: false })
    await first?.kill()
    t.match(await failureOf(clickhouse.insertEvents(refused)), { code: 'unavailable', retryable: true })
    await first?.start()
    await last?.command('ALTER TABLE events DROP CONSTRAINT never')
    await clickhouse.insertEvents(refused)
    t.match(await countsOf(clickhouse), once(2_100))
    await clickhouse.insertLinks([{ workspaceId: WORKSPACE, anonymousKey: 7n, userKey: 14n }])
  })

  await t.test('although there are more shards than before', async (t) => {
    const before = {
      ...blockOf(
        'b',
        persons(500).map((row) => ({ ...row, logOffset: 5_000 + (row.logOffset ?? 0) })),
      ),
      token: 'b:2-shards',
    }
    await clickhouse.insertEvents(before)
    await clickhouse.close()
    await Promise.all(servers.map((server) => server.kill()))
    const grown = await startShards(t, 3, folder)
    const three = await openShards(t, grown.urls)
    t.equal(shardSuffix(three), ':3-shards')
    for (const repeated of [block, before]) await three.insertEvents(repeated)
    t.match(await countsOf(three), once(2_600))
    t.equal((await eventsByShard(three))[2], 0)
    const { rows } = await three.query(
      `SELECT uniqExact(key) AS persons FROM (${personOfSql(three, WORKSPACE, 'SELECT person_key FROM events WHERE person_key IN (7, 14)')})`,
    )
    t.same(rows, [{ persons: 1 }])
    const [, , added] = shardsOf(three)
    t.same((await added?.query('SELECT anonymous_key AS key FROM identity_links'))?.rows, [{ key: 7 }])
    t.equal(added && (await personOf(added, WORKSPACE, 7n)), '14', 'the new shard knows the links')
    const late = persons(300).map((row) => ({ ...row, logOffset: 9_000 + (row.logOffset ?? 0) }))
    await three.insertEvents({ ...blockOf('c', late), token: `c${shardSuffix(three)}` })
    t.match(await countsOf(three), once(2_900))
    t.not((await eventsByShard(three))[2], 0)
  })
})

t.test('persons are removed from every shard', { skip }, async (t) => {
  const { urls } = await startShards(t, 2)
  const clickhouse = await openShards(t, urls)
  const rows = eventsOf(1_000, (index) => ({
    personKey: BigInt(index % 100),
    insertHash: BigInt(index + 1),
    userId: 'u',
    anonymousId: index % 100 < 20 ? 'removed' : 'a',
  }))
  await clickhouse.insertEvents({ ...blockOf('a', rows), token: `a${shardSuffix(clickhouse)}` })
  const link = (key: bigint) => ({ workspaceId: WORKSPACE, anonymousKey: key, userKey: 1_000n })
  await clickhouse.insertLinks([link(1n), link(2n)])
  const { signal } = new AbortController()
  const until = new Date(Date.UTC(2026, 11, 1))
  const keys = Array.from({ length: 10 }, (_, key) => String(key))
  const removed = rowsOfPersons(WORKSPACE, keys, until)
  const counted = await countRows(clickhouse, removed)
  t.match(counted, { events: 100 })
  await keepInsertIds(clickhouse, removed, new Date(0))
  await removeRows(clickhouse, removed, signal)
  const anonymousIds = ['removed']
  await blankAnonymousIds(clickhouse, { workspaceId: WORKSPACE, anonymousIds, until }, 'salt', signal)
  for (let time = 0; time < 2; time++) await subtractNames(clickhouse, WORKSPACE, counted.names, 'removed')
  const names = [0, 1, 2, 3, 4].map((name) => `event_${name}`)
  await trimNames(clickhouse, { workspaceId: WORKSPACE, names, until }, signal)
  await removeLinks(clickhouse, WORKSPACE, ['1'], signal)

  t.match(await countsOf(clickhouse), once(900))
  const { rows: left } = await clickhouse.query(
    `SELECT countIf(anonymous_id = 'removed') AS named, countIf(person_key < 10) AS events,
       (SELECT count() FROM erased_ids) AS erased FROM events`,
  )
  t.same(left, [{ named: 0, events: 0, erased: 100 }])
  for (const shard of shardsOf(clickhouse)) {
    t.same([await personOf(shard, WORKSPACE, 1n), await personOf(shard, WORKSPACE, 2n)], ['1', '1000'])
    const { rows: counted } = await shard.query(
      'SELECT (SELECT sum(count) FROM event_names) AS names, count() AS events FROM events',
    )
    t.match(counted, [{ names: (counted[0] as { events: number }).events }], 'each counts its own rows')
  }
})

t.test('a plain server becomes the first of two shards', { skip }, async (t) => {
  const { urls } = await startShards(t, 2)
  const [first = '', second = ''] = urls
  const plain = await openRemoteClickHouse({ url: first })
  await migrateClickHouse(plain)
  const block = blockOf('a', persons(100))
  await plain.insertEvents(block)
  await plain.insertLinks([{ workspaceId: WORKSPACE, anonymousKey: 7n, userKey: 14n }])
  const shards = await openShards(t, [second, first])
  await shards.insertEvents(block)
  t.match(await countsOf(shards), once(100))
  t.same(await eventsByShard(shards), [100, 0], 'in the order of the cluster, not of the addresses')
  t.same((await shards.query('SELECT count() AS links FROM identity_links')).rows, [{ links: 1 }])
  await shards.command('ALTER TABLE events ADD COLUMN more UInt8')
  await migrateClickHouse(shards)
  t.same(
    (await shards.query('SELECT max(more) AS more FROM events')).rows,
    [{ more: 0 }],
    'new columns are read',
  )
  t.match(
    await failureOf(migrateClickHouse(plain)),
    { message: /leads to shard 1 of a cluster/ },
    'no way back',
  )
  await plain.close()
})

t.test('servers that are not the shards of one cluster are refused', { skip }, async (t) => {
  const { urls } = await startShards(t, 2)
  const [first = '', second = ''] = urls
  const refusal = (url: string, cluster = SHARDS_CLUSTER) => failureOf(openRemoteClickHouse({ url, cluster }))
  const refused = (message: RegExp) => ({ name: 'ConfigError', variable: 'SVC_CLICKHOUSE_CLUSTER', message })
  t.match(await refusal(first), refused(/has 2 shards/))
  t.match(await refusal(urls.join(), 'other'), refused(/knows no cluster of that name/))
  const twice = first.replace('127.0.0.1', 'localhost')
  t.match(await refusal([first, twice].join()), refused(/are the same shard/))
  t.match(await refusal([first, second, twice].join()), refused(/has 2 shards .* 3 addresses/))

  const other = await startShards(t, 2, t.testdir({ other: {} }))
  t.match(await refusal([first, other.urls[1]].join()), refused(/do not agree/))

  const second_ = await openRemoteClickHouse({ url: second })
  await migrateClickHouse(second_)
  await second_.insertEvents(blockOf('a', persons(10)))
  await second_.close()
  const shards = await openRemoteClickHouse({ url: urls.join(), cluster: SHARDS_CLUSTER })
  t.teardown(() => shards.close())
  t.match(await failureOf(migrateClickHouse(shards)), refused(/whose shard 2 holds events from before/))
  await shards.command('TRUNCATE TABLE events')
  await migrateClickHouse(shards)
  const [, last] = shardsOf(shards)
  await last?.command(`DROP DATABASE ${DATABASE}_all SYNC`)
  await last?.command(`CREATE DATABASE ${DATABASE}_all COMMENT 'shard 1'`)
  t.match(await failureOf(migrateClickHouse(shards)), refused(/shard 2 was shard 1 before/))
})

t.test('a shard that was added cannot be left out', { skip }, async (t) => {
  const places = [await freeServerPorts(), await freeServerPorts()]
  const shard = (port: number) =>
    `<shard><replica><host>127.0.0.1</host><port>${port}</port></replica></shard>`
  const both = places.map(({ tcpPort }) => shard(tcpPort)).join('')
  const clusters = `<remote_servers><two>${both}</two><three>${both}${shard(1)}</three></remote_servers>`
  const folder = t.testdir()
  const servers = await Promise.all(
    places.map((ports) => startClickHouseServer(join(folder, String(ports.tcpPort)), () => clusters, ports)),
  )
  t.teardown(() => Promise.all(servers.map((server) => server.kill())))
  const url = servers.map((server) => `${server.url}/${DATABASE}`).join()
  const shards = await openRemoteClickHouse({ url, cluster: 'two' })
  t.teardown(() => shards.close())
  await migrateClickHouse(shards)
  const [, last] = shardsOf(shards)
  const [local, all] = [`${DATABASE}.events`, `${DATABASE}_all.events`]
  await last?.command(
    `CREATE OR REPLACE TABLE ${all} AS ${local} ENGINE = Distributed('three', '${DATABASE}', 'events')`,
  )
  t.match(await failureOf(migrateClickHouse(shards)), {
    message: /two with 2 shards, and there are 3 in three/,
  })
  await last?.command(
    `CREATE OR REPLACE TABLE ${all} AS ${local} ENGINE = Distributed('two', '${DATABASE}', 'event_names')`,
  )
  await migrateClickHouse(shards)
  t.same(
    (await shards.query('SELECT count() AS events FROM events')).rows,
    [{ events: 0 }],
    'as they have to be',
  )
})
