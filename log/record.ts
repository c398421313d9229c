import type { AcceptedBatch, AcceptedEvent, BatchHead, Sender } from '../domain/event.js'
import { startOfHour } from '../domain/hour.js'
import type { KeyHour } from '../domain/key-counts.js'
import { partitionOfHash } from '../domain/partition.js'
import { makesLink, PERSON_KEY_TAGS } from '../domain/person.js'
import { ROW, readInt64, readUint32, writeInt64 } from '../domain/row.js'
import type { SipKey } from '../domain/siphash.js'
import { uuidFromRowBytes } from '../domain/uuid.js'
import type { LogRecord } from './port.js'
import {
  HAS_SENT_AT,
  HEADER_BYTES,
  HEADER_KEY,
  HEADER_SENT_AT,
  HEADER_WORKSPACE,
  IS_IMPORTED,
  RowWriter,
  writeHeader,
} from './row-writer.js'
import { hashText, newTextHash } from './text-hash.js'

/**
 * The record format of the log. This file reads it and row-writer.ts writes it; nothing else knows it.
 *
 * An event record holds the events of one request that go to one partition:
 *
 *   0  u8   format, 1               24 16 B  workspace
 *   1  u8   flags: 1 has sentAt,    40 16 B  key
 *                  2 imported
 *   2  u16  number of rows          56 the rows (domain/row.ts), contiguous
 *   8  i64  receivedAt, ms             then u32 × rows: the length of each row
 *   16 i64  sentAt, ms
 *
 * An identity record starts with the same 56 bytes, with format 2. Then for each pair: i64 anonymous key, i64
 * user key, u16 length and bytes of the anonymous id, u16 length and bytes of the user id.
 */
const EVENT_FORMAT = 1
const IDENTITY_FORMAT = 2
/** Times outside of these are damage. DateTime64(3) holds more. */
const MIN_RECEIVED_AT = Date.UTC(2000, 0)
const MAX_RECEIVED_AT = Date.UTC(2200, 0)
/** Room beyond the estimate, so that multi-byte characters rarely make a buffer grow. */
const SLACK_BYTES = 4 * 1024

const insertHash = newTextHash()
const personHash = newTextHash()

/** Hash keys of one workspace, derived from the service's secret: no tenant can craft another's hashes. */
export interface WorkspaceHashKeys {
  readonly insertId: SipKey
  readonly person: SipKey
}

/** The first bytes of both kinds of record. The ids are decoded on demand. */
export class RecordHeader {
  readonly receivedAt: number
  readonly sentAt: number | undefined
  /** Whether the times of its events are not corrected. */
  readonly imported: boolean
  readonly count: number

  /** Use `readHeader` or `parseEventRecord`, which check the bytes. */
  constructor(readonly payload: Uint8Array) {
    this.receivedAt = readInt64(payload, 8)
    this.sentAt = sentAtOf(payload, 0)
    this.imported = ((payload[1] ?? 0) & IS_IMPORTED) !== 0
    this.count = recordCount(payload)
  }

  get workspaceId(): string {
    return uuidFromRowBytes(this.payload, HEADER_WORKSPACE)
  }

  get keyId(): string {
    return uuidFromRowBytes(this.payload, HEADER_KEY)
  }

  /** Whether the same key of the same workspace sent another record. */
  hasSenderOf(other: RecordHeader): boolean {
    for (let at = HEADER_BYTES - 1; at >= HEADER_WORKSPACE; at--)
      if (this.payload[at] !== other.payload[at]) return false
    return true
  }

  /** Four random bytes of the key. */
  get keyTail(): number {
    return readUint32(this.payload, HEADER_KEY + 8)
  }
}

export class EventRecord extends RecordHeader {
  forEachRow(visit: (start: number, end: number, index: number) => void): void {
    const { payload, count } = this
    const lengthsAt = payload.length - count * 4
    let start = HEADER_BYTES
    for (let i = 0; i < count; i++) {
      const end = start + readUint32(payload, lengthsAt + i * 4)
      visit(start, end, i)
      start = end
    }
  }

