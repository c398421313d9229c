import { abandonPartitions } from '../consumers/partitions/checkpoint.js'
import type { Transaction } from '../postgres/driver/client.js'
import { lockForRegistration, markDrained } from '../postgres/tables/logs.js'

/**
 * Ends a log whose records are lost, so that another one may begin. Its waiting events are not stored. A
 * block that was being stored may be stored in part, and is not counted.
 *
 * @returns false if the log has ended before
 */
export async function abandonLog(tx: Transaction, id: string): Promise<boolean> {
  const log = (await lockForRegistration(tx, id)).find((one) => one.id === id)
  if (log === undefined || log.drained) return false
  await abandonPartitions(tx, id)
  await markDrained(tx, id)
  return true
}
