import type { JobName } from './port.js'

/** The schema of the library's tables, which it makes and migrates by itself. */
export const JOB_SCHEMA = 'jobs'

/** A running job whose process says nothing for so long passes to another one. */
export const LEASE_SECONDS = 30

interface QueueSettings {
  /** Tries before it counts as failed; they come later and later, from a second up to hours. */
  readonly retries: number
}

/** Every queue there is. All are made by every process that starts, since what is sent to a queue that does not exist is lost without a word. */
export const QUEUES: Readonly<Record<JobName, QueueSettings>> = {
  'experiment-outcome': { retries: 12 },
}

export const JOB_NAMES = Object.keys(QUEUES) as JobName[]
