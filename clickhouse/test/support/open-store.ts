import { clickhouseProblem, startClickHouseServer } from '../../../test/support/clickhouse/server.js'
import { temporaryDataDir } from '../../../test/support/service.js'
import type { Teardown } from '../../../test/support/stores.js'
import { openEmbeddedClickHouse } from '../../embedded/open.js'
import type { ClickHouse } from '../../port.js'
import { openRemoteClickHouse } from '../../remote/open.js'

/**
 * An empty store until the test's end: the embedded engine, or with `TEST_CLICKHOUSE=server` a real server.
 * @throws Error if there is no server for this system
 */
export async function openStore(t: Teardown): Promise<ClickHouse> {
  const folder = temporaryDataDir()
  t.teardown(() => folder.remove())
  if (process.env.TEST_CLICKHOUSE !== 'server') {
    const clickhouse = await openEmbeddedClickHouse({ path: folder.path })
    t.teardown(() => clickhouse.close())
    return clickhouse
  }
  const problem = clickhouseProblem()
  if (problem !== undefined) throw new Error(problem)
  const server = await startClickHouseServer(folder.path)
  t.teardown(() => server.kill())
  const clickhouse = await openRemoteClickHouse({ url: `${server.url}/svc_test` })
  t.teardown(() => clickhouse.close())
  return clickhouse
}
