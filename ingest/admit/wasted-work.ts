import { TokenBuckets } from '../../runtime/concurrency/token-buckets.js'
import type { IngestRefusal } from '../http/errors.js'
import type { KeyHolder } from './authenticate.js'
import { limitHeaders } from './limit-headers.js'

/** A refused body of usual events costs some 50 nanoseconds of CPU for each of these bytes. */
const BYTES_PER_SECOND = 32 * 1024 * 1024
/** A client that tries out what is wrong with its largest bodies reads the reason each time. */
const BURST_SECONDS = 16
/** A large body is decoded beside the gateway's thread, and one of them must not shut a key out for long. */
const MAX_CHARGE_BYTES = BYTES_PER_SECOND

/**
 * Limits the work that a key causes for nothing: the bytes and values of refused bodies, and those that no
 * valid event needs. The rates of requests and events do not know how large or how wrong a body is. Each
 * gateway has its own limits, because the work is its own.
 */
export class WastedWork {
  private readonly buckets: TokenBuckets

  /** @param clock milliseconds that only grow */
  constructor(clock: () => number) {
    this.buckets = new TokenBuckets(BYTES_PER_SECOND, clock, BURST_SECONDS)
  }

  /** A refusal if the key has used up what it may waste. */
  refusal(caller: KeyHolder): IngestRefusal | undefined {
    const bucket = this.buckets.find(caller.credential.id)
    if (bucket === undefined || bucket.tokens > 0) return undefined
    const seconds = Math.max(1, Math.ceil(-bucket.tokens / BYTES_PER_SECOND))
    return {
      code: 'RATE_LIMITED',
      message: `this key sent too much that was refused; nothing was recorded: correct what earlier answers name, wait ${seconds} s and send the request again`,
      headers: limitHeaders(BYTES_PER_SECOND, 0, seconds),
    }
  }

  charge(caller: KeyHolder, bytes: number): void {
    if (bytes > 0) this.buckets.of(caller.credential.id).tokens -= Math.min(bytes, MAX_CHARGE_BYTES)
  }
}
