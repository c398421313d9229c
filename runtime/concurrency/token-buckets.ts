const BURST_SECONDS = 2
/** Beyond it the oldest bucket is forgotten, and begins full again. */
const MAX_BUCKETS = 20_000

/** `tokens` may become negative: the bucket then has to be refilled before it allows anything. */
export interface TokenBucket {
  tokens: number
  refilledAt: number
}

/** Token buckets by name, in the memory of this process, with a burst of two seconds. */
export class TokenBuckets {
  private readonly buckets = new Map<string, TokenBucket>()

  /**
   * @param rate tokens per second
   * @param clock milliseconds that only grow
   */
  constructor(
    readonly rate: number,
    private readonly clock: () => number,
  ) {}

  /** The bucket of a name, refilled up to now. */
  of(name: string): TokenBucket {
    const bucket = this.find(name)
    if (bucket !== undefined) return bucket
    const [oldest] = this.buckets.size >= MAX_BUCKETS ? this.buckets.keys() : []
    if (oldest !== undefined) this.buckets.delete(oldest)
    const full = { tokens: this.rate * BURST_SECONDS, refilledAt: this.clock() }
    this.buckets.set(name, full)
    return full
  }

  /** The same without making one: a bucket that was never used is full. */
  find(name: string): TokenBucket | undefined {
    const bucket = this.buckets.get(name)
    if (bucket === undefined) return undefined
    const now = this.clock()
    const refilled = bucket.tokens + ((now - bucket.refilledAt) / 1_000) * this.rate
    bucket.tokens = Math.min(refilled, this.rate * BURST_SECONDS)
    bucket.refilledAt = now
    return bucket
  }
}
