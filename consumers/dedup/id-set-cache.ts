import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { IdSet } from './id-set.js'
import { tidyFolder } from './id-snapshot.js'
import { PagePool } from './page-pool.js'
import { PendingHashes } from './pending-hashes.js'

/** An entry unused for so many uses of others is dropped before others shrink. */
const DISUSED_AFTER = 1_000
/** How long evicting may block other work. */
const TURN_MS = 20
/** Of memory an id, with room for what comes while a run is written. */
export const ID_BYTES = 20
/** Fewer ids are not worth a file, even if memory is short. */
const MIN_RUN_IDS = 20_000

export interface CachedIdSet {
  readonly key: string
  readonly partition: number
  readonly month: number
  readonly seen: IdSet
  /** Of its files. */
  readonly folder: string | undefined
  usedAt: number
  /** Ids that the last snapshot knew that was published. */
  publishedIds: number
  /** Memory reserved for filters that another owner has published. */
  filterBytes: number
  /** Settles when all stored ids are in the set. */
  ready: Promise<void>
}

export interface IdSetCacheOptions {
  readonly maxBytes: number
  /** From so many ids in memory on, a set brings them to the disk. */
  readonly runIds: number
  /** Has a folder for each set. Without one, ids stay in memory. */
  readonly folder?: string | undefined
  readonly onDiskFailure?: (error: unknown) => void
}

/**
 * The id sets. Ids beyond the bound of memory go to the disk, if there is a folder, and filters of files
 * become coarser. Otherwise tables become filters one by one, least recently used months first, then coarser
 * filters, then nothing.
 */
export class IdSetCache {
  readonly pool = new PagePool()
  private readonly entries = new Map<string, CachedIdSet>()
  /** Sets that were released and still have files open. The next set of that month waits for them. */
  private readonly closing = new Map<string, Promise<void>>()
  private readonly pendings = new Map<number, PendingHashes>()
  private uses = 0

  constructor(private readonly options: IdSetCacheOptions) {}

  /** The hashes of the current block, for one of its months after the other. */
  pending(partition: number): PendingHashes {
    const pending = this.pendings.get(partition) ?? new PendingHashes()
    this.pendings.set(partition, pending)
    return pending
  }

  getOrFill(partition: number, month: number, fill: (cached: CachedIdSet) => Promise<void>): CachedIdSet {
    const key = `${partition}:${month}`
    let cached = this.entries.get(key)
    if (cached === undefined) {
      const { folder: root, onDiskFailure } = this.options
      const folder = root === undefined ? undefined : join(root, String(month), String(partition))
      cached = {
        key,
        partition,
        month,
        folder,
        seen: new IdSet(this.pool, folder, onDiskFailure),
        usedAt: ++this.uses,
        publishedIds: 0,
        filterBytes: 0,
        ready: Promise.resolve(),
      }
      const filled = cached
      cached.seen.isFilling = true
      this.entries.set(key, cached)
      cached.ready = Promise.resolve(this.closing.get(key)).then(() => fill(filled))
      // Attach a no-op catch, because the caller may not be awaiting this promise yet.
      cached.ready.catch(() => {})
    }
    cached.usedAt = ++this.uses
    return cached
  }

  ofPartition(partition: number): CachedIdSet[] {
    return [...this.entries.values()].filter((cached) => cached.partition === partition)
  }

  /**
   * Reserves memory for published filters of a set. False if those of all sets would not fit. Halved once,
   * they leave half of the memory to other ids.
   */
  reserveFilters(cached: CachedIdSet, bytes: number): boolean {
    cached.filterBytes = bytes
    let reserved = 0
    for (const { filterBytes } of this.entries.values()) reserved += filterBytes
    if (bytes === 0 || reserved <= this.options.maxBytes) return true
    cached.filterBytes = 0
    return false
  }

  release(cached: CachedIdSet): void {
    if (this.entries.get(cached.key) === cached) this.entries.delete(cached.key)
    this.whenClosed(cached, async () => {})
  }

  /** Releases a set, and removes its files, which are damaged. */
  discard(cached: CachedIdSet): void {
    this.release(cached)
    const { folder } = cached
    if (folder !== undefined) this.whenClosed(cached, () => tidyFolder(folder, undefined))
  }

  private whenClosed({ key, seen }: CachedIdSet, then: () => Promise<void>): void {
    const { onDiskFailure } = this.options
    const closed = Promise.all([this.closing.get(key), seen.release()])
      .then(then)
      .catch((error: unknown) => onDiskFailure?.(error))
      .finally(() => {
        if (this.closing.get(key) === closed) this.closing.delete(key)
      })
    this.closing.set(key, closed)
  }

  /** Resolves when the files of all released sets are closed. */
  async closed(): Promise<void> {
    await Promise.all(this.closing.values())
  }

  dropPartition(partition: number): void {
    for (const cached of this.ofPartition(partition)) this.release(cached)
    this.pendings.delete(partition)
  }

  /** Brings memory back within the bound. Sets in `keep` may become smaller but stay. */
  async evict(keep: ReadonlySet<IdSet>): Promise<void> {
    for (const { seen } of this.entries.values())
      if (seen.freezable >= this.options.runIds) void seen.freeze()
    // Frees the pages of sets that are on the disk now, except for those that the next one needs.
    if (this.options.folder !== undefined)
      this.pool.trim(this.pool.idleBytes - this.options.runIds * ID_BYTES)
    let turn = performance.now()
    for (let excess = this.excess(); excess > 0; excess = this.excess()) {
      if (!this.dropUnused(keep, excess)) {
        if (await this.freezeLargest()) continue
        if (!this.shrinkOne(keep)) return
      }
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
    return this.bytes() - this.options.maxBytes
  }

  private dropUnused(keep: ReadonlySet<IdSet>, excess: number): boolean {
    if (this.pool.trim(excess)) return true
    for (const cached of this.entries.values())
      if (!keep.has(cached.seen) && cached.usedAt < this.uses - DISUSED_AFTER) {
        this.release(cached)
        return true
      }
    return false
  }

  /** Waits until the ids of a set are on the disk. False if no set has enough, or if the disk fails. */
  private async freezeLargest(): Promise<boolean> {
    const sets = [...this.entries.values()].map(({ seen }) => seen)
    const freezing = sets.find((seen) => seen.isFreezing)
    const largest = sets.reduce<IdSet | undefined>(
      (most, seen) => (seen.freezable > (most?.freezable ?? MIN_RUN_IDS - 1) ? seen : most),
      undefined,
    )
    const seen = freezing ?? largest
    await seen?.freeze()
    return seen !== undefined
  }

  /** Does the cheapest step that frees memory. The caller repeats it until it is enough. */
  private shrinkOne(keep: ReadonlySet<IdSet>): boolean {
    const byUse = [...this.entries.values()].sort((a, b) => a.usedAt - b.usedAt)
    if (byUse.some(({ seen }) => seen.downsampleRuns())) return true
    if (byUse.some(({ seen }) => seen.compact())) return true
    if (byUse.some(({ seen }) => seen.downsample())) return true
    const spare = byUse.find(({ seen }) => !keep.has(seen))
    if (spare !== undefined) this.release(spare)
    return spare !== undefined
  }
}
