import type { FunnelStep, SavedFunnelQuery } from '../../domain/funnel.js'
import type { Sql, Transaction } from '../../postgres/driver/client.js'
import { jsonColumn } from '../../postgres/driver/json-column.js'
import { DomainError, found } from '../domain-errors.js'

export interface FunnelRow {
  id: string
  name: string
  description: string
  windowSeconds: number
  steps: FunnelStep[]
  query: SavedFunnelQuery | null
  createdAt: Date
  updatedAt: Date
}

/** Of the name as it is written, and without regard to its case. */
const NAME_CONSTRAINTS: ReadonlySet<unknown> = new Set(['funnels_name', 'funnels_name_key'])

export type FunnelFields = Pick<FunnelRow, 'name' | 'description' | 'windowSeconds' | 'steps' | 'query'>

const columns = (sql: Sql | Transaction) => sql`
  id, name, description, window_seconds as "windowSeconds", steps, query, created_at as "createdAt", updated_at as "updatedAt"`

/** Every funnel of a workspace, newest first. */
export async function listFunnels(sql: Sql, workspaceId: string): Promise<FunnelRow[]> {
  return await sql<FunnelRow[]>`
    select ${columns(sql)} from funnels where workspace_id = ${workspaceId} order by created_at desc, id desc`
}

/** Throws NOT_FOUND. */
export async function findFunnel(sql: Sql, workspaceId: string, id: string): Promise<FunnelRow> {
  const rows = await sql<FunnelRow[]>`
    select ${columns(sql)} from funnels where workspace_id = ${workspaceId} and id = ${id}`
  return found(rows[0], 'funnel')
}

/** Locks a funnel until the transaction ends. Throws NOT_FOUND. */
export async function lockFunnel(tx: Transaction, workspaceId: string, id: string): Promise<FunnelRow> {
  const rows = await tx<FunnelRow[]>`
    select ${columns(tx)} from funnels where workspace_id = ${workspaceId} and id = ${id} for update`
  return found(rows[0], 'funnel')
}

/** Throws NAME_TAKEN if another funnel of the workspace has the name. */
export async function insertFunnel(
  tx: Transaction,
  workspaceId: string,
  funnel: FunnelFields & { readonly id: string; readonly at: Date },
): Promise<FunnelRow> {
  const rows = await tx<FunnelRow[]>`
    insert into funnels (id, workspace_id, name, description, window_seconds, steps, query, created_at, updated_at)
    values (${funnel.id}, ${workspaceId}, ${funnel.name}, ${funnel.description}, ${funnel.windowSeconds},
      ${jsonColumn(tx, funnel.steps)}, ${jsonOrNull(tx, funnel.query)}, ${funnel.at}, ${funnel.at})
    on conflict do nothing
    returning ${columns(tx)}`
  const row = rows[0]
  if (row === undefined) throw nameTaken(funnel.name)
  return row
}

/** Throws NAME_TAKEN if another funnel of the workspace has the name. */
export async function writeFunnel(
  tx: Transaction,
  workspaceId: string,
  id: string,
  funnel: FunnelFields & { readonly at: Date },
): Promise<FunnelRow> {
  try {
    const rows = await tx<FunnelRow[]>`
      update funnels set name = ${funnel.name}, description = ${funnel.description},
        window_seconds = ${funnel.windowSeconds}, steps = ${jsonColumn(tx, funnel.steps)},
        query = ${jsonOrNull(tx, funnel.query)}, updated_at = ${funnel.at}
      where workspace_id = ${workspaceId} and id = ${id}
      returning ${columns(tx)}`
    return found(rows[0], 'funnel')
  } catch (error) {
    if (error instanceof Error && 'constraint_name' in error && NAME_CONSTRAINTS.has(error.constraint_name))
      throw nameTaken(funnel.name)
    throw error
  }
}

export async function removeFunnel(tx: Transaction, workspaceId: string, id: string): Promise<void> {
  await tx`delete from funnels where workspace_id = ${workspaceId} and id = ${id}`
}

/** A null of SQL, not of JSON. */
function jsonOrNull(tx: Transaction, value: unknown) {
  return value === null ? null : jsonColumn(tx, value)
}

function nameTaken(name: string): DomainError {
  return new DomainError(
    'NAME_TAKEN',
    `The workspace has a funnel named ${JSON.stringify(name)} already: choose another name`,
    [{ path: '/name', message: 'is taken' }],
  )
}
