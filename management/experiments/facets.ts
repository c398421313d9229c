import { STATUSES, type Status } from '../../domain/lifecycle.js'
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
} from './words.js'

/** What lists can be narrowed to; undefined: any. */
export interface FacetFilter {
  readonly statuses: readonly Status[] | undefined
  readonly priorities: readonly Priority[] | undefined
  readonly origins: readonly Origin[] | undefined
  readonly rejectedStage: RejectedStage | undefined
  readonly hasPr: boolean | undefined
  readonly kind: Kind | undefined
  readonly testType: TestType | undefined
}

interface Facets {
  readonly status: Status
  readonly priority: Priority
  readonly origin: Origin
  readonly kind: Kind
  readonly testType: TestType
  readonly rejectedStage: RejectedStage | null
  readonly hasPr: boolean
}

const STATUS_BITS = 15

/** All that can be, by the number that `experiment_facets` of the schema makes of each. */
const ALL: readonly (Facets & { readonly number: number })[] = every()

function every(): (Facets & { readonly number: number })[] {
  const all: (Facets & { readonly number: number })[] = []
  for (const [statusPlace, status] of STATUSES.entries())
    for (const rejectedStage of status === 'rejected' ? REJECTED_STAGES : [null])
      for (const [priorityPlace, priority] of PRIORITIES.entries())
        for (const [originPlace, origin] of ORIGINS.entries())
          for (const [kindPlace, kind] of KINDS.entries())
            for (const [testTypePlace, testType] of TEST_TYPES.entries())
              for (const hasPr of [false, true]) {
                const number =
                  statusPlace +
                  ((priorityPlace + 1) << 4) +
                  (originPlace << 6) +
                  (kindPlace << 7) +
                  (testTypePlace << 8) +
                  ((rejectedStage === null ? 0 : REJECTED_STAGES.indexOf(rejectedStage) + 1) << 9) +
                  ((hasPr ? 1 : 0) << 11)
                all.push({ number, status, priority, origin, kind, testType, rejectedStage, hasPr })
              }
  return all
}

/** The numbers that a filter lets through; undefined where it lets all through. */
export function matchingFacets(filter: FacetFilter): number[] | undefined {
  const { statuses, priorities, origins, rejectedStage, hasPr, kind, testType } = filter
  const matching = ALL.filter(
    (facets) =>
      (statuses?.includes(facets.status) ?? true) &&
      (priorities?.includes(facets.priority) ?? true) &&
      (origins?.includes(facets.origin) ?? true) &&
      (rejectedStage === undefined || facets.rejectedStage === rejectedStage) &&
      (hasPr === undefined || facets.hasPr === hasPr) &&
      (kind === undefined || facets.kind === kind) &&
      (testType === undefined || facets.testType === testType),
  )
  return matching.length === ALL.length ? undefined : matching.map(({ number }) => number)
}

export function statusOf(facets: number): Status {
  const status = STATUSES[facets & STATUS_BITS]
  if (status === undefined) throw new Error(`no status has the facets ${facets}`)
  return status
}
