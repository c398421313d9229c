import { MAX_AGE_MS, MAX_AHEAD_MS } from '../../domain/clamp.js'
import { monthOf } from '../../domain/month.js'
import type { Parameters } from './parameters.js'

/** Conditions on the time of an event. Both bounds are in milliseconds and inclusive. */
export function rangeConditions(from: number, lastAt: number, parameters: Parameters): readonly string[] {
  const at = (value: number) => `fromUnixTimestamp64Milli(${parameters.bind('Int64', value)}, 'UTC')`
  return [
    `timestamp >= ${at(from)}`,
    `timestamp <= ${at(lastAt)}`,
    // Ingestion keeps a timestamp within these bounds of its receipt, so months without such receipts are
    // skipped. By the parts' names, because reading times of receipt would cost a tenth of the query.
    `_partition_id >= ${parameters.bind('String', partitionOf(from - MAX_AHEAD_MS))}`,
    `_partition_id <= ${parameters.bind('String', partitionOf(lastAt + MAX_AGE_MS))}`,
  ]
}

/** The month of receipt, as the table's parts are named. */
function partitionOf(time: number): string {
  return String(monthOf(time))
}
