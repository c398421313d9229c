import type { Sql } from '../../postgres/driver/client.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import { errorMessage } from '../../runtime/errors.js'
import type { Logger } from '../../runtime/logger.js'
import type { IngestRefusal } from '../http/errors.js'
import type { KeyHolder } from './authenticate.js'
import { limitHeaders } from './limit-headers.js'

type LimitKind = 'requests' | 'events'

/** Per server key, unless its workspace has its own limits. */
const DEFAULT_RATES: Readonly<Record<LimitKind, number>> = { requests: 2_000, events: 500_000 }
const BURST_SECONDS = 2
/** Tokens are fetched for this much time ahead, so few lie idle when a key moves to another gateway. */
const PREFETCH_SECONDS = 0.05
/**
 * Long enough for a busy Postgres, since gateways without it admit more in total. Only the first request
 * waits.
 */
const FETCH_TIMEOUT_MS = 1_000
/** After a failure Postgres is asked again this often; no request waits for it. */
const RETRY_MS = 1_000
/** An empty bucket is not asked again sooner than this. */
const MIN_WAIT_MS = 10
const MAX_BUCKETS = 20_000

interface Bucket {
  readonly rate: number
  /** Tokens fetched from Postgres and not spent yet. */
  prefetched: number
  /** Tokens of this gateway's local bucket, used while Postgres is down. */
  localTokens: number
  localRefilledAt: number
  emptyUntil: number
  fetching: Promise<void> | undefined
}

/**
 * Token buckets per server key. They are in Postgres; each gateway fetches a few tokens ahead of need, so the
 * limit holds over all gateways and requests seldom wait. Without Postgres each gateway limits on its own.
 */
export class RateLimits {
  private readonly buckets: Readonly<Record<LimitKind, Map<string, Bucket>>> = {
    requests: new Map(),
    events: new Map(),
  }
  private isLocal = false
  private retryAt = Number.NEGATIVE_INFINITY

  /** @param options.clock milliseconds that only grow */
  constructor(
    private readonly options: { readonly sql: Sql; readonly logger: Logger; readonly clock: () => number },
  ) {}

  /**
   * Spends tokens of a caller; a refusal if there are too few. Returns a promise only if tokens must be
   * fetched.
   */
  spend(
    caller: KeyHolder,
    kind: LimitKind,
    amount: number,
  ): IngestRefusal | undefined | Promise<IngestRefusal | undefined> {
    const bucket = this.bucketOf(caller, kind)
    if (this.trySpend(bucket, amount)) {
      if (this.isLocal || bucket.prefetched < prefetchAmount(bucket) / 2) this.prefetch(caller, kind, bucket)
      return undefined
    }
    if (this.isLocal) this.prefetch(caller, kind, bucket)
    if (this.isLocal || this.options.clock() < bucket.emptyUntil) return this.refusal(bucket, kind)
    return this.spendAfterFetch(caller, kind, bucket, amount)
  }

  private async spendAfterFetch(
    caller: KeyHolder,
    kind: LimitKind,
    bucket: Bucket,
    amount: number,
  ): Promise<IngestRefusal | undefined> {
    // Other requests that wait for the same tokens may take them first.
    for (let attempt = 0; attempt < 3; attempt++) {
      bucket.fetching ??= this.fetchTokens(caller, kind, bucket, amount)
      await bucket.fetching
      if (this.trySpend(bucket, amount)) return undefined
      if (this.isLocal || this.options.clock() < bucket.emptyUntil) break
    }
    return this.refusal(bucket, kind)
  }

  private trySpend(bucket: Bucket, amount: number): boolean {
    const now = this.options.clock()
    const capacity = bucket.rate * BURST_SECONDS
    const elapsed = (now - bucket.localRefilledAt) / 1_000
    bucket.localTokens = Math.min(capacity, bucket.localTokens + elapsed * bucket.rate)
    bucket.localRefilledAt = now
    const enough = this.isLocal
      ? bucket.localTokens >= Math.min(amount, capacity)
      : bucket.prefetched >= amount
    if (!enough) return false
    bucket.localTokens -= amount
    bucket.prefetched = Math.max(0, bucket.prefetched - amount)
    return true
  }

  private prefetch(caller: KeyHolder, kind: LimitKind, bucket: Bucket): void {
    const now = this.options.clock()
    if (bucket.fetching !== undefined || now < bucket.emptyUntil || (this.isLocal && now < this.retryAt))
      return
    bucket.fetching = this.fetchTokens(caller, kind, bucket, 1)
  }

  /** Fetches tokens. Never rejects: if Postgres fails, the gateway uses its local buckets for a while. */
  private async fetchTokens(
    caller: KeyHolder,
    kind: LimitKind,
    bucket: Bucket,
    needed: number,
  ): Promise<void> {
    const { sql, clock, logger } = this.options
    try {
      const wanted = Math.max(needed, prefetchAmount(bucket))
      const capacity = bucket.rate * BURST_SECONDS
      const rows = await withTimeout(
        FETCH_TIMEOUT_MS,
        'Postgres, the rate limit',
        sql<{ granted: number; level: number }[]>`
          select granted, level from take_tokens(${caller.credential.id}, ${kind}, ${needed}, ${wanted},
            ${bucket.rate}, ${capacity})`,
      )
      this.isLocal = false
      const { granted, level } = rows[0] ?? { granted: 0, level: 0 }
      bucket.prefetched += granted
      if (granted === 0) {
        const missing = Math.min(needed, capacity) - level
        bucket.emptyUntil = clock() + Math.max(MIN_WAIT_MS, (missing / bucket.rate) * 1_000)
      }
    } catch (error) {
      this.isLocal = true
      this.retryAt = clock() + RETRY_MS
      logger.warn(
        { error: errorMessage(error) },
        'Rate limits not shared: Postgres unavailable, this gateway limits on its own',
      )
    } finally {
      bucket.fetching = undefined
    }
  }

  private bucketOf(caller: KeyHolder, kind: LimitKind): Bucket {
    const { id, workspace } = caller.credential
    const rate =
      (kind === 'requests' ? workspace.requestsPerSecond : workspace.eventsPerSecond) ?? DEFAULT_RATES[kind]
    const buckets = this.buckets[kind]
    const known = buckets.get(id)
    if (known?.rate === rate) return known
    if (buckets.size >= MAX_BUCKETS) buckets.clear()
    const bucket: Bucket = {
      rate,
      prefetched: 0,
      localTokens: rate * BURST_SECONDS,
      localRefilledAt: this.options.clock(),
      emptyUntil: Number.NEGATIVE_INFINITY,
      fetching: undefined,
    }
    buckets.set(id, bucket)
    return bucket
  }

  private refusal(bucket: Bucket, kind: LimitKind): IngestRefusal {
    const seconds = Math.max(1, Math.ceil((bucket.emptyUntil - this.options.clock()) / 1_000))
    return {
      code: 'RATE_LIMITED',
      message: `this key exceeded ${bucket.rate} ${kind} per second; nothing was recorded: wait ${seconds} s and send the request again`,
      headers: limitHeaders(bucket.rate, Math.floor(bucket.prefetched), seconds),
    }
  }
}

function prefetchAmount(bucket: Bucket): number {
  return Math.max(1, Math.floor(bucket.rate * PREFETCH_SECONDS))
}
