import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { crc32c } from '@node-rs/crc32'
import type { StoredRecord } from '../../port.js'
import { ATTRIBUTES, CHECKED_FROM, COMPRESSIONS, MAGIC, PREFIX_BYTES } from './batch-format.js'
import { Reader } from './codec.js'
import { decompressLz4 } from './lz4.js'

/** An aborted transaction. Its records from `firstOffset` to its abort marker do not count. */
export interface AbortedTransaction {
  readonly producerId: bigint
  readonly firstOffset: number
}

interface Batch {
  readonly baseOffset: number
  readonly lastOffset: number
  readonly attributes: number
  readonly producerId: bigint
  readonly count: number
  readonly body: Buffer
}

const unzip = promisify(gunzip)

/**
 * The committed records from offset `from` on, out of consecutive batches, of which the last may be cut off,
 * and the offset after the last whole batch.
 *
 * A batch belongs to an aborted transaction if one of its producer began at or before the batch and has not
 * met its marker. The broker lists aborted transactions by their ends, so they are sorted by their beginnings
 * here: two that overlap come in the other order.
 *
 * Payloads are views of the received bytes. Throws if a checksum does not match.
 */
export async function readCommitted(
  bytes: Buffer,
  aborted: readonly AbortedTransaction[],
  from: number,
): Promise<{ readonly records: StoredRecord[]; readonly next: number }> {
  const beginnings = aborted.toSorted((a, b) => a.firstOffset - b.firstOffset)
  const abortedProducers = new Set<bigint>()
  const records: StoredRecord[] = []
  let next = from
  for (const batch of batches(bytes)) {
    while ((beginnings[0]?.firstOffset ?? Number.POSITIVE_INFINITY) <= batch.lastOffset) {
      const beginning = beginnings.shift()
      if (beginning !== undefined) abortedProducers.add(beginning.producerId)
    }
    const isAborted =
      (batch.attributes & ATTRIBUTES.transactional) !== 0 && abortedProducers.has(batch.producerId)
    if ((batch.attributes & ATTRIBUTES.control) !== 0) abortedProducers.delete(batch.producerId)
    else if (!isAborted && batch.lastOffset >= from) await readRecords(batch, from, records)
    next = Math.max(next, batch.lastOffset + 1)
  }
  return { records, next }
}

function* batches(bytes: Buffer): Generator<Batch> {
  let at = 0
  while (at + PREFIX_BYTES <= bytes.length) {
    const reader = new Reader(bytes, at)
    const baseOffset = reader.int64()
    const end = at + PREFIX_BYTES + reader.int32()
    if (end > bytes.length) return
    reader.int32() // leader epoch
    const magic = reader.int8()
    if (magic !== MAGIC) throw new Error(`records of format ${magic}, and only ${MAGIC} is known`)
    const checksum = reader.int32()
    if (checksum !== (crc32c(bytes.subarray(at + CHECKED_FROM, end)) | 0))
      throw new Error(`the record batch at offset ${baseOffset} is damaged: its checksum is another`)
    const attributes = reader.int16()
    const lastOffset = baseOffset + reader.int32()
    reader.int64() // first time
    reader.int64() // last time
    const producerId = reader.id64()
    reader.int16() // producer epoch
    reader.int32() // first sequence
    const count = reader.int32()
    const body = bytes.subarray(reader.offset, end)
    yield { baseOffset, lastOffset, attributes, producerId, count, body }
    at = end
  }
}

async function readRecords(batch: Batch, from: number, into: StoredRecord[]): Promise<void> {
  const reader = new Reader(await decompress(batch))
  for (let i = 0; i < batch.count; i++) {
    const length = reader.varint()
    const end = reader.offset + length
    reader.int8() // attributes
    reader.skipVarint() // time
    const offset = batch.baseOffset + reader.varint()
    const keyBytes = reader.varint()
    if (keyBytes > 0) reader.bytes(keyBytes)
    const payload = reader.bytes(Math.max(0, reader.varint()))
    reader.bytes(end - reader.offset) // headers
    if (offset >= from) into.push({ offset, payload })
  }
}

async function decompress({ attributes, body }: Batch): Promise<Buffer> {
  switch (attributes & ATTRIBUTES.compression) {
    case COMPRESSIONS.none:
      return body
    case COMPRESSIONS.gzip:
      return unzip(body)
    case COMPRESSIONS.lz4:
      return decompressLz4(body)
    default:
      throw new Error(
        `compression ${attributes & ATTRIBUTES.compression} cannot be read: only none, gzip and lz4 can`,
      )
  }
}
