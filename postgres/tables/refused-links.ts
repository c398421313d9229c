import { LINK_REFUSALS, type LinkRefusal } from '../../domain/person.js'
import type { Sql, Transaction } from '../driver/client.js'

/** How often each cause refused a link. */
export type RefusedLinks = Readonly<Record<LinkRefusal, number>>

/** Adds refused links of today, by workspace. */
export async function addRefusedLinks(
  sql: Sql | Transaction,
  cause: LinkRefusal,
  byWorkspace: ReadonlyMap<string, number>,
): Promise<void> {
  if (byWorkspace.size === 0) return
  // In one order, so that no two callers wait for each other.
  const workspaces = [...byWorkspace.keys()].sort()
  const counts = workspaces.map((id) => byWorkspace.get(id) ?? 0)
  await sql`
    insert into refused_links (workspace_id, day, cause, events)
    select workspace_id, (now() at time zone 'UTC')::date, ${cause}, events
    from unnest(${workspaces}::uuid[], ${counts}::bigint[]) as added (workspace_id, events)
    on conflict (workspace_id, day, cause) do update set events = refused_links.events + excluded.events`
}

/** The refused links of the last seven UTC days, today included. */
export async function readRefusedLinks(sql: Sql, workspaceId: string): Promise<RefusedLinks> {
  const rows = await sql<{ cause: string; events: number }[]>`
    select cause, sum(events)::float8 as events from refused_links
    where workspace_id = ${workspaceId} and day > (now() at time zone 'UTC')::date - 7 group by cause`
  const counts = new Map(rows.map(({ cause, events }) => [cause, events]))
  return Object.fromEntries(LINK_REFUSALS.map((cause) => [cause, counts.get(cause) ?? 0])) as RefusedLinks
}
