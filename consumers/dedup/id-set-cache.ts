import { setImmediate as nextTurn } from 'node:timers/promises'
import { DedupSet } from './dedup-set.js'
import { PagePool } from './page-pool.js'
import { PendingHashes } from './pending-hashes.js'

/** An entry that was not among so many last uses of any is dropped before others are made smaller. */
const DISUSED_AFTER = 1_000
/** How long making room may hold other work up. */
const TURN_MS = 20

/** The ids of a partition and month. */
export interface CachedIdSet {
  readonly key: string
  readonly partition: number
  readonly seen: DedupSet
  usedAt: number
  /** Settles when all stored ids are in the set. */
  ready: Promise<void>
}

/**
 * The ids that are in memory, and what becomes of them when they are more than the bound: within it the sets are exact; above it, the tables of the sets become filters one by
 * one, those of the month used longest ago first, then coarser filters, then nothing at all.
 */
export class IdSetCache {
  private readonly pool = new PagePool()
  private readonly entries = new Map<string, CachedIdSet>()
  private readonly pendings = new Map<number, PendingHashes>()
  private uses = 0

  constructor(private readonly maxBytes: number) {}

  /** Of the block at work, for all its months. */
  pending(partition: number): PendingHashes {
    const pending = this.pendings.get(partition) ?? new PendingHashes()
    this.pendings.set(partition, pending)
    return pending
  }

  /** What is held of a partition and month; `fill` begins where nothing is. */
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
      // Whoever waits is told; nobody may.
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

  /** Brings memory back within the bound. What is in `keep` may become smaller but stays. */
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

  /** The least painful first; the caller asks again until it is enough. */
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
