import { ROW, readUint32 } from '../domain/row.js'
import { type EventRecord, parseEventRecord, RecordFormatError } from './record.js'
import { HEADER_BYTES } from './row-writer.js'

/** A person whose rows are taken out of records. */
export interface ErasedIds {
  /** Undefined if an anonymous id is erased. */
  readonly userId: string | undefined
  readonly anonymousIds: ReadonlySet<string>
}

/** The hash of an insertId, by which an event that is sent again is known. */
export interface KeptHash {
  /** Milliseconds since 1970. */
  readonly receivedAt: number
  readonly insertHash: bigint
}

/**
 * The payload of a dead letter without the rows of a person, and how many rows are gone. The
 * rows of others lose the person's anonymous ids. A record that cannot be read goes as a whole if it contains
 * one of the ids.
 *
 * @returns undefined if the record has nothing of the person; `payload` is undefined if no row is left
 */
export function eraseRows(
  payload: Uint8Array,
  ids: ErasedIds,
):
  | {
      readonly payload: Uint8Array | undefined
      readonly removed: number
      /** Of the removed rows that have an insertId. */
      readonly insertHashes: readonly KeptHash[]
    }
  | undefined {
  const record = readRecord(payload)
  if (record === undefined)
    return containsId(payload, ids) ? { payload: undefined, removed: 1, insertHashes: [] } : undefined
  const kept: Uint8Array[] = []
  const insertHashes: KeptHash[] = []
  let removed = 0
  let changed = false
  record.forEachRow((start, end) => {
    const row = payload.subarray(start, end)
    const texts = idsOfRow(row)
    if (texts === undefined ? containsId(row, ids) : isOf(texts, ids)) {
      removed++
      const insertHash = insertHashOf(row)
      if (insertHash !== 0n) insertHashes.push({ receivedAt: record.receivedAt, insertHash })
    } else if (texts !== undefined && ids.anonymousIds.has(texts.anonymousId)) {
      changed = true
      kept.push(Buffer.concat([row.subarray(0, texts.from), Buffer.from([0]), row.subarray(texts.to)]))
    } else kept.push(row)
  })
  if (removed === 0 && !changed) return undefined
  return { payload: kept.length === 0 ? undefined : recordOf(payload, kept), removed, insertHashes }
}

function insertHashOf(row: Uint8Array): bigint {
  if (row.length < ROW.fixedBytes) return 0n
  let hash = 0n
  for (let at = 12; at >= 0; at -= 4) hash = (hash << 32n) | BigInt(readUint32(row, ROW.insertHash + at))
  return hash
}

function readRecord(payload: Uint8Array): EventRecord | undefined {
  try {
    return parseEventRecord(payload)
  } catch (error) {
    if (!(error instanceof RecordFormatError)) throw error
    return undefined
  }
}

/** The ids of a row; `from` and `to` bound the anonymous id with its length. Undefined for a damaged row. */
function idsOfRow(row: Uint8Array) {
  const event = textAt(row, ROW.fixedBytes)
  const user = event && textAt(row, event.to)
  const anonymous = user && textAt(row, user.to)
  if (user === undefined || anonymous === undefined) return undefined
  return { userId: user.text, anonymousId: anonymous.text, from: user.to, to: anonymous.to }
}

function textAt(row: Uint8Array, at: number): { readonly text: string; readonly to: number } | undefined {
  let length = 0
  let start = at
  for (let shift = 0; ; shift += 7) {
    const byte = row[start++]
    if (byte === undefined || shift > 21) return undefined
    length |= (byte & 127) << shift
    if (byte < 128) break
  }
  const to = start + length
  return to > row.length ? undefined : { text: Buffer.from(row.subarray(start, to)).toString(), to }
}

function isOf(
  row: { readonly userId: string; readonly anonymousId: string },
  { userId, anonymousIds }: ErasedIds,
): boolean {
  return row.userId === '' ? anonymousIds.has(row.anonymousId) : row.userId === userId
}

function containsId(bytes: Uint8Array, { userId, anonymousIds }: ErasedIds): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return [...anonymousIds, ...(userId === undefined ? [] : [userId])].some((id) => buffer.includes(id))
}

function recordOf(payload: Uint8Array, rows: readonly Uint8Array[]): Uint8Array {
  const header = Buffer.from(payload.subarray(0, HEADER_BYTES))
  header.writeUInt16LE(rows.length, 2)
  const lengths = Buffer.alloc(rows.length * 4)
  for (const [index, row] of rows.entries()) lengths.writeUInt32LE(row.length, index * 4)
  return Buffer.concat([header, ...rows, lengths])
}
