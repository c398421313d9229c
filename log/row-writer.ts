import type { AcceptedBatch, AcceptedEvent, BatchHead } from '../domain/event.js'
import { PERSON_KEY_TAGS } from '../domain/person.js'
import { ROW, writeInt64 } from '../domain/row.js'
import type { SipKey } from '../domain/siphash.js'
import { uuidToRowBytes } from '../domain/uuid.js'
import { hashText, newTextHash, type TextHash, writeText } from './text-hash.js'

/** The header of every record; record.ts documents its layout. */
export const HEADER_BYTES = 56
export const HEADER_SENT_AT = 16
export const HEADER_WORKSPACE = 24
export const HEADER_KEY = 40
export const HAS_SENT_AT = 1
export const IS_IMPORTED = 2

export function writeHeader(
  out: Uint8Array,
  at: number,
  format: number,
  head: BatchHead,
  count: number,
): void {
  out[at] = format
  out[at + 1] = (head.sentAt === undefined ? 0 : HAS_SENT_AT) | (head.imported ? IS_IMPORTED : 0)
  out[at + 2] = count
  out[at + 3] = count >>> 8
  for (let i = 4; i < 8; i++) out[at + i] = 0
  writeInt64(out, at + 8, head.receivedAt)
  writeInt64(out, at + HEADER_SENT_AT, head.sentAt ?? 0)
  uuidToRowBytes(head.workspaceId, out, at + HEADER_WORKSPACE)
  uuidToRowBytes(head.keyId, out, at + HEADER_KEY)
}

/**
 * Small records share slabs. Allocating each would cost as much as writing it, and cause much garbage
 * collection. A slab lives as long as one of its records.
 */
const SLAB_BYTES = 256 * 1024
const MAX_SLAB_SHARE = 16 * 1024
let slab = Buffer.alloc(0)
let slabAt = 0

/** Memory for a record, valid for as long as it is referenced. */
export function recordMemory(bytes: number): Buffer {
  if (bytes > MAX_SLAB_SHARE) return Buffer.allocUnsafeSlow(bytes)
  if (slabAt + bytes > slab.length) {
    slab = Buffer.allocUnsafeSlow(SLAB_BYTES)
    slabAt = 0
  }
  slabAt += bytes
  return slab.subarray(slabAt - bytes, slabAt)
}

const TWO_BYTE_VARINT = 16_383
const personHash = newTextHash()
const NO_HASH = newTextHash().bytes

/** Builds an event record. Rows are written where they will stay, so no byte is copied twice. */
export class RowWriter {
  private buffer: Buffer
  /** Start of the record in its slab, or -1 if it has its own memory. */
  private readonly slabStart: number
  private at = HEADER_BYTES
  private readonly lengths: number[] = []

  /** @param bytes expected size; the buffer grows if that was too little */
  constructor(
    private readonly batch: AcceptedBatch,
    format: number,
    bytes: number,
  ) {
    this.buffer = recordMemory(bytes)
    this.slabStart = this.buffer.buffer === slab.buffer ? slabAt - bytes : -1
    writeHeader(this.buffer, 0, format, batch, 0)
  }

  add(event: AcceptedEvent, index: number, personKey: SipKey, insertHash: TextHash): void {
    const start = this.at
    const most =
      ROW.fixedBytes +
      24 +
      3 *
        (event.event.length +
          (event.userId?.length ?? 0) +
          (event.anonymousId?.length ?? 0) +
          (event.insertId?.length ?? 0) +
          (event.sdkVersion?.length ?? 0) +
          event.properties.length)
    if (start + most > this.buffer.length) this.grow(start + most)
    const out = this.buffer
    out.copyWithin(start + ROW.workspaceId, HEADER_WORKSPACE, HEADER_WORKSPACE + 16)
    writeInt64(out, start + ROW.receivedAt, this.batch.receivedAt)
    writeInt64(out, start + ROW.timestamp, event.timestamp ?? this.batch.receivedAt)
    writeInt64(out, start + ROW.originalTimestamp, event.timestamp ?? 0)
    out[start + ROW.hasTimestamp] = event.timestamp === undefined ? 0 : 1
    out[start + ROW.adjustment] = 0
    out[start + ROW.requestIndex] = index
    out[start + ROW.requestIndex + 1] = index >>> 8
    // Loops, because for so few bytes a native call costs more.
    for (let i = ROW.logOffset; i < ROW.insertHash; i++) out[start + i] = 0
    const hash = event.insertId === undefined ? NO_HASH : insertHash.bytes
    for (let i = 0; i < 16; i++) out[start + ROW.insertHash + i] = hash[i] ?? 0
    if (event.userId !== undefined) hashText(personKey, event.userId, PERSON_KEY_TAGS.user, personHash)
    else hashText(personKey, event.anonymousId ?? '', PERSON_KEY_TAGS.anonymous, personHash)
    for (let i = 0; i < 8; i++) out[start + ROW.personKey + i] = personHash.bytes[i] ?? 0
    this.at = start + ROW.fixedBytes
    this.text(event.event)
    this.text(event.userId ?? '')
    this.text(event.anonymousId ?? '')
    this.text(event.insertId ?? '')
    this.text(event.sdkVersion ?? '')
    this.text(event.properties)
    this.lengths.push(this.at - start)
  }

  get rows(): number {
    return this.lengths.length
  }

  finish(): Uint8Array {
    const end = this.at + this.lengths.length * 4
    if (end > this.buffer.length) this.grow(end)
    this.buffer.writeUInt16LE(this.lengths.length, 2)
    for (const length of this.lengths) this.at = this.buffer.writeUInt32LE(length, this.at)
    // Returns the unused rest of the slab, unless another record has taken the next part.
    if (this.buffer.buffer === slab.buffer && this.slabStart + this.buffer.length === slabAt)
      slabAt = this.slabStart + end
    return this.buffer.subarray(0, end)
  }

  private text(text: string): void {
    const length = text.length
    if (length < 128) {
      // At most 384 bytes, so the varint has one byte or two; ASCII needs one.
      const bytes = writeText(this.buffer, this.at + 1, text)
      if (bytes < 128) {
        this.buffer[this.at] = bytes
        this.at += 1 + bytes
        return
      }
    }
    if (length >= 128 && length <= TWO_BYTE_VARINT / 3) {
      // Between 128 and 16,383 bytes, so the varint has two.
      const bytes = this.buffer.write(text, this.at + 2)
      this.buffer[this.at] = (bytes & 127) | 128
      this.buffer[this.at + 1] = bytes >>> 7
      this.at += 2 + bytes
      return
    }
    const bytes = Buffer.byteLength(text)
    let rest = bytes
    while (rest > 127) {
      this.buffer[this.at++] = (rest & 127) | 128
      rest >>>= 7
    }
    this.buffer[this.at++] = rest
    this.at += this.buffer.write(text, this.at)
  }

  private grow(needed: number): void {
    let size = this.buffer.length * 2
    while (size < needed) size *= 2
    const larger = Buffer.allocUnsafeSlow(size)
    this.buffer.copy(larger, 0, 0, this.at)
    this.buffer = larger
  }
}
