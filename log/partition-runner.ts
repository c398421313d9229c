import { backoffMs } from '../runtime/backoff.js'
import { pause } from '../runtime/concurrency/pause.js'
import type { LogLogger, PartitionHandler, StoredRecord } from './port.js'

export interface PartitionRunnerOptions {
  readonly handler: PartitionHandler
  readonly partition: number
  readonly logger: Pick<LogLogger, 'warn'> | undefined
  readonly signal: AbortSignal
  /** Resolves when the partition may be acquired, or the signal aborts. */
  readonly beforeAcquire?: () => Promise<void>
  /** Whether an error ends the whole delivery because no retry can help. */
  readonly isFinal?: (error: unknown) => boolean
}

const PAUSES = { initialIntervalMs: 100, maxIntervalMs: 5_000 } as const

/**
 * Delivers one partition until the signal aborts. If the handler rejects, it is asked for its position again
 * after a pause that doubles from 100 ms to 5 s.
 *
 * @param deliver delivers from a position on and reports every handled batch; rejects if the handler does
 */
export async function runPartition(
  options: PartitionRunnerOptions,
  deliver: (position: number, handled: () => void) => Promise<void>,
): Promise<void> {
  const { handler, partition, logger, signal, beforeAcquire: mayBegin, isFinal } = options
  let failures = 0
  let isOwner = false
  try {
    while (!signal.aborted) {
      try {
        await mayBegin?.()
        if (signal.aborted) break
        const position = await handler.assigned(partition)
        isOwner = true
        await deliver(position, () => {
          failures = 0
        })
      } catch (error) {
        if (isFinal?.(error)) throw error
        if (signal.aborted) break
        const pauseMs = backoffMs(PAUSES, failures)
        failures++
        logger?.warn({ err: error, partition, pauseMs }, 'Handling records failed; delivering them again')
        await pause(pauseMs, signal)
      }
    }
  } finally {
    if (isOwner) handler.revoked?.(partition)
  }
}

/** How many of the records fit into a batch, at least one. */
export function batchLength(records: readonly StoredRecord[], maxBytes: number): number {
  let bytes = 0
  let count = 0
  for (const { payload } of records) {
    bytes += payload.length
    if (count > 0 && bytes > maxBytes) break
    count++
  }
  return count
}
