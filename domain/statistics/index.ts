export { adjustedMean, compareMeans, compareProportions, type Proportion } from './compare.js'
export type { ExperimentCounts, QualityCounts, TargetCounts, VariantCounts } from './counts.js'
export type { Direction, Evidence, Interval } from './evidence.js'
export { holm } from './holm.js'
export { type Moments, pooled } from './moments.js'
export { type Baseline, detectableEffect, type PowerPlan, personsNeeded } from './power.js'
export {
  type MeasuredExperiment,
  type MeasuredTarget,
  type Measurements,
  type Metric,
  resultsOf,
} from './results.js'
export { resultsCsv } from './results-csv.js'
export type { DataQuality, Results, TargetResults, VariantResults, VerdictCode } from './results-types.js'
export { type SampleRatio, sampleRatio } from './sample-ratio.js'
