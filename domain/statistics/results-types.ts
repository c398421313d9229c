import type { Direction, Evidence } from './evidence.js'
import type { SampleRatio } from './sample-ratio.js'

/** Described in docs/experiments/results.md. A figure that cannot be computed is null, never NaN. */
export interface Results {
  readonly asOf: string
  readonly state: 'no_data' | 'collecting' | 'ready'
  /** Why the state is not `ready`. */
  readonly reason: string | null
  readonly exposed: number
  readonly multipleVariants: number
  readonly srm: SampleRatio
  readonly dataQuality: DataQuality
  readonly targets: readonly TargetResults[]
  /** Results stored by earlier versions have none. */
  readonly verdict?: Verdict
  /** Of a sized experiment. */
  readonly sizing?: {
    /** In all arms; null if it is not known. */
    readonly personsNeeded: number | null
    /** Before the start; null if it is not known. */
    readonly personsPerDay: number | null
  }
}

export interface DataQuality {
  readonly multipleVariants: number
  readonly unknownVariants: number
  readonly beforeStart: number
  /** Persons in variants with weight 0. */
  readonly zeroWeight: number
  /** 0 to 1, of the exposures of persons who count; 0 if there are none. */
  readonly clampedShare: number
  readonly lagSeconds: number
}

export interface TargetResults {
  readonly eventName: string
  readonly direction: Direction
  readonly primary: boolean
  readonly role?: 'guardrail'
  /** Of a guardrail: the relative lift in the wrong direction that is accepted. */
  readonly margin?: number | undefined
  readonly variants: readonly VariantResults[]
}

export interface VariantResults {
  readonly key: string
  readonly exposed: number
  readonly converted: number
  /** Null for a mean, and if no person was exposed. */
  readonly rate: number | null
  /** For a mean: of capped, unadjusted values. Null without persons; the deviation also below two. */
  readonly mean?: number | null
  readonly standardDeviation?: number | null
  /** For an adjusted mean; null for an empty arm. */
  readonly adjustedMean?: number | null
  /** Null for the control. */
  readonly vsControl: Evidence | null
  /** Of a guardrail's variants, but not the control. */
  readonly guardrail?: GuardrailState
}

/** The plan that a sized experiment is judged by. */
export interface Sized {
  /** Relative. */
  readonly minimumEffect: number
  /** In all arms; null if it is not known. */
  readonly personsNeeded: number | null
}

/** `harmed`: the interval of the lift is beyond the margin in the wrong direction; `ok`: it is within. */
export type GuardrailState = 'ok' | 'harmed' | 'unclear'

export type VerdictCode =
  | 'not_started'
  | 'no_data'
  | 'broken_split'
  | 'collecting'
  | 'harmed'
  | 'winner'
  | 'loser'
  | 'no_difference'
  | 'undecided'

/** The results in one sentence for people. */
export interface Verdict {
  readonly code: VerdictCode
  /** Key of the variant that wins, or is harmed. Null for every other code. */
  readonly variant: string | null
  readonly text: string
}
