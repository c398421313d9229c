import type { SavedRange } from '../../domain/funnel.js'
import type { Sql, Transaction } from '../../postgres/driver/client.js'
import { type PageOfRows, readPage } from '../../postgres/driver/read-page.js'
import { found } from '../domain-errors.js'
import { refuseTakenName } from './taken-name.js'

export interface DashboardRow {
  id: string
  name: string
  description: string
  /** Ids in the order in which they are shown. */
  insights: readonly string[]
  last: SavedRange
  createdAt: Date
  updatedAt: Date
}

export type DashboardFields = Pick<DashboardRow, 'name' | 'description' | 'insights' | 'last'>

/** Insights that were deleted since are left out. */
const columns = (sql: Sql | Transaction) => sql`
  id, name, description, last, created_at as "createdAt", updated_at as "updatedAt",
  array(select insights.id from unnest(dashboards.insights) with ordinality as shown (id, place)
    join insights on insights.id = shown.id order by place) as insights`

/** Newest first. */
export function listDashboards(
  sql: Sql,
  workspaceId: string,
  paging: { readonly limit: number; readonly offset: number },
): Promise<PageOfRows<DashboardRow>> {
  return readPage(
    sql,
    columns(sql),
    sql`dashboards where workspace_id = ${workspaceId}`,
    'created_at',
    paging,
  )
}

/** Throws NOT_FOUND. */
export async function findDashboard(sql: Sql, workspaceId: string, id: string): Promise<DashboardRow> {
  const rows = await sql<DashboardRow[]>`
    select ${columns(sql)} from dashboards where workspace_id = ${workspaceId} and id = ${id}`
  return found(rows[0], 'dashboard')
}

/** Locks a dashboard until the transaction ends. Throws NOT_FOUND. */
export async function lockDashboard(tx: Transaction, workspaceId: string, id: string): Promise<DashboardRow> {
  const rows = await tx<DashboardRow[]>`
    select ${columns(tx)} from dashboards where workspace_id = ${workspaceId} and id = ${id} for update`
  return found(rows[0], 'dashboard')
}

/** Throws NAME_TAKEN if another dashboard of the workspace has the name. */
export async function insertDashboard(
  tx: Transaction,
  workspaceId: string,
  dashboard: DashboardFields & { readonly id: string; readonly at: Date },
): Promise<DashboardRow> {
  const { id, name, description, insights, last, at } = dashboard
  const rows = await tx<DashboardRow[]>`
    insert into dashboards (id, workspace_id, name, description, insights, last, created_at, updated_at)
    values (${id}, ${workspaceId}, ${name}, ${description}, ${[...insights]}::uuid[], ${last}, ${at}, ${at})
    returning ${columns(tx)}`.catch(refuseTakenName('dashboard', name))
  return found(rows[0], 'dashboard')
}

/** Throws NOT_FOUND, NAME_TAKEN. */
export async function writeDashboard(
  tx: Transaction,
  workspaceId: string,
  id: string,
  { name, description, insights, last, at }: DashboardFields & { readonly at: Date },
): Promise<DashboardRow> {
  const rows = await tx<DashboardRow[]>`
    update dashboards set name = ${name}, description = ${description}, insights = ${[...insights]}::uuid[],
      last = ${last}, updated_at = ${at}
    where workspace_id = ${workspaceId} and id = ${id}
    returning ${columns(tx)}`.catch(refuseTakenName('dashboard', name))
  return found(rows[0], 'dashboard')
}

export async function removeDashboard(tx: Transaction, workspaceId: string, id: string): Promise<void> {
  await tx`delete from dashboards where workspace_id = ${workspaceId} and id = ${id}`
}
