import { TIMESTAMP_ADJUSTMENTS, type TimestampAdjustment } from '../../domain/event.js'
import type { ClickHouse, QueryOptions } from '../port.js'
import { eventId, RECORD_SQL } from './event-id.js'

/** A stored event. Times in milliseconds; what was not sent is null. */
export interface ListedEvent {
  /** UUIDv7, the same however often it is asked for. */
  readonly id: string
  readonly event: string
  readonly userId: string | null
  readonly anonymousId: string | null
  /** JSON text. */
  readonly properties: string
  readonly timestamp: number
  readonly originalTimestamp: number | null
  readonly timestampAdjustment: TimestampAdjustment
  readonly receivedAt: number
  readonly insertId: string | null
  readonly sdkVersion: string | null
}

export interface EventPage {
  readonly rows: ListedEvent[]
  readonly total: number
}

export interface ListEventsOptions {
  readonly workspaceId: string
  /** 1 to 100. */
  readonly limit: number
  /** Up to 2^53 - 1; past the end the page is empty. */
  readonly offset: number
  readonly sortBy: 'receivedAt' | 'event'
  readonly sortDir: 'asc' | 'desc'
  readonly signal?: AbortSignal
}

/** What decides how a page is looked for. Tests make them small. */
export interface SearchLimits {
  /** So many rows are sorted without looking for a smaller range first. */
  readonly few: number
  /** A page that ends before this row is looked for from the end of the range, a later one by counting. */
  readonly shallow: number
  /** Into how many pieces a range is counted. */
  readonly pieces: number
}

const SEARCH_LIMITS: SearchLimits = { few: 50_000, shallow: 10_000, pieces: 1_000 }
const SHORTEST_WINDOW_MS = 1_000
const WIDEN = 8

/**
 * A page of a workspace's events in a total order: by the sort, then by id, both in the direction asked for. As ids begin with the
 * time of receipt, equal names are in order of arrival.
 *
 * The vocabulary knows how many events of each name there are and between which receipts, so the total is cheap, and a page reads
 * the rows around it rather than all, at any depth. Events that arrive between two pages move the later page.
 */
export async function listEvents(
  clickhouse: ClickHouse,
  options: ListEventsOptions,
  limits: SearchLimits = SEARCH_LIMITS,
): Promise<EventPage> {
  const search = { clickhouse, options, limits }
  const names = await countNames(clickhouse, options)
  const total = names.reduce((sum, name) => sum + name.count, 0)
  const rows: ListedEvent[] = []
  if (options.offset < total)
    for (const stretch of stretchesOf(names, options, limits)) rows.push(...(await read(search, stretch)))
  return { rows, total }
}

interface Search {
  readonly clickhouse: ClickHouse
  readonly options: ListEventsOptions
  readonly limits: SearchLimits
}

interface NameCount {
  readonly name: string
  readonly count: number
  readonly firstReceived: number
  readonly lastReceived: number
}

/** Part of a page: `limit` rows from `offset` among the `count` events of some names received from `from` to before `to`. */
interface Stretch {
  /** Undefined stands for all. */
  readonly names: readonly string[] | undefined
  readonly count: number
  readonly from: number
  readonly to: number
  readonly offset: number
  readonly limit: number
}

/** What the workspace has received, name by name in the order of the listing, or in one sum where the order is that of receipt. */
async function countNames(clickhouse: ClickHouse, options: ListEventsOptions): Promise<NameCount[]> {
  const name = options.sortBy === 'event' ? 'event' : "''"
  const { rows } = await clickhouse.query<NameCount>(
    `SELECT
       ${name} AS name,
       sum(count) AS count,
       toUnixTimestamp64Milli(min(first_received)) AS firstReceived,
       toUnixTimestamp64Milli(max(last_received)) AS lastReceived
     FROM event_names
     WHERE workspace_id = {workspaceId:UUID}
     GROUP BY name
     ORDER BY name ${options.sortDir}`,
    bound(options, {}),
  )
  return rows
}

/** The page as stretches of neighbouring names: rare names together, each frequent one, which needs its own search, alone. */
function stretchesOf(
  names: readonly NameCount[],
  options: ListEventsOptions,
  limits: SearchLimits,
): Stretch[] {
  const stretches: Stretch[] = []
  let skip = options.offset
  let left = options.limit
  for (const { name, count, firstReceived, lastReceived } of names) {
    if (left === 0) break
    if (skip >= count) {
      skip -= count
      continue
    }
    const take = Math.min(left, count - skip)
    const last = stretches.at(-1)
    if (last !== undefined && last.count + count <= limits.few)
      stretches[stretches.length - 1] = {
        names: [...(last.names ?? []), name],
        count: last.count + count,
        from: Math.min(last.from, firstReceived),
        to: Math.max(last.to, lastReceived + 1),
        offset: last.offset,
        limit: last.limit + take,
      }
    else
      stretches.push({
        names: options.sortBy === 'event' ? [name] : undefined,
        count,
        from: firstReceived,
        to: lastReceived + 1,
        offset: skip,
        limit: take,
      })
    left -= take
    skip = 0
  }
  return stretches
}

async function read(search: Search, stretch: Stretch): Promise<ListedEvent[]> {
  const { few, shallow } = search.limits
  if (stretch.count <= few) return select(search, stretch)
  if (stretch.offset + stretch.limit <= shallow) return readFromEnd(search, stretch)
  return select(search, await narrow(search, stretch))
}

