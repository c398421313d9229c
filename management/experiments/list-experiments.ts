import { STATUSES, type Status } from '../../domain/lifecycle.js'
import type { Sql } from '../../postgres/driver/client.js'
import { forceCustomPlan } from '../../postgres/driver/force-custom-plan.js'
import { parallelQuery } from '../../postgres/driver/parallel-query.js'
import { searchCondition } from '../search.js'
import { experimentColumns } from './store.js'
import {
  type ExperimentRow,
  KINDS,
  type Kind,
  ORIGINS,
  type Origin,
  PRIORITIES,
  type Priority,
  REJECTED_STAGES,
  type RejectedStage,
  TEST_TYPES,
  type TestType,
} from './types.js'

/** Filters of a list. A field that is left out means any value. */
interface FacetFilter {
  readonly statuses?: readonly Status[] | undefined
  readonly priorities?: readonly Priority[] | undefined
  readonly origins?: readonly Origin[] | undefined
  readonly rejectedStage?: RejectedStage
  readonly hasPr?: boolean
  readonly kind?: Kind
  readonly testType?: TestType
}

/** The filterable fields, which `experiment_facets` of the schema encodes as one number. */
interface Facets {
  readonly number: number
  readonly status: Status
  readonly priority: Priority
  readonly origin: Origin
  readonly kind: Kind
  readonly testType: TestType
  readonly rejectedStage: RejectedStage | null
  readonly hasPr: boolean
}

/** Every combination that can occur. */
class FacetTable {
  private readonly statuses: ReadonlyMap<number, Status>

  constructor(private readonly all: readonly Facets[]) {
    this.statuses = new Map(all.map(({ number, status }) => [number, status]))
  }

  /** The numbers that match a filter. Undefined if all do. */
  matching(filter: FacetFilter): number[] | undefined {
    const { statuses, priorities, origins, rejectedStage, hasPr, kind, testType } = filter
    const matching = this.all.filter(
      (facets) =>
        (statuses?.includes(facets.status) ?? true) &&
        (priorities?.includes(facets.priority) ?? true) &&
        (origins?.includes(facets.origin) ?? true) &&
        (rejectedStage === undefined || facets.rejectedStage === rejectedStage) &&
        (hasPr === undefined || facets.hasPr === hasPr) &&
        (kind === undefined || facets.kind === kind) &&
        (testType === undefined || facets.testType === testType),
    )
    return matching.length === this.all.length ? undefined : matching.map(({ number }) => number)
  }

  statusOf(number: number): Status {
    const status = this.statuses.get(number)
    if (status === undefined) throw new Error(`no status has the facets ${number}`)
    return status
  }
}

const tables = new WeakMap<Sql, Promise<FacetTable>>()

/** Reads the table of a database once. */
function facetTable(sql: Sql): Promise<FacetTable> {
  const cached = tables.get(sql)
  if (cached !== undefined) return cached
  const asked = readFacets(sql)
  tables.set(sql, asked)
  // The caller gets the rejection. The next call reads again.
  asked.catch(() => tables.delete(sql))
  return asked
}

async function readFacets(sql: Sql): Promise<FacetTable> {
  const ranks = PRIORITIES.map((_, index) => index + 1)
  const rows = await sql<Facets[]>`
    select experiment_facets(status, rank, origin, kind, test_type, stage, has_pr)::int as number,
      status, priority, origin, kind, test_type as "testType", stage as "rejectedStage", has_pr as "hasPr"
    from unnest(${[...STATUSES]}::text[]) as status
      cross join unnest(${[...PRIORITIES]}::text[], ${ranks}::smallint[]) as ranked (priority, rank)
      cross join unnest(${[...ORIGINS]}::text[]) as origin
      cross join unnest(${[...KINDS]}::text[]) as kind
      cross join unnest(${[...TEST_TYPES]}::text[]) as test_type
      cross join (values (false), (true)) as pull_request (has_pr)
      cross join lateral unnest(case status when 'rejected' then ${[...REJECTED_STAGES]}::text[] else array[null::text] end) as stage`
  return new FacetTable([...rows])
}

