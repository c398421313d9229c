import type { Sql, Transaction } from '../../postgres/driver/client.js'
import { notFound } from '../domain-errors.js'

interface RefinementRow {
  id: string
  experimentId: string
  status: 'queued' | 'running' | 'done' | 'failed'
  instructions: string
  error: string | null
  createdAt: Date
  finishedAt: Date | null
}

/** A revision as the API shows it. */
export type Refinement = ReturnType<typeof shown>

const columns = (sql: Sql | Transaction) => sql`
  id, experiment_id as "experimentId", status, instructions, error, created_at as "createdAt", finished_at as "finishedAt"`

function shown({ id, status, instructions, error, createdAt, finishedAt }: RefinementRow) {
  return {
    id,
    status,
    instructions,
    error,
    createdAt: createdAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
  }
}

/** The latest revision of a proposal. Null if there is none. */
export async function findRefinement(
  sql: Sql,
  workspaceId: string,
  experimentId: string,
): Promise<Refinement | null> {
  const [row] = await sql<RefinementRow[]>`
    select ${columns(sql)} from refinements where workspace_id = ${workspaceId} and experiment_id = ${experimentId}
    order by created_at desc, id desc limit 1`
  return row === undefined ? null : shown(row)
}

/** A revision and the id of its experiment. Throws NOT_FOUND. */
export async function readRefinement(
  sql: Transaction,
  workspaceId: string,
  id: string,
): Promise<{ readonly refinement: Refinement; readonly experimentId: string }> {
  const [row] = await sql<RefinementRow[]>`
    select ${columns(sql)} from refinements where workspace_id = ${workspaceId} and id = ${id}`
  if (row === undefined) throw notFound('revision')
  return { refinement: shown(row), experimentId: row.experimentId }
}

export interface NewRefinement {
  readonly id: string
  readonly workspaceId: string
  readonly experimentId: string
  readonly instructions: string
  readonly at: Date
}

/** False if another revision of the proposal is in progress. */
export async function insertRefinement(tx: Transaction, refinement: NewRefinement): Promise<boolean> {
  const { count } = await tx`
    insert into refinements (id, workspace_id, experiment_id, status, instructions, created_at)
    values (${refinement.id}, ${refinement.workspaceId}, ${refinement.experimentId}, 'queued', ${refinement.instructions},
      ${refinement.at})
    on conflict (experiment_id) where status in ('queued', 'running') do nothing`
  return count === 1
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
