import type { ClickHouse } from '../clickhouse/port.js'
import { monthBounds } from '../domain/month.js'
import type { EventLog } from '../log/port.js'
import { DedupSet, PendingHashes } from './dedup-set.js'

/** Hashes fetched at a time: some 25 MB of text. */
const PAGE_HASHES = 1_200_000
const HASH_BYTES = 16

/** The ids of one partition and month. */
export interface MonthIds {
  /** Stored in ClickHouse. */
  readonly seen: DedupSet
  /** In the block that is being stored. */
  readonly pending: PendingHashes
}

interface Entry extends MonthIds {
  readonly partition: number
  readonly month: number
  usedAt: number
}

export interface SeenIds {
  /**
   * The ids of each month, from ClickHouse where they are not in memory. Only rows of this partition below offset `before` count
   * as stored: later ones belong to a block that is being carried out again and must come out as it did.
   */
  open(partition: number, months: Iterable<number>, before: number): Promise<Map<number, MonthIds>>
  /** Forgets a partition's ids: another owner may have stored more since. */
  drop(partition: number): void
  /** Drops what has not been used for longest until the rest is within the bound; `keep` stays. */
  shrink(keep: ReadonlySet<MonthIds>): void
  size(): { readonly entries: number; readonly bytes: number }
}

/**
 * Which ids have been stored, by partition and month: exact sets in memory, filled from ClickHouse, which is the truth, when first
 * needed, and dropped by disuse, never by the clock: backlogs and replays come late.
 *
 * A single month above the bound is kept whole for now. A compact filter whose hits are looked up belongs behind `MonthIds`.
 */
export function createSeenIds(
  clickhouse: ClickHouse,
  log: Pick<EventLog, 'id' | 'partitions'>,
  memoryBytes: number,
): SeenIds {
  const entries = new Map<string, Entry>()
  let uses = 0

  return {
    async open(partition, months, before) {
      const found = new Map<number, MonthIds>()
      for (const month of months) {
        const key = `${partition}:${month}`
        let entry = entries.get(key)
        if (entry === undefined) {
          const seen = new DedupSet()
          await fillFromStore(clickhouse, log, { partition, month, before }, seen)
          entry = { partition, month, seen, pending: new PendingHashes(), usedAt: 0 }
          entries.set(key, entry)
        }
        entry.usedAt = ++uses
        found.set(month, entry)
      }
      return found
    },

    drop(partition) {
      for (const [key, entry] of entries) if (entry.partition === partition) entries.delete(key)
    },

    shrink(keep) {
      let bytes = 0
      for (const entry of entries.values()) bytes += entry.seen.bytes
      if (bytes <= memoryBytes) return
      for (const [key, entry] of [...entries].sort(([, a], [, b]) => a.usedAt - b.usedAt)) {
        if (bytes <= memoryBytes) return
        if (keep.has(entry)) continue
        entries.delete(key)
        bytes -= entry.seen.bytes
      }
    },

    size() {
      let count = 0
      let bytes = 0
      for (const { seen } of entries.values()) {
        count += seen.size
        bytes += seen.bytes
      }
      return { entries: count, bytes }
    },
  }
}

export interface StoredScope {
  readonly partition: number
  readonly month: number
  readonly before: number
}

/** The condition of the stored rows whose ids belong to a scope. Equal ids meet in one partition, whatever log they came from. */
const IN_SCOPE = `received_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND received_at < fromUnixTimestamp64Milli({to:Int64}, 'UTC')
  AND insert_hash != 0 AND toUInt32(insert_hash) % {partitions:UInt32} = {partition:UInt32}
  AND NOT (log_id = {log:UUID} AND log_partition = {partition:UInt32} AND log_offset >= {before:UInt64})`

/**
 * Streams the stored hashes of a partition and month into a set, in pages by the hash's highest bits, as one text each: as JSON rows they would cost ten times that.
 */
export async function fillFromStore(
  clickhouse: ClickHouse,
  log: Pick<EventLog, 'id' | 'partitions'>,
  scope: StoredScope,
  into: DedupSet,
  pageHashes = PAGE_HASHES,
): Promise<void> {
  const { from, to } = monthBounds(scope.month)
  const params = {
    from,
    to,
    partitions: log.partitions,
    partition: scope.partition,
    log: log.id,
    before: scope.before,
  }
  const counted = await clickhouse.query<{ n: number }>(`SELECT count() AS n FROM events WHERE ${IN_SCOPE}`, {
    params,
  })
  const stored = counted.rows[0]?.n ?? 0
  if (stored === 0) return
  const pageBits = Math.max(0, Math.ceil(Math.log2(stored / pageHashes)))
  for (let page = 0; page < 2 ** pageBits; page++) {
    const { rows } = await clickhouse.query<{ hashes: string }>(
      `SELECT base64Encode(toString(groupArrayState(insert_hash))) AS hashes
      FROM events WHERE ${IN_SCOPE} AND bitShiftRight(insert_hash, {shift:UInt8}) = {page:UInt32}`,
      { params: { ...params, shift: 128 - pageBits, page } },
    )
    addAll(Buffer.from(rows[0]?.hashes ?? '', 'base64'), into)
  }
}

/**
 * Adds the hashes of a `groupArray` state: their number as a varint, then sixteen bytes each. (Joined as strings they would lose the zeros at their
 * ends.) ClickHouse keeps such states in tables, so the form is a lasting one.
 */
function addAll(state: Buffer, into: DedupSet): void {
  let count = 0
  let at = 0
  for (let scale = 1; ; scale *= 128) {
    const byte = state[at++] ?? 0
    count += (byte & 127) * scale
    if (byte < 128) break
  }
  if (state.length !== at + count * HASH_BYTES)
    throw new Error(`${state.length} bytes are no list of ${count} hashes`)
  const view = new DataView(state.buffer, state.byteOffset, state.byteLength)
  for (; at < state.length; at += HASH_BYTES)
    into.add(
      view.getInt32(at, true),
      view.getInt32(at + 4, true),
      view.getInt32(at + 8, true),
      view.getInt32(at + 12, true),
    )
}
