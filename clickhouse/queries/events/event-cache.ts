import { setTimeout } from 'node:timers/promises'
import { TIMESTAMP_ADJUSTMENTS, type TimestampAdjustment } from '../../../domain/event.js'
import { LruCache } from '../../../runtime/concurrency/lru-cache.js'
import type { ClickHouse } from '../../port.js'
import { eventId, RECORD_SQL } from './event-id.js'

/** A stored event. Times in milliseconds; what was not sent is null. */
export interface ListedEvent {
  /** UUIDv7, the same however often it is read. */
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

/** A row of `event_order`: an event's id and its position in `events`. */
export interface EventPosition {
  readonly id: string
  readonly receivedAt: number
  readonly record: bigint
  readonly requestIndex: number
  readonly event: string
  readonly timestamp: number
}

/** Columns of `events` that `toListed` reads. */
export const EVENT_COLUMNS = `toString(${RECORD_SQL}) AS record,
       request_index AS requestIndex,
       toUnixTimestamp64Milli(received_at) AS receivedAt,
       toUnixTimestamp64Milli(timestamp) AS at,
       original_timestamp AS originalTimestamp,
       has_timestamp AS hasTimestamp,
       adjustment,
       toString(event) AS name,
       user_id AS userId,
       anonymous_id AS anonymousId,
       insert_id AS insertId,
       toString(sdk_version) AS sdkVersion,
       properties`

export interface EventRow
  extends Omit<ListedEvent, 'id' | 'event' | 'timestamp' | 'originalTimestamp' | 'timestampAdjustment'> {
  readonly record: string
  readonly requestIndex: number
  readonly at: number
  readonly originalTimestamp: number
  readonly hasTimestamp: number
  readonly adjustment: number
  readonly name: string
}

export function toListed(row: EventRow): ListedEvent {
  const adjustment = TIMESTAMP_ADJUSTMENTS[row.adjustment]
  if (adjustment === undefined)
    throw new RangeError(`adjustment ${row.adjustment} is not known to this version`)
  return {
    id: eventId(row.receivedAt, BigInt(row.record), row.requestIndex),
    event: row.name,
    userId: row.userId || null,
    anonymousId: row.anonymousId || null,
    properties: row.properties,
    timestamp: row.at,
    originalTimestamp: row.hasTimestamp === 0 ? null : row.originalTimestamp,
    timestampAdjustment: adjustment,
    receivedAt: row.receivedAt,
    insertId: row.insertId || null,
    sdkVersion: row.sdkVersion || null,
  }
}

const CACHE_BYTES = 16 * 1024 * 1024
/** An erasure takes the anonymous id out of events of others. */
const MAX_AGE_MS = 30_000
/** One insert fills both tables within milliseconds, unless it was killed and must be replayed. */
const RETRY_DELAYS_MS = [5, 20, 50]

/**
 * Events that were read a moment ago. Only an erasure changes an event, and a removed one is in no page.
 * Reading one row costs as much as reading the thousands stored with it.
 */
export class EventCache {
  private readonly rows: LruCache<{ readonly row: ListedEvent; readonly at: number }>

  constructor(bytes = CACHE_BYTES) {
    this.rows = new LruCache(bytes)
  }

  /** After events were changed by this process. Others notice after `MAX_AGE_MS`. */
  clear(): void {
    this.rows.clear()
  }

  /** The events at these positions, in order. Waits briefly for rows that `events` lacks, then omits them. */
  async read(
    clickhouse: ClickHouse,
    workspaceId: string,
    positions: readonly EventPosition[],
    signal?: AbortSignal,
  ): Promise<ListedEvent[]> {
    const now = performance.now()
    const found = new Map<string, ListedEvent>()
    for (const { id } of positions) {
      const known = this.rows.get(`${workspaceId} ${id}`)
      if (known !== undefined && now - known.at < MAX_AGE_MS) found.set(id, known.row)
    }
    for (const waitMs of [0, ...RETRY_DELAYS_MS]) {
      const missing = positions.filter(({ id }) => !found.has(id))
      if (missing.length === 0) break
      if (waitMs > 0) await setTimeout(waitMs)
      for (const row of await readRows(clickhouse, workspaceId, missing, signal)) {
        found.set(row.id, row)
        this.rows.set(`${workspaceId} ${row.id}`, { row, at: now }, sizeOf(row))
      }
    }
    return positions.flatMap(({ id }) => found.get(id) ?? [])
  }
}

async function readRows(
  clickhouse: ClickHouse,
  workspaceId: string,
  positions: readonly EventPosition[],
  signal: AbortSignal | undefined,
): Promise<ListedEvent[]> {
  const [only, ...others] = positions
  const { where, params } =
    only !== undefined && others.length === 0 ? conditionForOne(only) : conditionForMany(positions)
  const { rows } = await clickhouse.query<EventRow>(
    `SELECT ${EVENT_COLUMNS} FROM events WHERE workspace_id = {workspaceId:UUID} AND ${where}`,
    { params: { workspaceId, ...params }, signal },
  )
  const wanted = new Set(positions.map((place) => place.id))
  return rows.map(toListed).filter(({ id }) => wanted.has(id))
}

function conditionForMany(positions: readonly EventPosition[]) {
  const received = positions.map((place) => place.receivedAt)
  return {
    where: `event IN {names:Array(String)}
       AND timestamp IN {times:Array(DateTime64(3, 'UTC'))}
       AND received_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
       AND received_at <= fromUnixTimestamp64Milli({to:Int64}, 'UTC')
       AND ${RECORD_SQL} IN {records:Array(UInt64)}
       AND request_index IN {indexes:Array(UInt16)}`,
    params: {
      names: distinct(positions.map((place) => place.event)),
      times: distinct(positions.map((place) => dateTimeText(place.timestamp))),
      from: Math.min(...received),
      to: Math.max(...received),
      records: distinct(positions.map((place) => place.record)),
      indexes: distinct(positions.map((place) => place.requestIndex)),
    },
  }
}

/**
 * The condition for a single event, which is common after a write: planning is most of its cost, and a fifth
 * less without sets. The caller picks among events of the same millisecond.
 */
function conditionForOne({ event, timestamp, receivedAt, requestIndex }: EventPosition) {
  return {
    where: `event = {name:String}
       AND timestamp = fromUnixTimestamp64Milli({at:Int64}, 'UTC')
       AND received_at = fromUnixTimestamp64Milli({received:Int64}, 'UTC')
       AND request_index = {index:UInt16}`,
    params: { name: event, at: timestamp, received: receivedAt, index: requestIndex },
  }
}

function distinct<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)]
}

/** A time as ClickHouse parses it inside an array. */
function dateTimeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('T', ' ').replace('Z', '')
}

/** Strings use up to two bytes a character. */
function sizeOf(row: ListedEvent): number {
  const texts = [row.id, row.event, row.userId, row.anonymousId, row.properties, row.insertId, row.sdkVersion]
  return 300 + 2 * texts.reduce((sum, text) => sum + (text?.length ?? 0), 0)
}
