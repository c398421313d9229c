import type { Moments } from './moments.js'

/** Counts of an experiment: all that the statistics need. */
export interface ExperimentCounts {
  /** In the experiment's order. */
  readonly variants: readonly VariantCounts[]
  readonly quality: QualityCounts
}

export interface VariantCounts {
  readonly key: string
  /** Persons who count. */
  readonly exposed: number
  /** In the order of the experiment's targets. */
  readonly targets: readonly TargetCounts[]
}

export interface TargetCounts {
  /** Persons with at least one event that counts. */
  readonly converted: number
  /** Of all exposed persons, for a mean; `before` only if it is adjusted. */
  readonly values?: Moments
}

export interface QualityCounts {
  /** Persons seen in two of the experiment's variants, who are left out. */
  readonly multipleVariants: number
  /** Exposures to a variant the experiment does not have. */
  readonly unknownVariants: number
  /** Exposures before the experiment started. */
  readonly beforeStart: number
  /** 0 to 1, of the exposures of persons who count; 0 if there are none. */
  readonly clampedShare: number
}
