import { join } from 'node:path'
import t, { type Test } from 'tap'
import { readMigrations } from '../../runtime/migrations.js'
import { packageRoot } from '../../runtime/package-root.js'
import { startRecordingProxy } from '../../test/support/clickhouse/recording-proxy.js'
import { playReplica, type Replica } from '../../test/support/clickhouse/replica.js'
import {
  clickhouseProblem,
  type ServerPorts,
  startClickHouseServer,
} from '../../test/support/clickhouse/server.js'
import { migrateClickHouse, statementsOf, tableUuid } from '../migrate.js'
import type { SchemaTarget } from '../port.js'
import { openRemoteClickHouse } from '../remote/open.js'
import { blockOf, eventsOf, failureOf, testContract, WORKSPACE } from './support/contract.js'
import { personOf } from './support/person-of.js'

const CLUSTER: SchemaTarget = {
  kind: 'server',
  database: 'svc',
  cluster: 'c1',
  links: 'memory',
  credentials: { user: 'me', password: 'secret' },
}

/** Statements that a replica received while `work` ran. */
async function askedOf(replica: Replica, work: () => Promise<unknown>): Promise<string[]> {
  const before = replica.statements.length
  await work()
  // Without liveness probes, which come at any time.
  return replica.statements.slice(before).filter((statement) => statement !== 'SELECT 1')
}

/** Cluster c1 has one shard, which is this server, and c2 has two. */
function clusterConfig({ tcpPort }: ServerPorts): string {
  const shard = `<shard><replica><host>127.0.0.1</host><port>${tcpPort}</port></replica></shard>`
  return `<macros><shard>1</shard><replica>replica-1</replica></macros>
    <remote_servers><c1>${shard}</c1><c2>${shard}${shard}</c2></remote_servers>`
}

async function open(t: Test, replica: Replica) {
  const behind = await startClickHouseServer(t.testdir(), clusterConfig)
  t.teardown(() => behind.kill())
  const server = await startRecordingProxy(behind.url, replica)
  t.teardown(() => server.close())
  return { server, options: { url: `${server.url}/svc_test`, cluster: 'c1' } }
}

const skip = clickhouseProblem() ?? false

t.test('the schema is created with fixed uuids on a cluster', (t) => {
  const statements = readMigrations(join(packageRoot(), 'clickhouse', 'schema')).flatMap((migration) =>
    statementsOf(migration, CLUSTER),
  )
  const made = statements.flatMap((statement) => {
    const [, kind, name, uuid] =
      /^CREATE (TABLE|MATERIALIZED VIEW) IF NOT EXISTS (\w+) UUID '([^']+)' ON CLUSTER 'c1'/.exec(
        statement,
      ) ?? []
    return kind === undefined ? [] : [{ kind, name, uuid, statement }]
  })
  t.same(
    made.map(({ name }) => name),
    [
      'events',
      'event_names',
      'event_names_feed',
      'identity_links',
      'event_order',
      'event_order_feed',
      'exposures',
      'exposures_feed',
      'erased_ids',
      'id_filters',
    ],
  )
  for (const { kind, name = '', uuid, statement } of made) {
    t.equal(uuid, tableUuid('svc', name), `${name} is the same table on every replica`)
    if (kind === 'TABLE')
      t.match(
        statement,
        `MergeTree('/clickhouse/tables/{shard}/svc/{table}', '{replica}')`,
        `${name} is replicated`,
      )
  }
  t.equal(new Set(made.map(({ uuid }) => uuid)).size, made.length)
  t.not(tableUuid('svc', 'events'), tableUuid('other', 'events'), 'another database has other tables')
  t.match(tableUuid('svc', 'events'), /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  const rest = statements.filter((statement) => !made.some((one) => one.statement === statement))
  t.same(
    rest.map((statement) => statement.slice(0, 40).replace(/\s+/g, ' ').trim()),
    [
      'CREATE DICTIONARY IF NOT EXISTS links ON',
      'INSERT INTO event_order (workspace_id, r',
      'OPTIMIZE TABLE event_order FINAL',
      'CREATE OR REPLACE DICTIONARY links ON CL',
      "ALTER TABLE events ON CLUSTER 'c1' MODIF",
      "ALTER TABLE event_names ON CLUSTER 'c1'",
      "ALTER TABLE event_order ON CLUSTER 'c1'",
      'INSERT INTO exposures (workspace_id, exp',
      'OPTIMIZE TABLE exposures FINAL',
      "ALTER TABLE exposures_feed ON CLUSTER 'c",
      "ALTER TABLE events ON CLUSTER 'c1' MODIF",
      "ALTER TABLE event_order ON CLUSTER 'c1'",
      "ALTER TABLE exposures ON CLUSTER 'c1' MO",
    ],
  )
  t.notMatch(statements.join(), /@/)
  t.end()
})

