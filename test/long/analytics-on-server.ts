import { packageRoot } from '../../runtime/package-root.js'
import { compiledRoot } from '../support/service.js'

/** Test files of analytics, and of what the consumers ask and insert. The seed chooses the one that runs. */
const FILES = [
  'clickhouse/queries/events/test/event-order',
  'clickhouse/queries/events/test/events',
  'clickhouse/queries/events/test/events-between',
  'clickhouse/queries/funnel/in-memory/test/query-in-memory',
  'clickhouse/queries/funnel/test/funnel',
  'clickhouse/queries/funnel/test/funnel-invariants',
  'clickhouse/queries/insights/test/query-retention',
  'clickhouse/queries/insights/test/query-trends',
  'clickhouse/queries/test/vocabulary',
  'clickhouse/test/funnel-experiment',
  'clickhouse/test/results',
  'consumers/blocks/test/deduplicate-rows',
  'consumers/dedup/test/deduplicator',
  'consumers/dedup/test/index-hashes',
  'consumers/dedup/test/stored-ids',
  'consumers/events/test/event-consumer',
  'consumers/events/test/process-records',
  'consumers/partitions/test/block-writer',
  'consumers/replays/test/replayer',
]

/*
 * One file on a real ClickHouse server or on two shards, with links in memory or on disk. The number of cases
 * is that of the fast tier.
 */
delete process.env.TEST_LONG
const { SEED } = await import('../support/cases.js')
const form = Math.floor(SEED / FILES.length)
process.env.TEST_CLICKHOUSE ??= form % 2 === 0 ? 'server' : 'shards'
process.env.TEST_CLICKHOUSE_LINKS ??= form % 4 < 2 ? 'memory' : 'disk'
await import(`${packageRoot()}/${compiledRoot()}/${FILES[SEED % FILES.length]}.js`)
