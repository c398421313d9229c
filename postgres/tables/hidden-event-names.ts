import { type HiddenNames, hiddenNamesOf } from '../../domain/hidden-names.js'
import type { Sql, Transaction } from '../driver/client.js'

/** The names that the listings of a workspace leave out. */
export async function readHiddenNames(sql: Sql | Transaction, workspaceId: string): Promise<HiddenNames> {
  const rows = await sql<{ pattern: string }[]>`
    select pattern from hidden_event_names where workspace_id = ${workspaceId} order by pattern`
  return hiddenNamesOf(rows.map(({ pattern }) => pattern))
}

/** Returns whether that changed anything. */
export async function writeHiddenName(
  tx: Transaction,
  workspaceId: string,
  { pattern, hidden, at }: { readonly pattern: string; readonly hidden: boolean; readonly at: Date },
): Promise<boolean> {
  const { count } = hidden
    ? await tx`
        insert into hidden_event_names (workspace_id, pattern, hidden_at)
        values (${workspaceId}, ${pattern}, ${at}) on conflict do nothing`
    : await tx`delete from hidden_event_names where workspace_id = ${workspaceId} and pattern = ${pattern}`
  return count > 0
}