  /** One row as a separate record, with the same header: for dead letters. */
  rowAsRecord(start: number, end: number): Uint8Array {
    const lengthAt = HEADER_BYTES + end - start
    const out = Buffer.alloc(lengthAt + 4)
    out.set(this.payload.subarray(0, HEADER_BYTES))
    out.writeUInt16LE(1, 2)
    out.set(this.payload.subarray(start, end), HEADER_BYTES)
    out.writeUInt32LE(end - start, lengthAt)
    return out
  }

  /** Every row as a separate record, with the hash word that chooses its partition. */
  rowsAsRecords(): { readonly insertHashLow32: number; readonly payload: Uint8Array }[] {
    const records: { readonly insertHashLow32: number; readonly payload: Uint8Array }[] = []
    this.forEachRow((start, end) => {
      records.push({
        insertHashLow32: readUint32(this.payload, start + ROW.insertHash),
        payload: this.rowAsRecord(start, end),
      })
    })
    return records
  }
}

export interface IdentityPair {
  readonly anonymousId: string
  readonly userId: string
  /** 64-bit person keys as signed integers, as Postgres stores them. */
  readonly anonymousKey: bigint
  readonly userKey: bigint
}

/** A record this version cannot read: damaged, or written by a newer one. */
export class RecordFormatError extends Error {
  override readonly name = 'RecordFormatError'
}

export interface EncodedBatch {
  readonly records: LogRecord[]
  /** Anonymous keys of the pairs in the records. Once durable, later pairs of the same id change nothing. */
  readonly linkedKeys: bigint[]
}

/** The event records of a request, and the pairs for its link records. */
export interface EncodedEvents {
  readonly head: BatchHead
  readonly count: number
  readonly records: LogRecord[]
  readonly pairs: readonly FoundPair[]
  /** Events with both ids that make no link, since one is a placeholder. */
  readonly placeholders: number
}

/** The ids of an event, or of a link without one. */
type EventIds = Pick<AcceptedEvent, 'userId' | 'anonymousId'>

/** The first pair of an anonymous id in a request. */
export interface FoundPair extends IdentityPair {
  /** The hash word that chooses the identity partition. */
  readonly partitionHash: number
}

/**
 * Encodes an accepted request as log records, one for each partition it touches.
 *
 * @param isLinked whether a pair of this anonymous key is already durable in the log; such pairs are left out
 */
export function encodeRecords(
  batch: AcceptedBatch,
  keys: WorkspaceHashKeys,
  log: { readonly partitions: number; readonly identityPartitions: number },
  isLinked: (anonymousKey: bigint) => boolean,
): EncodedBatch {
  const events = encodeEvents(batch, keys, log)
  const links = encodeLinks(events, log, isLinked)
  return { records: [...events.records, ...links.records], linkedKeys: links.linkedKeys }
}

/** The partition of a request's events without an insertId. They stay together; the time spreads requests. */
export function homePartition(receivedAt: number, events: number, partitions: number): number {
  return partitionOfHash(receivedAt ^ (events << 8), partitions)
}

/** Writes the header of event records, without the number of rows and `sentAt`. */
export function writeEventHeader(out: Uint8Array, at: number, sender: Sender): void {
  writeHeader(out, at, EVENT_FORMAT, { ...sender, sentAt: undefined }, 0)
}

/** Turns a header into that of another request of the same sender. */
export function restartEventHeader(out: Uint8Array, at: number, receivedAt: number): void {
  out[at + 1] = 0
  writeInt64(out, at + 8, receivedAt)
  writeInt64(out, at + HEADER_SENT_AT, 0)
}

