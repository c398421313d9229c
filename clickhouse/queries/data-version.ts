import type { ClickHouse } from '../port.js'

/*
 * Versions of the stored events: two equal ones mean that a query sees the same events at both times, whatever happened elsewhere. They are read
 * from `events` itself, as a query would see it: what a view or another store says of an insert comes before or after it.
 *
 * On replicas they would have to be read where the query runs: see `hasVersions`.
 */

/** Whether versions read from this store hold for the next query, which on a cluster another replica may answer. */
export function hasVersions(clickhouse: ClickHouse): boolean {
  return clickhouse.schema.cluster === undefined
}

/**
 * A version that changes with the workspace's events, and more often than it must: what the store knows of the workspace without being asked, else which
 * parts all events are in. A part never changes, and its name and time are used once; merging makes another version of the same events.
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
    signal === undefined ? {} : { signal },
  )
  return rows[0]?.version ?? ''
}

/**
 * The version of one workspace's events: their number, which the primary key tells, and what may have taken some away: mutations and
 * months that went. No table here loses rows by TTL, which neither would show.
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
    { params: { workspaceId }, ...(signal === undefined ? {} : { signal }) },
  )
  return rows[0]?.version ?? ''
}

const PARTS = "system.parts WHERE active AND database = currentDatabase() AND table = 'events'"
