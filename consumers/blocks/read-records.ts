import { EVENT_LIMITS } from '../../domain/event.js'
import { monthOf } from '../../domain/month.js'
import { ROW } from '../../domain/row.js'
import type { StoredRecord } from '../../log/port.js'
import {
  forEachRow,
  RecordFormatError,
  type RecordHeader,
  readHeader,
  recordCount,
  recordOfRow,
} from '../../log/record.js'
import { Block, type BlockRecord, OUTCOME } from './block.js'

/** What DateTime64(3) holds with room to spare; a receipt outside of it is damage. */
const MIN_RECEIVED_AT = Date.UTC(2000, 0)
const MAX_RECEIVED_AT = Date.UTC(2200, 0)

const TWO_32 = 2 ** 32

const STRINGS = ['event', 'user_id', 'anonymous_id', 'insert_id', 'sdk_version', 'properties'] as const

/** Whether a time in milliseconds can be that of a receipt. */
export function isPlausibleReceivedAt(milliseconds: number): boolean {
  return milliseconds >= MIN_RECEIVED_AT && milliseconds < MAX_RECEIVED_AT
}

/** Places that are dead letters already, as `offset:index`: fixed when their intent was written, and not judged again. */
export type DeadPositions = ReadonlySet<string>
export const NO_DEAD_POSITIONS: DeadPositions = new Set()

/**
 * First stage, first half: the headers of the records. A record that cannot be read is one dead letter and does not keep the others from being
 * stored.
 */
export function readRecords(
  records: readonly StoredRecord[],
  from: number,
  to: number,
  known: DeadPositions = NO_DEAD_POSITIONS,
): Block {
  let rows = 0
  const heads: BlockRecord[] = []
  const refused: Array<readonly [BlockRecord, string]> = []
  for (const { offset, payload } of records) {
    let header: RecordHeader | undefined
    let reason = ''
    try {
      header = readHeader(payload)
      if (!isPlausibleReceivedAt(header.receivedAt)) {
        reason = `received at ${header.receivedAt} ms, which is no time of a receipt`
        header = undefined
      }
    } catch (error) {
      if (!(error instanceof RecordFormatError)) throw error
      reason = error.message
    }
    if (known.has(`${offset}:-1`)) {
      header = undefined
      reason = 'refused before'
    }
    const month = header === undefined ? 0 : monthOf(header.receivedAt)
    const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength)
    const record: BlockRecord = { offset, payload, view, header, month, firstRow: 0, endRow: 0 }
    heads.push(record)
    if (header === undefined) refused.push([record, reason])
    else rows += header.count
  }
  const block = new Block(from, to, rows, heads)
  for (const [record, reason] of refused) refuseRecord(block, record, reason)
  return block
}

/**
 * First stage, second half: finds the rows of a record, once for each record and in order. A damaged row in a sound record is a dead letter of its
 * own.
 */
export function readRows(block: Block, record: BlockRecord, known: DeadPositions = NO_DEAD_POSITIONS): void {
  const { payload, view, header } = record
  record.firstRow = record.endRow = block.rowCount
  if (header === undefined) return
  const receivedHigh = Math.floor(header.receivedAt / TWO_32)
  const receivedLow = header.receivedAt | 0
  try {
    forEachRow(payload, header, (start, end, index) => {
      const row = block.rowCount++
      block.starts[row] = start
      block.ends[row] = end
      if (known.size > 0 && known.has(`${record.offset}:${index}`)) {
        refuseRow(block, record, row, 'refused before')
        return
      }
      if (
        isWellFormed(payload, start, end) &&
        view.getInt32(start + ROW.receivedAt, true) === receivedLow &&
        view.getInt32(start + ROW.receivedAt + 4, true) === receivedHigh
      )
        return
      refuseRow(block, record, row, problemOf(payload, start, end))
    })
    record.endRow = block.rowCount
  } catch (error) {
    if (!(error instanceof RecordFormatError)) throw error
    // Its lengths are checked before the first row is given out.
    block.rowCount = record.firstRow
    refuseRecord(block, record, error.message)
  }
}

/**
 * A whole record becomes a dead letter. Of another format than ours the number of events is read where we have it, and counts as one where it
 * cannot be true.
 */
function refuseRecord(block: Block, record: BlockRecord, reason: string): void {
  let header: RecordHeader | undefined
  try {
    header = readHeader(record.payload)
  } catch {
    // The dead letter is stored without what the header would tell.
    header = undefined
  }
  block.deadLetters.push({
    offset: record.offset,
    rowIndex: -1,
    workspaceId: header?.workspaceId,
    reason,
    events: eventsIn(record.payload),
    payload: record.payload,
  })
}

function eventsIn(payload: Uint8Array): number {
  const count = recordCount(payload)
  return count >= 1 && count <= EVENT_LIMITS.eventsPerRequest ? count : 1
}

/** One row of the block becomes a dead letter: a record of its own, so that it can be read and replayed alone. */
export function refuseRow(block: Block, record: BlockRecord, row: number, reason: string): void {
  block.outcomes[row] = OUTCOME.dead
  block.deadLetters.push({
    offset: record.offset,
    rowIndex: row - record.firstRow,
    workspaceId: record.header?.workspaceId,
    reason,
    events: 1,
    payload: recordOfRow(record.payload, block.starts[row] ?? 0, block.ends[row] ?? 0),
  })
}

/**
 * Whether the strings fill the row exactly. One wrong length would shift every later row of the block, and the
 * columns of other tenants' events with it.
 */
function isWellFormed(payload: Uint8Array, start: number, end: number): boolean {
  let at = start + ROW.fixedBytes
  for (let i = 0; i < STRINGS.length; i++) {
    let length = payload[at++] as number
    if (length > 127) {
      length &= 127
      for (let shift = 7; ; shift += 7) {
        if (shift > 21 || at >= end) return false
        const byte = payload[at++] as number
        length |= (byte & 127) << shift
        if (byte < 128) break
      }
    }
    at += length
    if (at > end) return false
  }
  return at === end
}

function problemOf(payload: Uint8Array, start: number, end: number): string {
  return isWellFormed(payload, start, end)
    ? 'the row has another time of receipt than its record'
    : `the strings do not fill the ${end - start} bytes of the row`
}
