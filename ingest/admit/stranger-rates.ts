import { networkOf } from '../../runtime/client-address.js'
import { TokenBuckets } from '../../runtime/concurrency/token-buckets.js'
import type { IngestRefusal } from '../http/errors.js'
import { limitHeaders } from './limit-headers.js'

const REQUESTS_PER_SECOND = 200

/**
 * Limits the requests of an address whose keys are missing, wrong or not known here yet. In the memory of
 * each gateway. A key that is known costs nothing.
 */
export class StrangerRates {
  private readonly buckets: TokenBuckets

  /** @param clock milliseconds that only grow */
  constructor(clock: () => number) {
    this.buckets = new TokenBuckets(REQUESTS_PER_SECOND, clock)
  }

  /** A refusal if the address has used up its requests; counts nothing. */
  refusal(address: string): IngestRefusal | undefined {
    return this.buckets.of(networkOf(address)).tokens < 1 ? REFUSAL : undefined
  }

  /** Counts a request; a refusal if there were too many. */
  spend(address: string): IngestRefusal | undefined {
    const refusal = this.refusal(address)
    if (refusal === undefined) this.buckets.of(networkOf(address)).tokens--
    return refusal
  }
}

const REFUSAL: IngestRefusal = {
  code: 'RATE_LIMITED',
  message: `this address exceeded ${REQUESTS_PER_SECOND} requests per second without a valid key; nothing was recorded: check your server key, wait a second and send the request again`,
  headers: limitHeaders(REQUESTS_PER_SECOND, 0, 1),
}
