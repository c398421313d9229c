/** Maximum number of buckets. Beyond it the oldest is dropped, and its name starts with a full one again. */
const MAX_BUCKETS = 20_000

/** `tokens` may become negative: the bucket then has to be refilled before it allows anything. */
export interface TokenBucket {
  tokens: number
  /** Milliseconds of the clock at the last refill. */
  refilledAt: number
}

/** Token buckets by name, in the memory of this process. */
export class TokenBuckets {
  private readonly buckets = new Map<string, TokenBucket>()

  /**
   * @param rate tokens per second
   * @param clock milliseconds that only grow
   * @param burstSeconds a full bucket holds the tokens of so many seconds
   */
  constructor(
    readonly rate: number,
    private readonly clock: () => number,
    private readonly burstSeconds = 2,
  ) {}

  /** The bucket of a name, refilled up to now. */
  of(name: string): TokenBucket {
    const bucket = this.find(name)
    if (bucket !== undefined) return bucket
    const [oldest] = this.buckets.size >= MAX_BUCKETS ? this.buckets.keys() : []
    if (oldest !== undefined) this.buckets.delete(oldest)
    const full = { tokens: this.rate * this.burstSeconds, refilledAt: this.clock() }
    this.buckets.set(name, full)
    return full
  }

  /** The bucket of a name, refilled up to now. Undefined if the name has none yet, which means a full one. */
  find(name: string): TokenBucket | undefined {
    const bucket = this.buckets.get(name)
    if (bucket === undefined) return undefined
    const now = this.clock()
    const refilled = bucket.tokens + ((now - bucket.refilledAt) / 1_000) * this.rate
    bucket.tokens = Math.min(refilled, this.rate * this.burstSeconds)
    bucket.refilledAt = now
    return bucket
  }
}
