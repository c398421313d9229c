import { ROW, rowEnd } from '../../domain/row.js'
import { readableHeader } from '../../log/record.js'
import { Block, OUTCOME } from './block.js'
import { claimedEvents, type ParsedRecord } from './parse-record.js'

const TWO_32 = 2 ** 32

/** Positions that became dead letters with their intent, as `offset:index`. They are not judged again. */
export type DeadPositions = ReadonlySet<string>
export const NO_DEAD_POSITIONS: DeadPositions = new Set()

/**
 * First stage: finds the rows of a record. Call it once for each record of the block, in order. An unreadable
 * record is one dead letter; a damaged row in a sound record is a dead letter by itself.
 */
export function readRows(block: Block, record: ParsedRecord, dead: DeadPositions = NO_DEAD_POSITIONS): void {
  const { offset, payload, view, events, problem } = record
  record.firstRow = record.endRow = block.rowCount
  const isDead = dead.size > 0 && dead.has(`${offset}:-1`)
  if (events === undefined || isDead) {
    refuseRecord(block, record, isDead ? 'refused before' : problem)
    return
  }
  const receivedHigh = Math.floor(events.receivedAt / TWO_32)
  const receivedLow = events.receivedAt | 0
  record.hasOneWorkspace = true
  events.forEachRow((start, end, index) => {
    const row = block.rowCount++
    block.starts[row] = start
    block.ends[row] = end
    if (dead.size > 0 && dead.has(`${offset}:${index}`)) refuseRow(block, record, row, 'refused before')
    // One wrong length would shift every later row of the block, other tenants' among them.
    else if (rowEnd(payload, start, end) !== end)
      refuseRow(block, record, row, `the strings do not fill the ${end - start} bytes of the row`)
    else if (
      view.getInt32(start + ROW.receivedAt, true) !== receivedLow ||
      view.getInt32(start + ROW.receivedAt + 4, true) !== receivedHigh
    )
      refuseRow(block, record, row, 'the row has another time of receipt than its record')
    else if (!isSameWorkspace(view, block.starts[record.firstRow] as number, start))
      record.hasOneWorkspace = false
  })
  record.endRow = block.rowCount
}

export function readBlock(
  records: readonly ParsedRecord[],
  from: number,
  to: number,
  dead: DeadPositions = NO_DEAD_POSITIONS,
): Block {
  const block = new Block(from, to, records)
  for (const record of block.records) readRows(block, record, dead)
  return block
}

function isSameWorkspace(view: DataView, row: number, other: number): boolean {
  for (let at = ROW.workspaceId; at < ROW.receivedAt; at += 4)
    if (view.getInt32(row + at, true) !== view.getInt32(other + at, true)) return false
  return true
}

function refuseRecord(block: Block, { offset, payload }: ParsedRecord, reason: string): void {
  block.deadLetters.push({
    offset,
    rowIndex: -1,
    workspaceId: readableHeader(payload)?.workspaceId,
    reason,
    events: claimedEvents(payload),
    payload,
  })
}

/** Makes a dead letter of one row: a separate record, so that it can be read and replayed alone. */
export function refuseRow(block: Block, record: ParsedRecord, row: number, reason: string): void {
  const { events } = record
  if (events === undefined) throw new RangeError('a record that cannot be read has no rows')
  block.outcomes[row] = OUTCOME.dead
  block.deadLetters.push({
    offset: record.offset,
    rowIndex: row - record.firstRow,
    workspaceId: events.workspaceId,
    reason,
    events: 1,
    payload: events.rowAsRecord(block.starts[row] ?? 0, block.ends[row] ?? 0),
  })
}
