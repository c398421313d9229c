export {
  type Breakdown,
  type ReadResults,
  type ReadSegments,
  readResults,
  readSegments,
  type Segment,
} from './query.js'
export type { MeasuredPeriod, ResultsBounds, ResultsRequest, ResultsTarget } from './request.js'