/** Columns of the sorts. Nulls come last in both directions. Measured figures are in another table. */
const SORTS = {
  createdAt: { column: 'created_at', nullable: false },
  updatedAt: { column: 'updated_at', nullable: false },
  startedAt: { column: 'started_at', nullable: true },
  usersExposed: { column: 'users_exposed', measured: true },
  name: { column: 'name', nullable: false },
  estimatedLift: { column: 'estimated_lift', measured: true },
  confidence: { column: 'confidence', measured: true },
  priority: { column: 'priority_rank', nullable: false },
} as const satisfies Readonly<Record<string, { column: string; nullable?: boolean; measured?: true }>>
export type ExperimentSort = keyof typeof SORTS
export const EXPERIMENT_SORTS = Object.keys(SORTS) as ExperimentSort[]

/** From this offset on the total is read first, so that a page past the end costs no full scan. */
const FAR_BACK = 1_000

export interface ExperimentFilter extends FacetFilter {
  readonly experimentRunId?: string
  readonly search?: string
  /** Inclusive. */
  readonly createdAfter?: Date | undefined
  /** Exclusive. */
  readonly createdBefore?: Date | undefined
}

export interface ExperimentListing extends ExperimentFilter {
  readonly sortBy: ExperimentSort
  readonly sortDir: 'asc' | 'desc'
  readonly limit: number
  readonly offset: number
}

/**
 * One page of a workspace's experiments, and the total. Ties are ordered by id, in the direction of the sort.
 * Pages and totals come from `experiment_lines`, `experiment_figures` and `experiment_counts`, which triggers
 * keep up to date.
 */
export async function listExperiments(
  sql: Sql,
  workspaceId: string,
  listing: ExperimentListing,
): Promise<{ rows: ExperimentRow[]; total: number }> {
  const facets = (await facetTable(sql)).matching(listing)
  const narrowed = conditions(sql, listing, facets)
  const isCounted = hasCountedTotal(listing)
  const isFarBack = listing.offset >= FAR_BACK
  // Upper bound of the total, whatever the other filters are.
  const facetTotal =
    isCounted || isFarBack ? countedTotal(sql, workspaceId, facets) : Number.POSITIVE_INFINITY
  const page = async () => {
    if (isFarBack && listing.offset >= (await facetTotal)) return []
    if ('measured' in SORTS[listing.sortBy]) return await measuredPage(sql, workspaceId, listing, facets)
    return await forceCustomPlan(sql<ExperimentRow[]>`
      with page as materialized (
        select l.id from experiment_lines l where l.workspace_id = ${workspaceId} ${narrowed}
        order by ${orderOf(sql, 'l', listing)} limit ${listing.limit} offset ${listing.offset}
      )
      select ${experimentColumns(sql)} from page join experiments e using (id) order by ${orderOf(sql, 'e', listing)}`)
  }
  // In parallel: the page usually comes from an index, and only an uncounted total reads everything.
  const [total, rows] = await Promise.all([
    isCounted ? facetTotal : count(sql, workspaceId, listing, narrowed),
    page(),
  ])
  return { rows: [...rows], total }
}

/** Whether the total is in `experiment_counts`, because only facets are filtered. */
function hasCountedTotal({
  experimentRunId,
  search,
  createdAfter,
  createdBefore,
}: ExperimentFilter): boolean {
  return [experimentRunId, search, createdAfter, createdBefore].every((value) => value === undefined)
}

async function countedTotal(
  sql: Sql,
  workspaceId: string,
  facets: readonly number[] | undefined,
): Promise<number> {
  const matching = facets && new Set(facets)
  let total = 0
  for (const row of await readCounts(sql, workspaceId))
    if (matching?.has(row.facets) ?? true) total += row.count
  return total
}

/** Experiments of a workspace by facets. */
async function readCounts(sql: Sql, workspaceId: string): Promise<{ facets: number; count: number }[]> {
  return await sql<{ facets: number; count: number }[]>`
    select facets, sum(difference)::int as count from experiment_counts where workspace_id = ${workspaceId} group by facets`
}

async function count(
  sql: Sql,
  workspaceId: string,
  listing: ExperimentListing,
  narrowed: ReturnType<typeof conditions>,
): Promise<number> {
  type Counted = { total: number }[]
  const counting = (ofWorkspace: ReturnType<typeof sql>) =>
    sql`select count(*)::int as total from experiment_lines l where ${ofWorkspace} ${narrowed}`
  // `= any(array[…])` makes Postgres compare the workspace before it searches the texts of other workspaces.
  const [counted] =
    listing.search === undefined
      ? await forceCustomPlan(sql<Counted>`${counting(sql`l.workspace_id = ${workspaceId}`)}`)
      : await parallelQuery(sql, (tx) =>
          forceCustomPlan(tx<Counted>`${counting(sql`l.workspace_id = any(array[${workspaceId}]::uuid[])`)}`),
        )
  return counted?.total ?? 0
}

