import { ROW, writeInt64 } from '../../../domain/row.js'
import { uuidToRowBytes } from '../../../domain/uuid.js'

/**
 * One event as a test wants it stored; absent fields are empty. Without a key each millisecond is a person.
 */
export interface TestRow {
  readonly workspaceId: string
  readonly event: string
  readonly receivedAt: number
  readonly timestamp?: number
  readonly originalTimestamp?: number
  readonly adjustment?: number
  readonly requestIndex?: number
  readonly logOffset?: number
  readonly insertHash?: bigint
  readonly personKey?: bigint
  readonly userId?: string
  readonly anonymousId?: string
  readonly insertId?: string
  readonly sdkVersion?: string
  readonly properties?: string
}

/** Rows in the layout of domain/row.ts, one chunk. */
export function encodeRows(rows: readonly TestRow[]): Uint8Array {
  return Buffer.concat(rows.map(encodeRow))
}

function encodeRow(row: TestRow): Buffer {
  const fixed = Buffer.alloc(ROW.fixedBytes)
  uuidToRowBytes(row.workspaceId, fixed, ROW.workspaceId)
  writeInt64(fixed, ROW.receivedAt, row.receivedAt)
  writeInt64(fixed, ROW.timestamp, row.timestamp ?? row.receivedAt)
  writeInt64(fixed, ROW.originalTimestamp, row.originalTimestamp ?? 0)
  fixed[ROW.hasTimestamp] = row.originalTimestamp === undefined ? 0 : 1
  fixed[ROW.adjustment] = row.adjustment ?? 0
  fixed.writeUInt16LE(row.requestIndex ?? 0, ROW.requestIndex)
  writeInt64(fixed, ROW.logOffset, row.logOffset ?? 0)
  const hash = row.insertHash ?? 0n
  fixed.writeBigUInt64LE(hash & 0xffff_ffff_ffff_ffffn, ROW.insertHash)
  fixed.writeBigUInt64LE(hash >> 64n, ROW.insertHash + 8)
  fixed.writeBigUInt64LE(BigInt.asUintN(64, row.personKey ?? BigInt(row.receivedAt)), ROW.personKey)
  return Buffer.concat([
    fixed,
    text(row.event),
    text(row.userId ?? ''),
    text(row.anonymousId ?? ''),
    text(row.insertId ?? ''),
    text(row.sdkVersion ?? ''),
    text(row.properties ?? '{}'),
  ])
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value)
  const length: number[] = []
  let rest = bytes.length
  while (rest > 127) {
    length.push((rest & 127) | 128)
    rest >>>= 7
  }
  length.push(rest)
  return Buffer.concat([Buffer.from(length), bytes])
}
