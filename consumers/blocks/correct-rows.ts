import { correctTime } from '../../domain/clamp.js'
import { TIMESTAMP_ADJUSTMENTS } from '../../domain/event.js'
import { ROW } from '../../domain/row.js'
import type { Block } from './block.js'
import type { ParsedRecord } from './parse-record.js'

const NUMBER_OF = {
  none: TIMESTAMP_ADJUSTMENTS.indexOf('none'),
  skew: TIMESTAMP_ADJUSTMENTS.indexOf('skew'),
  clamped_past: TIMESTAMP_ADJUSTMENTS.indexOf('clamped_past'),
  clamped_future: TIMESTAMP_ADJUSTMENTS.indexOf('clamped_future'),
  imported: TIMESTAMP_ADJUSTMENTS.indexOf('imported'),
} as const

/** Second stage: corrects the time of each row and writes its log position. Repeating changes nothing. */
export function correctRows(block: Block, record: ParsedRecord): void {
  const { events, view, offset } = record
  if (events === undefined) return
  const { receivedAt, sentAt, imported } = events
  const offsetHigh = Math.floor(offset / TWO_32)
  for (let row = record.firstRow; row < record.endRow; row++) {
    const start = block.starts[row] as number
    const original =
      view.getUint8(start + ROW.hasTimestamp) === 0
        ? undefined
        : view.getInt32(start + ROW.originalTimestamp + 4, true) * TWO_32 +
          view.getUint32(start + ROW.originalTimestamp, true)
    const { timestamp, adjustment } = correctTime(original, receivedAt, sentAt, imported)
    // Writing an Int32 keeps the low 32 bits.
    view.setInt32(start + ROW.timestamp, timestamp, true)
    view.setInt32(start + ROW.timestamp + 4, Math.floor(timestamp / TWO_32), true)
    view.setUint8(start + ROW.adjustment, NUMBER_OF[adjustment])
    view.setInt32(start + ROW.logOffset, offset, true)
    view.setInt32(start + ROW.logOffset + 4, offsetHigh, true)
  }
}

const TWO_32 = 2 ** 32
