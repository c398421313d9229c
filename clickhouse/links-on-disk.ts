import { identifier, quote } from './literal.js'
import type { ClickHouse } from './port.js'

/*
 * Links of a server that does not hold them in memory: queries join the links of the persons they ask for.
 * docs/decisions/034-links-on-disk.md has what was measured.
 */

/**
 * SQL of rows with the `user_key` that their `person_key` is linked to, or 0. The links of other persons are
 * not read into memory. No user has key 0.
 * @param workspaceId SQL of the workspace's id
 */
export function joinLinks(rows: string, database: string, workspaceId: string): string {
  return `SELECT asked.*, links.user_key AS user_key FROM (${rows}) AS asked
ANY LEFT JOIN (SELECT anonymous_key, user_key FROM ${identifier(database)}.identity_links
WHERE workspace_id = ${workspaceId} AND anonymous_key IN (SELECT person_key FROM (${rows}))) AS links
ON asked.person_key = links.anonymous_key`
}

/**
 * Orders links by workspace too, so that a query reads those of its own. Parts without the projection are
 * read whole, with the same result. Idempotent.
 */
export async function indexLinks(clickhouse: ClickHouse): Promise<void> {
  const { cluster } = clickhouse.schema
  const table = `identity_links${cluster === undefined ? '' : ` ON CLUSTER ${quote(cluster)}`}`
  const { rows } = await clickhouse.query(
    `SELECT 1 FROM system.parts WHERE database = currentDatabase() AND table = 'identity_links' AND active
       AND name NOT IN (
         SELECT parent_name FROM system.projection_parts
         WHERE database = currentDatabase() AND table = 'identity_links' AND name = 'by_workspace' AND active)
     UNION ALL SELECT 1 FROM system.tables WHERE database = currentDatabase() AND name = 'identity_links'
       AND create_table_query NOT LIKE '%by_workspace%'`,
  )
  if (rows.length === 0) return
  // Otherwise ClickHouse refuses projections of a table whose merges drop rows.
  await clickhouse.command(
    `ALTER TABLE ${table} MODIFY SETTING deduplicate_merge_projection_mode = 'rebuild'`,
  )
  await clickhouse.command(
    `ALTER TABLE ${table} ADD PROJECTION IF NOT EXISTS by_workspace
     (SELECT workspace_id, anonymous_key, user_key ORDER BY workspace_id, anonymous_key)`,
  )
  // Runs in the background, part by part.
  await clickhouse.command(`ALTER TABLE ${table} MATERIALIZE PROJECTION by_workspace`, {
    settings: { mutations_sync: 0 },
  })
}

/**
 * Loads new links, if the server holds links in memory. By itself it does so only every few seconds,
 * as the other replicas do.
 */
export async function reloadLinks(clickhouse: ClickHouse): Promise<void> {
  const { database, links } = clickhouse.schema
  if (links === 'memory' || (await isDictionaryLoaded(clickhouse)))
    await clickhouse.command(`SYSTEM RELOAD DICTIONARY ${identifier(database)}.links`)
}

/** Whether the server holds links in memory, because another process has asked for them there. */
export async function isDictionaryLoaded(clickhouse: ClickHouse): Promise<boolean> {
  const { rows } = await clickhouse.query(
    `SELECT 1 FROM system.dictionaries
     WHERE database = {database:String} AND name = 'links' AND status IN ('LOADED', 'LOADING', 'LOADED_AND_RELOADING')`,
    { params: { database: clickhouse.schema.database } },
  )
  return rows.length > 0
}
