import { type ClickHouse, MAX_RESPONSE_BYTES } from '../../clickhouse/port.js'
import type { EventLog } from '../../log/port.js'
import { DedupSet, PREFETCH_ROWS } from './dedup-set.js'
import type { NewestId } from './id-snapshot.js'

const HASH_BYTES = 16
export const PAGE_HASHES = MAX_RESPONSE_BYTES / HASH_BYTES
const LOOK_UP_HASHES = 50_000
const LOOK_UP_SECONDS = 30
const FILL_SECONDS = 300

/** Rows of one partition and month. Of this partition of the log, only those below offset `before`. */
export interface StoredScope {
  readonly partition: number
  readonly month: number
  readonly before: number
  /** If set, only rows of this partition of the log, from this offset on. Erased rows all the same. */
  readonly since?: number | undefined
}

type LogShape = Pick<EventLog, 'id' | 'partitions'>
type HashSink = Pick<DedupSet, 'prefetch' | 'add'>

/**
 * The stored rows whose ids belong to a scope. Equal ids meet in one partition, whatever log they came from.
 * Table parts are cut by month, so no time has to be read.
 */
const IN_SCOPE = `_partition_id = {month:String} AND insert_hash != 0 AND toUInt32(insert_hash) % {partitions:UInt32} = {partition:UInt32}
  AND NOT (log_id = {log:UUID} AND log_partition = {partition:UInt32} AND log_offset >= {before:UInt64})`

/** Erased rows, whose ids stay known until their month has ended. They lie before every position. */
const ERASED_IN_SCOPE =
  '_partition_id = {month:String} AND toUInt32(insert_hash) % {partitions:UInt32} = {partition:UInt32}'

const SINCE =
  ' AND log_id = {log:UUID} AND log_partition = {partition:UInt32} AND log_offset >= {since:UInt64}'

/** The highest bits of `sortKey`, so that pages come in the order of the ids in a run. */
const IN_PAGE = ' AND bitShiftRight(insert_hash, {shift:UInt8}) = {page:UInt32}'
/** The same for pages of less than a table, of which a row takes several times as long. */
const IN_SMALL_PAGE = ` AND bitShiftRight(bitOr(bitShiftLeft(bitShiftRight(toUInt64(bitShiftRight(insert_hash, 64)), 56), 24),
  bitAnd(bitShiftRight(toUInt64(bitShiftRight(insert_hash, 64)), 8), 16777215)), {shift:UInt8}) = {page:UInt32}`
const KEY_BITS = 32
const TABLE_BITS = 8

/** The hashes of a scope: of rows that are stored, and of rows that were erased. */
function hashesInScope(what: string, { since }: StoredScope, more = ''): string {
  return `SELECT ${what} FROM events WHERE ${IN_SCOPE}${since === undefined ? '' : SINCE}${more}
    UNION ALL SELECT ${what} FROM erased_ids WHERE ${ERASED_IN_SCOPE}${more}`
}

function scopeParams(log: LogShape, { partition, month, before, since = 0 }: StoredScope) {
  return { month: String(month), partitions: log.partitions, partition, log: log.id, before, since }
}

export async function countStored(
  clickhouse: ClickHouse,
  log: LogShape,
  scope: StoredScope,
): Promise<number> {
  const { rows } = await clickhouse.query<{ n: number }>(
    `SELECT sum(n) AS n FROM (${hashesInScope('count() AS n', scope)})`,
    {
      params: scopeParams(log, scope),
      settings: { max_execution_time: FILL_SECONDS },
      readYourWrites: true,
    },
  )
  return rows[0]?.n ?? 0
}

/**
 * Streams the hashes of a scope into a set, in pages by the sort key of the hash. The next page is requested
 * while one is added. `added` may free memory between chunks; `pageAdded` may empty the set after each page.
 */
export async function fillFromStore(
  clickhouse: ClickHouse,
  log: LogShape,
  scope: StoredScope,
  into: HashSink,
  options: {
    readonly stored: number
    readonly pageHashes?: number
    readonly added?: () => Promise<void>
    readonly pageAdded?: () => Promise<void>
  },
): Promise<void> {
  const { stored, pageHashes = PAGE_HASHES, added, pageAdded } = options
  if (stored === 0) return
  const pageBits = Math.max(0, Math.ceil(Math.log2(stored / pageHashes)))
  const isSmall = pageBits > TABLE_BITS
  const ask = (page: number) =>
    startReading(
      clickhouse.rowBinary(hashesInScope('insert_hash', scope, isSmall ? IN_SMALL_PAGE : IN_PAGE), {
        params: { ...scopeParams(log, scope), shift: (isSmall ? KEY_BITS : HASH_BYTES * 8) - pageBits, page },
        settings: { max_execution_time: FILL_SECONDS },
        readYourWrites: true,
      }),
    )
  let next: StartedReading | undefined = ask(0)
  try {
    for (let page = 1; next !== undefined; page++) {
      const current: StartedReading = next
      next = page < 2 ** pageBits ? ask(page) : undefined
      await addAll(current, into, added)
      await pageAdded?.()
    }
  } finally {
    // After a failure, closes the page that was requested ahead, with its file.
    await next?.chunks.return?.()
  }
}

