import type { AcceptedBatch, AcceptedEvent } from '../domain/event.js'
import { partitionOfHash } from '../domain/partition.js'
import { PERSON_KEY_TAGS } from '../domain/person.js'
import { ROW, readInt64, readUint32, writeInt64 } from '../domain/row.js'
import { type SipKey, sipHash128Words } from '../domain/siphash.js'
import { uuidFromRowBytes, uuidToRowBytes } from '../domain/uuid.js'
import type { LogRecord } from './port.js'

/**
 * The record format of the log, the only file that knows it.
 *
 * An event record holds the events of one request that go to one partition:
 *
 *   0  u8   format, 1               24 16 B  workspace
 *   1  u8   flags: 1 has sentAt     40 16 B  key
 *   2  u16  number of rows          56 the rows (domain/row.ts), contiguous
 *   8  i64  receivedAt, ms             then u32 × rows: the length of each row
 *   16 i64  sentAt, ms
 *
 * An identity record has the same first 56 bytes with format 2, then per pair: i64 anonymous key, i64 user key, u16 length
 * and bytes of the anonymous id, u16 length and bytes of the user id.
 */
const EVENT_FORMAT = 1
const IDENTITY_FORMAT = 2
const HEADER_BYTES = 56
const HAS_SENT_AT = 1
/** Room beyond the estimate, so that characters of several bytes rarely make a buffer grow. */
const SLACK_BYTES = 4 * 1024
const TWO_BYTE_VARINT = 16_383

/** The keyed hashes of one workspace: derived from the service's secret, so that no tenant can craft another's. */
export interface WorkspaceHashKeys {
  readonly insertId: SipKey
  readonly person: SipKey
}

export interface RecordHeader {
  readonly workspaceId: string
  readonly keyId: string
  readonly receivedAt: number
  readonly sentAt: number | undefined
  readonly count: number
}

export interface IdentityPair {
  readonly anonymousId: string
  readonly userId: string
  /** 64-bit person keys as signed integers, as Postgres holds them. */
  readonly anonymousKey: bigint
  readonly userKey: bigint
}

/** A record this version cannot read: damaged, or written by a newer one. */
export class RecordFormatError extends Error {
  override readonly name = 'RecordFormatError'
}

export interface EncodedBatch {
  readonly records: LogRecord[]
  /** Anonymous keys of the pairs among the records: once durable, later pairs of the same id change nothing. */
  readonly linkedKeys: bigint[]
}

/**
 * Encodes an accepted request as log records, one for each partition it touches.
 *
 * @param isLinked whether a pair of this anonymous key is already durable in the log; such pairs are left out
 */
export function encodeBatch(
  batch: AcceptedBatch,
  keys: WorkspaceHashKeys,
  log: { readonly partitions: number; readonly identityPartitions: number },
  isLinked: (anonymousKey: bigint) => boolean,
): EncodedBatch {
  const writers = new Map<number, RowWriter>()
  const identity = new Map<number, IdentityPair[]>()
  const linkedKeys: bigint[] = []
  const seen = new Set<bigint>()
  // Events without an insertId stay together; the receipt spreads requests over the partitions.
  const home = partitionOfHash(batch.receivedAt ^ (batch.events.length << 8), log.partitions)
  for (let index = 0; index < batch.events.length; index++) {
    const event = batch.events[index]
    if (event === undefined) continue
    let partition = home
    if (event.insertId !== undefined) {
      hashText(keys.insertId, event.insertId, -1, insertHashWords)
      partition = log.partitions === 1 ? 0 : partitionOfHash(readUint32(insertHash, 0), log.partitions)
    }
    let writer = writers.get(partition)
    if (writer === undefined) {
      writer = new RowWriter(roomFor(batch.events, log.partitions))
      writers.set(partition, writer)
    }
    writer.add(batch, event, index, keys)
    if (event.userId !== undefined && event.anonymousId !== undefined) {
      hashText(keys.person, event.anonymousId, PERSON_KEY_TAGS.anonymous, personHashWords)
      const anonymousKey = personHash.readBigInt64LE(0)
      if (seen.has(anonymousKey) || isLinked(anonymousKey)) continue
      seen.add(anonymousKey)
      linkedKeys.push(anonymousKey)
      const identityPartition =
        log.partitions + partitionOfHash(personHash.readUInt32LE(8), log.identityPartitions)
      hashText(keys.person, event.userId, PERSON_KEY_TAGS.user, personHashWords)
      const pair: IdentityPair = {
        anonymousId: event.anonymousId,
        userId: event.userId,
        anonymousKey,
        userKey: personHash.readBigInt64LE(0),
      }
      const pairs = identity.get(identityPartition)
      if (pairs === undefined) identity.set(identityPartition, [pair])
      else pairs.push(pair)
    }
  }
  const records: LogRecord[] = []
  for (const [partition, writer] of writers) {
    records.push({ partition, payload: writer.finish(batch), events: writer.rows })
  }
  for (const [partition, pairs] of identity) records.push({ partition, payload: encodePairs(batch, pairs) })
  return { records, linkedKeys }
}

