import type { AskedQuestion, FileRecord, IdeaRecord } from '../../generators/port.js'
import type { Sql, Transaction } from '../../postgres/driver/client.js'
import { jsonColumn } from '../../postgres/driver/json-column.js'
import { type PageOfRows, readPage } from '../../postgres/driver/read-page.js'
import { found } from '../domain-errors.js'

/** Steps of a run, in order. */
export const RUN_STEPS = ['read', 'understand', 'propose', 'ground', 'filter', 'store'] as const
export type RunStep = (typeof RUN_STEPS)[number]

export interface RunRow {
  id: string
  status: 'queued' | 'running' | 'succeeded' | 'failed'
  /** Null before and after the run. */
  step: RunStep | null
  /** 0 to 1. */
  progress: number
  requested: number
  generated: number
  survived: number
  dropped: { reason: string; count: number }[]
  ideas: IdeaRecord[]
  files: FileRecord[]
  questions: AskedQuestion[]
  startedAt: Date | null
  finishedAt: Date | null
  /** From start to end. */
  durationMs: number | null
  error: { step: string; message: string } | null
  createdAt: Date
}

const columns = (sql: Sql | Transaction) => sql`
  id, status, step, progress, requested, generated, survived, dropped, ideas, files, questions, started_at as "startedAt",
  finished_at as "finishedAt", round(extract(epoch from finished_at - started_at) * 1000)::int as "durationMs", error,
  created_at as "createdAt"`

/** One page of a workspace's generation runs, newest first, and their total. */
export function listRuns(
  sql: Sql,
  workspaceId: string,
  page: { readonly limit: number; readonly offset: number },
): Promise<PageOfRows<RunRow>> {
  const ofWorkspace = sql`generation_runs where workspace_id = ${workspaceId}`
  return readPage(sql, columns(sql), ofWorkspace, 'created_at', page)
}

/** Throws NOT_FOUND. */
export async function findRun(sql: Sql | Transaction, workspaceId: string, id: string): Promise<RunRow> {
  const rows = await sql<RunRow[]>`
    select ${columns(sql)} from generation_runs where workspace_id = ${workspaceId} and id = ${id}`
  return found(rows[0], 'generation run')
}

/** The request of a run. */
export interface RunRequest {
  readonly requested: number
  readonly focus: string | null
  readonly replaces: boolean
  readonly personId: string
}

/** Undefined if the run was inserted, or the id of the run that is in progress. */
export async function insertRun(
  tx: Transaction,
  workspaceId: string,
  id: string,
  { requested, focus, replaces, personId }: RunRequest,
  at: Date,
): Promise<string | undefined> {
  const { count } = await tx`
    insert into generation_runs (id, workspace_id, status, requested, focus, replaces, person_id, created_at)
    values (${id}, ${workspaceId}, 'queued', ${requested}, ${focus}, ${replaces}, ${personId}, ${at})
    on conflict (workspace_id) where status in ('queued', 'running') do nothing`
  if (count === 1) return undefined
  const [other] = await tx<{ id: string }[]>`
    select id from generation_runs where workspace_id = ${workspaceId} and status in ('queued', 'running')`
  return other?.id ?? ''
}

const unfinished = (sql: Sql | Transaction, id: string) => sql`id = ${id} and status in ('queued', 'running')`

/** Marks a run as running and returns its request. Undefined if it has finished. */
export async function beginRun(sql: Sql, id: string, at: Date): Promise<RunRequest | undefined> {
  const [begun] = await sql<RunRequest[]>`
    update generation_runs set status = 'running', step = 'read', progress = 0, started_at = coalesce(started_at, ${at})
    where ${unfinished(sql, id)}
    returning requested, focus, replaces, person_id as "personId"`
  return begun
}

/** Does nothing for a finished run. */
export async function writeProgress(
  sql: Sql,
  id: string,
  step: RunStep,
  progress: number,
  commitId?: string,
): Promise<void> {
  await sql`
    update generation_runs set step = ${step}, progress = ${progress}, commit_id = coalesce(${commitId ?? null}, commit_id)
    where ${unfinished(sql, id)}`
}

/** Locks a run until the transaction ends. Undefined if it has finished. */
export async function lockRun(tx: Transaction, id: string): Promise<RunRequest | undefined> {
  const [row] = await tx<RunRequest[]>`
    select requested, focus, replaces, person_id as "personId" from generation_runs where ${unfinished(tx, id)} for update`
  return row
}

export async function succeedRun(
  tx: Transaction,
  id: string,
  record: Pick<RunRow, 'generated' | 'survived' | 'dropped' | 'ideas' | 'files' | 'questions'>,
  at: Date,
): Promise<void> {
  await tx`
    update generation_runs set status = 'succeeded', step = null, progress = 1, generated = ${record.generated},
      survived = ${record.survived}, dropped = ${jsonColumn(tx, record.dropped)}, ideas = ${jsonColumn(tx, record.ideas)},
      files = ${jsonColumn(tx, record.files)}, questions = ${jsonColumn(tx, record.questions)}, finished_at = ${at}
    where ${unfinished(tx, id)}`
}

/** Records the step at which a run failed, and why. */
export async function failRun(tx: Transaction, id: string, message: string, at: Date): Promise<void> {
  await tx`
    update generation_runs set status = 'failed', step = null, finished_at = ${at},
      started_at = coalesce(started_at, ${at}),
      error = jsonb_build_object('step', coalesce(step, 'read'), 'message', ${message}::text)
    where ${unfinished(tx, id)}`
}

/** Ideas of the last runs that could not be written or were not worth running, the newest first. */
export async function refusedLately(
  sql: Sql,
  workspaceId: string,
): Promise<{ name: string; message: string }[]> {
  return sql<{ name: string; message: string }[]>`
    select idea ->> 'name' as name, idea ->> 'message' as message
    from (
      select id, created_at, ideas from generation_runs
      where workspace_id = ${workspaceId} and status = 'succeeded' order by created_at desc limit 3
    ) runs, jsonb_array_elements(ideas) idea
    where idea ->> 'outcome' = 'dropped' and idea ->> 'reason' in ('not_grounded', 'unsafe', 'invented', 'not_worth')
    order by created_at desc limit 20`
}