/** Whether an id is stored, or was erased. Reads only what was received at its time. */
export async function isStored(
  clickhouse: ClickHouse,
  month: number,
  { words, receivedAt }: NewestId,
): Promise<boolean> {
  const { rows } = await clickhouse.query<{ n: number }>(
    `SELECT count() AS n FROM (
      SELECT 1 FROM events WHERE _partition_id = {month:String} AND insert_hash = {id:UInt128}
        AND received_at = fromUnixTimestamp64Milli({receivedAt:Int64}, 'UTC')
      UNION ALL SELECT 1 FROM erased_ids WHERE _partition_id = {month:String} AND insert_hash = {id:UInt128})`,
    {
      params: { month: String(month), id: hashNumber(Uint32Array.from(words), 0), receivedAt },
      settings: { max_execution_time: LOOK_UP_SECONDS },
      readYourWrites: true,
    },
  )
  return (rows[0]?.n ?? 0) > 0
}

/**
 * Reads from the table itself which of some rows' hashes are stored, words at `row * 4`.
 *
 * @param again whether rows at or after `before` may be in the table and must not count
 */
export async function findStored(
  clickhouse: ClickHouse,
  log: LogShape,
  scope: StoredScope,
  hashes: Int32Array,
  rows: readonly number[],
  again: boolean,
): Promise<DedupSet> {
  const found = new DedupSet()
  const words = new Uint32Array(hashes.buffer, hashes.byteOffset, hashes.length)
  // An index by hash can serve only without a condition on any other column.
  const condition = again ? IN_SCOPE : '_partition_id = {month:String}'
  const params = again ? scopeParams(log, scope) : { month: String(scope.month) }
  for (let from = 0; from < rows.length; from += LOOK_UP_HASHES) {
    const ids = rows.slice(from, from + LOOK_UP_HASHES).map((row) => hashNumber(words, row * 4))
    const answer = clickhouse.rowBinary(
      `SELECT insert_hash FROM events WHERE ${condition} AND insert_hash IN {ids:Array(UInt128)}
       UNION ALL SELECT insert_hash FROM erased_ids
       WHERE _partition_id = {month:String} AND insert_hash IN {ids:Array(UInt128)}`,
      { params: { ...params, ids }, settings: { max_execution_time: LOOK_UP_SECONDS }, readYourWrites: true },
    )
    await addAll(startReading(answer), found)
  }
  return found
}

/** The UInt128 of four words, lowest first. */
function hashNumber(words: Uint32Array, at: number): bigint {
  let value = 0n
  for (let i = 3; i >= 0; i--) value = (value << 32n) | BigInt(words[at + i] ?? 0)
  return value
}

/** Adds hashes of sixteen bytes, wherever the chunks are cut. */
async function addAll(
  { first, chunks }: StartedReading,
  into: HashSink,
  added?: () => Promise<void>,
): Promise<void> {
  const rest = new Uint8Array(HASH_BYTES)
  let restLength = 0
  try {
    for (let next = await first; next.done !== true; next = await chunks.next()) {
      const chunk = next.value
      let at = 0
      if (restLength > 0) {
        at = Math.min(HASH_BYTES - restLength, chunk.length)
        rest.set(chunk.subarray(0, at), restLength)
        restLength += at
        if (restLength < HASH_BYTES) continue
        addHashes(rest, 0, HASH_BYTES, into)
      }
      const end = at + Math.floor((chunk.length - at) / HASH_BYTES) * HASH_BYTES
      addHashes(chunk, at, end, into)
      restLength = chunk.length - end
      rest.set(chunk.subarray(end))
      await added?.()
    }
  } finally {
    await chunks.return?.()
  }
  if (restLength > 0) throw new Error(`the hashes end with ${restLength} bytes of another`)
}

function addHashes(bytes: Uint8Array, from: number, to: number, into: HashSink): void {
  // A copy, because chunks may start unaligned. Not `slice`, which gives a view of a Buffer.
  const words = new Int32Array(new Uint8Array(bytes.subarray(from, to)).buffer)
  const rows = words.length / 4
  for (let row = 0; row < rows; row += PREFETCH_ROWS) {
    const end = Math.min(row + PREFETCH_ROWS, rows)
    into.prefetch(words, row, end)
    for (let at = row * 4; at < end * 4; at += 4)
      into.add(words[at] as number, words[at + 1] as number, words[at + 2] as number, words[at + 3] as number)
  }
}

type StartedReading = ReturnType<typeof startReading>

/** Requests the first chunk now. A failure is thrown to the reader. */
function startReading(chunks: AsyncIterator<Uint8Array>) {
  const first = chunks.next()
  // The reader awaits it, but maybe only later.
  first.catch(() => {})
  return { first, chunks }
}
