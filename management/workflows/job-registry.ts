import { exportJob } from '../events/index.js'
import { hookDeliveryJob } from '../hooks/index.js'
import type { JobDefinition } from '../jobs/definition.js'
import { erasureJob, retentionJob } from '../privacy/index.js'
import { generationJob, refinementJob } from '../proposals/index.js'
import { pullRequestJob, removeBranchJob, repairJob, rewriteJob } from '../pull-requests/index.js'
import { outcomeJob } from './outcome.js'

/** Every kind of job there is. A process that sends or carries out jobs knows all of them. */
export const JOBS: readonly JobDefinition[] = [
  outcomeJob,
  pullRequestJob,
  removeBranchJob,
  repairJob,
  rewriteJob,
  generationJob,
  refinementJob,
  hookDeliveryJob,
  erasureJob,
  retentionJob,
  exportJob,
]
