import type { ClickHouse } from '../port.js'
import { VersionCache } from './version-cache.js'

/** An event name a workspace has received. Times are event timestamps in milliseconds. */
export interface EventNameSummary {
  readonly eventName: string
  readonly count: number
  readonly firstSeenAt: number
  readonly lastSeenAt: number
}

const MEMORY_BYTES = 16 * 1024 * 1024

/** Event names that one process remembers. It makes answers cheaper and never different. */
export class VocabularyCache {
  readonly names = new VersionCache<readonly EventNameSummary[]>(MEMORY_BYTES, (names) =>
    names.reduce((bytes, { eventName }) => bytes + 100 + 2 * eventName.length, 0),
  )
}

/** Every event name of a workspace, most frequent first, equal counts by name. */
export function listEventNames(
  clickhouse: ClickHouse,
  workspaceId: string,
  signal?: AbortSignal,
  memory = new VocabularyCache(),
): Promise<readonly EventNameSummary[]> {
  return memory.names.answer(clickhouse, workspaceId, 'names', async () => {
    const { rows } = await clickhouse.query<EventNameSummary>(
      `SELECT
         event AS eventName,
         sum(count) AS count,
         toUnixTimestamp64Milli(min(first_seen)) AS firstSeenAt,
         toUnixTimestamp64Milli(max(last_seen)) AS lastSeenAt
       FROM event_names
       WHERE workspace_id = {workspaceId:UUID}
       GROUP BY event
       ORDER BY count DESC, eventName`,
      { params: { workspaceId }, signal },
    )
    return rows
  })
}

/** Whether a workspace has ever received an event of this name. */
export async function hasReceivedEvent(
  clickhouse: ClickHouse,
  workspaceId: string,
  eventName: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const result = await clickhouse.query<{ found: number }>(
    `SELECT 1 AS found FROM event_names
     WHERE workspace_id = {workspaceId:UUID} AND event = {eventName:String} LIMIT 1`,
    { params: { workspaceId, eventName }, signal },
  )
  return result.rows.length > 0
}
