import type { VerdictCode } from '../../domain/statistics/index.js'
import type { Sql, Transaction } from '../../postgres/driver/client.js'
import { jsonColumn } from '../../postgres/driver/json-column.js'
import { type PageOfRows, readPage } from '../../postgres/driver/read-page.js'
import { found } from '../domain-errors.js'
import { foldForSearch, searchCondition } from '../search.js'

export const LEARNING_DECISIONS = ['ship', 'reject', 'conclude'] as const
export type LearningDecision = (typeof LEARNING_DECISIONS)[number]
export const REVIEW_STATUSES = ['draft', 'approved'] as const
export type ReviewStatus = (typeof REVIEW_STATUSES)[number]

/** Characters. */
export const INTERPRETATION_LENGTH = 10_000

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
  readonly search?: string
  readonly decision?: LearningDecision
  readonly reviewStatus?: ReviewStatus
  /** Inclusive. */
  readonly from?: Date | undefined
  /** Exclusive. */
  readonly to?: Date | undefined
  readonly limit: number
  readonly offset: number
}

/** Learnings that are older than reviews count as approved. */
const reviewStatus = (sql: Sql | Transaction) => sql`coalesce(review_state, 'approved')`

const columns = (sql: Sql | Transaction) => sql`
  id, experiment_id as "experimentId", experiment_key as "experimentKey", title, decision, variant,
  ${reviewStatus(sql)} as "reviewStatus", interpretation, evidence, evidence_hash as "evidenceHash",
  created_at as "createdAt", updated_at as "updatedAt"`

/** A page of a workspace's learnings, newest first, and how many match in all. */
export function listLearnings(
  sql: Sql,
  workspaceId: string,
  filter: LearningFilter,
): Promise<PageOfRows<LearningRow>> {
  const matching = sql`
    learnings where workspace_id = ${workspaceId}
    ${filter.search === undefined ? sql`` : sql`and ${searchCondition(sql, 'search_text', filter.search)}`}
    ${filter.decision === undefined ? sql`` : sql`and decision = ${filter.decision}`}
    ${filter.reviewStatus === undefined ? sql`` : sql`and ${reviewStatus(sql)} = ${filter.reviewStatus}`}
    ${filter.from === undefined ? sql`` : sql`and created_at >= ${filter.from}`}
    ${filter.to === undefined ? sql`` : sql`and created_at < ${filter.to}`}`
  return readPage(sql, columns(sql), matching, 'created_at', filter)
}

/** Throws NOT_FOUND. */
export async function findLearning(sql: Sql, workspaceId: string, id: string): Promise<LearningRow> {
  const rows = await sql<LearningRow[]>`
    select ${columns(sql)} from learnings where workspace_id = ${workspaceId} and id = ${id}`
  return found(rows[0], 'learning')
}

/** `verdict`: of the results in its evidence; null if they have none. */
export type ApprovedLearning = Pick<LearningRow, 'experimentId' | 'decision' | 'interpretation'> & {
  readonly verdict: VerdictCode | null
}

/** The newest approved learnings of a workspace, as proposals need them. */
export async function approvedLearnings(
  sql: Sql | Transaction,
  workspaceId: string,
  limit: number,
): Promise<ApprovedLearning[]> {
  return sql<ApprovedLearning[]>`
    select experiment_id as "experimentId", decision, interpretation,
      evidence -> 'results' -> 'verdict' ->> 'code' as verdict from learnings
    where workspace_id = ${workspaceId} and ${reviewStatus(sql)} = 'approved'
    order by created_at desc, id desc limit ${limit}`
}

/** Locks a learning until the transaction ends. Throws NOT_FOUND. */
export async function lockLearning(tx: Transaction, workspaceId: string, id: string): Promise<LearningRow> {
  const rows = await tx<LearningRow[]>`
    select ${columns(tx)} from learnings where workspace_id = ${workspaceId} and id = ${id} for update`
  return found(rows[0], 'learning')
}

export type NewLearning = Omit<LearningRow, 'reviewStatus' | 'createdAt' | 'updatedAt'> & {
  readonly workspaceId: string
  readonly at: Date
}

/** Inserts the learning of an experiment as a draft. False if the experiment has one. */
export async function insertLearning(tx: Transaction, learning: NewLearning): Promise<boolean> {
  const { id, workspaceId, experimentId, experimentKey, title, decision, variant, at } = learning
  const { count } = await tx`
    insert into learnings (id, workspace_id, experiment_id, experiment_key, title, decision, variant, review_state,
      interpretation, evidence, evidence_hash, search_text, created_at, updated_at)
    values (${id}, ${workspaceId}, ${experimentId}, ${experimentKey}, ${title}, ${decision}, ${variant}, 'draft',
      ${learning.interpretation}, ${jsonColumn(tx, learning.evidence)}, ${learning.evidenceHash},
      ${searchTextOf(learning)}, ${at}, ${at})
    on conflict on constraint learnings_experiment do nothing`
  return count === 1
}

export async function hasLearning(sql: Sql | Transaction, experimentId: string): Promise<boolean> {
  const rows = await sql`select from learnings where experiment_id = ${experimentId}`
  return rows.length > 0
}

/** Writes the editable fields of a locked learning. */
export async function writeLearning(
  tx: Transaction,
  workspaceId: string,
  row: LearningRow,
  fields: Pick<LearningRow, 'interpretation' | 'reviewStatus'>,
  at: Date,
): Promise<LearningRow> {
  const searchText = searchTextOf({ ...row, interpretation: fields.interpretation })
  const rows = await tx<LearningRow[]>`
    update learnings set interpretation = ${fields.interpretation}, review_state = ${fields.reviewStatus},
      search_text = ${searchText}, updated_at = ${at}
    where workspace_id = ${workspaceId} and id = ${row.id}
    returning ${columns(tx)}`
  return found(rows[0], 'learning')
}

function searchTextOf({
  title,
  experimentKey,
  interpretation,
}: Pick<LearningRow, 'title' | 'experimentKey' | 'interpretation'>): string {
  return foldForSearch([title, experimentKey, interpretation])
}