/** About what a record needs that gets its share of the events: exact for one partition and ASCII. */
function roomFor(events: readonly AcceptedEvent[], partitions: number): number {
  let bytes = 0
  for (const { event, userId = '', anonymousId = '', insertId = '', sdkVersion = '', properties } of events)
    bytes +=
      ROW.fixedBytes +
      4 +
      8 +
      event.length +
      userId.length +
      anonymousId.length +
      insertId.length +
      sdkVersion.length +
      properties.length
  return HEADER_BYTES + Math.ceil(bytes / partitions) + SLACK_BYTES
}

/** The identity partition and person keys of a pair: for the alias endpoint, which speaks of one. */
export function identityPairOf(
  anonymousId: string,
  userId: string,
  keys: WorkspaceHashKeys,
  log: { readonly partitions: number; readonly identityPartitions: number },
): { readonly partition: number; readonly pair: IdentityPair } {
  hashText(keys.person, anonymousId, PERSON_KEY_TAGS.anonymous, personHashWords)
  const anonymousKey = personHash.readBigInt64LE(0)
  const partition = log.partitions + partitionOfHash(personHash.readUInt32LE(8), log.identityPartitions)
  hashText(keys.person, userId, PERSON_KEY_TAGS.user, personHashWords)
  return { partition, pair: { anonymousId, userId, anonymousKey, userKey: personHash.readBigInt64LE(0) } }
}

/** Reads the header of either kind of record. */
export function readHeader(payload: Uint8Array): RecordHeader {
  if (payload.length < HEADER_BYTES)
    throw new RecordFormatError(`a record of ${payload.length} bytes has no header`)
  const format = payload[0]
  if (format !== EVENT_FORMAT && format !== IDENTITY_FORMAT)
    throw new RecordFormatError(`record format ${format} is not known to this version`)
  return {
    workspaceId: uuidFromRowBytes(payload, 24),
    keyId: uuidFromRowBytes(payload, 40),
    receivedAt: readInt64(payload, 8),
    sentAt: ((payload[1] ?? 0) & HAS_SENT_AT) === 0 ? undefined : readInt64(payload, 16),
    count: (payload[2] ?? 0) | ((payload[3] ?? 0) << 8),
  }
}

/** The number of rows a record says it has, without reading it: for bounds. 0 where it is too short to say. */
export function recordCount(payload: Uint8Array): number {
  return (payload[2] ?? 0) | ((payload[3] ?? 0) << 8)
}

/**
 * Calls back for every row with its place in the payload. Checks that the lengths fill the payload exactly before the first
 * call, so a damaged record is refused whole.
 */