/** A page sorted by a measured figure: first the experiments that have it, then the others by id. */
async function measuredPage(
  sql: Sql,
  workspaceId: string,
  listing: ExperimentListing,
  facets: readonly number[] | undefined,
): Promise<ExperimentRow[]> {
  const { sortBy, sortDir, limit, offset, experimentRunId, search } = listing
  const figure = sql(`l.${SORTS[sortBy].column}`)
  const direction = sortDir === 'asc' ? sql`asc` : sql`desc`
  const lines =
    experimentRunId === undefined && search === undefined
      ? sql``
      : sql`join experiment_lines t on t.workspace_id = l.workspace_id and t.id = l.id`
  const from = sql`from experiment_figures l ${lines} where l.workspace_id = ${workspaceId} ${conditions(sql, listing, facets, 't')}`
  // A page far back counts first, and skips the experiments that have the figure if it is past them.
  const measuredLimit =
    offset >= FAR_BACK
      ? sql`(select case when rows > ${offset} then ${limit} else 0 end from before)`
      : sql`${limit}`
  return await forceCustomPlan(sql<ExperimentRow[]>`
    with before as materialized (
      select count(*) as rows ${from} and ${figure} is not null
    ), measured as materialized (
      select l.id, ${figure} as figure ${from} and ${figure} is not null
      order by ${figure} ${direction}, l.id ${direction} limit ${measuredLimit} offset ${offset}
    ), others as materialized (
      select l.id ${from} and ${figure} is null order by l.id ${direction}
      limit (select ${limit} - count(*) from measured)
      offset (select case count(*) when 0 then ${offset} - (select rows from before) else 0 end from measured)
    ), page as (
      select id, 0 as part, figure from measured union all select id, 1, null from others
    )
    select ${experimentColumns(sql)} from page join experiments e using (id)
    order by part, figure ${direction}, id ${direction}`)
}

function orderOf(sql: Sql, table: 'l' | 'e', { sortBy, sortDir }: ExperimentListing) {
  const { column, nullable = false }: { column: string; nullable?: boolean } = SORTS[sortBy]
  const direction = sortDir === 'asc' ? sql`asc` : sql`desc`
  const nulls = nullable ? sql`nulls last` : sql``
  // Lines hold names as they are sorted.
  const key =
    table === 'e' && sortBy === 'name'
      ? sql`fold_name(e.name) collate "und-x-icu"`
      : sql`${sql(`${table}.${column}`)}`
  return sql`${key} ${direction} ${nulls}, ${sql(`${table}.id`)} ${direction}`
}

/**
 * Further conditions, each with a leading `and`.
 *
 * @param lines what the statement calls `experiment_lines`; `l` may be `experiment_figures` instead
 */
function conditions(
  sql: Sql,
  filter: ExperimentFilter,
  facets: readonly number[] | undefined,
  lines: 'l' | 't' = 'l',
) {
  const only = <Value>(value: Value | undefined, condition: (value: Value) => ReturnType<typeof sql>) =>
    value === undefined ? sql`` : sql`and ${condition(value)}`
  return sql`
    ${only(facets, (any) => sql`l.facets = any(${any}::smallint[])`)}
    ${only(filter.experimentRunId, (id) => sql`${sql(`${lines}.experiment_run_id`)} = ${id}`)}
    ${only(filter.createdAfter, (at) => sql`l.created_at >= ${at}`)}
    ${only(filter.createdBefore, (at) => sql`l.created_at < ${at}`)}
    ${only(filter.search, (term) => sql`${searchCondition(sql, `${lines}.search_text`, term)}`)}`
}

/** Experiments of a workspace by status. Statuses without any are 0. */
export async function countByStatus(sql: Sql, workspaceId: string): Promise<Record<Status, number>> {
  const counts = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>
  const table = await facetTable(sql)
  for (const { facets, count } of await readCounts(sql, workspaceId)) counts[table.statusOf(facets)] += count
  return counts
}
