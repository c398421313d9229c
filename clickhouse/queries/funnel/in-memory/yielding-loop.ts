import { setImmediate as nextTurn } from 'node:timers/promises'
import { cancelledError } from '../../../error-mapping.js'

/** Items between two turns of the event loop: a few milliseconds of work. */
export const ITEMS_PER_TURN = 32_768

/**
 * Calls `work` for consecutive ranges of `count` items and lets other work run in between.
 *
 * @throws ClickHouseError `cancelled` once the signal is aborted
 */
export async function yieldingLoop(
  count: number,
  signal: AbortSignal | undefined,
  work: (from: number, to: number) => void,
  itemsPerTurn = ITEMS_PER_TURN,
): Promise<void> {
  for (let from = 0; from < count; from += itemsPerTurn) {
    if (from > 0) await nextTurn()
    if (signal?.aborted) throw cancelledError()
    work(from, Math.min(count, from + itemsPerTurn))
  }
}
