/** Results as API.md section 4 gives them. Rates and lifts are shares of 1. */
export interface Results {
  readonly asOf: string
  readonly state: 'no_data' | 'collecting' | 'ready'
  readonly reason?: string | null
  readonly exposed: number
  readonly multipleVariants: number
  readonly srm: { readonly pValue: number; readonly ok: boolean }
  readonly targets: readonly TargetResults[]
  readonly dataQuality?: DataQuality
}

export interface DataQuality {
  readonly multipleVariants: number
  readonly unknownVariants: number
  readonly beforeStart: number
  readonly clampedShare: number
  readonly lagSeconds: number
}

export interface TargetResults {
  readonly eventName: string
  readonly direction: 'increase' | 'decrease'
  readonly primary: boolean
  readonly variants: readonly VariantResults[]
}

export interface VariantResults {
  readonly key: string
  readonly exposed: number
  readonly converted: number
  readonly rate: number | null
  readonly mean?: number | null
  readonly vsControl: Comparison | null
}

export interface Comparison {
  readonly lift: number | null
  readonly liftCi: readonly [number, number] | null
  readonly pValue: number | null
  readonly adjustedPValue: number | null
  readonly chanceToWin: number | null
  readonly risk: number | null
  readonly sequentialCi: readonly [number, number] | null
  readonly sequentialPValue: number | null
}

/** One value of a property, and the results of those who had it at their first exposure. */
export interface Segment {
  readonly value: unknown
  readonly results: Results
}
