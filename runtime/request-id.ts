import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'

const BYTES_EACH = 16
const pool = new Uint8Array(BYTES_EACH * 256)
let used = pool.length

/** A UUIDv7 for a request; two of the same millisecond are in no order. Randomness is drawn for many at once: a call to the system for each would cost more than the rest. */
export function newRequestId(milliseconds: number): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const random = pool.subarray(used, used + BYTES_EACH)
  used += BYTES_EACH
  return v7({ msecs: milliseconds, random })
}
