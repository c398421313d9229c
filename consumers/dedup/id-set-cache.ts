import { setImmediate as nextTurn } from 'node:timers/promises'
import { DedupSet } from './dedup-set.js'
import { PagePool } from './page-pool.js'
import { PendingHashes } from './pending-hashes.js'

/** An entry unused for so many uses of others is dropped before others shrink. */
const DISUSED_AFTER = 1_000
/** How long evicting may block other work. */
const TURN_MS = 20

export interface CachedIdSet {
  readonly key: string
  readonly partition: number
  readonly seen: DedupSet
  usedAt: number
  /** Settles when all stored ids are in the set. */
  ready: Promise<void>
}

/**
 * The id sets in memory. Within the bound they are exact. Above it tables become filters one by one, least
 * recently used months first, then coarser filters, then nothing.
 */
export class IdSetCache {
  private readonly pool = new PagePool()
  private readonly entries = new Map<string, CachedIdSet>()
  private readonly pendings = new Map<number, PendingHashes>()
  private uses = 0

  constructor(private readonly maxBytes: number) {}

  /** The hashes of the current block, for all its months. */
  pending(partition: number): PendingHashes {
    const pending = this.pendings.get(partition) ?? new PendingHashes()
    this.pendings.set(partition, pending)
    return pending
  }

  getOrFill(partition: number, month: number, fill: (cached: CachedIdSet) => Promise<void>): CachedIdSet {
    const key = `${partition}:${month}`
    let cached = this.entries.get(key)
    if (cached === undefined) {
      cached = {
        key,
        partition,
        seen: new DedupSet(this.pool),
        usedAt: ++this.uses,
        ready: Promise.resolve(),
      }
      this.entries.set(key, cached)
      cached.ready = fill(cached)
      // Attach a no-op catch, because the caller may not be awaiting this promise yet.
      cached.ready.catch(() => {})
    }
    cached.usedAt = ++this.uses
    return cached
  }

  release(cached: CachedIdSet): void {
    if (this.entries.get(cached.key) === cached) this.entries.delete(cached.key)
    cached.seen.release()
  }

  dropPartition(partition: number): void {
    for (const cached of this.entries.values()) if (cached.partition === partition) this.release(cached)
    this.pendings.delete(partition)
  }

  /** Brings memory back within the bound. Sets in `keep` may become smaller but stay. */
  async evict(keep: ReadonlySet<DedupSet>): Promise<void> {
    let turn = performance.now()
    for (let excess = this.excess(); excess > 0; excess = this.excess()) {
      if (!this.evictOne(keep, excess)) return
      if (performance.now() - turn < TURN_MS) continue
      await nextTurn()
      turn = performance.now()
    }
  }

  size(): { readonly entries: number; readonly bytes: number } {
    let entries = 0
    for (const { seen } of this.entries.values()) entries += seen.size
    return { entries, bytes: this.bytes() }
  }

  private bytes(): number {
    let bytes = this.pool.idleBytes
    for (const { seen } of this.entries.values()) bytes += seen.bytes
    for (const pending of this.pendings.values()) bytes += pending.bytes
    return bytes
  }

  private excess(): number {
    return this.bytes() - this.maxBytes
  }

  /** Does the cheapest step that frees memory. The caller repeats it until it is enough. */
  private evictOne(keep: ReadonlySet<DedupSet>, excess: number): boolean {
    if (this.pool.trim(excess)) return true
    const byUse = [...this.entries.values()].sort((a, b) => a.usedAt - b.usedAt)
    const given = (cached: CachedIdSet | undefined): boolean => {
      if (cached !== undefined) this.release(cached)
      return cached !== undefined
    }
    const spare = byUse.filter(({ seen }) => !keep.has(seen))
    if (given(spare.find(({ usedAt }) => usedAt < this.uses - DISUSED_AFTER))) return true
    if (byUse.some(({ seen }) => seen.compact())) return true
    if (byUse.some(({ seen }) => seen.downsample())) return true
    return given(spare[0])
  }
}