t.test('the service sends statements and settings that fit a cluster', { skip }, async (t) => {
  const replica = playReplica()
  const { server, options } = await open(t, replica)
  const clickhouse = await openRemoteClickHouse(options)
  t.match(replica.statements.at(-1), "CREATE DATABASE IF NOT EXISTS `svc_test` ON CLUSTER 'c1'")
  const first = await askedOf(replica, () => migrateClickHouse(clickhouse))
  t.ok(first.indexOf('SYSTEM SYNC REPLICA events LIGHTWEIGHT') >= 0, 'the filling sees what others took')
  t.ok(first.indexOf('SYSTEM SYNC REPLICA event_order LIGHTWEIGHT') >= 0)
  t.ok(
    first.some((statement) => statement.includes("clusterAllReplicas('c1', system.processes)")),
    'inserts of all replicas are waited for',
  )

  await t.test('ClickHouse parses each statement as it is meant', async (t) => {
    const sent = replica.statements.filter((statement) => /^(CREATE|OPTIMIZE|SYSTEM|INSERT)/.test(statement))
    t.ok(sent.some((statement) => / UUID '[^']+' ON CLUSTER /.test(statement)))
    for (const statement of sent) {
      const { rows } = await clickhouse.query<{ text: string }>(
        'SELECT formatQuery({statement:String}) AS text',
        {
          params: { statement },
        },
      )
      const words = (text: string) =>
        text
          .replace(/[\s`()]+/g, ' ')
          .trim()
          .toLowerCase()
      t.match(words(rows[0]?.text ?? ''), words(statement).slice(0, 40))
      t.equal(rows[0]?.text.includes('ON CLUSTER'), statement.includes('ON CLUSTER'))
    }
  })

  await t.test('a start with nothing to migrate sends no statement to the other replicas', async (t) => {
    const asked = await askedOf(replica, async () => {
      const again = await openRemoteClickHouse(options)
      await migrateClickHouse(again)
      await again.close()
    })
    t.notMatch(asked.join(), /ON CLUSTER/)
    t.ok(
      asked.indexOf('SYSTEM SYNC REPLICA schema_migrations LIGHTWEIGHT') <
        asked.findIndex((statement) => statement.includes('FROM schema_migrations')),
    )
  })

  await t.test('a replica that joined later gets its missing tables', async (t) => {
    await clickhouse.command('DROP TABLE event_names_feed SYNC')
    const asked = await askedOf(replica, () => migrateClickHouse(clickhouse))
    const made = asked.filter((statement) => statement.startsWith('CREATE'))
    t.equal(made.length, 1)
    t.match(made[0], /^CREATE MATERIALIZED VIEW IF NOT EXISTS event_names_feed UUID/)

    await clickhouse.command('DROP TABLE exposures_feed SYNC')
    const changed = await askedOf(replica, () => migrateClickHouse(clickhouse))
    t.match(
      changed.filter((statement) => /^(CREATE|ALTER)/.test(statement)),
      [
        /^CREATE MATERIALIZED VIEW IF NOT EXISTS exposures_feed UUID/,
        /^ALTER TABLE exposures_feed ON CLUSTER/,
      ],
      'and what it became since',
    )
  })

  await t.test('a block is acknowledged by most replicas, under settings that keep its token', async (t) => {
    await clickhouse.insertEvents(blockOf('settings', eventsOf(3)))
    const sent = server.requests.find((request) => request.get('insert_deduplication_token') === 'settings')
    t.match(Object.fromEntries(sent ?? []), {
      insert_deduplication_token: 'settings',
      insert_deduplicate: '1',
      deduplicate_insert: 'enable',
      deduplicate_insert_select: 'enable_even_for_bad_queries',
      deduplicate_blocks_in_dependent_materialized_views: '1',
      materialized_views_ignore_errors: '0',
      async_insert: '0',
      max_insert_threads: '1',
      insert_quorum: 'auto',
      insert_quorum_parallel: '1',
      insert_quorum_timeout: '20000',
    })
    const links = server.requests.length
    const asked = await askedOf(replica, () =>
      clickhouse.insertLinks([{ workspaceId: WORKSPACE, anonymousKey: 70n, userKey: 71n }]),
    )
    t.ok(server.requests.slice(links).some((request) => request.get('insert_quorum') === 'auto'))
    t.same(
      asked.slice(1),
      ['SYSTEM RELOAD DICTIONARY `svc_test`.links'],
      'no wait for a replica that is away',
    )
  })

  await t.test('a read that has to be up to date is answered by the replica that has fetched', async (t) => {
    const count = async () => {
      const { rows } = await clickhouse.query<{ n: number }>('SELECT count() AS n FROM events', {
        readYourWrites: true,
      })
      return rows[0]?.n
    }
    const bytes = async () => {
      const chunks = []
      for await (const chunk of clickhouse.rowBinary('SELECT count() FROM events', { readYourWrites: true }))
        chunks.push(Uint8Array.from(chunk))
      return Buffer.concat(chunks).readUInt32LE(0)
    }
    for (const ask of [count, bytes]) {
      replica.name = () => 'replica-1'
      t.same((await askedOf(replica, ask)).map(verb), ['SYSTEM', 'SELECT'])
      let fetches = 0
      // The answer comes from the second replica, which fetches at the third attempt.
      replica.name = (statement) =>
        verb(statement) === 'SYSTEM' && ++fetches < 3 ? 'replica-1' : 'replica-2'
      t.equal(await ask(), 3)
      t.equal(fetches, 3)
      replica.name = (statement) => verb(statement)
      t.match(await failureOf(ask()), { code: 'unavailable', retryable: true, message: /SVC_CLICKHOUSE_URL/ })
    }
    t.same((await askedOf(replica, () => clickhouse.query('SELECT 2'))).map(verb), ['SELECT'])
    replica.name = () => 'replica-1'
  })

  await t.test('a link that reaches the replica late is not missed', async (t) => {
    const linked = async () => {
      await clickhouse.command('SYSTEM RELOAD DICTIONARY svc_test.links')
      return personOf(clickhouse, WORKSPACE, 80n)
    }
    t.equal(await linked(), '80')
    await clickhouse.command(
      'INSERT INTO identity_links (workspace_id, anonymous_key, user_key, linked_at) SELECT {id:UUID}, 80, 81, now() - 3600',
      { params: { id: WORKSPACE } },
    )
    t.equal(await linked(), '81')
    await clickhouse.command('OPTIMIZE TABLE identity_links FINAL')
    t.equal(await linked(), '81')
  })

  await t.test('tables that would forget deduplication tokens stop the start', async (t) => {
    await clickhouse.command('ALTER TABLE event_names MODIFY SETTING replicated_deduplication_window = 100')
    t.match(await failureOf(migrateClickHouse(clickhouse)), {
      name: 'ConfigError',
      message: /svc_test\.event_names whose replicated_deduplication_window is below 10000/,
    })
    await clickhouse.command('ALTER TABLE event_names MODIFY SETTING replicated_deduplication_window = 20000')
    await migrateClickHouse(clickhouse)
  })
  await clickhouse.close()
})

t.test('the adapter meets the contract of the port on a cluster, with links on disk', { skip }, async (t) => {
  const opened = await open(t, playReplica())
  const options = { ...opened.options, links: 'disk' } as const
  const clickhouse = await openRemoteClickHouse(options)
  await migrateClickHouse(clickhouse)
  await testContract(t, clickhouse, await openRemoteClickHouse(options), { textLength: 100 })
})

t.test('clusters that do not fit the tables are refused', { skip }, async (t) => {
  const server = await startClickHouseServer(t.testdir(), clusterConfig)
  t.teardown(() => server.kill())
  const url = `${server.url}/svc_test`
  t.match(await failureOf(openRemoteClickHouse({ url, cluster: 'c2' })), {
    variable: 'SVC_CLICKHOUSE_CLUSTER',
    message: /c2, which has 2 shards/,
  })
  t.match(await failureOf(openRemoteClickHouse({ url, cluster: 'c3' })), {
    message: /c3, and the server knows no cluster of that name/,
  })
})

function verb(statement: string): string {
  return statement.split(' ')[0] ?? ''
}
