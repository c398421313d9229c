import { Reader, Writer } from '../protocol/codec.js'
import type { OwnRequest } from '../protocol/connections.js'
import type { AbortedTransaction } from '../protocol/record-batch.js'

export interface FetchRequest {
  readonly topic: string
  /** The broker answers at once if it has any record, else after this. */
  readonly maxWaitMs: number
  /** The response ends about here, except for a single larger batch. */
  readonly maxBytes: number
  readonly maxPartitionBytes: number
  readonly partitions: readonly { readonly index: number; readonly offset: number }[]
}

export type FetchedPartition = ReturnType<typeof decodeResponse>[number]

const FETCH = 1
const VERSION = 11
const READ_COMMITTED = 1
const REQUEST_MS = 3_000

/** Requests records from the leader of some partitions. The answer holds errors of single partitions. */
export function fetchRequest(request: FetchRequest): OwnRequest<FetchedPartition[]> {
  return {
    apiKey: FETCH,
    apiVersion: VERSION,
    apiName: 'Fetch',
    body: encodeRequest(request),
    read: decodeResponse,
    timeoutMs: request.maxWaitMs + REQUEST_MS,
  }
}

function encodeRequest(request: FetchRequest): Buffer {
  const { topic, maxWaitMs, maxBytes, maxPartitionBytes, partitions } = request
  const minBytes = 1
  const consumer = -1
  const noSession = 0
  const noSessionEpoch = -1
  const unknown = -1
  const writer = new Writer()
    .int32(consumer)
    .int32(maxWaitMs)
    .int32(minBytes)
    .int32(maxBytes)
    .int8(READ_COMMITTED)
    .int32(noSession)
    .int32(noSessionEpoch)
    .int32(1)
    .string(topic)
    .int32(partitions.length)
  for (const { index, offset } of partitions)
    writer.int32(index).int32(unknown).int64(offset).int64(unknown).int32(maxPartitionBytes)
  const forgottenTopics = 0
  return writer.int32(forgottenTopics).string('').bytes()
}

function decodeResponse(payload: Buffer) {
  const reader = new Reader(payload)
  reader.int32() // throttled for
  reader.int16() // error of the session
  reader.int32() // session
  const topics = reader.array(reader.int32(), () => {
    reader.string()
    return reader.array(reader.int32(), () => {
      const index = reader.int32()
      const error = reader.int16()
      reader.int64() // high watermark
      /** Transactions below this are decided, and their records may be read. */
      const stableEnd = reader.int64()
      reader.int64() // start of the log
      const aborted: AbortedTransaction[] = reader.array(reader.int32(), () => ({
        producerId: reader.id64(),
        firstOffset: reader.int64(),
      }))
      reader.int32() // a replica that would rather be read from
      /** Consecutive batches. The last one may be cut off. */
      const bytes = reader.bytes(Math.max(0, reader.int32()))
      return { index, error, stableEnd, aborted, bytes }
    })
  })
  return topics.flat()
}
