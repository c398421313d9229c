import type { Sql } from '../../postgres/driver/client.js'
import { notFound } from '../refusals.js'

export interface RunRow {
  id: string
  status: 'queued' | 'running' | 'succeeded' | 'failed'
  requested: number
  generated: number
  survived: number
  dropped: { reason: string; count: number }[]
  error: { step: string; message: string } | null
  createdAt: Date
  startedAt: Date | null
  finishedAt: Date | null
}

const columns = (sql: Sql) => sql`
  id, status, requested, generated, survived, dropped, error, created_at as "createdAt", started_at as "startedAt",
  finished_at as "finishedAt"`

/** A page of a workspace's generation runs, newest first, and how many there are. */
export async function listRuns(
  sql: Sql,
  workspaceId: string,
  limit: number,
  offset: number,
): Promise<{ rows: RunRow[]; total: number }> {
  const [counted, rows] = await Promise.all([
    sql<{ total: number }[]>`
      select count(*)::int as total from generation_runs where workspace_id = ${workspaceId}`,
    sql<RunRow[]>`
      select ${columns(sql)} from generation_runs where workspace_id = ${workspaceId}
      order by created_at desc, id desc limit ${limit} offset ${offset}`,
  ])
  return { rows: [...rows], total: counted[0]?.total ?? 0 }
}

/** Throws NOT_FOUND. */
export async function findRun(sql: Sql, workspaceId: string, id: string): Promise<RunRow> {
  const rows = await sql<RunRow[]>`
    select ${columns(sql)} from generation_runs where workspace_id = ${workspaceId} and id = ${id}`
  const row = rows[0]
  if (row === undefined) throw notFound('generation run')
  return row
}