export function forEachRow(
  payload: Uint8Array,
  header: RecordHeader,
  row: (start: number, end: number, index: number) => void,
): void {
  if (payload[0] !== EVENT_FORMAT) throw new RecordFormatError('not an event record')
  const lengthsAt = payload.length - header.count * 4
  let end = HEADER_BYTES
  for (let i = 0; i < header.count && lengthsAt >= HEADER_BYTES; i++) {
    const length = readUint32(payload, lengthsAt + i * 4)
    if (length < ROW.fixedBytes + 6) throw new RecordFormatError(`row ${i} has ${length} bytes`)
    end += length
  }
  if (end !== lengthsAt) throw new RecordFormatError(`rows end at ${end} of ${lengthsAt} bytes`)
  let start = HEADER_BYTES
  for (let i = 0; i < header.count; i++) {
    const next = start + readUint32(payload, lengthsAt + i * 4)
    row(start, next, i)
    start = next
  }
}

/** One row of an event record as a record of its own, with the same header: for dead letters. */
export function recordOfRow(payload: Uint8Array, start: number, end: number): Uint8Array {
  const lengthAt = HEADER_BYTES + end - start
  const out = Buffer.alloc(lengthAt + 4)
  out.set(payload.subarray(0, HEADER_BYTES))
  out.writeUInt16LE(1, 2)
  out.set(payload.subarray(start, end), HEADER_BYTES)
  out.writeUInt32LE(end - start, lengthAt)
  return out
}

/** The rows of an event record, each a record of its own, with what chooses the partition: for a log of another shape. */
export function recordsOfRows(
  payload: Uint8Array,
): { readonly insertHashLow32: number; readonly payload: Uint8Array }[] {
  const records: { readonly insertHashLow32: number; readonly payload: Uint8Array }[] = []
  forEachRow(payload, readHeader(payload), (start, end) => {
    records.push({
      insertHashLow32: readUint32(payload, start + ROW.insertHash),
      payload: recordOfRow(payload, start, end),
    })
  })
  return records
}

/** The pairs of an identity record, in request order. */
export function readPairs(payload: Uint8Array): {
  readonly header: RecordHeader
  readonly pairs: IdentityPair[]
} {
  const header = readHeader(payload)
  if (payload[0] !== IDENTITY_FORMAT) throw new RecordFormatError('not an identity record')
  const buffer = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength)
  const pairs: IdentityPair[] = []
  let at = HEADER_BYTES
  try {
    for (let i = 0; i < header.count; i++) {
      const anonymousKey = buffer.readBigInt64LE(at)
      const userKey = buffer.readBigInt64LE(at + 8)
      const anonymousEnd = at + 18 + buffer.readUInt16LE(at + 16)
      const userEnd = anonymousEnd + 2 + buffer.readUInt16LE(anonymousEnd)
      if (userEnd > buffer.length) throw new RangeError('a pair runs past the end')
      pairs.push({
        anonymousId: buffer.toString('utf8', at + 18, anonymousEnd),
        userId: buffer.toString('utf8', anonymousEnd + 2, userEnd),
        anonymousKey,
        userKey,
      })
      at = userEnd
    }
    if (at !== buffer.length) throw new RangeError(`pairs end at ${at} of ${buffer.length} bytes`)
  } catch (error) {
    throw new RecordFormatError(`damaged identity record: ${error instanceof Error ? error.message : error}`)
  }
  return { header, pairs }
}

function encodePairs(batch: AcceptedBatch, pairs: readonly IdentityPair[]): Uint8Array {
  let bytes = HEADER_BYTES
  for (const pair of pairs) bytes += 20 + Buffer.byteLength(pair.anonymousId) + Buffer.byteLength(pair.userId)
  const out = Buffer.alloc(bytes)
  writeHeader(out, IDENTITY_FORMAT, batch, pairs.length)
  let at = HEADER_BYTES
  for (const pair of pairs) {
    out.writeBigInt64LE(pair.anonymousKey, at)
    out.writeBigInt64LE(pair.userKey, at + 8)
    const anonymousBytes = out.write(pair.anonymousId, at + 18)
    out.writeUInt16LE(anonymousBytes, at + 16)
    at += 18 + anonymousBytes
    const userBytes = out.write(pair.userId, at + 2)
    out.writeUInt16LE(userBytes, at)
    at += 2 + userBytes
  }
  return out
}

