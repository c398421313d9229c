import type { DeadLetter } from '../../domain/dead-letter.js'
import type { KeyCounts } from '../../domain/key-counts.js'
import { ROW } from '../../domain/row.js'
import { uuidFromRowBytes } from '../../domain/uuid.js'
import { readableHeader } from '../../log/record.js'
import { KeyTally } from './key-tally.js'
import type { ParsedRecord } from './parse-record.js'

/** Fate of a row. `inserted`: an attempt that ClickHouse refused half-way left it in the table. */
export const OUTCOME = { ok: 0, duplicate: 1, dead: 2, inserted: 3 } as const

/** Each event of a block counts once. */
export interface BlockCounts {
  readonly stored: number
  readonly duplicates: number
  readonly dead: number
}

/**
 * The records of one partition that are stored together, from `from` up to `to`. Rows are positions in the
 * payloads, held in typed arrays, so nothing is allocated for a row.
 */
export class Block {
  readonly deadLetters: DeadLetter[] = []
  rowCount = 0
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  readonly outcomes: Uint8Array
  /** Hash of each row's insertId as four words, 0 if it has none. Filled by deduplication. */
  readonly hashes: Int32Array

  constructor(
    readonly from: number,
    readonly to: number,
    readonly records: readonly ParsedRecord[],
    rows = rowsOf(records),
  ) {
    this.starts = new Uint32Array(rows)
    this.ends = new Uint32Array(rows)
    this.outcomes = new Uint8Array(rows)
    this.hashes = new Int32Array(rows * 4)
  }

  /** Counts its events by outcome, in all and by key and hour of receipt. */
  counts(): BlockCounts & { readonly byKey: readonly KeyCounts[] } {
    const tally = new KeyTally()
    for (const { events, firstRow, endRow } of this.records) {
      if (events === undefined || firstRow === endRow) continue
      let duplicates = 0
      let dead = 0
      for (let row = firstRow; row < endRow; row++) {
        const outcome = this.outcomes[row]
        if (outcome === OUTCOME.duplicate) duplicates++
        else if (outcome === OUTCOME.dead) dead++
      }
      tally.add(events, { stored: endRow - firstRow - duplicates - dead, duplicates, dead })
    }
    // Events of unreadable records have no rows here.
    for (const { rowIndex, payload, events } of this.deadLetters)
      if (rowIndex < 0) tally.add(readableHeader(payload), { stored: 0, duplicates: 0, dead: events })
    return tally.result()
  }

  get rowLimit(): number {
    return this.outcomes.length
  }

  /**
   * The bytes of the rows to insert, runs of neighbours without copying. Workspaces are read from the rows,
   * as ClickHouse reads them, not from the headers: from one row if all of a record name the same.
   */
  chunks() {
    const chunks: Uint8Array[] = []
    const workspaces = new Set<string>()
    let rowCount = 0
    for (const record of this.records) {
      let runStart = -1
      let runEnd = -1
      for (let row = record.firstRow; row < record.endRow; row++) {
        if (this.outcomes[row] !== OUTCOME.ok) continue
        rowCount++
        const start = this.starts[row] ?? 0
        if (runStart < 0 || !record.hasOneWorkspace)
          workspaces.add(uuidFromRowBytes(record.payload, start + ROW.workspaceId))
        if (start !== runEnd) {
          if (runStart >= 0) chunks.push(record.payload.subarray(runStart, runEnd))
          runStart = start
        }
        runEnd = this.ends[row] ?? 0
      }
      if (runStart >= 0) chunks.push(record.payload.subarray(runStart, runEnd))
    }
    return { chunks, rowCount, workspaceIds: [...workspaces] }
  }
}

function rowsOf(records: readonly ParsedRecord[]): number {
  return records.reduce((rows, { events }) => rows + (events?.count ?? 0), 0)
}

/** Bounds of a block. One insert must make one part a month, and memory holds a block several times. */
export interface BlockLimits {
  readonly rows: number
  readonly bytes: number
}

/** Cuts a batch into blocks within the limits. A record is never divided, so a single one may exceed them. */
export function cutIntoBlocks(records: readonly ParsedRecord[], limits: BlockLimits): ParsedRecord[][] {
  const blocks: ParsedRecord[][] = []
  let current: ParsedRecord[] = []
  let rows = 0
  let bytes = 0
  for (const record of records) {
    const recordRows = record.events?.count ?? 0
    const tooLarge = rows + recordRows > limits.rows || bytes + record.payload.length > limits.bytes
    if (current.length > 0 && tooLarge) {
      blocks.push(current)
      current = []
      rows = 0
      bytes = 0
    }
    current.push(record)
    rows += recordRows
    bytes += record.payload.length
  }
  if (current.length > 0) blocks.push(current)
  return blocks
}
