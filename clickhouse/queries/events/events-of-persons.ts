import type { ClickHouse } from '../../port.js'
import { EVENT_COLUMNS, type EventRow, type ListedEvent, toListed } from './event-cache.js'
import { parseEventId, RECORD_SQL } from './event-id.js'

export type { ListedEvent } from './event-cache.js'

const PAGE_EVENTS = 5_000
const PAGE_SECONDS = 120

/** The next events of some persons, in the order of their ids. */
export async function pageOfPersons(
  clickhouse: ClickHouse,
  {
    workspaceId,
    personKeys,
    after,
    signal,
  }: {
    readonly workspaceId: string
    /** Person keys of rows, before links. */
    readonly personKeys: readonly bigint[]
    readonly after: ListedEvent | undefined
    readonly signal: AbortSignal | undefined
  },
): Promise<ListedEvent[]> {
  const last = after === undefined ? undefined : parseEventId(after.id)
  const { receivedAt = -1, record = 0n, index = 0 } = last ?? {}
  const { rows } = await clickhouse.query<EventRow>(
    `SELECT ${EVENT_COLUMNS}
     FROM events
     WHERE workspace_id = {workspaceId:UUID} AND person_key IN {keys:Array(UInt64)}
       AND received_at >= fromUnixTimestamp64Milli({at:Int64}, 'UTC')
       AND (toUnixTimestamp64Milli(received_at), ${RECORD_SQL}, request_index)
         > ({after:Int64}, {record:UInt64}, {index:UInt16})
     ORDER BY received_at, ${RECORD_SQL}, request_index
     LIMIT {limit:UInt64}`,
    {
      params: {
        workspaceId,
        keys: personKeys.map((key) => BigInt.asUintN(64, key)),
        at: Math.max(receivedAt, 0),
        after: receivedAt,
        record,
        index,
        limit: PAGE_EVENTS,
      },
      settings: { max_execution_time: PAGE_SECONDS },
      signal,
    },
  )
  return rows.map(toListed)
}
