import { EVENT_LIMITS } from '../../domain/event.js'
import { monthOf } from '../../domain/month.js'
import type { StoredRecord } from '../../log/port.js'
import {
  type EventRecord,
  isPlausibleReceivedAt,
  parseEventRecord,
  RecordFormatError,
  recordCount,
} from '../../log/record.js'

/** A record of the log, parsed once for all stages. */
export interface ParsedRecord extends StoredRecord {
  readonly view: DataView
  /** Undefined if the record cannot be read. Then it is a dead letter as a whole, because of `problem`. */
  readonly events: EventRecord | undefined
  readonly problem: string
  /** `yyyymm` of the time it was received, 0 if it cannot be read. */
  readonly month: number
  /** Its rows are those of its block from `firstRow` up to `endRow`. Set by `readRows`. */
  firstRow: number
  endRow: number
  /** Whether its rows name one workspace, as they do unless they are damaged. Set by `readRows`. */
  hasOneWorkspace: boolean
}

export function parseRecord({ offset, payload }: StoredRecord): ParsedRecord {
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength)
  let events: EventRecord | undefined
  let problem = ''
  try {
    events = parseEventRecord(payload)
    if (!isPlausibleReceivedAt(events.receivedAt)) {
      problem = `received at ${events.receivedAt} ms, an impossible time of receipt`
      events = undefined
    }
  } catch (error) {
    if (!(error instanceof RecordFormatError)) throw error
    problem = error.message
  }
  const month = events === undefined ? 0 : monthOf(events.receivedAt)
  return { offset, payload, view, events, problem, month, firstRow: 0, endRow: 0, hasOneWorkspace: false }
}

/** Events that a record claims to hold, or 1 if the number cannot be true. */
export function claimedEvents(payload: Uint8Array): number {
  const count = recordCount(payload)
  return count >= 1 && count <= EVENT_LIMITS.eventsPerRequest ? count : 1
}
