import type { ClickHouse } from '../../clickhouse/port.js'
import type { RecordRange } from './checkpoint.js'

/** Rows in the table that an attempt left which ClickHouse refused half-way, as `offset:request index`. */
export type InsertedRows = ReadonlySet<string>
export const NONE_INSERTED: InsertedRows = new Set()

const POSITIONS = `SELECT concat(toString(log_offset), ':', toString(request_index)) AS position FROM events
  WHERE log_id = {logId:UUID} AND log_partition = {logPartition:UInt32}`

export async function findInsertedRows(clickhouse: ClickHouse, range: RecordRange): Promise<InsertedRows> {
  const { rows } = await clickhouse.query<{ position: string }>(
    `${POSITIONS} AND log_offset >= {from:UInt64} AND log_offset < {to:UInt64}`,
    { params: { ...range }, readYourWrites: true },
  )
  return new Set(rows.map((row) => row.position))
}

/** The offset behind the last row in the table from an offset on, 0 if the table has no such row. */
export async function endOfInsertedRows(
  clickhouse: ClickHouse,
  range: Omit<RecordRange, 'to'>,
): Promise<number> {
  const { rows } = await clickhouse.query<{ n: number; last: number }>(
    `SELECT count() AS n, max(log_offset) AS last FROM events
     WHERE log_id = {logId:UUID} AND log_partition = {logPartition:UInt32} AND log_offset >= {from:UInt64}`,
    { params: { ...range }, readYourWrites: true },
  )
  const [found] = rows
  return found === undefined || found.n === 0 ? 0 : found.last + 1
}

/** The rows of single records that are in the table, received within the bounds. Milliseconds. */
export async function findInsertedRowsAt(
  clickhouse: ClickHouse,
  records: Pick<RecordRange, 'logId' | 'logPartition'> & { readonly offsets: readonly number[] },
  received: { readonly from: number; readonly to: number },
  signal: AbortSignal,
): Promise<InsertedRows> {
  const { rows } = await clickhouse.query<{ position: string }>(
    `${POSITIONS} AND log_offset IN {offsets:Array(UInt64)}
      AND received_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND received_at <= fromUnixTimestamp64Milli({to:Int64}, 'UTC')`,
    { params: { ...records, ...received }, readYourWrites: true, signal },
  )
  return new Set(rows.map((row) => row.position))
}
