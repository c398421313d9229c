import type { Sql, Transaction } from '../../postgres/driver/client.js'
import { jsonColumn } from '../../postgres/driver/json-column.js'
import { type PageOfRows, readPage } from '../../postgres/driver/read-page.js'
import { found } from '../domain-errors.js'
import { refuseTakenName } from './taken-name.js'

export const INSIGHT_KINDS = ['trends', 'retention', 'funnel'] as const
export type InsightKind = (typeof INSIGHT_KINDS)[number]

/** The body of a query, as it was sent, with times in UTC. Its range is `last`, or `from` and `to`. */
export type InsightQuery = Readonly<Record<string, unknown>>

export interface InsightRow {
  id: string
  name: string
  description: string
  kind: InsightKind
  query: InsightQuery
  createdAt: Date
  updatedAt: Date
}

export type InsightFields = Pick<InsightRow, 'name' | 'description' | 'kind' | 'query'>

const columns = (sql: Sql | Transaction) =>
  sql`id, name, description, kind, query, created_at as "createdAt", updated_at as "updatedAt"`

/** Newest first. */
export function listInsights(
  sql: Sql,
  workspaceId: string,
  paging: { readonly limit: number; readonly offset: number },
): Promise<PageOfRows<InsightRow>> {
  return readPage(sql, columns(sql), sql`insights where workspace_id = ${workspaceId}`, 'created_at', paging)
}

/** Throws NOT_FOUND. */
export async function findInsight(sql: Sql, workspaceId: string, id: string): Promise<InsightRow> {
  const rows = await sql<InsightRow[]>`
    select ${columns(sql)} from insights where workspace_id = ${workspaceId} and id = ${id}`
  return found(rows[0], 'insight')
}

/** Locks an insight until the transaction ends. Throws NOT_FOUND. */
export async function lockInsight(tx: Transaction, workspaceId: string, id: string): Promise<InsightRow> {
  const rows = await tx<InsightRow[]>`
    select ${columns(tx)} from insights where workspace_id = ${workspaceId} and id = ${id} for update`
  return found(rows[0], 'insight')
}

/** Those of the ids that are insights of the workspace. */
export async function existingInsights(
  tx: Transaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await tx<{ id: string }[]>`
    select id from insights where workspace_id = ${workspaceId} and id = any(${[...ids]}::uuid[])`
  return new Set(rows.map(({ id }) => id))
}

/** Throws NAME_TAKEN if another insight of the workspace has the name. */
export async function insertInsight(
  tx: Transaction,
  workspaceId: string,
  insight: InsightFields & { readonly id: string; readonly at: Date },
): Promise<InsightRow> {
  const { id, name, description, kind, query, at } = insight
  const rows = await tx<InsightRow[]>`
    insert into insights (id, workspace_id, name, description, kind, query, created_at, updated_at)
    values (${id}, ${workspaceId}, ${name}, ${description}, ${kind}, ${jsonColumn(tx, query)}, ${at}, ${at})
    returning ${columns(tx)}`.catch(refuseTakenName('insight', name))
  return found(rows[0], 'insight')
}

/** Throws NOT_FOUND, NAME_TAKEN. */
export async function writeInsight(
  tx: Transaction,
  workspaceId: string,
  id: string,
  { name, description, query, at }: Omit<InsightFields, 'kind'> & { readonly at: Date },
): Promise<InsightRow> {
  const rows = await tx<InsightRow[]>`
    update insights set name = ${name}, description = ${description}, query = ${jsonColumn(tx, query)},
      updated_at = ${at}
    where workspace_id = ${workspaceId} and id = ${id}
    returning ${columns(tx)}`.catch(refuseTakenName('insight', name))
  return found(rows[0], 'insight')
}

export async function removeInsight(tx: Transaction, workspaceId: string, id: string): Promise<void> {
  await tx`delete from insights where workspace_id = ${workspaceId} and id = ${id}`
}
