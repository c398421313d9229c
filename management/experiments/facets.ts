import { STATUSES, type Status } from '../../domain/lifecycle.js'
import type { Sql } from '../../postgres/driver/client.js'
import {
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

/** Filters of a list. Undefined means any value. */
export interface FacetFilter {
  readonly statuses: readonly Status[] | undefined
  readonly priorities: readonly Priority[] | undefined
  readonly origins: readonly Origin[] | undefined
  readonly rejectedStage: RejectedStage | undefined
  readonly hasPr: boolean | undefined
  readonly kind: Kind | undefined
  readonly testType: TestType | undefined
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
export class FacetTable {
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
export function facetTable(sql: Sql): Promise<FacetTable> {
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
