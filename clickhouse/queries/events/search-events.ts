import type { PropertyFilter } from '../../../domain/funnel.js'
import type { ClickHouse, QueryOptions } from '../../port.js'
import { Parameters } from '../parameters.js'
import { filterSql, JSON_TEXT } from '../property-filter.js'
import {
  EVENT_COLUMNS,
  type EventPosition,
  type EventRow,
  type ListedEvent,
  toListed,
} from './event-cache.js'
import { comparedToSql, eventId, RECORD_SQL } from './event-id.js'
import type { ListingCache } from './events.js'
import type { PageOptions } from './page-bounds.js'

/** Limits of the events that are wanted. A field that is left out does not limit them. */
export interface EventConditions {
  readonly event?: string | undefined
  /** Keys of a person's rows, before links. */
  readonly personKeys?: readonly bigint[] | undefined
  /** Timestamps in milliseconds, from `from` to before `to`. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly filter?: PropertyFilter | undefined
}

export interface EventSearchOptions extends PageOptions {
  readonly conditions: EventConditions
  /** The id of the last event of the page before. */
  readonly after: string | undefined
}

const LIMITS = { max_execution_time: 30, max_memory_usage: 1_073_741_824, max_threads: 2 }

/** Events by receipt that meet conditions, and how many do. Throws ClickHouseError. */
export async function searchEvents(
  clickhouse: ClickHouse,
  wanted: EventSearchOptions,
): Promise<{ readonly rows: ListedEvent[]; readonly total: number }> {
  const parameters = new Parameters()
  const source = matchingSql(wanted, parameters)
  const { sortDir: direction, limit, offset } = wanted
  const bounds = `LIMIT ${parameters.bind('UInt64', limit)} OFFSET ${parameters.bind('UInt64', offset)}`
  const order = `received_at ${direction}, ${RECORD_SQL} ${direction}, request_index ${direction}`
  const counting = new Parameters()
  const count = `SELECT count() AS total FROM (${matchingSql({ ...wanted, after: undefined }, counting)})`
  const page = await clickhouse.query<EventRow>(
    `SELECT ${EVENT_COLUMNS} FROM (${source}) ORDER BY ${order} ${bounds}`,
    optionsOf(wanted, parameters),
  )
  const counted = await clickhouse.query<{ total: number }>(count, optionsOf(wanted, counting))
  // The page may have events that arrived since.
  return { rows: page.rows.map(toListed), total: counted.rows[0]?.total ?? 0 }
}

function matchingSql(
  { workspaceId, conditions, after, sortDir }: EventSearchOptions,
  parameters: Parameters,
): string {
  const { event, personKeys, from, to, filter } = conditions
  const at = (time: number) => `fromUnixTimestamp64Milli(${parameters.bind('Int64', time)}, 'UTC')`
  const all = [`workspace_id = ${parameters.bind('UUID', workspaceId)}`]
  if (event !== undefined) all.push(`event = ${parameters.bind('String', event)}`)
  if (from !== undefined) all.push(`timestamp >= ${at(from)}`)
  if (to !== undefined) all.push(`timestamp < ${at(to)}`)
  if (personKeys !== undefined) {
    const keys = personKeys.map((key) => BigInt.asUintN(64, key))
    all.push(`person_key IN ${parameters.bind('Array(UInt64)', keys)}`)
  }
  if (after !== undefined) all.push(afterSql(after, RECORD_SQL, sortDir, parameters))
  const rows = `SELECT *${filter === undefined ? '' : `, ${JSON_TEXT} AS json`} FROM events WHERE ${all.join(' AND ')}`
  return filter === undefined ? rows : `SELECT * FROM (${rows}) WHERE ${filterSql(filter, parameters)}`
}

/** A condition that an event comes after another in the listing. */
function afterSql(id: string, record: string, direction: 'asc' | 'desc', parameters: Parameters): string {
  return comparedToSql(direction === 'desc' ? '<' : '>', id, record, parameters)
}

interface PlaceRow {
  readonly receivedAt: number
  readonly place: string
  readonly requestIndex: number
  readonly name: string
  readonly at: number
}

/** The page of all events after one of them, from the table that is in the order of receipt. */
export async function eventsAfter(
  clickhouse: ClickHouse,
  wanted: PageOptions & { readonly after: string },
  memory: ListingCache,
): Promise<ListedEvent[]> {
  const { workspaceId, sortDir: direction, limit, after, signal } = wanted
  const parameters = new Parameters()
  const conditions = [
    `workspace_id = ${parameters.bind('UUID', workspaceId)}`,
    afterSql(after, 'record', direction, parameters),
  ]
  const { rows } = await clickhouse.query<PlaceRow>(
    `SELECT
       toUnixTimestamp64Milli(received_at) AS receivedAt,
       toString(record) AS place,
       request_index AS requestIndex,
       toString(event) AS name,
       toUnixTimestamp64Milli(timestamp) AS at
     FROM event_order
     WHERE ${conditions.join(' AND ')}
     ORDER BY received_at ${direction}, record ${direction}, request_index ${direction}
     LIMIT ${parameters.bind('UInt64', limit)}`,
    optionsOf(wanted, parameters),
  )
  return memory.known.read(clickhouse, workspaceId, rows.map(toPosition), signal)
}

function toPosition({ receivedAt, place, requestIndex, name, at }: PlaceRow): EventPosition {
  const record = BigInt(place)
  return {
    id: eventId(receivedAt, record, requestIndex),
    receivedAt,
    record,
    requestIndex,
    event: name,
    timestamp: at,
  }
}

function optionsOf({ signal }: PageOptions, { values }: Parameters): QueryOptions {
  return {
    params: values,
    settings: { ...LIMITS, short_circuit_function_evaluation: 'force_enable' },
    signal,
  }
}
