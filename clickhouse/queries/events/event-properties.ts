import type { JsonValue } from '../../../domain/funnel.js'
import type { ClickHouse } from '../../port.js'

const SAMPLED_EVENTS = 10_000
/** Of all sampled properties together. */
const SAMPLED_BYTES = 16 * 1024 * 1024
const MAX_PROPERTIES = 200
const MAX_DEPTH = 3
const MAX_VALUES = 10
/** Longer values are counted as different ones, and not shown. */
const MAX_VALUE_LENGTH = 200
/** Above this many different values of a property, further ones are not told apart. */
const MAX_DISTINCT = 10_000

export interface PropertySummary {
  /** A dotted path. */
  readonly property: string
  /** JSON types, the most frequent first. */
  readonly types: readonly string[]
  /** Of the sampled events, 0 to 1. */
  readonly share: number
  readonly distinct: number
  /** The most frequent first; none for objects. */
  readonly values: readonly { readonly value: JsonValue; readonly count: number }[]
}

export interface EventProperties {
  readonly data: readonly PropertySummary[]
  /** Whether there are events that were not read. */
  readonly sampled: boolean
}

/** The properties of a name's newest events. Throws ClickHouseError. */
export async function readEventProperties(
  clickhouse: ClickHouse,
  workspaceId: string,
  eventName: string,
  signal: AbortSignal,
): Promise<EventProperties> {
  const { rows } = await clickhouse.query<{ properties: string; seen: number }>(
    `SELECT properties, seen FROM (
       SELECT properties, seen, sum(length(properties)) OVER (ORDER BY timestamp DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS bytes
       FROM (
         SELECT properties, timestamp, (SELECT sum(count) FROM event_names WHERE workspace_id = {workspaceId:UUID} AND event = {eventName:String}) AS seen
         FROM events WHERE workspace_id = {workspaceId:UUID} AND event = {eventName:String}
         ORDER BY timestamp DESC LIMIT ${SAMPLED_EVENTS}))
     WHERE bytes <= ${SAMPLED_BYTES}`,
    {
      params: { workspaceId, eventName },
      settings: { max_execution_time: 30, max_memory_usage: 536_870_912, max_threads: 2 },
      signal,
    },
  )
  const found = new Map<string, PropertyCount>()
  for (const { properties } of rows) count(JSON.parse(properties) as JsonValue, '', 1, found)
  const data = [...found]
    .sort(([a, one], [b, other]) => other.events - one.events || (a < b ? -1 : 1))
    .slice(0, MAX_PROPERTIES)
    .map(([property, counted]) => toSummary(property, counted, rows.length))
  return { data, sampled: (rows[0]?.seen ?? 0) > rows.length }
}

interface PropertyCount {
  events: number
  readonly types: Map<string, number>
  /** Counts by JSON text. */
  readonly values: Map<string, number>
  distinct: number
}

/** A property that is null counts as missing, as in filters. */
function count(value: JsonValue, prefix: string, depth: number, found: Map<string, PropertyCount>): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  for (const [name, inner] of Object.entries(value)) {
    if (inner === null) continue
    const path = prefix === '' ? name : `${prefix}.${name}`
    const counted = found.get(path) ?? { events: 0, types: new Map(), values: new Map(), distinct: 0 }
    // Properties of hostile events have names without end.
    if (counted.events === 0 && found.size >= MAX_PROPERTIES * 50) continue
    found.set(path, counted)
    counted.events++
    const type = Array.isArray(inner) ? 'array' : typeof inner
    counted.types.set(type, (counted.types.get(type) ?? 0) + 1)
    if (type !== 'object') countValue(inner, counted)
    if (depth < MAX_DEPTH) count(inner, path, depth + 1, found)
  }
}

function countValue(value: JsonValue, counted: PropertyCount): void {
  const text = JSON.stringify(value)
  const before = counted.values.get(text)
  if (before === undefined) {
    counted.distinct++
    if (text.length > MAX_VALUE_LENGTH || counted.values.size >= MAX_DISTINCT) return
  }
  counted.values.set(text, (before ?? 0) + 1)
}

function toSummary(property: string, { events, types, values, distinct }: PropertyCount, all: number) {
  const byCount = (entries: Iterable<[string, number]>) =>
    [...entries].sort(([a, some], [b, others]) => others - some || (a < b ? -1 : 1))
  return {
    property,
    types: byCount(types).map(([type]) => type),
    share: events / all,
    distinct,
    values: byCount(values)
      .slice(0, MAX_VALUES)
      .map(([text, times]) => ({ value: JSON.parse(text) as JsonValue, count: times })),
  }
}
