import type { ClickHouse } from '../port.js'

/*
 * Versions of stored events: if two are equal, a query sees the same events at both times. They are read from
 * `events` itself, because a view or another store lags behind an insert or precedes it.
 *
 * On several servers they would have to be read where the query runs: see `hasVersions`.
 */

/** Whether versions from this store hold for the next query. On a cluster another server may answer it. */
export function hasVersions({ schema, shards }: ClickHouse): boolean {
  return schema.cluster === undefined && shards === undefined
}

/**
 * A version that changes with the workspace's events, and sometimes without. It is what the store knows
 * without a query, or else the list of parts. A part never changes, and its name and time are used once;
 * merging changes the version of the same events.
 */
export async function storeVersion(
  clickhouse: ClickHouse,
  workspaceId: string,
  signal?: AbortSignal,
): Promise<string> {
  const known = await clickhouse.contentVersion(workspaceId)
  if (known !== undefined) return `content ${known}`
  const { rows } = await clickhouse.query<{ version: string }>(
    `SELECT concat(toString(count()), ' ', toString(sum(cityHash64(name, modification_time)))) AS version
     FROM ${PARTS}`,
    { signal },
  )
  return rows[0]?.version ?? ''
}

/**
 * The version of one workspace's events: their number, which the primary key gives, and what may have removed
 * some: mutations and dropped months. No table loses rows by TTL, which neither would show.
 */
export async function workspaceVersion(
  clickhouse: ClickHouse,
  workspaceId: string,
  signal?: AbortSignal,
): Promise<string> {
  const { rows } = await clickhouse.query<{ version: string }>(
    `SELECT concat(
       toString((SELECT count() FROM events WHERE workspace_id = {workspaceId:UUID})), ' ',
       toString((SELECT sum(cityHash64(mutation_id, parts_to_do, is_done)) FROM system.mutations
         WHERE database = currentDatabase() AND table = 'events')), ' ',
       toString((SELECT sum(cityHash64(partition_id, first)) FROM (
         SELECT partition_id, min(min_block_number) AS first FROM ${PARTS} GROUP BY partition_id)))
     ) AS version`,
    { params: { workspaceId }, signal },
  )
  return rows[0]?.version ?? ''
}

const PARTS = "system.parts WHERE active AND database = currentDatabase() AND table = 'events'"
