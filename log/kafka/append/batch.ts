import { crc32c } from '@node-rs/crc32'
import { ATTRIBUTES, CHECKED_FROM, COMPRESSIONS, MAGIC, PREFIX_BYTES } from '../protocol/batch-format.js'
import { COMPRESSED_AT_ONCE, compressLz4 } from '../protocol/lz4.js'
import { Writer } from '../protocol/wire.js'

/** The records of one partition in a group. */
export interface Part {
  readonly topic: string
  readonly partition: number
  readonly payloads: readonly Uint8Array[]
}

/** What a batch says of its producer: a broker takes a batch whose number does not follow for a repetition, or refuses it. */
export interface BatchProducer {
  readonly producerId: bigint
  readonly producerEpoch: number
  /** Records that this producer has sent to the partition before. */
  readonly sequence: number
}

export interface EncodedPart {
  readonly topic: string
  readonly partition: number
  readonly head: Buffer
  /** Compressed. */
  readonly records: Buffer
}

const HEAD_BYTES = 61
const NO_LEADER_EPOCH = -1
const ALL_REPLICAS = -1
/** Of a record beside its payload and numbers: attributes, time, no key, no headers. */
const RECORD_EXTRA_BYTES = 4

/** One record batch, compressed. `now` in milliseconds. */
export async function encodeRecordBatch(
  { topic, partition, payloads }: Part,
  producer: BatchProducer,
  now: number,
): Promise<EncodedPart> {
  const records = await compressLz4(encodeRecords(payloads))
  const head = Buffer.allocUnsafe(HEAD_BYTES)
  let at = head.writeBigInt64BE(0n, 0)
  at = head.writeInt32BE(HEAD_BYTES + records.length - PREFIX_BYTES, at)
  at = head.writeInt32BE(NO_LEADER_EPOCH, at)
  at = head.writeInt8(MAGIC, at)
  at = CHECKED_FROM
  at = head.writeInt16BE(COMPRESSIONS.lz4 | ATTRIBUTES.transactional, at)
  at = head.writeInt32BE(payloads.length - 1, at)
  at = head.writeBigInt64BE(BigInt(now), at)
  at = head.writeBigInt64BE(BigInt(now), at)
  at = head.writeBigInt64BE(producer.producerId, at)
  at = head.writeInt16BE(producer.producerEpoch, at)
  at = head.writeInt32BE(producer.sequence, at)
  head.writeInt32BE(payloads.length, at)
  head.writeUInt32BE(crc32c(records, crc32c(head.subarray(CHECKED_FROM))), CHECKED_FROM - 4)
  return { topic, partition, head, records }
}

/** The body of a Produce request of versions 3 to 8, in pieces. */
export function encodeProduce(
  transactionalId: string,
  timeoutMs: number,
  parts: readonly EncodedPart[],
): Buffer[] {
  const byTopic = groupBy(parts, ({ topic }) => topic)
  const pieces: Buffer[] = [
    new Writer().string(transactionalId).int16(ALL_REPLICAS).int32(timeoutMs).int32(byTopic.size).bytes(),
  ]
  for (const [topic, ofTopic] of byTopic) {
    pieces.push(new Writer().string(topic).int32(ofTopic.length).bytes())
    for (const { partition, head, records } of ofTopic)
      pieces.push(
        new Writer()
          .int32(partition)
          .int32(head.length + records.length)
          .bytes(),
        head,
        records,
      )
  }
  return pieces
}

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

/** What is compressed at once is put together in the same memory each time. */
const scratch = Buffer.allocUnsafeSlow(COMPRESSED_AT_ONCE)

/** Valid until the next call, where it is to be compressed at once. */
function encodeRecords(payloads: readonly Uint8Array[]): Buffer {
  let size = 0
  for (let i = 0; i < payloads.length; i++) {
    const bytes = recordBytes(i, payloads[i]?.length ?? 0)
    size += varintBytes(bytes) + bytes
  }
  const records = size <= scratch.length ? scratch.subarray(0, size) : Buffer.allocUnsafe(size)
  let at = 0
  for (const [i, payload] of payloads.entries()) {
    at = writeVarint(records, recordBytes(i, payload.length), at)
    records[at++] = 0 // attributes
    records[at++] = 0 // time after the first
    at = writeVarint(records, i, at)
    at = writeVarint(records, -1, at) // no key
    at = writeVarint(records, payload.length, at)
    records.set(payload, at)
    at += payload.length
    records[at++] = 0 // headers
  }
  return records
}

function recordBytes(index: number, payload: number): number {
  return RECORD_EXTRA_BYTES + varintBytes(index) + varintBytes(payload) + payload
}

/** Zigzag: the sign is the lowest bit. */
function writeVarint(into: Buffer, value: number, at: number): number {
  let rest = ((value << 1) ^ (value >> 31)) >>> 0
  let end = at
  for (; rest >= 0x80; rest >>>= 7) into[end++] = (rest & 0x7f) | 0x80
  into[end++] = rest
  return end
}

function varintBytes(value: number): number {
  let bytes = 1
  for (let rest = (value << 1) >>> 0; rest >= 0x80; rest >>>= 7) bytes++
  return bytes
}