function writeHeader(out: Buffer, format: number, batch: AcceptedBatch, count: number): void {
  out[0] = format
  out[1] = batch.sentAt === undefined ? 0 : HAS_SENT_AT
  out.writeUInt16LE(count, 2)
  out.writeUInt32LE(0, 4)
  writeInt64(out, 8, batch.receivedAt)
  writeInt64(out, 16, batch.sentAt ?? 0)
  uuidToRowBytes(batch.workspaceId, out, 24)
  uuidToRowBytes(batch.keyId, out, 40)
}

/** The hashes as words for SipHash and as bytes for rows: this code runs on little-endian machines only, as all that Node 20 supports. */
const insertHashWords = new Int32Array(4)
const insertHash = Buffer.from(insertHashWords.buffer)
const personHashWords = new Int32Array(4)
const personHash = Buffer.from(personHashWords.buffer)
const textWords = new Int32Array(1 + (500 * 3) / 4 + 2)
const textBytes = Buffer.from(textWords.buffer)

/** Hashes a tag byte (none when negative) and the UTF-8 of a text. */
function hashText(key: SipKey, text: string, tag: number, out: Int32Array): void {
  let start = 0
  if (tag >= 0) textBytes[start++] = tag
  const end = start + writeText(textBytes, start, text)
  // What an earlier text left in the last eight bytes.
  for (let i = end; (i & 7) !== 0; i++) textBytes[i] = 0
  sipHash128Words(key, textWords, end, out, 0)
}

/** Writes UTF-8 and returns its length. Short ASCII, the common case, is written without leaving JavaScript. */
function writeText(out: Buffer, at: number, text: string): number {
  const length = text.length
  if (length > 64) return out.write(text, at)
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i)
    if (unit > 127) return out.write(text, at)
    out[at + i] = unit
  }
  return length
}

/** An event record under construction: rows go to where they will stay, so that no byte is copied twice. */
class RowWriter {
  private buffer: Buffer
  private at = HEADER_BYTES
  private readonly lengths: number[] = []

  constructor(bytes: number) {
    this.buffer = Buffer.allocUnsafeSlow(bytes)
  }

  /** `insertHash` holds the event's hash where it has an insertId. */
  add(batch: AcceptedBatch, event: AcceptedEvent, index: number, keys: WorkspaceHashKeys): void {
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
    if (start === HEADER_BYTES) uuidToRowBytes(batch.workspaceId, out, start + ROW.workspaceId)
    else out.copyWithin(start, HEADER_BYTES, HEADER_BYTES + 16)
    writeInt64(out, start + ROW.receivedAt, batch.receivedAt)
    writeInt64(out, start + ROW.timestamp, event.timestamp ?? batch.receivedAt)
    writeInt64(out, start + ROW.originalTimestamp, event.timestamp ?? 0)
    out[start + ROW.hasTimestamp] = event.timestamp === undefined ? 0 : 1
    out[start + ROW.adjustment] = 0
    out[start + ROW.requestIndex] = index
    out[start + ROW.requestIndex + 1] = index >>> 8
    out.fill(0, start + ROW.logOffset, start + ROW.insertHash)
    if (event.insertId === undefined) out.fill(0, start + ROW.insertHash, start + ROW.personKey)
    else out.set(insertHash, start + ROW.insertHash)
    if (event.userId !== undefined) hashText(keys.person, event.userId, PERSON_KEY_TAGS.user, personHashWords)
    else hashText(keys.person, event.anonymousId ?? '', PERSON_KEY_TAGS.anonymous, personHashWords)
    for (let i = 0; i < 8; i++) out[start + ROW.personKey + i] = personHash[i] ?? 0
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

  finish(batch: AcceptedBatch): Uint8Array {
    const end = this.at + this.lengths.length * 4
    if (end > this.buffer.length) this.grow(end)
    writeHeader(this.buffer, EVENT_FORMAT, batch, this.lengths.length)
    for (const length of this.lengths) this.at = this.buffer.writeUInt32LE(length, this.at)
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
