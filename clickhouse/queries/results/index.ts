export type { ExposureEvent } from '../exposures.js'
export {
  type Breakdown,
  type ReadResults,
  type ReadSegments,
  readResults,
  readSegments,
  readVariantCounts,
  type Segment,
} from './query.js'
export type { ResultsBounds, ResultsRequest, ResultsTarget } from './request.js'
