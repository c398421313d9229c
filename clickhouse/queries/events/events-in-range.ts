import type { ClickHouse, QueryOptions } from '../../port.js'
import { EVENT_COLUMNS, type EventRow, type ListedEvent, toListed } from './event-cache.js'
import { parseEventId, RECORD_SQL } from './event-id.js'

/** First offsets by log id, in the order of partitions. */
export type LogPositions = ReadonlyMap<string, readonly number[]>

/** Events of a workspace between two positions of the log, whatever their times. */
export interface EventRange {
  readonly workspaceId: string
  /** Only events with this name. */
  readonly event: string | undefined
  /** Lower bound, inclusive; undefined starts at the beginning, as does a log that is not in the map. */
  readonly from: LogPositions | undefined
  /** Upper bound, exclusive. A log that is not in the map has no events if `from` is given, otherwise all. */
  readonly to: LogPositions
  /** Only events received at or after this time, in milliseconds. Bounds the rows that are read. */
  readonly since: number
  /** Only events with a greater id. */
  readonly after?: string | undefined
  readonly signal?: AbortSignal
}

/** Counts events by second of receipt, in seconds since 1970. Seconds without events are left out. */
export async function countInRange(
  clickhouse: ClickHouse,
  wanted: EventRange,
): Promise<ReadonlyMap<number, number>> {
  const { condition, options } = conditionOf(wanted)
  const { rows } = await clickhouse.query<{ second: number; count: number }>(
    `SELECT intDiv(toUnixTimestamp64Milli(received_at), 1000) AS second, count() AS count
     FROM events WHERE ${condition} GROUP BY second`,
    options,
  )
  return new Map(rows.map(({ second, count }) => [second, count]))
}

/** The first or the last `limit` events in the order of their ids. */
export async function readInRange(
  clickhouse: ClickHouse,
  wanted: EventRange,
  limit: number,
  which: 'first' | 'last',
): Promise<ListedEvent[]> {
  const { condition, options } = conditionOf(wanted)
  const direction = which === 'first' ? 'ASC' : 'DESC'
  const { rows } = await clickhouse.query<EventRow>(
    `SELECT ${EVENT_COLUMNS}
     FROM events WHERE ${condition}
     ORDER BY received_at ${direction}, ${RECORD_SQL} ${direction}, request_index ${direction}
     LIMIT {limit:UInt64}`,
    { ...options, params: { ...options.params, limit } },
  )
  const listed = rows.map(toListed)
  return which === 'first' ? listed : listed.reverse()
}

function conditionOf(wanted: EventRange): { readonly condition: string; readonly options: QueryOptions } {
  const { workspaceId, event, from, to, since, after, signal } = wanted
  const params: Record<string, unknown> = { workspaceId, since: Math.max(0, Math.trunc(since)) }
  const all = [
    'workspace_id = {workspaceId:UUID}',
    "received_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')",
  ]
  if (event !== undefined) {
    params.event = event
    all.push('event = {event:String}')
  }
  const logs = [...to].map(([logId, ends], i) => {
    params[`log${i}`] = logId
    params[`to${i}`] = ends
    const parts = [`log_id = {log${i}:UUID}`]
    if (from !== undefined) {
      // An index past the end of an array gives 0.
      params[`from${i}`] = from.get(logId) ?? []
      parts.push(`log_offset >= ({from${i}:Array(UInt64)})[log_partition + 1]`)
    }
    const end = `({to${i}:Array(UInt64)})[log_partition + 1]`
    parts.push(from === undefined ? `log_offset >= ${end}` : `log_offset < ${end}`)
    return `(${parts.join(' AND ')})`
  })
  const any = logs.length === 0 ? '0' : `(${logs.join(' OR ')})`
  all.push(from === undefined ? `NOT ${any}` : any)
  const last = after === undefined ? undefined : parseEventId(after)
  if (last !== undefined) {
    params.afterAt = last.receivedAt
    params.afterRecord = last.record
    params.afterIndex = last.index
    all.push(
      `(toUnixTimestamp64Milli(received_at), ${RECORD_SQL}, request_index) > ({afterAt:Int64}, {afterRecord:UInt64}, {afterIndex:UInt16})`,
    )
  }
  // A block that is marked as done was inserted on one replica and may not have reached another.
  const options = { params, readYourWrites: true, signal }
  return { condition: all.join('\n       AND '), options }
}
