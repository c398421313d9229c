import { setImmediate as nextTurn } from 'node:timers/promises'
import { DedupSet } from './dedup-set.js'
import { PagePool } from './page-pool.js'
import { PendingHashes } from './pending-hashes.js'

/** An entry that was not among so many last uses of any is dropped before others are made smaller. */
const DISUSED_AFTER = 1_000
/** How long making room may hold other work up. */
const TURN_MS = 20

/** The ids of a partition and month. */
export interface Held {
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
export class HeldIds {
  private readonly pool = new PagePool()
  private readonly entries = new Map<string, Held>()
  private readonly pendings = new Map<number, PendingHashes>()
  private uses = 0

  constructor(private readonly boundBytes: number) {}

  /** Of the block at work, for all its months. */
  pending(partition: number): PendingHashes {
    const pending = this.pendings.get(partition) ?? new PendingHashes()
    this.pendings.set(partition, pending)
    return pending
  }

  /** What is held of a partition and month; `fill` begins where nothing is. */
  use(partition: number, month: number, fill: (held: Held) => Promise<void>): Held {
    const key = `${partition}:${month}`
    let held = this.entries.get(key)
    if (held === undefined) {
      held = { key, partition, seen: new DedupSet(this.pool), usedAt: ++this.uses, ready: Promise.resolve() }
      this.entries.set(key, held)
      held.ready = fill(held)
      // Whoever waits is told; nobody may.
      held.ready.catch(() => {})
    }
    held.usedAt = ++this.uses
    return held
  }

  release(held: Held): void {
    if (this.entries.get(held.key) === held) this.entries.delete(held.key)
    held.seen.release()
  }

  drop(partition: number): void {
    for (const held of this.entries.values()) if (held.partition === partition) this.release(held)
    this.pendings.delete(partition)
  }

  /** Brings memory back within the bound. What is in `keep` may become smaller but stays. */
  async makeFit(keep: ReadonlySet<DedupSet>): Promise<void> {
    let turn = performance.now()
    for (let excess = this.excess(); excess > 0; excess = this.excess()) {
      if (!this.makeRoom(keep, excess)) return
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
    return this.bytes() - this.boundBytes
  }

  /** The least painful first; the caller asks again until it is enough. */
  private makeRoom(keep: ReadonlySet<DedupSet>, excess: number): boolean {
    if (this.pool.trim(excess)) return true
    const byUse = [...this.entries.values()].sort((a, b) => a.usedAt - b.usedAt)
    const given = (held: Held | undefined): boolean => {
      if (held !== undefined) this.release(held)
      return held !== undefined
    }
    const spare = byUse.filter(({ seen }) => !keep.has(seen))
    if (given(spare.find(({ usedAt }) => usedAt < this.uses - DISUSED_AFTER))) return true
    if (byUse.some(({ seen }) => seen.compact())) return true
    if (byUse.some(({ seen }) => seen.thin())) return true
    return given(spare[0])
  }
}
