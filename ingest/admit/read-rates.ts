import { TokenBuckets } from '../../runtime/concurrency/token-buckets.js'
import type { IngestRefusal } from '../http/errors.js'
import type { KeyHolder } from './authenticate.js'
import { limitHeaders } from './limit-headers.js'

/** A relay asks every three seconds, so that one key serves 1,500 of them. */
const REQUESTS_PER_SECOND = 500

/** Limits the reads of a key, in the memory of each gateway. */
export class ReadRates {
  private readonly buckets: TokenBuckets

  /** @param clock milliseconds that only grow */
  constructor(clock: () => number) {
    this.buckets = new TokenBuckets(REQUESTS_PER_SECOND, clock)
  }

  /** Counts a request; a refusal if there were too many. */
  spend(caller: KeyHolder): IngestRefusal | undefined {
    const bucket = this.buckets.of(caller.credential.id)
    if (bucket.tokens < 1) return REFUSAL
    bucket.tokens--
    return undefined
  }
}

const REFUSAL: IngestRefusal = {
  code: 'RATE_LIMITED',
  message: `this key asked more than ${REQUESTS_PER_SECOND} times per second: keep the last answer, wait a second and ask again`,
  headers: limitHeaders(REQUESTS_PER_SECOND, 0, 1),
}
