import { STATUSES, type Status } from '../../domain/lifecycle.js'
import type { Sql } from '../../postgres/client.js'
import { planEachTime } from '../../postgres/plan-each-time.js'
import { searchCondition } from '../search.js'
import { type FacetFilter, matchingFacets, statusOf } from './facets.js'
import { experimentColumns } from './store.js'
import type { ExperimentRow } from './types.js'

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

export interface ExperimentFilter extends FacetFilter {
  readonly experimentRunId: string | undefined
  readonly search: string | undefined
  /** Inclusive. */
  readonly createdAfter: Date | undefined
  /** Exclusive. */
  readonly createdBefore: Date | undefined
}

export interface ExperimentListing extends ExperimentFilter {
  readonly sortBy: ExperimentSort
  readonly sortDir: 'asc' | 'desc'
  readonly limit: number
  readonly offset: number
}

/**
 * A page of a workspace's experiments, and how many match in all. Equal ones are ordered by id, in the direction of the sort. All of it is found in
 * `experiment_lines`, which triggers write with every experiment; the experiments themselves are read for the page only.
 */
export async function listExperiments(
  sql: Sql,
  workspaceId: string,
  listing: ExperimentListing,
): Promise<{ rows: ExperimentRow[]; total: number }> {
  const narrowed = conditions(sql, listing)
  // Written so, the workspace is not known to be one: it is compared before the texts of others are looked at, which no order of conditions achieves.
  const ofWorkspace =
    listing.search === undefined
      ? sql`l.workspace_id = ${workspaceId}`
      : sql`l.workspace_id = any(array[${workspaceId}]::uuid[])`
  // At the same time. A page of what is common is found in the index of its sort, and only the count has to read everything.
  const [counted, rows] = await Promise.all([
    planEachTime(sql<{ total: number }[]>`
      select count(*)::int as total from experiment_lines l where ${ofWorkspace} ${narrowed}`),
    planEachTime(sql<ExperimentRow[]>`
      with page as materialized (
        select l.id from experiment_lines l where l.workspace_id = ${workspaceId} ${narrowed}
        order by ${orderOf(sql, 'l', listing)} limit ${listing.limit} offset ${listing.offset}
      )
      select ${experimentColumns(sql)} from page join experiments e using (id) order by ${orderOf(sql, 'e', listing)}`),
  ])
  return { rows: [...rows], total: counted[0]?.total ?? 0 }
}

/** @param table the name of the table in the statement */
function orderOf(sql: Sql, table: string, { sortBy, sortDir }: ExperimentListing) {
  const { column, nullable } = SORTS[sortBy]
  const direction = sortDir === 'asc' ? sql`asc` : sql`desc`
  const nulls = nullable ? sql`nulls last` : sql``
  return sql`${sql(`${table}.${column}`)} ${direction} ${nulls}, ${sql(`${table}.id`)} ${direction}`
}

/** Beside the workspace, each with its `and`. */
function conditions(sql: Sql, filter: ExperimentFilter) {
  const only = <Value>(value: Value | undefined, condition: (value: Value) => ReturnType<typeof sql>) =>
    value === undefined ? sql`` : sql`and ${condition(value)}`
  return sql`
    ${only(matchingFacets(filter), (facets) => sql`l.facets = any(${facets}::smallint[])`)}
    ${only(filter.experimentRunId, (id) => sql`l.experiment_run_id = ${id}`)}
    ${only(filter.createdAfter, (at) => sql`l.created_at >= ${at}`)}
    ${only(filter.createdBefore, (at) => sql`l.created_at < ${at}`)}
    ${only(filter.search, (term) => sql`${searchCondition(sql, 'l.search_text', term)}`)}`
}

/** How many experiments of a workspace are in each status; every status is there. */
export async function countByStatus(sql: Sql, workspaceId: string): Promise<Record<Status, number>> {
  const rows = await sql<{ facets: number; count: number }[]>`
    select facets, count(*)::int as count from experiment_lines where workspace_id = ${workspaceId} group by facets`
  const counts = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>
  for (const { facets, count } of rows) counts[statusOf(facets)] += count
  return counts
}
