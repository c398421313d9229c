import { setImmediate as turn } from 'node:timers/promises'
import { cancelledError } from '../../clickhouse/error-mapping.js'

/** How much is done before others have their turn: a few milliseconds. */
const AT_ONCE = 32_768

/** Does work on so many things, some at a time, and ends where its asker has gone. */
export async function yieldingLoop(
  count: number,
  signal: AbortSignal | undefined,
  work: (from: number, to: number) => void,
): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE) {
    if (from > 0) await turn()
    if (signal?.aborted) throw cancelledError()
    work(from, Math.min(count, from + AT_ONCE))
  }
}
