import type { ClickHouse } from '../port.js'
import { VersionCache } from './version-cache.js'

/** An event name a workspace has received. Times are event timestamps in milliseconds. */
export interface EventNameSummary {
  readonly eventName: string
  readonly count: number
  readonly firstSeenAt: number
  readonly lastSeenAt: number
}

export interface VocabularyOptions {
  readonly workspaceId: string
  /** Part of a name, in any case. */
  readonly search?: string | undefined
  readonly limit: number
  readonly offset: number
  readonly signal?: AbortSignal | undefined
}

export interface VocabularyPage {
  readonly rows: readonly EventNameSummary[]
  /** Names over all pages. */
  readonly total: number
}

const MEMORY_BYTES = 16 * 1024 * 1024

/** Pages of event names that one process remembers. It makes answers cheaper and never different. */
export class VocabularyCache {
  readonly pages = new VersionCache<VocabularyPage>(MEMORY_BYTES, ({ rows }) =>
    rows.reduce((bytes, { eventName }) => bytes + 100 + 2 * eventName.length, 100),
  )
}

/** A page of a workspace's event names, most frequent first, equal counts by name. */
export function listEventNames(
  clickhouse: ClickHouse,
  { workspaceId, search = '', limit, offset, signal }: VocabularyOptions,
  memory = new VocabularyCache(),
): Promise<VocabularyPage> {
  const question = `${limit} ${offset} ${search}`
  return memory.pages.answer(clickhouse, workspaceId, question, async () => {
    const params = { workspaceId, search, limit, offset }
    const { rows } = await clickhouse.query<EventNameSummary & { readonly total: number }>(
      `SELECT
         event AS eventName,
         sum(count) AS count,
         toUnixTimestamp64Milli(min(first_seen)) AS firstSeenAt,
         toUnixTimestamp64Milli(max(last_seen)) AS lastSeenAt,
         count() OVER () AS total
       FROM event_names
       WHERE ${MATCHING}
       GROUP BY event
       ORDER BY count DESC, eventName
       LIMIT {limit:UInt64} OFFSET {offset:UInt64}`,
      { params, signal },
    )
    const total = rows[0]?.total ?? (offset === 0 ? 0 : await countNames(clickhouse, params, signal))
    return { rows: rows.map(({ total: _, ...row }) => row), total }
  })
}

const MATCHING = `workspace_id = {workspaceId:UUID}
         AND ({search:String} = '' OR positionCaseInsensitive(event, {search:String}) > 0)`

/** For a page past the end, which has no row to tell the total. */
async function countNames(
  clickhouse: ClickHouse,
  params: { readonly workspaceId: string; readonly search: string },
  signal: AbortSignal | undefined,
): Promise<number> {
  const { rows } = await clickhouse.query<{ names: number }>(
    `SELECT uniqExact(event) AS names FROM event_names WHERE ${MATCHING}`,
    { params: { workspaceId: params.workspaceId, search: params.search }, signal },
  )
  return rows[0]?.names ?? 0
}

/** How many events a workspace has received, and under how many names. */
export async function countVocabulary(
  clickhouse: ClickHouse,
  workspaceId: string,
  signal?: AbortSignal,
): Promise<{ readonly events: number; readonly names: number }> {
  const { rows } = await clickhouse.query<{ events: number; names: number }>(
    `SELECT sum(count) AS events, uniqExact(event) AS names
     FROM event_names WHERE workspace_id = {workspaceId:UUID}`,
    { params: { workspaceId }, signal },
  )
  return rows[0] ?? { events: 0, names: 0 }
}

/** Whether a workspace has ever received an event of this name. */
export async function hasReceivedEvent(
  clickhouse: ClickHouse,
  workspaceId: string,
  eventName: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const result = await clickhouse.query<{ found: number }>(
    `SELECT 1 AS found FROM event_names
     WHERE workspace_id = {workspaceId:UUID} AND event = {eventName:String} LIMIT 1`,
    { params: { workspaceId, eventName }, signal },
  )
  return result.rows.length > 0
}
