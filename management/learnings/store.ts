import type { Sql, Transaction } from '../../postgres/driver/client.js'
import { notFound } from '../domain-errors.js'
import { searchCondition } from '../search.js'
import type { LearningDecision, ReviewStatus } from './enums.js'
import { learningSearchText } from './write.js'

export interface LearningRow {
  id: string
  experimentId: string
  experimentKey: string
  title: string
  decision: LearningDecision
  variant: string | null
  reviewStatus: ReviewStatus
  interpretation: string
  evidence: unknown
  evidenceHash: string
  createdAt: Date
  updatedAt: Date
}

export interface LearningFilter {
  readonly search: string | undefined
  readonly decision: LearningDecision | undefined
  readonly reviewStatus: ReviewStatus | undefined
  /** Inclusive. */
  readonly from: Date | undefined
  /** Exclusive. */
  readonly to: Date | undefined
  readonly limit: number
  readonly offset: number
}

/** Rows from before there was a review count as approved. */
const reviewStatus = (sql: Sql | Transaction) => sql`coalesce(review_state, 'approved')`

const columns = (sql: Sql | Transaction) => sql`
  id, experiment_id as "experimentId", experiment_key as "experimentKey", title, decision, variant,
  ${reviewStatus(sql)} as "reviewStatus", interpretation, evidence, evidence_hash as "evidenceHash",
  created_at as "createdAt", updated_at as "updatedAt"`

/** A page of a workspace's learnings, newest first, and how many match in all. */
export async function listLearnings(
  sql: Sql,
  workspaceId: string,
  filter: LearningFilter,
): Promise<{ rows: LearningRow[]; total: number }> {
  const matching = sql`
    workspace_id = ${workspaceId}
    ${filter.search === undefined ? sql`` : sql`and ${searchCondition(sql, 'search_text', filter.search)}`}
    ${filter.decision === undefined ? sql`` : sql`and decision = ${filter.decision}`}
    ${filter.reviewStatus === undefined ? sql`` : sql`and ${reviewStatus(sql)} = ${filter.reviewStatus}`}
    ${filter.from === undefined ? sql`` : sql`and created_at >= ${filter.from}`}
    ${filter.to === undefined ? sql`` : sql`and created_at < ${filter.to}`}`
  const [counted, rows] = await Promise.all([
    sql<{ total: number }[]>`select count(*)::int as total from learnings where ${matching}`,
    sql<LearningRow[]>`
      select ${columns(sql)} from learnings where ${matching}
      order by created_at desc, id desc limit ${filter.limit} offset ${filter.offset}`,
  ])
  return { rows: [...rows], total: counted[0]?.total ?? 0 }
}

/** Throws NOT_FOUND. */
export async function findLearning(sql: Sql, workspaceId: string, id: string): Promise<LearningRow> {
  const rows = await sql<LearningRow[]>`
    select ${columns(sql)} from learnings where workspace_id = ${workspaceId} and id = ${id}`
  return found(rows[0])
}

/** The newest approved learnings of a workspace: of which experiment, and what was decided. */
export async function approvedLearnings(
  sql: Sql | Transaction,
  workspaceId: string,
  limit: number,
): Promise<Pick<LearningRow, 'experimentId' | 'decision'>[]> {
  return sql<Pick<LearningRow, 'experimentId' | 'decision'>[]>`
    select experiment_id as "experimentId", decision from learnings
    where workspace_id = ${workspaceId} and ${reviewStatus(sql)} = 'approved'
    order by created_at desc, id desc limit ${limit}`
}

/** The learning, held against other writers until the transaction ends. Throws NOT_FOUND. */
export async function lockLearning(tx: Transaction, workspaceId: string, id: string): Promise<LearningRow> {
  const rows = await tx<LearningRow[]>`
    select ${columns(tx)} from learnings where workspace_id = ${workspaceId} and id = ${id} for update`
  return found(rows[0])
}

/** Writes the two things of a locked learning that can be edited. */
export async function updateLearning(
  tx: Transaction,
  workspaceId: string,
  row: LearningRow,
  fields: Pick<LearningRow, 'interpretation' | 'reviewStatus'>,
  at: Date,
): Promise<LearningRow> {
  const searchText = learningSearchText({ ...row, interpretation: fields.interpretation })
  const rows = await tx<LearningRow[]>`
    update learnings set interpretation = ${fields.interpretation}, review_state = ${fields.reviewStatus},
      search_text = ${searchText}, updated_at = ${at}
    where workspace_id = ${workspaceId} and id = ${row.id}
    returning ${columns(tx)}`
  return found(rows[0])
}

function found(row: LearningRow | undefined): LearningRow {
  if (row === undefined) throw notFound('learning')
  return row
}
