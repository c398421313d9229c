import t from 'tap'
import { assertSupportedServer, insertSettings, type ServerFacts } from '../server.js'

const GOOD: ServerFacts = {
  version: '25.8.3.66',
  databaseEngine: 'Atomic',
  tokenSettings: [],
  shards: 1,
  macros: ['shard', 'replica'],
}

t.test('servers on which events could be lost or doubled are refused', (t) => {
  assertSupportedServer(GOOD, undefined)
  assertSupportedServer(GOOD, 'c1')
  assertSupportedServer({ ...GOOD, databaseEngine: '', shards: 0, macros: [] }, undefined)
  const cases: readonly [Partial<ServerFacts>, string | undefined, RegExp][] = [
    [
      { version: '25.7.6.8' },
      undefined,
      /^SVC_CLICKHOUSE_URL leads to ClickHouse 25\.7\.6\.8: 25\.8 or later/,
    ],
    [{ version: '9.8.1.1' }, undefined, /25\.8 or later/],
    [{ version: '26.1.2.11' }, undefined, /26\.1\.2\.11, which may store a repeated insert twice/],
    [{ version: '25.12.9.61' }, 'c1', /^SVC_CLICKHOUSE_CLUSTER leads to ClickHouse 25\.12/],
    [{ databaseEngine: 'Replicated' }, undefined, /engine Replicated: an Atomic one/],
    [{ databaseEngine: 'Shared' }, 'c1', /engine Shared/],
    [{ shards: 0 }, 'c1', /knows no cluster/],
    [{ shards: 3 }, 'c1', /has 3 shards/],
    [{ macros: ['shard'] }, 'c1', /macro \{replica\}/],
    [{ macros: [] }, 'c1', /macro \{shard\}/],
  ]
  for (const [facts, cluster, message] of cases)
    t.throws(() => assertSupportedServer({ ...GOOD, ...facts }, cluster), { name: 'ConfigError', message })
  for (const version of ['25.8.1.1', '25.11.1.1', '26.2.1.1', '26.10.1.1', '26.12.1.1', '100.1.1.1'])
    assertSupportedServer({ ...GOOD, version }, undefined)
  t.end()
})

t.test('an insert sends only the settings that the server knows', (t) => {
  t.same(insertSettings(GOOD, undefined), { materialized_views_ignore_errors: 0 })
  t.match(insertSettings({ tokenSettings: ['deduplicate_insert_select'] }, undefined), {
    deduplicate_insert_select: 'enable_even_for_bad_queries',
    deduplicate_insert: undefined,
    insert_quorum: undefined,
  })
  t.match(insertSettings(GOOD, 'c1'), { insert_quorum: 'auto', insert_quorum_parallel: 1 })
  t.end()
})
