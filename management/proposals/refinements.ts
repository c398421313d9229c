import type { Sql, Transaction } from '../../postgres/driver/client.js'

/** A revision as the API shows it. */
export interface Refinement {
  readonly id: string
  readonly status: 'queued' | 'running' | 'done' | 'failed'
  readonly instructions: string
  readonly error: string | null
  readonly createdAt: Date
  readonly finishedAt: Date | null
}

const columns = (sql: Sql | Transaction) => sql`
  id, status, instructions, error, created_at as "createdAt", finished_at as "finishedAt"`

/** The latest revision of a proposal. Null if there is none. */
export async function findRefinement(
  sql: Sql,
  workspaceId: string,
  experimentId: string,
): Promise<Refinement | null> {
  const [row] = await sql<Refinement[]>`
    select ${columns(sql)} from refinements where workspace_id = ${workspaceId} and experiment_id = ${experimentId}
    order by created_at desc, id desc limit 1`
  return row ?? null
}

export interface NewRefinement {
  readonly id: string
  readonly workspaceId: string
  readonly experimentId: string
  readonly instructions: string
  readonly at: Date
}

/** Undefined if another revision of the proposal is in progress. */
export async function insertRefinement(
  tx: Transaction,
  { id, workspaceId, experimentId, instructions, at }: NewRefinement,
): Promise<Refinement | undefined> {
  const [row] = await tx<Refinement[]>`
    insert into refinements (id, workspace_id, experiment_id, status, instructions, created_at)
    values (${id}, ${workspaceId}, ${experimentId}, 'queued', ${instructions}, ${at})
    on conflict (experiment_id) where status in ('queued', 'running') do nothing
    returning ${columns(tx)}`
  return row
}

const unfinished = (sql: Sql | Transaction, id: string) => sql`id = ${id} and status in ('queued', 'running')`

/** Marks a revision as running and returns its instructions. Undefined if it has finished. */
export async function beginRefinement(sql: Sql, id: string): Promise<string | undefined> {
  const [row] = await sql<{ instructions: string }[]>`
    update refinements set status = 'running' where ${unfinished(sql, id)} returning instructions`
  return row?.instructions
}

/** @param error why it failed, or null if it is done */
export async function finishRefinement(
  tx: Transaction,
  id: string,
  error: string | null,
  at: Date,
): Promise<void> {
  await tx`
    update refinements set status = ${error === null ? 'done' : 'failed'}, error = ${error}, finished_at = ${at}
    where ${unfinished(tx, id)}`
}
