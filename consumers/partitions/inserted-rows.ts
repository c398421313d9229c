import type { ClickHouse } from '../../clickhouse/port.js'
import { ROW } from '../../domain/row.js'
import { type Block, OUTCOME } from '../blocks/block.js'
import type { ParsedRecord } from '../blocks/parse-record.js'
import type { RecordRange } from './checkpoint.js'

/** Rows in the table that an attempt left which ClickHouse refused half-way, as `offset:request index`. */
export type InsertedRows = ReadonlySet<string>
export const NONE_INSERTED: InsertedRows = new Set()

/** Rows of records, received within the bounds, in milliseconds: ClickHouse finds rows by receipt quickly. */
export interface RowRange extends RecordRange {
  readonly receivedFrom: number
  readonly receivedTo: number
}

/** Bounds of receipt if they are not known. */
export const ANY_RECEIPT = { receivedFrom: 0, receivedTo: Date.UTC(2299, 0) }

/** Bounds of the receipt of records. */
export function receiptOf(records: readonly ParsedRecord[]): Pick<RowRange, 'receivedFrom' | 'receivedTo'> {
  const times = records.flatMap(({ events }) => (events === undefined ? [] : [events.receivedAt]))
  return times.length === 0
    ? ANY_RECEIPT
    : {
        receivedFrom: times.reduce((a, b) => Math.min(a, b)),
        receivedTo: times.reduce((a, b) => Math.max(a, b)),
      }
}

export const RECEIVED = `received_at >= fromUnixTimestamp64Milli({receivedFrom:Int64}, 'UTC')
  AND received_at <= fromUnixTimestamp64Milli({receivedTo:Int64}, 'UTC')`
const POSITIONS = `SELECT concat(toString(log_offset), ':', toString(request_index)) AS position FROM events
  WHERE log_id = {logId:UUID} AND log_partition = {logPartition:UInt32}`

export async function findInsertedRows(clickhouse: ClickHouse, range: RowRange): Promise<InsertedRows> {
  const { rows } = await clickhouse.query<{ position: string }>(
    `${POSITIONS} AND log_offset >= {from:UInt64} AND log_offset < {to:UInt64} AND ${RECEIVED}`,
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

/** The rows of single records that are in the table. */
export async function findInsertedRowsAt(
  clickhouse: ClickHouse,
  records: Pick<RecordRange, 'logId' | 'logPartition'> & { readonly offsets: readonly number[] },
  received: Pick<RowRange, 'receivedFrom' | 'receivedTo'>,
  signal: AbortSignal,
): Promise<InsertedRows> {
  const { rows } = await clickhouse.query<{ position: string }>(
    `${POSITIONS} AND log_offset IN {offsets:Array(UInt64)} AND ${RECEIVED}`,
    { params: { ...records, ...received }, readYourWrites: true, signal },
  )
  return new Set(rows.map((row) => row.position))
}

/** Whether the table lacks rows of a block that has been inserted. */
export function lacksRows(block: Block, stored: InsertedRows): boolean {
  return block.records.some((record) => {
    for (let row = record.firstRow; row < record.endRow; row++)
      if (block.outcomes[row] === OUTCOME.ok && !holdsRow(stored, block, record, row)) return true
    return false
  })
}

export function holdsRow(
  rows: InsertedRows,
  block: Block,
  { view, offset }: ParsedRecord,
  row: number,
): boolean {
  const index = view.getUint16((block.starts[row] ?? 0) + ROW.requestIndex, true)
  return rows.has(`${offset}:${index}`)
}
