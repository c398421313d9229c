export {
  type Breakdown,
  type ReadResults,
  type ReadSegments,
  readResults,
  readSegments,
  type Segment,
} from './query.js'
export type { ResultsBounds, ResultsRequest, ResultsTarget } from './request.js'
