import { crc32c } from '@node-rs/crc32'
import { ATTRIBUTES, CHECKED_FROM, COMPRESSIONS, MAGIC, PREFIX_BYTES } from '../protocol/batch-format.js'
import { Writer } from '../protocol/codec.js'
import { FrameWriter, maxFrameBytes } from './lz4-frame.js'

export interface PartitionBatch {
  readonly topic: string
  readonly partition: number
  readonly payloads: readonly Uint8Array[]
}

/** Identifies the producer. A broker drops or refuses a batch whose sequence does not follow. */
export interface BatchProducer {
  readonly producerId: bigint
  readonly producerEpoch: number
  /** How many records this producer has sent to a partition before. Called once for each batch. */
  readonly sequenceOf: (batch: PartitionBatch) => number
}

const HEAD_BYTES = 61
const NO_LEADER_EPOCH = -1
const ALL_REPLICAS = -1
/** Bytes of a record beside its payload: attributes, time, no key, no headers, lengths of up to 5 bytes. */
const MAX_RECORD_EXTRA_BYTES = 19
const PARTITION_BYTES = 8

let frames: FrameWriter | undefined

export function maxProduceRequestBytes(transactionalId: string, batches: readonly PartitionBatch[]): number {
  let bytes = 3 * transactionalId.length + 16
  for (const { topic, payloads } of batches) {
    bytes += 3 * topic.length + 6 + PARTITION_BYTES + HEAD_BYTES
    let records = 0
    for (const payload of payloads) records += payload.length + MAX_RECORD_EXTRA_BYTES
    bytes += maxFrameBytes(records)
  }
  return bytes
}

/**
 * Writes the body of a Produce request (versions 3 to 8), one compressed batch for each partition, into
 * memory with room for it. Returns the offset behind it.
 *
 * @param now in milliseconds
 */
export function writeProduce(
  into: Buffer,
  begin: number,
  request: {
    readonly transactionalId: string
    readonly timeoutMs: number
    readonly batches: readonly PartitionBatch[]
    readonly producer: BatchProducer
    readonly now: number
  },
): number {
  const { transactionalId, timeoutMs, batches, producer, now } = request
  const byTopic = groupBy(batches, ({ topic }) => topic)
  const head = new Writer()
    .string(transactionalId)
    .int16(ALL_REPLICAS)
    .int32(timeoutMs)
    .int32(byTopic.size)
    .bytes()
  let at = begin + head.copy(into, begin)
  for (const [topic, ofTopic] of byTopic) {
    at += new Writer().string(topic).int32(ofTopic.length).bytes().copy(into, at)
    for (const batch of ofTopic) {
      const batchAt = at + PARTITION_BYTES
      const end = writeRecordBatch(into, batchAt, batch, producer, now)
      at = into.writeInt32BE(batch.partition, at)
      into.writeInt32BE(end - batchAt, at)
      at = end
    }
  }
  return at
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

function writeRecordBatch(
  into: Buffer,
  begin: number,
  batch: PartitionBatch,
  producer: BatchProducer,
  now: number,
): number {
  const { payloads } = batch
  const end = writeRecords(into, begin + HEAD_BYTES, payloads)
  const head = into.subarray(begin, begin + HEAD_BYTES)
  let at = head.writeBigInt64BE(0n, 0)
  at = head.writeInt32BE(end - begin - PREFIX_BYTES, at)
  at = head.writeInt32BE(NO_LEADER_EPOCH, at)
  at = head.writeInt8(MAGIC, at)
  at = CHECKED_FROM
  at = head.writeInt16BE(COMPRESSIONS.lz4 | ATTRIBUTES.transactional, at)
  at = head.writeInt32BE(payloads.length - 1, at)
  at = head.writeBigInt64BE(BigInt(now), at)
  at = head.writeBigInt64BE(BigInt(now), at)
  at = head.writeBigInt64BE(producer.producerId, at)
  at = head.writeInt16BE(producer.producerEpoch, at)
  at = head.writeInt32BE(producer.sequenceOf(batch), at)
  head.writeInt32BE(payloads.length, at)
  head.writeUInt32BE(crc32c(into.subarray(begin + CHECKED_FROM, end)), CHECKED_FROM - 4)
  return end
}

function writeRecords(into: Buffer, begin: number, payloads: readonly Uint8Array[]): number {
  frames ??= new FrameWriter()
  const { bytes } = frames
  frames.begin(into, begin)
  for (const [i, payload] of payloads.entries()) {
    frames.makeRoom()
    let at = writeVarint(bytes, recordBytes(i, payload.length), frames.at)
    bytes[at++] = 0 // attributes
    bytes[at++] = 0 // time after the first
    at = writeVarint(bytes, i, at)
    at = writeVarint(bytes, -1, at) // no key
    frames.at = writeVarint(bytes, payload.length, at)
    frames.write(payload)
    frames.makeRoom()
    bytes[frames.at++] = 0 // headers
  }
  return frames.end()
}

function recordBytes(index: number, payload: number): number {
  return 4 + varintBytes(index) + varintBytes(payload) + payload
}

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
