import { LruCache } from '../../../runtime/concurrency/lru-cache.js'
import type { ClickHouse, QueryOptions } from '../../port.js'
import { shardsOf } from '../../shards.js'
import type { EventPosition } from './event-cache.js'
import { eventId } from './event-id.js'
import { type Granule, type PageBounds, type PageOptions, pageBounds } from './page-bounds.js'

const KEPT_BYTES = 1024 * 1024
/** Reading past this many positions costs less than counting them. */
const SHALLOW = 16_384
/** If more rows had to be read, the index gives a narrower range next time. */
const MANY_ROWS = 200_000

/** The time from which a workspace has at least so many events. It stays true as events arrive. */
export class NewestBounds {
  private readonly bounds = new LruCache<{ readonly from: number; readonly rows: number }>(KEPT_BYTES)

  get(workspaceId: string, rows: number): number | undefined {
    const bound = this.bounds.get(workspaceId)
    return bound !== undefined && bound.rows >= rows ? bound.from : undefined
  }

  set(workspaceId: string, places: readonly EventPosition[], rows: number): void {
    const last = places.at(-1)
    if (last !== undefined) this.bounds.set(workspaceId, { from: last.receivedAt, rows }, 32)
  }

  forget(workspaceId: string): void {
    this.bounds.delete(workspaceId)
  }
}

/**
 * The positions of a page's events, in order of receipt. Reads a table in that order between bounds from its
 * index, so a page costs the same at any depth.
 * @returns also the total of events by the vocabulary; undefined if the page is empty
 */
export async function positionsByReceipt(
  clickhouse: ClickHouse,
  options: PageOptions,
  newest: NewestBounds,
  shallow = SHALLOW,
): Promise<{ readonly places: EventPosition[]; readonly total: number | undefined }> {
  const { workspaceId, offset, limit } = options
  const end = offset + limit
  const known = options.sortDir === 'desc' ? newest.get(workspaceId, end) : undefined
  if (known !== undefined) {
    const read = await readPlaces(clickhouse, options, { from: known, to: undefined }, offset)
    if (read.places.length === limit) {
      if (read.rowsRead > MANY_ROWS) newest.forget(workspaceId)
      else newest.set(workspaceId, read.places, end)
      return read
    }
  }
  const granules = await readGranules(clickhouse, options)
  const { bounds, before } = await boundsNow(clickhouse, options, granules, shallow)
  if (bounds === undefined) return { places: [], total: undefined }
  const read = await readPlaces(clickhouse, options, bounds, offset - before)
  const ended = options.sortDir === 'desc' ? bounds.from : bounds.to
  // The bound promised a whole page, so rows have been removed since.
  if (read.places.length < limit && ended !== undefined)
    return readPlaces(clickhouse, options, EVERYWHERE, offset)
  if (options.sortDir === 'desc' && end <= shallow && read.places.length === limit)
    newest.set(workspaceId, read.places, end)
  return read
}

const EVERYWHERE: Pick<PageBounds, 'from' | 'to'> = { from: undefined, to: undefined }

/**
 * Bounds of the page and the number of rows before them, for the same set of rows. Rows that arrived after
 * the index was read may have moved the page before its range; then the range begins earlier.
 */
async function boundsNow(
  clickhouse: ClickHouse,
  options: PageOptions,
  granules: readonly Granule[],
  shallow: number,
): Promise<{ readonly bounds: PageBounds | undefined; readonly before: number }> {
  for (let margin = 0; ; ) {
    const bounds = pageBounds(granules, options, shallow, margin)
    const before = bounds?.preceded ? await countBefore(clickhouse, options, bounds) : 0
    if (before <= options.offset) return { bounds, before }
    margin = 2 * Math.max(margin, before - options.offset)
  }
}

interface IndexRow {
  /** Rows, and the receipts of the first and of the one after the last; null for another workspace's. */
  readonly granules: [number, number | null, number | null][]
}

