import { setTimeout } from 'node:timers/promises'
import { quote } from './literal.js'
import { type ClickHouse, ClickHouseError } from './port.js'

const ASK_AGAIN_MS = 200
/** Longer than any insert is waited for: those that run now have been given up by then. */
const MAX_MS = 300_000

/**
 * Resolves once every insert into `events` that is running now has ended. An insert feeds only the views that
 * existed when it began, and its rows are not visible before it ends. So filling a new view must wait for it.
 *
 * For servers only, where another program may write. The embedded engine has one owner.
 *
 * @throws ClickHouseError if they do not end within five minutes, or if the replicas' inserts cannot be
 * listed
 */
export async function waitForInFlightInserts(clickhouse: ClickHouse): Promise<void> {
  const { kind, cluster } = clickhouse.schema
  if (kind !== 'server') return
  const processes =
    cluster === undefined ? 'system.processes' : `clusterAllReplicas(${quote(cluster)}, system.processes)`
  const running = async (among: string, ids: readonly string[]) => {
    const { rows } = await clickhouse.query<{ id: string }>(
      `SELECT DISTINCT query_id AS id FROM ${processes}
       WHERE query_kind = 'Insert' AND position(query, 'INSERT INTO events ') > 0${among}`,
      { params: { ids } },
    )
    return rows.map(({ id }) => id)
  }
  let left = await running('', [])
  for (let waited = 0; left.length > 0; waited += ASK_AGAIN_MS) {
    if (waited >= MAX_MS)
      throw new ClickHouseError(
        'unavailable',
        'an insert that began before a view was made does not end: start again',
      )
    await setTimeout(ASK_AGAIN_MS)
    left = await running(' AND query_id IN {ids:Array(String)}', left)
  }
}
