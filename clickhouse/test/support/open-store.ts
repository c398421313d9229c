import { deadlineSignal } from '../../../runtime/concurrency/deadline-signal.js'
import { clickhouseProblem, startClickHouseServer } from '../../../test/support/clickhouse/server.js'
import { SHARDS_CLUSTER, startClickHouseShards } from '../../../test/support/clickhouse/shards.js'
import { temporaryDataDir } from '../../../test/support/service.js'
import type { Teardown } from '../../../test/support/stores.js'
import { openEmbeddedClickHouse } from '../../embedded/open.js'
import type { ClickHouse, EventBlock, QueryOptions } from '../../port.js'
import { openRemoteClickHouse } from '../../remote/open.js'
import { shardSuffix } from '../../shards.js'

/**
 * An empty store until the test's end: the embedded engine, with `TEST_CLICKHOUSE=server` a real server, with
 * `TEST_CLICKHOUSE=shards` two of them, which have links on disk with `TEST_CLICKHOUSE_LINKS=disk`.
 * @throws Error if there is no server for this system
 */
export async function openStore(t: Teardown): Promise<ClickHouse> {
  const folder = temporaryDataDir()
  t.teardown(() => folder.remove())
  const kind = process.env.TEST_CLICKHOUSE
  if (kind !== 'server' && kind !== 'shards') {
    const clickhouse = await openEmbeddedClickHouse({ path: folder.path })
    t.teardown(() => clickhouse.close())
    return clickhouse
  }
  const problem = clickhouseProblem()
  if (problem !== undefined) throw new Error(problem)
  const servers =
    kind === 'shards'
      ? await startClickHouseShards(folder.path, 2)
      : [await startClickHouseServer(folder.path)]
  t.teardown(() => Promise.all(servers.map((server) => server.kill())))
  const clickhouse = await openRemoteClickHouse({
    url: servers.map(({ url }) => `${url}/svc_test`).join(),
    cluster: kind === 'shards' ? SHARDS_CLUSTER : undefined,
    links: process.env.TEST_CLICKHOUSE_LINKS === 'disk' ? 'disk' : 'memory',
  })
  t.teardown(() => clickhouse.close())
  return spreading(clickhouse)
}

const PATIENCE_SECONDS = 300

/**
 * The store, with tokens that record its shards as those of the consumers do, and with time for queries on a
 * busy machine.
 */
export function spreading(clickhouse: ClickHouse): ClickHouse {
  return new Proxy(clickhouse, {
    get(target, name) {
      if (name === 'insertEvents')
        return (block: EventBlock, signal?: AbortSignal) =>
          target.insertEvents({ ...block, token: `${block.token}${shardSuffix(target)}` }, signal)
      if (name === 'query')
        return (sql: string, options: QueryOptions = {}) => target.query(sql, withPatience(options))
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

function withPatience(options: QueryOptions): QueryOptions {
  const { signal = deadlineSignal(PATIENCE_SECONDS * 1_000), settings } = options
  const limit = Number(settings?.max_execution_time ?? 30)
  const max_execution_time = limit < 30 ? limit : PATIENCE_SECONDS
  return { ...options, signal, settings: { ...settings, max_execution_time } }
}