/** `sentAt` of the header at an offset. */
export function sentAtOf(bytes: Uint8Array, at: number): number | undefined {
  return ((bytes[at + 1] ?? 0) & HAS_SENT_AT) === 0 ? undefined : readInt64(bytes, at + HEADER_SENT_AT)
}

/** @param identities the ids that may be linked, in their order, if not only those of the events */
export function encodeEvents(
  batch: AcceptedBatch,
  keys: WorkspaceHashKeys,
  log: { readonly partitions: number },
  identities: readonly EventIds[] = batch.events,
): EncodedEvents {
  const writers = new Map<number, RowWriter>()
  const home = homePartition(batch.receivedAt, batch.events.length, log.partitions)
  for (let index = 0; index < batch.events.length; index++) {
    const event = batch.events[index]
    if (event === undefined) continue
    let partition = home
    if (event.insertId !== undefined) {
      hashText(keys.insertId, event.insertId, -1, insertHash)
      partition = partitionOfHash(readUint32(insertHash.bytes, 0), log.partitions)
    }
    let writer = writers.get(partition)
    if (writer === undefined) {
      writer = new RowWriter(batch, EVENT_FORMAT, roomFor(batch.events, log.partitions))
      writers.set(partition, writer)
    }
    writer.add(event, index, keys.person, insertHash)
  }
  const records: LogRecord[] = []
  for (const [partition, writer] of writers) {
    records.push({ partition, payload: writer.finish(), events: writer.rows })
  }
  return { head: batch, count: batch.events.length, records, ...findPairs(identities, keys) }
}

/** The first pair of each anonymous id, and the number of pairs with a placeholder. */
function findPairs(
  identities: readonly EventIds[],
  keys: WorkspaceHashKeys,
): Pick<EncodedEvents, 'pairs' | 'placeholders'> {
  const pairs = new Map<bigint, FoundPair>()
  let placeholders = 0
  for (const { userId, anonymousId } of identities) {
    if (userId === undefined || anonymousId === undefined) continue
    if (!makesLink(anonymousId, userId)) {
      placeholders++
      continue
    }
    const pair = pairOf(anonymousId, userId, keys)
    if (!pairs.has(pair.anonymousKey)) pairs.set(pair.anonymousKey, pair)
  }
  return { pairs: [...pairs.values()], placeholders }
}

export function encodeLinks(
  events: Pick<EncodedEvents, 'head' | 'pairs'>,
  log: { readonly partitions: number; readonly identityPartitions: number },
  isLinked: (anonymousKey: bigint) => boolean,
): EncodedBatch {
  const records: LogRecord[] = []
  const linkedKeys: bigint[] = []
  if (events.pairs.length === 0) return { records, linkedKeys }
  const byPartition = new Map<number, IdentityPair[]>()
  for (const pair of events.pairs) {
    if (isLinked(pair.anonymousKey)) continue
    linkedKeys.push(pair.anonymousKey)
    const partition = log.partitions + partitionOfHash(pair.partitionHash, log.identityPartitions)
    const pairs = byPartition.get(partition)
    if (pairs === undefined) byPartition.set(partition, [pair])
    else pairs.push(pair)
  }
  for (const [partition, pairs] of byPartition)
    records.push({ partition, payload: encodePairs(events.head, pairs) })
  return { records, linkedKeys }
}

function pairOf(anonymousId: string, userId: string, keys: WorkspaceHashKeys): FoundPair {
  hashText(keys.person, anonymousId, PERSON_KEY_TAGS.anonymous, personHash)
  const anonymousKey = personHash.bytes.readBigInt64LE(0)
  const partitionHash = personHash.bytes.readUInt32LE(8)
  hashText(keys.person, userId, PERSON_KEY_TAGS.user, personHash)
  return { anonymousId, userId, anonymousKey, userKey: personHash.bytes.readBigInt64LE(0), partitionHash }
}

