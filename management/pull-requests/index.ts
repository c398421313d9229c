export { planOf } from './plan.js'
export { pullRequestJob, requestCleanup, sendPullRequest } from './pull-request-job.js'
export { findUnrecordedMerge, recordEnd } from './state.js'
export { WATCH_MS, Watch } from './watch.js'