/** Looks at the end of the range where the listing begins, and further back until there are enough rows. */
async function readFromEnd(search: Search, stretch: Stretch): Promise<ListedEvent[]> {
  const span = stretch.to - stretch.from
  // Twice what it takes where events come evenly.
  const even = Math.ceil((2 * span * (stretch.offset + stretch.limit)) / stretch.count)
  for (let width = Math.max(even, SHORTEST_WINDOW_MS); ; width *= WIDEN) {
    const window =
      search.options.sortDir === 'desc'
        ? { ...stretch, from: Math.max(stretch.from, stretch.to - width) }
        : { ...stretch, to: Math.min(stretch.to, stretch.from + width) }
    const rows = await select(search, window)
    if (rows.length === stretch.limit || width >= span) return rows
  }
}

/** Counts the range piece by piece until the stretch lies among few rows, or among those of one millisecond. */
async function narrow({ clickhouse, options, limits }: Search, stretch: Stretch): Promise<Stretch> {
  let range = stretch
  while (range.count > limits.few && range.to - range.from > 1) {
    const width = Math.ceil((range.to - range.from) / limits.pieces)
    const { rows } = await clickhouse.query<{ piece: number; count: number }>(
      `SELECT intDiv(toUnixTimestamp64Milli(received_at) - {from:Int64}, {width:Int64}) AS piece, count() AS count
       FROM events
       WHERE ${CONDITIONS}${range.names === undefined ? '' : NAME_CONDITION}
       GROUP BY piece
       ORDER BY piece ${options.sortDir}`,
      bound(options, { ...bounds(range), width }),
    )
    let before = 0
    let count = 0
    const pieces: number[] = []
    for (const row of rows) {
      if (before + row.count <= range.offset && count === 0) before += row.count
      else if (before + count < range.offset + range.limit) {
        pieces.push(row.piece)
        count += row.count
      }
    }
    // Fewer rows than the vocabulary has counted: some are being removed.
    if (pieces.length === 0) return { ...range, limit: 0 }
    const next = {
      ...range,
      count,
      from: range.from + Math.min(...pieces) * width,
      to: Math.min(range.to, range.from + (Math.max(...pieces) + 1) * width),
      offset: range.offset - before,
    }
    // The page straddles two large pieces: a finer count cannot part them from each other.
    if (pieces.length > 1 && next.to - next.from >= (range.to - range.from) / 2) return next
    range = next
  }
  return range
}

interface EventRow {
  readonly record: string
  readonly requestIndex: number
  readonly receivedAt: number
  readonly timestamp: number
  readonly originalTimestamp: number
  readonly hasTimestamp: number
  readonly adjustment: number
  readonly event: string
  readonly userId: string
  readonly anonymousId: string
  readonly insertId: string
  readonly sdkVersion: string
  readonly properties: string
}

const CONDITIONS = `workspace_id = {workspaceId:UUID}
         AND received_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
         AND received_at < fromUnixTimestamp64Milli({to:Int64}, 'UTC')`
const NAME_CONDITION = '\n         AND event IN {names:Array(String)}'

async function select({ clickhouse, options }: Search, stretch: Stretch): Promise<ListedEvent[]> {
  const direction = options.sortDir
  const { rows } = await clickhouse.query<EventRow>(
    `SELECT
       toString(${RECORD_SQL}) AS record,
       request_index AS requestIndex,
       toUnixTimestamp64Milli(received_at) AS receivedAt,
       toUnixTimestamp64Milli(timestamp) AS timestamp,
       original_timestamp AS originalTimestamp,
       has_timestamp AS hasTimestamp,
       adjustment,
       event,
       user_id AS userId,
       anonymous_id AS anonymousId,
       insert_id AS insertId,
       sdk_version AS sdkVersion,
       properties
     FROM events
     WHERE ${CONDITIONS}${stretch.names === undefined ? '' : NAME_CONDITION}
     ORDER BY ${options.sortBy === 'event' ? `event ${direction}, ` : ''}received_at ${direction},
       ${RECORD_SQL} ${direction}, request_index ${direction}
     LIMIT {limit:UInt64} OFFSET {offset:UInt64}`,
    bound(options, { ...bounds(stretch), limit: stretch.limit, offset: stretch.offset }),
  )
  return rows.map(toListed)
}

function toListed(row: EventRow): ListedEvent {
  const adjustment = TIMESTAMP_ADJUSTMENTS[row.adjustment]
  if (adjustment === undefined)
    throw new RangeError(`adjustment ${row.adjustment} is not known to this version`)
  return {
    id: eventId(row.receivedAt, BigInt(row.record), row.requestIndex),
    event: row.event,
    userId: row.userId || null,
    anonymousId: row.anonymousId || null,
    properties: row.properties,
    timestamp: row.timestamp,
    originalTimestamp: row.hasTimestamp === 0 ? null : row.originalTimestamp,
    timestampAdjustment: adjustment,
    receivedAt: row.receivedAt,
    insertId: row.insertId || null,
    sdkVersion: row.sdkVersion || null,
  }
}

function bounds(stretch: Stretch): Record<string, unknown> {
  const { from, to, names } = stretch
  return names === undefined ? { from, to } : { from, to, names }
}

function bound(options: ListEventsOptions, params: Record<string, unknown>): QueryOptions {
  const values = { params: { workspaceId: options.workspaceId, ...params } }
  return options.signal === undefined ? values : { ...values, signal: options.signal }
}