/** The stored key of a person, a signed 64-bit integer. */
export function personKeyOf(
  kind: keyof typeof PERSON_KEY_TAGS,
  id: string,
  keys: Pick<WorkspaceHashKeys, 'person'>,
): bigint {
  hashText(keys.person, id, PERSON_KEY_TAGS[kind], personHash)
  return personHash.bytes.readBigInt64LE(0)
}

/** Estimates the bytes of a record with its share of the events. Exact for one partition and ASCII. */
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

/** The identity partition and person keys of a single pair, for the alias endpoint. */
export function identityPairOf(
  anonymousId: string,
  userId: string,
  keys: WorkspaceHashKeys,
  log: { readonly partitions: number; readonly identityPartitions: number },
): { readonly partition: number; readonly pair: IdentityPair } {
  const { partitionHash, ...pair } = pairOf(anonymousId, userId, keys)
  return { partition: log.partitions + partitionOfHash(partitionHash, log.identityPartitions), pair }
}

/** @throws RecordFormatError */
export function readHeader(payload: Uint8Array): RecordHeader {
  checkHeader(payload)
  return new RecordHeader(payload)
}

/** The header of a record whose rest may be damaged. */
export function readableHeader(payload: Uint8Array): RecordHeader | undefined {
  try {
    return readHeader(payload)
  } catch (error) {
    if (!(error instanceof RecordFormatError)) throw error
    return undefined
  }
}

/** Whether a time in milliseconds can be one at which a gateway received something. */
export function isPlausibleReceivedAt(milliseconds: number): boolean {
  return milliseconds >= MIN_RECEIVED_AT && milliseconds < MAX_RECEIVED_AT
}

/** The key that sent a record, and the hour. Undefined if its header is damaged. */
export function keyHourOf(payload: Uint8Array): KeyHour | undefined {
  const header = readableHeader(payload)
  if (header === undefined || !isPlausibleReceivedAt(header.receivedAt)) return undefined
  const { workspaceId, keyId, receivedAt } = header
  return { workspaceId, keyId, hour: startOfHour(receivedAt) }
}

function checkHeader(payload: Uint8Array): void {
  if (payload.length < HEADER_BYTES)
    throw new RecordFormatError(`a record of ${payload.length} bytes has no header`)
  const format = payload[0]
  if (format !== EVENT_FORMAT && format !== IDENTITY_FORMAT)
    throw new RecordFormatError(`record format ${format} is not known to this version`)
}

/**
 * Parses an event record, once for all that read it.
 *
 * @throws RecordFormatError if it is damaged; then it is refused as a whole
 */
export function parseEventRecord(payload: Uint8Array): EventRecord {
  checkHeader(payload)
  if (payload[0] !== EVENT_FORMAT) throw new RecordFormatError('not an event record')
  const count = recordCount(payload)
  const lengthsAt = payload.length - count * 4
  let end = HEADER_BYTES
  for (let i = 0; i < count && lengthsAt >= HEADER_BYTES; i++) {
    const length = readUint32(payload, lengthsAt + i * 4)
    if (length < ROW.fixedBytes + 6) throw new RecordFormatError(`row ${i} has ${length} bytes`)
    end += length
  }
  if (end !== lengthsAt) throw new RecordFormatError(`rows end at ${end} of ${lengthsAt} bytes`)
  return new EventRecord(payload)
}

/** The number of rows a record claims to have. 0 if it is too short to say. */
export function recordCount(payload: Uint8Array): number {
  return (payload[2] ?? 0) | ((payload[3] ?? 0) << 8)
}

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

function encodePairs(head: BatchHead, pairs: readonly IdentityPair[]): Uint8Array {
  let bytes = HEADER_BYTES
  for (const pair of pairs) bytes += 20 + Buffer.byteLength(pair.anonymousId) + Buffer.byteLength(pair.userId)
  const out = Buffer.alloc(bytes)
  writeHeader(out, 0, IDENTITY_FORMAT, head, pairs.length)
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
