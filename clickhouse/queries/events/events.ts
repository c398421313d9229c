import { memoizePerClient } from '../../../runtime/memoize-per-client.js'
import type { ClickHouse } from '../../port.js'
import { VersionCache } from '../version-cache.js'
import { EventCache, type ListedEvent } from './event-cache.js'
import { pageByName, type SearchLimits } from './events-by-name.js'
import { NewestBounds, positionsByReceipt, TOTAL_SQL } from './events-by-receipt.js'
import type { PageOptions } from './page-bounds.js'

export type { ListedEvent } from './event-cache.js'

export interface EventPage {
  readonly rows: ListedEvent[]
  readonly total: number
}

export interface ListEventsOptions extends PageOptions {
  readonly sortBy: 'receivedAt' | 'event'
}

const PAGES_BYTES = 8 * 1024 * 1024

/**
 * Facts about a store that one process has cached from earlier pages. It makes pages cheaper and never
 * different.
 */
export class ListingCache {
  readonly pages = new VersionCache<EventPage>(PAGES_BYTES, ({ rows }) =>
    rows.reduce((bytes, row) => bytes + 1_000 + 2 * row.properties.length, 0),
  )
  readonly known = new EventCache()
  readonly newest = new NewestBounds()
}

/** The cache of this process for a store. */
export const listingCacheOf = memoizePerClient(() => new ListingCache())

/**
 * A page of a workspace's events, by the sort, then by id, which begins with the time of receipt; both in the
 * requested direction. Events that arrive between two pages shift the later page.
 */
export function listEvents(
  clickhouse: ClickHouse,
  options: ListEventsOptions,
  memory = new ListingCache(),
  limits?: SearchLimits,
): Promise<EventPage> {
  const { workspaceId, limit, offset, sortBy, sortDir, signal } = options
  const question = [limit, offset, sortBy, sortDir].join(' ')
  return memory.pages.answer(clickhouse, workspaceId, question, async () => {
    if (sortBy === 'event') return pageByName(clickhouse, options, limits)
    const read = await positionsByReceipt(clickhouse, options, memory.newest, limits?.shallow)
    const { places, total = await countEvents(clickhouse, options) } = read
    const rows = await memory.known.read(clickhouse, workspaceId, places, signal)
    // The page already has events that arrived since the count.
    return { rows, total: rows.length === 0 ? total : Math.max(total, offset + rows.length) }
  })
}

/** Counts if no row of the page could give the total. */
async function countEvents(clickhouse: ClickHouse, options: ListEventsOptions): Promise<number> {
  const { rows } = await clickhouse.query<{ total: number }>(`SELECT (${TOTAL_SQL}) AS total`, {
    params: { workspaceId: options.workspaceId },
    signal: options.signal,
  })
  return rows[0]?.total ?? 0
}
