import t from 'tap'
import { clickhouseProblem } from '../../test/support/clickhouse/server.js'
import { SHARDS_CLUSTER, startClickHouseShards } from '../../test/support/clickhouse/shards.js'
import { openRemoteClickHouse } from '../remote/open.js'

t.test(
  'shards answer for each other as the user that asked',
  { skip: clickhouseProblem() ?? false },
  async (t) => {
    const shards = await startClickHouseShards(t.testdir(), 2)
    t.teardown(() => Promise.all(shards.map((shard) => shard.kill())))
    const clients = await Promise.all(shards.map(({ url }) => openRemoteClickHouse({ url: `${url}/svc` })))
    t.teardown(() => Promise.all(clients.map((client) => client.close())))
    const [first, second] = clients
    const [, shard] = shards
    if (first === undefined || second === undefined || shard === undefined) return t.fail('two shards')
    for (const client of clients) {
      await client.command('CREATE TABLE numbers (n UInt32) ENGINE = MergeTree ORDER BY n')
      await client.command(
        `CREATE TABLE every AS numbers ENGINE = Distributed('${SHARDS_CLUSTER}', 'svc', 'numbers', n)`,
      )
    }
    await first.command(
      'INSERT INTO every SELECT number FROM numbers(4) SETTINGS distributed_foreground_insert = 1',
    )
    const rows = 'SELECT groupArray(n) AS found FROM (SELECT n FROM {table:Identifier} ORDER BY n)'
    const found = async (client: typeof first, table: string) =>
      (await client.query<{ found: number[] }>(rows, { params: { table } })).rows[0]?.found
    t.same(await found(second, 'every'), [0, 1, 2, 3])
    t.same(await found(first, 'numbers'), [0, 2])
    t.same(await found(second, 'numbers'), [1, 3])
    const users = `SELECT DISTINCT shardNum() AS shard, user FROM clusterAllReplicas('${SHARDS_CLUSTER}', system.processes)
    WHERE query LIKE '%system.processes%' ORDER BY shard`
    t.same(
      (await first.query(users)).rows,
      [1, 2].map((shard) => ({ shard, user: 'svc' })),
    )

    await shard.kill()
    await t.rejects(found(first, 'every'), 'one shard is gone')
    t.same(await found(first, 'numbers'), [0, 2])
    await shard.start()
    t.same(await found(first, 'every'), [0, 1, 2, 3])
  },
)
