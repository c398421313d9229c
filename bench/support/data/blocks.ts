import type { EventBlock } from '../../../clickhouse/port.js'
import { readRecords, readRows } from '../../../consumers/blocks/read-records.js'
import type { LogRecord } from '../../../log/port.js'

const LOG = '01980000-0000-7000-8000-000000000002'

/** A block as consumers store it, without its token: the rows of these records from this offset on. */
export function blockOf(records: readonly LogRecord[], from: number): Omit<EventBlock, 'token'> {
  const stored = records.map(({ payload }, index) => ({ offset: from + index, payload }))
  const block = readRecords(stored, from, from + stored.length)
  for (const record of block.records) readRows(block, record)
  return { ...block.chunks(), logId: LOG, logPartition: 0 }
}
