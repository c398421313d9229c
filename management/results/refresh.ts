import type { Status } from '../../domain/lifecycle.js'
import { pause } from '../../runtime/concurrency/pause.js'
import { lookUpExperiment } from '../experiments/index.js'
import type { Services } from '../services.js'
import { refreshResults } from './current-results.js'
import { claimStale } from './store.js'

/** Results of running and settling experiments are measured again at this age, and failed ones retried. */
const MAX_AGE_MS = 60_000
/** How often `refreshDue` runs. */
export const REFRESH_MS = 5_000
/** Experiments per claim. They are measured one by one, which leaves the event store to requests. */
const BATCH = 20
const LIMITS = { maxSeconds: 30, maxMemoryBytes: 1_073_741_824, maxRows: 1_000_000_000, maxThreads: 1 }
/** The event store rests as long as the measurement took, up to this. */
const MAX_REST_MS = 2_000

const MEASURED: readonly Status[] = ['running', 'settling', 'paused', 'ended']

/**
 * Measures stale results of all workspaces until none are left or the signal aborts, and those of paused and
 * ended experiments once more. Each experiment is
 * claimed by one process. If it cannot be measured, it is due again a minute later. Rejects if Postgres
 * cannot be reached.
 */
export async function refreshDue(services: Services, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const claimed = await claimStale(services.sql, services.settlingHours, MAX_AGE_MS, BATCH)
    if (claimed.length === 0) return
    for (const { id, workspaceId } of claimed) {
      if (signal.aborted) return
      const row = await lookUpExperiment(services.sql, workspaceId, id)
      // Its results may have been frozen since it was claimed.
      if (row === undefined || !MEASURED.includes(row.status)) continue
      const began = performance.now()
      try {
        await refreshResults(services, workspaceId, row, { limits: LIMITS, signal })
      } catch (error) {
        services.logger.debug({ err: error, experiment: id }, 'Results not refreshed: next try in a minute')
      }
      const restMs = Math.min(performance.now() - began, MAX_REST_MS)
      await pause(restMs, signal, { ref: false })
    }
  }
}
