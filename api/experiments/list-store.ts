import { STATUSES, type Status } from '../../domain/lifecycle.js'
import type { Sql } from '../../postgres/client.js'
import { searchCondition } from '../search.js'
import { experimentColumns } from './store.js'
import type { ExperimentRow } from './types.js'
import {
  type Kind,
  type Origin,
  PRIORITIES,
  type Priority,
  type RejectedStage,
  type TestType,
} from './words.js'

/** Sorts, and their columns; what can be missing comes last in both directions. */
const SORTS = {
  createdAt: { column: 'created_at', nullable: false },
  updatedAt: { column: 'updated_at', nullable: false },
  startedAt: { column: 'started_at', nullable: true },
  usersExposed: { column: 'users_exposed', nullable: true },
  name: { column: 'name', nullable: false },
  estimatedLift: { column: 'estimated_lift', nullable: true },
  confidence: { column: 'confidence', nullable: true },
  priority: { column: 'priority_rank', nullable: false },
} as const
export type ExperimentSort = keyof typeof SORTS
export const EXPERIMENT_SORTS = Object.keys(SORTS) as ExperimentSort[]

export interface ExperimentFilter {
  readonly statuses: readonly Status[] | undefined
  readonly priorities: readonly Priority[] | undefined
  readonly origins: readonly Origin[] | undefined
  readonly experimentRunId: string | undefined
  readonly search: string | undefined
  readonly rejectedStage: RejectedStage | undefined
  readonly hasPr: boolean | undefined
  /** Inclusive. */
  readonly createdAfter: Date | undefined
  /** Exclusive. */
  readonly createdBefore: Date | undefined
  readonly kind: Kind | undefined
  readonly testType: TestType | undefined
}

export interface ExperimentListing extends ExperimentFilter {
  readonly sortBy: ExperimentSort
  readonly sortDir: 'asc' | 'desc'
  readonly limit: number
  readonly offset: number
}

/** A page of a workspace's experiments, and how many match in all. Equal ones are ordered by id, in the direction of the sort. */
export async function listExperiments(
  sql: Sql,
  workspaceId: string,
  listing: ExperimentListing,
): Promise<{ rows: ExperimentRow[]; total: number }> {
  const matching = conditions(sql, workspaceId, listing)
  const { column, nullable } = SORTS[listing.sortBy]
  const direction = listing.sortDir === 'asc' ? sql`asc` : sql`desc`
  const nulls = nullable ? sql`nulls last` : sql``
  const order = sql`e.${sql(column)} ${direction} ${nulls}, e.id ${direction}`
  const [counted, rows] = await Promise.all([
    sql<{ total: number }[]>`select count(*)::int as total from experiments e where ${matching}`,
    // The page is found in an index alone; rows are read for it only.
    sql<ExperimentRow[]>`
      with page as materialized (
        select e.id from experiments e where ${matching}
        order by ${order} limit ${listing.limit} offset ${listing.offset}
      )
      select ${experimentColumns(sql)} from page join experiments e using (id) order by ${order}`,
  ])
  return { rows: [...rows], total: counted[0]?.total ?? 0 }
}

function conditions(sql: Sql, workspaceId: string, filter: ExperimentFilter) {
  const only = <Value>(value: Value | undefined, condition: (value: Value) => ReturnType<typeof sql>) =>
    value === undefined ? sql`` : sql`and ${condition(value)}`
  const ranks = filter.priorities?.map((priority) => PRIORITIES.indexOf(priority) + 1)
  return sql`
    e.workspace_id = ${workspaceId}
    ${only(filter.statuses, (statuses) => sql`e.status = any(${[...statuses]})`)}
    ${only(ranks, (some) => sql`e.priority_rank = any(${some})`)}
    ${only(filter.origins, (origins) => sql`e.origin = any(${[...origins]})`)}
    ${only(filter.experimentRunId, (id) => sql`e.experiment_run_id = ${id}`)}
    ${only(filter.search, (term) => sql`${searchCondition(sql, 'e.search_text', term)}`)}
    ${only(filter.rejectedStage, (stage) => sql`e.rejected_stage = ${stage}`)}
    ${only(filter.hasPr, (hasPr) => sql`e.has_pr = ${hasPr}`)}
    ${only(filter.createdAfter, (at) => sql`e.created_at >= ${at}`)}
    ${only(filter.createdBefore, (at) => sql`e.created_at < ${at}`)}
    ${only(filter.kind, (kind) => sql`e.kind = ${kind}`)}
    ${only(filter.testType, (type) => sql`e.test_type = ${type}`)}`
}

/** How many experiments of a workspace are in each status; every status is there. */
export async function countByStatus(sql: Sql, workspaceId: string): Promise<Record<Status, number>> {
  const rows = await sql<{ status: Status; count: number }[]>`
    select status, count(*)::int as count from experiments where workspace_id = ${workspaceId} group by status`
  const counts = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>
  for (const { status, count } of rows) counts[status] = count
  return counts
}
