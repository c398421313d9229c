import type { ClickHouse } from '../../port.js'
import { Parameters } from '../parameters.js'
import { EVENT_COLUMNS, type EventRow, type ListedEvent, toListed } from './event-cache.js'
import { comparedToSql, eventId, RECORD_SQL } from './event-id.js'

export interface ExportedRange {
  readonly workspaceId: string
  readonly event?: string | undefined
  /** Timestamps in milliseconds, from `from` to before `to`. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** Only events that were received from then on; milliseconds. */
  readonly receivedFrom?: number | undefined
  /** Only events that were received before; milliseconds. */
  readonly receivedBefore: number
  /** Whether every event that was ever stored is read, also from a replica that lags. @default false */
  readonly complete?: boolean
  /** The id of the last event that the caller has. */
  readonly after?: string | undefined
}

const FIRST_ROWS = 1_000
const MAX_ROWS = 20_000
const BATCH_BYTES = 4_194_304
const LIMITS = { max_execution_time: 120, max_memory_usage: 1_073_741_824, max_threads: 2 }

/**
 * Events in the order of receipt, each once, in batches of a few megabytes. Throws ClickHouseError.
 *
 * @param signal of the first batch; later ones are read only if the caller asks for them
 */
export async function* exportEvents(
  clickhouse: ClickHouse,
  range: ExportedRange,
  signal?: AbortSignal,
): AsyncGenerator<readonly ListedEvent[]> {
  let rows = FIRST_ROWS
  let after = range.after
  for (let within = signal; ; within = undefined) {
    const last = await lastOfBatch(clickhouse, range, after, rows, within)
    if (last === undefined) return
    const batch = await readBatch(clickhouse, range, after, last, within)
    if (batch.length > 0) yield batch
    after = last
    const bytes = batch.reduce((sum, { properties }) => sum + 300 + properties.length, 1)
    rows = Math.min(MAX_ROWS, Math.max(1, Math.round((BATCH_BYTES * batch.length) / bytes)))
  }
}

/** The id of the event that is so many rows further, or of the last one. Undefined after the last. */
async function lastOfBatch(
  clickhouse: ClickHouse,
  range: ExportedRange,
  after: string | undefined,
  rows: number,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const parameters = new Parameters()
  const conditions = conditionsOf(range, after, 'record', parameters)
  const { rows: found } = await clickhouse.query<{ at: number; record: string; index: number }>(
    `SELECT toUnixTimestamp64Milli(received_at) AS at, toString(place) AS record, request_index AS index
     FROM (
       SELECT received_at, record AS place, request_index FROM event_order WHERE ${conditions}
       ORDER BY received_at, record, request_index LIMIT ${parameters.bind('UInt64', rows)}
     )
     ORDER BY received_at DESC, place DESC, request_index DESC LIMIT 1`,
    { params: parameters.values, settings: LIMITS, signal, readYourWrites: range.complete ?? false },
  )
  const [last] = found
  return last && eventId(last.at, BigInt(last.record), last.index)
}

/** The events after one and up to another. */
async function readBatch(
  clickhouse: ClickHouse,
  range: ExportedRange,
  after: string | undefined,
  last: string,
  signal: AbortSignal | undefined,
): Promise<ListedEvent[]> {
  const parameters = new Parameters()
  const conditions = `${conditionsOf(range, after, RECORD_SQL, parameters)} AND ${comparedToSql('<=', last, RECORD_SQL, parameters)}`
  const { rows } = await clickhouse.query<EventRow>(
    `SELECT ${EVENT_COLUMNS} FROM events WHERE ${conditions} ORDER BY received_at, ${RECORD_SQL}, request_index`,
    { params: parameters.values, settings: LIMITS, signal, readYourWrites: range.complete ?? false },
  )
  return rows.map(toListed)
}

function conditionsOf(
  { workspaceId, event, from, to, receivedFrom, receivedBefore }: ExportedRange,
  after: string | undefined,
  record: string,
  parameters: Parameters,
): string {
  const at = (time: number) => `fromUnixTimestamp64Milli(${parameters.bind('Int64', time)}, 'UTC')`
  const all = [
    `workspace_id = ${parameters.bind('UUID', workspaceId)}`,
    `received_at < ${at(receivedBefore)}`,
  ]
  if (receivedFrom !== undefined) all.push(`received_at >= ${at(receivedFrom)}`)
  if (event !== undefined) all.push(`event = ${parameters.bind('String', event)}`)
  if (from !== undefined) all.push(`timestamp >= ${at(from)}`)
  if (to !== undefined) all.push(`timestamp < ${at(to)}`)
  if (after !== undefined) all.push(comparedToSql('>', after, record, parameters))
  return all.join(' AND ')
}
