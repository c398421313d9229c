import type { Sql } from '../driver/client.js'

/** The users that some anonymous ids of a workspace are linked to; ids without a link are left out. */
export async function findLinks(
  sql: Sql,
  workspaceId: string,
  anonymousIds: readonly string[],
): Promise<Map<string, string>> {
  if (anonymousIds.length === 0) return new Map()
  const rows = await sql<{ anonymous_id: string; user_id: string }[]>`
    select anonymous_id, user_id from identity_links
    where workspace_id = ${workspaceId} and anonymous_id = any(${[...anonymousIds]})`
  return new Map(rows.map((row) => [row.anonymous_id, row.user_id]))
}
