import type { Sql } from '../../postgres/driver/client.js'

interface RefinementRow {
  id: string
  status: 'queued' | 'running' | 'done' | 'failed'
  instructions: string
  error: string | null
  createdAt: Date
  finishedAt: Date | null
}

/** The latest revision of a proposal as the API shows it, null where there is none. */
export async function findRefinement(sql: Sql, workspaceId: string, experimentId: string) {
  const rows = await sql<RefinementRow[]>`
    select id, status, instructions, error, created_at as "createdAt", finished_at as "finishedAt"
    from refinements where workspace_id = ${workspaceId} and experiment_id = ${experimentId}
    order by created_at desc, id desc limit 1`
  const row = rows[0]
  if (row === undefined) return null
  return {
    ...row,
    createdAt: row.createdAt.toISOString(),
    finishedAt: row.finishedAt?.toISOString() ?? null,
  }
}
