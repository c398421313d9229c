import { setTimeout } from 'node:timers/promises'
import { type ClickHouse, ClickHouseError } from './port.js'
import { quote } from './statements/literal.js'

const ASK_AGAIN_MS = 200
/** Longer than an insert is ever waited for: what runs now has been given up by then. */
const MAX_MS = 300_000

/**
 * Resolves once every insert into `events` that is running now has ended. An insert feeds the views there were when it began: one that began before a new view was made
 * does not feed that, and what it inserts is not yet there for a filling to find. So a filling waits for it.
 *
 * Only on servers, where another program may be writing: the embedded engine has one owner, who is not writing yet.
 *
 * @throws ClickHouseError where they do not end in five minutes, or the replicas' inserts cannot be seen
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
