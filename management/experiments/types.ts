import type { PropertyFilter } from '../../domain/funnel.js'
import type { Status } from '../../domain/lifecycle.js'
import type { Metric } from '../../domain/statistics/index.js'
import type { Kind, KNOWN_DISMISSAL_REASONS, Origin, Priority, RejectedStage, TestType } from './limits.js'

export interface Variant {
  readonly key: string
  readonly displayName: string
  /** Whole percent. */
  readonly trafficSplit: number
}

export interface ConversionTarget {
  readonly eventName: string
  readonly name: string
  readonly direction: 'increase' | 'decrease'
  /** How long after the first exposure the event counts; null without a limit. */
  readonly windowHours: number | null
  readonly filters: readonly PropertyFilter[]
  /** Left out: a proportion. */
  readonly metric?: Metric
}

/** A place of the site: a file, and where in it. */
export interface Surface {
  readonly path: string
  readonly anchor: string | null
}

/** Instead of what is in its file exactly once: for everybody, or as the alternative of a variant. */
export interface ChangeEdit {
  readonly find: string
  readonly replace: string
  /** The key of a variant other than the control. */
  readonly variant?: string
}

/** What a pull request does to a file: of one that is there either the whole content or edits. */
export interface Change {
  readonly path: string
  readonly action: 'create' | 'modify' | 'delete'
  readonly content?: string
  readonly edits?: readonly ChangeEdit[]
}

/** What changes were written against. */
export interface Snapshot {
  readonly commit: string
  /** The content of each file that they touch; null for one that is to be created. */
  readonly files: readonly { readonly path: string; readonly blob: string | null }[]
}

export interface PullRequest {
  readonly number: number | null
  readonly url: string | null
  readonly branch: string | null
  readonly state: 'open' | 'merged' | 'closed' | 'failed'
  readonly error: string | null
}

export interface Dismissal {
  readonly reasons: readonly (typeof KNOWN_DISMISSAL_REASONS)[number][]
  readonly note: string | null
  readonly dismissedAt: string
  readonly personId: string
}

/** Of the variant that most likely beats the control. */
export interface Measurements {
  readonly usersExposed: number | null
  readonly estimatedLift: number | null
  readonly confidence: number | null
  /** ISO 8601. */
  readonly asOf: string
}

/** An experiment as it is stored, but for its changes, which can be large. */
export interface ExperimentRow {
  id: string
  key: string
  name: string
  mechanism: string
  notes: string
  hypothesis: string
  kind: Kind
  testType: TestType
  status: Status
  priority: Priority
  origin: Origin
  experimentRunId: string | null
  variants: Variant[]
  conversionTargets: ConversionTarget[]
  surfaces: Surface[]
  pullRequest: PullRequest | null
  cleanupPullRequest: PullRequest | null
  dismissal: Dismissal | null
  rejectedStage: RejectedStage | null
  decisionOutcome: 'ship' | 'reject' | null
  decisionVariant: string | null
  decisionReason: string | null
  decidedAt: Date | null
  /** Null where it was decided by a version that did not note it. */
  decisionPersonId: string | null
  settlesAt: Date | null
  /** Null where nothing is measured yet. */
  measurements: Measurements | null
  createdAt: Date
  updatedAt: Date
  startedAt: Date | null
  endedAt: Date | null
}
