import type { ClickHouse, QueryOptions } from '../../port.js'
import { EVENT_COLUMNS, type EventRow, type ListedEvent, toListed } from './event-cache.js'
import { RECORD_SQL } from './event-id.js'
import type { PageOptions } from './page-bounds.js'

/** Thresholds of the search. Tests make them small. */
export interface SearchLimits {
  /** Up to this many rows are sorted without narrowing the range first. */
  readonly few: number
  /** A page that ends before this row is read from the start; a later one by counting what precedes it. */
  readonly shallow: number
  /** Number of pieces in which a range is counted. */
  readonly pieces: number
}

const SEARCH_LIMITS: SearchLimits = { few: 50_000, shallow: 10_000, pieces: 1_000 }
const SHORTEST_WINDOW_MS = 1_000
const WIDEN = 8

/**
 * A page of a workspace's events by name. The vocabulary knows how many events each name has and between
 * which receipts, so only rows of the page's own names are read, and of a frequent name those near the page.
 */
export async function pageByName(
  clickhouse: ClickHouse,
  options: PageOptions,
  limits: SearchLimits = SEARCH_LIMITS,
): Promise<{ readonly rows: ListedEvent[]; readonly total: number }> {
  const search = { clickhouse, options, limits }
  const names = await countNames(clickhouse, options)
  const total = names.reduce((sum, name) => sum + name.count, 0)
  const rows: ListedEvent[] = []
  if (options.offset < total)
    for (const stretch of stretchesOf(names, options, limits)) rows.push(...(await read(search, stretch)))
  return { rows, total }
}

interface Search {
  readonly clickhouse: ClickHouse
  readonly options: PageOptions
  readonly limits: SearchLimits
}

interface NameCount {
  readonly name: string
  readonly count: number
  readonly firstReceived: number
  readonly lastReceived: number
}

/** Part of a page: `limit` rows from `offset` among the `count` events received in `[from, to)`. */
interface Stretch {
  readonly names: readonly string[]
  readonly count: number
  readonly from: number
  readonly to: number
  readonly offset: number
  readonly limit: number
}

/** The workspace's event counts by name, in the order of the listing. */
async function countNames(clickhouse: ClickHouse, options: PageOptions): Promise<NameCount[]> {
  const { rows } = await clickhouse.query<NameCount>(
    `SELECT
       event AS name,
       sum(count) AS count,
       toUnixTimestamp64Milli(min(first_received)) AS firstReceived,
       toUnixTimestamp64Milli(max(last_received)) AS lastReceived
     FROM event_names
     WHERE workspace_id = {workspaceId:UUID}
     GROUP BY name
     ORDER BY name ${options.sortDir}`,
    bound(options, {}),
  )
  return rows
}

/** Splits the page into runs of names: rare ones together, each frequent one alone with its own search. */
function stretchesOf(names: readonly NameCount[], options: PageOptions, limits: SearchLimits): Stretch[] {
  const stretches: Stretch[] = []
  let skip = options.offset
  let left = options.limit
  for (const { name, count, firstReceived, lastReceived } of names) {
    if (left === 0) break
    if (skip >= count) {
      skip -= count
      continue
    }
    const take = Math.min(left, count - skip)
    const last = stretches.at(-1)
    if (last !== undefined && last.count + count <= limits.few)
      stretches[stretches.length - 1] = {
        names: [...last.names, name],
        count: last.count + count,
        from: Math.min(last.from, firstReceived),
        to: Math.max(last.to, lastReceived + 1),
        offset: last.offset,
        limit: last.limit + take,
      }
    else
      stretches.push({
        names: [name],
        count,
        from: firstReceived,
        to: lastReceived + 1,
        offset: skip,
        limit: take,
      })
    left -= take
    skip = 0
  }
  return stretches
}

async function read(search: Search, stretch: Stretch): Promise<ListedEvent[]> {
  const { few, shallow } = search.limits
  if (stretch.count <= few) return select(search, stretch)
  if (stretch.offset + stretch.limit <= shallow) return readFromEnd(search, stretch)
  return select(search, await narrow(search, stretch))
}

/** Reads the end of the range where the listing begins, and further back until there are enough rows. */
async function readFromEnd(search: Search, stretch: Stretch): Promise<ListedEvent[]> {
  const span = stretch.to - stretch.from
  // Twice the span that evenly distributed events would need.
  const even = Math.ceil((2 * span * (stretch.offset + stretch.limit)) / stretch.count)
  for (let width = Math.max(even, SHORTEST_WINDOW_MS); ; width *= WIDEN) {
    const window =
      search.options.sortDir === 'desc'
        ? { ...stretch, from: Math.max(stretch.from, stretch.to - width) }
        : { ...stretch, to: Math.min(stretch.to, stretch.from + width) }
    const rows = await select(search, window)
    if (rows.length === stretch.limit || width >= span) return rows
  }
}

/** Counts the range piece by piece until the page part is among few rows, or within one millisecond. */
async function narrow({ clickhouse, options, limits }: Search, stretch: Stretch): Promise<Stretch> {
  let range = stretch
  while (range.count > limits.few && range.to - range.from > 1) {
    const width = Math.ceil((range.to - range.from) / limits.pieces)
    const { rows } = await clickhouse.query<{ piece: number; count: number }>(
      `SELECT intDiv(toUnixTimestamp64Milli(received_at) - {from:Int64}, {width:Int64}) AS piece, count() AS count
       FROM events
       WHERE ${CONDITIONS}
       GROUP BY piece
       ORDER BY piece ${options.sortDir}`,
      bound(options, { ...range, width }),
    )
    let before = 0
    let count = 0
    const pieces: number[] = []
    for (const row of rows) {
      if (before + row.count <= range.offset && count === 0) before += row.count
      else if (before + count < range.offset + range.limit) {
        pieces.push(row.piece)
        count += row.count
      }
    }
    // Fewer rows than the vocabulary has counted: some are being removed.
    if (pieces.length === 0) return { ...range, limit: 0 }
    const next = {
      ...range,
      count,
      from: range.from + Math.min(...pieces) * width,
      to: Math.min(range.to, range.from + (Math.max(...pieces) + 1) * width),
      offset: range.offset - before,
    }
    // The page straddles two large pieces, and a finer count cannot separate them.
    if (pieces.length > 1 && next.to - next.from >= (range.to - range.from) / 2) return next
    range = next
  }
  return range
}

const CONDITIONS = `workspace_id = {workspaceId:UUID}
         AND event IN {names:Array(String)}
         AND received_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
         AND received_at < fromUnixTimestamp64Milli({to:Int64}, 'UTC')`

async function select({ clickhouse, options }: Search, stretch: Stretch): Promise<ListedEvent[]> {
  const direction = options.sortDir
  const { rows } = await clickhouse.query<EventRow>(
    `SELECT ${EVENT_COLUMNS}
     FROM events
     WHERE ${CONDITIONS}
     ORDER BY event ${direction}, received_at ${direction},
       ${RECORD_SQL} ${direction}, request_index ${direction}
     LIMIT {limit:UInt64} OFFSET {offset:UInt64}`,
    bound(options, { ...stretch }),
  )
  return rows.map(toListed)
}

function bound({ workspaceId, signal }: PageOptions, params: Record<string, unknown>): QueryOptions {
  return { params: { workspaceId, ...params }, signal }
}
