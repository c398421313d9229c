import { readInt64, readUint32, writeInt64 } from '../../domain/row.js'
import { LogError } from '../port.js'

/**
 * How LMDB stores records. Consecutive small records of one transaction and partition share a value. A large
 * record has its own value and is not copied.
 *
 *   key    u16 partition, u64 offset of the first record, u32 number of records;
 *          big-endian, so that keys sort by partition and offset
 *   value  of one record: its payload
 *          of several: a u32 length for each, little-endian, then the payloads
 */
const GROUP_KEY_BYTES = 14

/** Partition numbers stay below this. Keys of the log's metadata start with it, so they sort last. */
export const MAX_PARTITIONS = 0xffff

/** A key of the log's metadata. */
export function bookkeepingKey(name: string): Buffer {
  const key = Buffer.alloc(2 + name.length)
  key.writeUInt16BE(MAX_PARTITIONS, 0)
  key.write(name, 2, 'latin1')
  return key
}

/** From this size on a record has its own value. */
const LARGE_PAYLOAD_BYTES = 16 * 1024
/** Maximum size of the payloads that share a value. */
const GROUP_BYTES = 512 * 1024

export interface GroupKey {
  readonly partition: number
  readonly firstOffset: number
  readonly count: number
}

export function groupKey(partition: number, firstOffset: number, count: number): Buffer {
  const key = Buffer.allocUnsafe(GROUP_KEY_BYTES)
  key.writeUInt16BE(partition, 0)
  key.writeUInt32BE(Math.floor(firstOffset / 2 ** 32), 2)
  key.writeUInt32BE(firstOffset % 2 ** 32, 6)
  key.writeUInt32BE(count, 10)
  return key
}

export function readGroupKey(key: Uint8Array): GroupKey {
  if (key.length !== GROUP_KEY_BYTES) throw new LogError('damaged', `a key of ${key.length} bytes in the log`)
  const view = new DataView(key.buffer, key.byteOffset, GROUP_KEY_BYTES)
  const firstOffset = view.getUint32(2) * 2 ** 32 + view.getUint32(6)
  const count = view.getUint32(10)
  if (count === 0) throw new LogError('damaged', `an empty group at offset ${firstOffset}`)
  return { partition: view.getUint16(0), firstOffset, count }
}

/** Divides the payloads that a transaction adds to one partition into values, in order. */
export function encodeGroups(
  payloads: readonly Uint8Array[],
): { readonly count: number; readonly value: Uint8Array }[] {
  const groups: { readonly count: number; readonly value: Uint8Array }[] = []
  let run: Uint8Array[] = []
  let runBytes = 0
  const finish = (): void => {
    const first = run[0]
    if (first !== undefined)
      groups.push({ count: run.length, value: run.length === 1 ? first : pack(run, runBytes) })
    run = []
    runBytes = 0
  }
  for (const payload of payloads) {
    if (payload.length >= LARGE_PAYLOAD_BYTES) {
      finish()
      groups.push({ count: 1, value: payload })
      continue
    }
    if (runBytes + payload.length > GROUP_BYTES) finish()
    run.push(payload)
    runBytes += payload.length
  }
  finish()
  return groups
}

function pack(payloads: readonly Uint8Array[], bytes: number): Uint8Array {
  const value = Buffer.allocUnsafe(payloads.length * 4 + bytes)
  let at = payloads.length * 4
  for (let i = 0; i < payloads.length; i++) {
    const payload = payloads[i]
    if (payload === undefined) continue
    value.writeUInt32LE(payload.length, i * 4)
    value.set(payload, at)
    at += payload.length
  }
  return value
}

/**
 * The payloads of a value, as views into it.
 * @throws LogError `damaged` if the lengths do not add up to the size of the value
 */
export function decodeGroup(key: GroupKey, value: Uint8Array): Uint8Array[] {
  if (key.count === 1) return [value]
  const payloads: Uint8Array[] = []
  let at = key.count * 4
  for (let i = 0; i < key.count && at <= value.length; i++) {
    const end = at + readUint32(value, i * 4)
    payloads.push(value.subarray(at, end))
    at = end
  }
  if (at !== value.length)
    throw new LogError(
      'damaged',
      `the group of ${key.count} records at offset ${key.firstOffset} of partition ${key.partition} is damaged: ${value.length} bytes are stored, ${at} expected`,
    )
  return payloads
}

/** The next offset of every partition, as consecutive 64-bit integers. */
export function encodeOffsets(offsets: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(offsets.length * 8)
  for (let i = 0; i < offsets.length; i++) writeInt64(bytes, i * 8, offsets[i] ?? 0)
  return bytes
}

export function decodeOffsets(bytes: Uint8Array, count: number): number[] {
  if (bytes.length !== count * 8)
    throw new LogError(
      'damaged',
      `offsets of ${count} partitions take ${count * 8} bytes, not ${bytes.length}`,
    )
  return Array.from({ length: count }, (_, i) => readInt64(bytes, i * 8))
}
