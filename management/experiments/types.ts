import type { PropertyFilter } from '../../domain/funnel.js'
import type { Status } from '../../domain/lifecycle.js'
import type { Metric } from '../../domain/statistics/index.js'

export interface Variant {
  readonly key: string
  readonly displayName: string
  /** Percent, an integer. */
  readonly trafficSplit: number
}

export interface ConversionTarget {
  readonly eventName: string
  readonly name: string
  readonly direction: 'increase' | 'decrease'
  /** How long after the first exposure an event counts. Null means no limit. */
  readonly windowHours: number | null
  readonly filters: readonly PropertyFilter[]
  /** Defaults to a proportion. */
  readonly metric?: Metric
  /** Not to be harmed; such targets come after the others. */
  readonly role?: 'guardrail'
  /** Of a guardrail: the relative lift in the wrong direction that is accepted, above 0. */
  readonly margin?: number
}

/** How many persons an experiment is to have. */
export interface Sizing {
  /** Relative. */
  readonly minimumEffect: number
  readonly power: number
  readonly alpha: number
  /** Its persons of the last four weeks tell the rate without the variants. */
  readonly exposureEvent: string | null
}

/** A part of the site: a file, and optionally a place in it. */
export interface Surface {
  readonly path: string
  readonly anchor: string | null
}

/** Replaces text that occurs once in the file, for every visitor or for one variant. */
export interface ChangeEdit {
  readonly find: string
  readonly replace: string
  /** The key of a variant other than the control. */
  readonly variant?: string
}

/** Change of a file. An existing file gets either new content or edits. */
export interface FileChange {
  readonly path: string
  readonly action: 'create' | 'modify' | 'delete'
  readonly content?: string
  readonly edits?: readonly ChangeEdit[]
}

/** The commit that changes were written against. */
export interface Snapshot {
  readonly commit: string
  /** Blob id of each changed file. Null for a file to be created. */
  readonly files: readonly { readonly path: string; readonly blob: string | null }[]
}

export interface ExperimentPullRequest {
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

/** Figures of the variant that most likely beats the control. */
interface Measurements {
  readonly usersExposed: number | null
  readonly estimatedLift: number | null
  readonly confidence: number | null
  /** ISO 8601. */
  readonly asOf: string
}

/** The part of an experiment that exists from its beginning. */
export interface ExperimentBasics {
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
  sizing: Sizing | null
  surfaces: Surface[]
}

/** A stored experiment without its changes, which can be large. */
export interface ExperimentRow extends ExperimentBasics {
  pullRequest: ExperimentPullRequest | null
  cleanupPullRequest: ExperimentPullRequest | null
  dismissal: Dismissal | null
  rejectedStage: RejectedStage | null
  decisionOutcome: 'ship' | 'reject' | null
  decisionVariant: string | null
  decisionReason: string | null
  decidedAt: Date | null
  /** Null if an older version recorded the decision. */
  decisionPersonId: string | null
  settlesAt: Date | null
  /** Null if nothing is measured yet. */
  measurements: Measurements | null
  createdAt: Date
  updatedAt: Date
  startedAt: Date | null
  endedAt: Date | null
}

export const KINDS = ['experiment', 'feature'] as const
export const TEST_TYPES = ['dom', 'message'] as const
export const ORIGINS = ['generated', 'api'] as const
/** Lowest first: the order of lists. */
export const PRIORITIES = ['low', 'medium', 'high'] as const
export const REJECTED_STAGES = ['pr', 'outcome'] as const
export const DISMISSAL_REASONS = [
  'not_relevant',
  'too_risky',
  'low_impact',
  'duplicate',
  'wrong_surface',
  'other',
] as const
/** `replaced` is set by a new batch. People cannot give it. */
export const KNOWN_DISMISSAL_REASONS = [...DISMISSAL_REASONS, 'replaced'] as const

export type Kind = (typeof KINDS)[number]
export type TestType = (typeof TEST_TYPES)[number]
export type Origin = (typeof ORIGINS)[number]
export type Priority = (typeof PRIORITIES)[number]
export type RejectedStage = (typeof REJECTED_STAGES)[number]

/** Characters, or numbers of items. */
export const EXPERIMENT_LIMITS = {
  name: 200,
  mechanism: 1_000,
  notes: 2_000,
  hypothesis: 2_000,
  displayName: 100,
  variants: 8,
  targets: 3,
  guardrails: 5,
  targetName: 200,
  dismissalNote: 2_000,
  decisionReason: 2_000,
  instructions: 4_000,
  focus: 1_000,
  search: 200,
  surfaces: 50,
  changes: 50,
  edits: 100,
  path: 1_000,
  anchor: 500,
} as const

/** Of a sizing that leaves them out. */
export const DEFAULT_POWER = 0.8
export const DEFAULT_ALPHA = 0.05

/** Keys that would hide routes below `/experiments`. */
export const RESERVED_KEYS: ReadonlySet<string> = new Set(['counts', 'generate', 'power'])

export interface ExperimentReference {
  /** An id or a key. */
  readonly reference: string
}