/** Granules that may hold events of the workspace. The index has the first row of each. */
async function readGranules(clickhouse: ClickHouse, options: PageOptions): Promise<Granule[]> {
  // One array of tuples, because an array of nullables would drop the nulls.
  const sql = `SELECT groupArray((
       size,
       if(workspace_id = {workspaceId:UUID}, toUnixTimestamp64Milli(received_at), NULL),
       if(next_workspace = {workspaceId:UUID}, toUnixTimestamp64Milli(next_received), NULL)
     )) AS granules
     FROM (
       SELECT rows_in_granule AS size, workspace_id, received_at,
         leadInFrame(workspace_id) OVER part AS next_workspace,
         leadInFrame(received_at) OVER part AS next_received
       FROM mergeTreeIndex(currentDatabase(), 'event_order')
       WINDOW part AS (PARTITION BY part_name ORDER BY mark_number ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING)
     )
     WHERE size > 0 AND workspace_id <= {workspaceId:UUID} AND next_workspace >= {workspaceId:UUID}`
  // The function reads the index of one server's table.
  const answers = await Promise.all(
    shardsOf(clickhouse).map((shard) => shard.query<IndexRow>(sql, bound(options, {}))),
  )
  return answers.flatMap(({ rows }) =>
    (rows[0]?.granules ?? []).map(([size, first, last]) => ({
      rows: size,
      first: first ?? undefined,
      last: last ?? undefined,
    })),
  )
}

async function countBefore(
  clickhouse: ClickHouse,
  options: PageOptions,
  bounds: PageBounds,
): Promise<number> {
  const condition =
    options.sortDir === 'desc'
      ? "received_at >= fromUnixTimestamp64Milli({at:Int64}, 'UTC')"
      : "received_at < fromUnixTimestamp64Milli({at:Int64}, 'UTC')"
  const { rows } = await clickhouse.query<{ count: number }>(
    `SELECT count() AS count FROM event_order WHERE workspace_id = {workspaceId:UUID} AND ${condition}`,
    bound(options, { at: options.sortDir === 'desc' ? bounds.to : bounds.from }),
  )
  return rows[0]?.count ?? 0
}

export const TOTAL_SQL = 'SELECT sum(count) FROM event_names WHERE workspace_id = {workspaceId:UUID}'

interface PlaceRow {
  readonly receivedAt: number
  readonly place: string
  readonly requestIndex: number
  readonly name: string
  readonly at: number
  readonly total: number
}

/** Includes the total: a separate statement costs half as much as this one. */
async function readPlaces(
  clickhouse: ClickHouse,
  options: PageOptions,
  bounds: Pick<PageBounds, 'from' | 'to'>,
  skip: number,
) {
  const direction = options.sortDir
  const conditions = ['workspace_id = {workspaceId:UUID}']
  if (bounds.from !== undefined)
    conditions.push("received_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')")
  if (bounds.to !== undefined) conditions.push("received_at < fromUnixTimestamp64Milli({to:Int64}, 'UTC')")
  const { rows, rowsRead } = await clickhouse.query<PlaceRow>(
    `SELECT
       toUnixTimestamp64Milli(received_at) AS receivedAt,
       toString(record) AS place,
       request_index AS requestIndex,
       toString(event) AS name,
       toUnixTimestamp64Milli(timestamp) AS at,
       (${TOTAL_SQL}) AS total
     FROM event_order
     WHERE ${conditions.join(' AND ')}
     ORDER BY received_at ${direction}, record ${direction}, request_index ${direction}
     LIMIT {limit:UInt64} OFFSET {skip:UInt64}`,
    {
      ...bound(options, { from: bounds.from, to: bounds.to, limit: options.limit, skip }),
      // All columns are small: reading some of them later costs more than it saves.
      settings: { query_plan_optimize_lazy_materialization: 0 },
    },
  )
  const places = rows.map((row) => {
    const record = BigInt(row.place)
    return {
      id: eventId(row.receivedAt, record, row.requestIndex),
      receivedAt: row.receivedAt,
      record,
      requestIndex: row.requestIndex,
      event: row.name,
      timestamp: row.at,
    }
  })
  return { places, total: rows[0]?.total, rowsRead }
}

function bound({ workspaceId, signal }: PageOptions, params: Record<string, unknown>): QueryOptions {
  return { params: { workspaceId, ...params }, signal }
}
