import type { ClickHouse, QueryOptions } from '../../port.js'
import { parseEventId, RECORD_SQL } from './event-id.js'
import { EVENT_COLUMNS, type EventRow, type ListedEvent, toListed } from './event-rows.js'

/** First offsets by log id, in the order of partitions. */
export type LogPositions = ReadonlyMap<string, readonly number[]>

/** Events of a workspace that lie between places of the log, wherever their times lie. */
export interface EventRange {
  readonly workspaceId: string
  /** Only those of this name. */
  readonly event: string | undefined
  /** Undefined: from the beginning; else what lies below is left out. A log that is not named here begins at its beginning. */
  readonly from: LogPositions | undefined
  /** What lies here or beyond is left out. Of a log that is not named here everything is left out where `from` is given, else nothing. */
  readonly to: LogPositions
  /** Only those received at or after it, milliseconds: what bounds the rows that are looked at. */
  readonly since: number
  /** Only those whose id is greater. */
  readonly after?: string | undefined
  readonly signal?: AbortSignal
}

/** How many there are by the second of their receipt, in seconds since 1970; seconds without any are left out. */
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

/** Some of them in the order of their ids: the `limit` first ones, or the last ones. */
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
      // Beyond its end an array gives 0.
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
  // What is marked as done was inserted on one replica, and may not have reached another.
  const options = { params, upToDate: true, ...(signal === undefined ? {} : { signal }) }
  return { condition: all.join('\n       AND '), options }
}
