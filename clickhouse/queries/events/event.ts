import type { ClickHouse } from '../../port.js'
import { EventCache, type ListedEvent } from './event-cache.js'
import { parseEventId } from './event-id.js'

/** One event by id, or undefined if the workspace has none. */
export async function readEvent(
  clickhouse: ClickHouse,
  workspaceId: string,
  id: string,
  signal?: AbortSignal,
): Promise<ListedEvent | undefined> {
  const parsed = parseEventId(id)
  if (parsed === undefined) return undefined
  const { receivedAt, record, index } = parsed
  const { rows } = await clickhouse.query<{ name: string; at: number }>(
    `SELECT toString(event) AS name, toUnixTimestamp64Milli(timestamp) AS at
     FROM event_order
     WHERE workspace_id = {workspaceId:UUID} AND received_at = fromUnixTimestamp64Milli({receivedAt:Int64}, 'UTC')
       AND record = {record:UInt64} AND request_index = {index:UInt16}
     LIMIT 1`,
    { params: { workspaceId, receivedAt, record, index }, signal },
  )
  const [row] = rows
  if (row === undefined) return undefined
  const place = { id, receivedAt, record, requestIndex: index, event: row.name, timestamp: row.at }
  const [event] = await new EventCache(0).read(clickhouse, workspaceId, [place], signal)
  return event
}
