import type { EventBlock } from '../../../clickhouse/port.js'
import { parseRecord } from '../../../consumers/blocks/parse-record.js'
import { readBlock } from '../../../consumers/blocks/read-rows.js'
import type { LogRecord } from '../../../log/port.js'

const LOG = '01980000-0000-7000-8000-000000000002'

/** A block as consumers store it, without its token: the rows of these records from this offset on. */
export function eventBlockOf(records: readonly LogRecord[], from: number): Omit<EventBlock, 'token'> {
  const parsed = records.map(({ payload }, index) => parseRecord({ offset: from + index, payload }))
  const block = readBlock(parsed, from, from + parsed.length)
  return { ...block.chunks(), logId: LOG, logPartition: 0 }
}
