import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'

const BYTES = 16
/** Random bytes are dear one request at a time. */
const pool = new Uint8Array(BYTES * 256)
let used = pool.length

/** A new UUIDv7 for one request. Two of the same millisecond are in no order. */
export function newRequestId(now: number): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const random = pool.subarray(used, used + BYTES)
  used += BYTES
  return v7({ random, msecs: now })
}
