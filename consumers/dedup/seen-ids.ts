import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ClickHouse } from '../../clickhouse/port.js'
import type { EventLog } from '../../log/port.js'
import type { Logger } from '../../runtime/logger.js'
import { type Block, OUTCOME } from '../pipeline/block.js'
import { DedupSet, SEEN } from './dedup-set.js'
import { indexHashes } from './index-hashes.js'
import { PagePool } from './page-pool.js'
import { PendingHashes } from './pending-hashes.js'
import { countStored, fillFromStore, findStored } from './stored-ids.js'

/** A month with fewer ids is read as a whole for a look-up: some 30 ms. */
const INDEX_ABOVE = 2_000_000
/** An entry that was not among so many last uses of any is dropped before others are made smaller. */
const DISUSED_AFTER = 1_000
/** How long making room may hold other work up. */
const TURN_MS = 20

/** The ids of one partition and month, for one block. */
export interface MonthIds {
  /** Stored in ClickHouse. */
  readonly seen: DedupSet
  /** In the block: one for all its months. */
  readonly pending: PendingHashes
  /** Rows of the block of which memory cannot tell whether they are stored. */
  readonly doubtful: number[]
}

interface Entry {
  readonly partition: number
  readonly seen: DedupSet
  usedAt: number
  /** Settles when all stored ids are in the set. */
  ready: Promise<void>
}

export interface SeenIds {
  /**
   * The ids of each month, from ClickHouse where they are not in memory. Only rows of this partition below offset `before` count
   * as stored: later ones belong to a block that is being carried out again and must come out as it did.
   */
  open(partition: number, months: Iterable<number>, before: number): Promise<Map<number, MonthIds>>
  /** Asks ClickHouse about the doubtful rows of a block. `again`: rows from `before` on may be stored, see `findStored`. */
  decide(
    block: Block,
    partition: number,
    months: ReadonlyMap<number, MonthIds>,
    before: number,
    again: boolean,
  ): Promise<void>
  /** Forgets a partition's ids: another owner may have stored more since. */
  drop(partition: number): void
  /** Brings memory back within the bound. What is in `keep` may become smaller but stays. */
  shrink(keep: ReadonlySet<MonthIds>): Promise<void>
  size(): { readonly entries: number; readonly bytes: number }
}

export interface SeenIdsOptions {
  readonly logger?: Pick<Logger, 'info' | 'warn'>
  /** Ids of a month above which look-ups get an index. */
  readonly indexAbove?: number
}

/**
 * Which ids have been stored, by partition and month: in memory, filled from ClickHouse, which is the truth, when first
 * needed, and dropped by disuse, never by the clock: backlogs and replays come late.
 *
 * Within the bound the sets are exact. Above it, the tables of the sets become filters one by one, those of the month used longest ago
 * first, then coarser filters, then nothing at all: what memory cannot decide is asked of ClickHouse, block by block. So any bound gives exact
 * results, and less memory costs speed.
 */
export function createSeenIds(
  clickhouse: ClickHouse,
  log: Pick<EventLog, 'id' | 'partitions'>,
  memoryBytes: number,
  options: SeenIdsOptions = {},
): SeenIds {
  const { logger, indexAbove = INDEX_ABOVE } = options
  const indexed = new Set<number>()
  const pool = new PagePool()
  const entries = new Map<string, Entry>()
  const pendings = new Map<number, PendingHashes>()
  let uses = 0

  function bytesHeld(): number {
    let bytes = pool.idleBytes
    for (const { seen } of entries.values()) bytes += seen.bytes
    for (const pending of pendings.values()) bytes += pending.bytes
    return bytes
  }

  function release(key: string, entry: Entry): void {
    if (entries.get(key) === entry) entries.delete(key)
    entry.seen.release()
  }

  async function load(key: string, entry: Entry, month: number, before: number): Promise<void> {
    const scope = { partition: entry.partition, month, before }
    try {
      const stored = await countStored(clickhouse, log, scope)
      const keep = new Set([entry.seen])
      entry.seen.reserve(stored)
      // Before it is filled: what will not fit is made a filter while it is empty.
      await makeFit(keep)
      if (entry.seen.isBlind) return
      await fillFromStore(clickhouse, log, scope, entry.seen, { stored, added: () => makeFit(keep) })
    } catch (error) {
      release(key, entry)
      throw error
    }
  }

  /** The least painful first; the caller asks again until it is enough. */
  function makeRoom(keep: ReadonlySet<DedupSet>, excess: number): boolean {
    if (pool.trim(excess)) return true
    const byUse = [...entries].sort(([, a], [, b]) => a.usedAt - b.usedAt)
    for (const [key, entry] of byUse)
      if (entry.usedAt < uses - DISUSED_AFTER && !keep.has(entry.seen)) {
        release(key, entry)
        return true
      }
    for (const [, entry] of byUse) if (entry.seen.compact()) return true
    for (const [, entry] of byUse) if (entry.seen.thin()) return true
    for (const [key, entry] of byUse)
      if (!keep.has(entry.seen)) {
        release(key, entry)
        return true
      }
    return false
  }

  async function makeFit(keep: ReadonlySet<DedupSet>): Promise<void> {
    let turn = performance.now()
    for (let excess = bytesHeld() - memoryBytes; excess > 0; excess = bytesHeld() - memoryBytes) {
      if (!makeRoom(keep, excess)) return
      if (performance.now() - turn < TURN_MS) continue
      await nextTurn()
      turn = performance.now()
    }
  }

  /** Once a month and process, beside the work: without it look-ups take longer, no more. */
  function index(month: number): void {
    if (indexed.has(month)) return
    indexed.add(month)
    indexHashes(clickhouse, month).then(
      () => logger?.info({ month }, 'ids beyond the memory bound: the month gets an index by hash'),
      (error: unknown) => logger?.warn({ err: error, month }, 'the month gets no index by hash'),
    )
  }

  return {
    async open(partition, months, before) {
      const pending = pendings.get(partition) ?? new PendingHashes()
      pendings.set(partition, pending)
      const found = new Map<number, MonthIds>()
      for (const month of months) {
        const key = `${partition}:${month}`
        let entry = entries.get(key)
        if (entry === undefined) {
          entry = { partition, seen: new DedupSet(pool), usedAt: ++uses, ready: Promise.resolve() }
          entries.set(key, entry)
          entry.ready = load(key, entry, month, before)
        }
        entry.usedAt = ++uses
        // Also where another call has begun to fill it: a set that lacks ids says no of them.
        await entry.ready
        found.set(month, { seen: entry.seen, pending, doubtful: [] })
      }
      return found
    },

    async decide(block, partition, months, before, again) {
      const { hashes, outcomes } = block
      for (const [month, { doubtful, seen }] of months) {
        if (doubtful.length === 0) continue
        if (seen.known > indexAbove) index(month)
        const scope = { partition, month, before }
        const stored = await findStored(clickhouse, log, scope, hashes, doubtful, again)
        for (const row of doubtful) {
          const at = row * 4
          const found = stored.has(
            hashes[at] as number,
            hashes[at + 1] as number,
            hashes[at + 2] as number,
            hashes[at + 3] as number,
          )
          if (found === SEEN.yes) outcomes[row] = OUTCOME.duplicate
        }
      }
    },

    drop(partition) {
      for (const [key, entry] of entries) if (entry.partition === partition) release(key, entry)
      pendings.delete(partition)
    },

    shrink: (keep) => makeFit(new Set([...keep].map(({ seen }) => seen))),

    size() {
      let count = 0
      for (const { seen } of entries.values()) count += seen.size
      return { entries: count, bytes: bytesHeld() }
    },
  }
}
