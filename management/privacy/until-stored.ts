import { allWatermarksPast } from '../../postgres/tables/watermarks.js'
import { pause } from '../../runtime/concurrency/pause.js'
import { JobError } from '../jobs/failure.js'
import type { Services } from '../services.js'

const POLL_MS = 300
/** How long one attempt of a job waits, because it holds up jobs of other workspaces. */
const MAX_WAIT_MS = 20_000

/**
 * Waits until everything of a workspace that was received up to a time is stored.
 *
 * @throws JobError if that takes long: the job is retried
 */
export async function untilStored(
  { sql }: Services,
  workspaceId: string,
  time: Date,
  signal: AbortSignal,
): Promise<void> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(MAX_WAIT_MS)])
  while (!(await allWatermarksPast(sql, workspaceId, time))) {
    if (patience.aborted)
      throw new JobError('Events that were received before are still being stored', { retryable: true })
    await pause(POLL_MS, patience)
  }
}
