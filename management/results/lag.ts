import { type PublishedWatermark, publishedWatermarks } from '../../postgres/tables/watermarks.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import type { Services } from '../services.js'

/** Readers publish every second; one that is silent for longer may be gone. */
const SILENT_SECONDS = 5
const LOG_MS = 1_500

/**
 * Seconds since the receipt of the oldest accepted event that is not stored, 0 where all is. Where nobody reads a partition and this process cannot look into
 * the log, it is how long nobody has: no event that waits is older.
 */
export async function lagSeconds({ sql, log, now }: Pick<Services, 'sql' | 'log' | 'now'>): Promise<number> {
  const watermarks = await publishedWatermarks(sql)
  const oldest = await Promise.all(watermarks.map((row) => waitingSince(row, log)))
  const since = oldest.filter((time) => time !== undefined)
  return since.length === 0 ? 0 : Math.max(0, now() - Math.min(...since)) / 1_000
}

async function waitingSince(row: PublishedWatermark, log: Services['log']): Promise<number | undefined> {
  const { silentSeconds, logCreatedAt, watermark, waitingSince, logId, partition, doneOffset } = row
  if (silentSeconds !== null && silentSeconds <= SILENT_SECONDS) return waitingSince?.getTime()
  const since = (waitingSince ?? watermark ?? logCreatedAt).getTime()
  if (log?.id !== logId) return since
  try {
    return (await withTimeout(LOG_MS, 'the event log', log.end(partition))) > doneOffset ? since : undefined
  } catch {
    return since
  }
}
