import { MAX_AHEAD_MS } from '../../domain/clamp.js'
import { monthOf } from '../../domain/month.js'
import type { Parameters } from './parameters.js'

/** Conditions on the time of an event. Both bounds are in milliseconds and inclusive. */
export function rangeConditions(from: number, lastAt: number, parameters: Parameters): readonly string[] {
  const at = (value: number) => `fromUnixTimestamp64Milli(${parameters.bind('Int64', value)}, 'UTC')`
  return [
    `timestamp >= ${at(from)}`,
    `timestamp <= ${at(lastAt)}`,
    // No timestamp is further ahead of its receipt, so months before are skipped; history may be received at
    // any time later. By the parts' names, because times of receipt would cost a tenth of the query.
    `_partition_id >= ${parameters.bind('String', String(monthOf(from - MAX_AHEAD_MS)))}`,
  ]
}
