import { outcomeJob } from '../experiments/outcome.js'
import { generationJob } from '../proposals/generation-job.js'
import { refinementJob } from '../proposals/refinement-job.js'
import { pullRequestJob } from '../pull-requests/job.js'
import type { JobDefinition } from './definition.js'

/** Every kind of job there is. A process that sends or carries out jobs knows all of them. */
export const JOBS: readonly JobDefinition[] = [outcomeJob, pullRequestJob, generationJob, refinementJob]
