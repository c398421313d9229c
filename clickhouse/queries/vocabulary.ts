import { type HiddenNames, NO_HIDDEN_NAMES } from '../../domain/hidden-names.js'
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
  /** Names that the search finds, too. @default none */
  readonly described?: readonly string[] | undefined
  /** @default none */
  readonly hidden?: HiddenNames | undefined
  /** Names that are hidden: left out, listed too, or listed alone. @default 'exclude' */
  readonly show?: 'exclude' | 'include' | 'only' | undefined
  readonly limit: number
  readonly offset: number
  readonly signal?: AbortSignal | undefined
}

export interface VocabularyPage {
  readonly rows: readonly EventNameSummary[]
  /** Names over all pages. */
  readonly total: number
}

/** No one gives so many names by hand. Names with ids in them pass this soon. */
export const MANY_NAMES = 5_000
/** Workspaces that are named for having too many. */
const MAX_NAMED = 20

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
  {
    workspaceId,
    search = '',
    described = [],
    limit,
    offset,
    hidden,
    show = 'exclude',
    signal,
  }: VocabularyOptions,
  memory = new VocabularyCache(),
): Promise<VocabularyPage> {
  const filter = { workspaceId, search, described, show, ...(show === 'include' ? NO_HIDDEN_NAMES : hidden) }
  const question = `${limit} ${offset} ${JSON.stringify(filter)}`
  return memory.pages.answer(clickhouse, workspaceId, question, async () => {
    const params = { ...NO_HIDDEN_NAMES, ...filter, limit, offset }
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

const IS_HIDDEN = `(event IN {names:Array(String)} OR arrayExists(begin -> startsWith(event, begin), {prefixes:Array(String)}))`
const MATCHING = `workspace_id = {workspaceId:UUID}
         AND ({search:String} = '' OR positionCaseInsensitive(event, {search:String}) > 0 OR event IN {described:Array(String)})
         AND ({show:String} = 'include' OR ${IS_HIDDEN} = ({show:String} = 'only'))`

/** For a page past the end, which has no row to tell the total. */
async function countNames(
  clickhouse: ClickHouse,
  params: HiddenNames & Pick<VocabularyOptions, 'workspaceId' | 'search' | 'described' | 'show'>,
  signal: AbortSignal | undefined,
): Promise<number> {
  const { rows } = await clickhouse.query<{ names: number }>(
    `SELECT uniqExact(event) AS names FROM event_names WHERE ${MATCHING}`,
    { params: { ...params }, signal },
  )
  return rows[0]?.names ?? 0
}

/** How many events a workspace has received, and under how many names. */
export async function countVocabulary(
  clickhouse: ClickHouse,
  workspaceId: string,
  { hidden = NO_HIDDEN_NAMES, signal }: Pick<VocabularyOptions, 'hidden' | 'signal'> = {},
): Promise<{ readonly events: number; readonly names: number; readonly hiddenNames: number }> {
  const { rows } = await clickhouse.query<{ events: number; names: number; hiddenNames: number }>(
    `SELECT sum(count) AS events, uniqExact(event) AS names, uniqExactIf(event, ${IS_HIDDEN}) AS hiddenNames
     FROM event_names WHERE workspace_id = {workspaceId:UUID}`,
    { params: { workspaceId, ...hidden }, signal },
  )
  return rows[0] ?? { events: 0, names: 0, hiddenNames: 0 }
}

/** The workspaces with more than `MANY_NAMES` names, those with the most first. */
export async function listLargeVocabularies(
  clickhouse: ClickHouse,
): Promise<readonly { readonly workspaceId: string; readonly names: number }[]> {
  const { rows } = await clickhouse.query<{ workspaceId: string; names: number }>(
    `SELECT workspace_id AS workspaceId, uniqExact(event) AS names FROM event_names
     GROUP BY workspace_id HAVING names > {above:UInt64} ORDER BY names DESC, workspaceId LIMIT {limit:UInt64}`,
    { params: { above: MANY_NAMES, limit: MAX_NAMED } },
  )
  return rows
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

/** Those of the names of which a workspace has never received an event, each once. */
export async function neverReceived(
  clickhouse: ClickHouse,
  workspaceId: string,
  eventNames: readonly string[],
  signal?: AbortSignal,
): Promise<string[]> {
  const { rows } = await clickhouse.query<{ eventName: string }>(
    `SELECT DISTINCT event AS eventName FROM event_names
     WHERE workspace_id = {workspaceId:UUID} AND event IN {eventNames:Array(String)}`,
    { params: { workspaceId, eventNames }, signal },
  )
  const received = new Set(rows.map(({ eventName }) => eventName))
  return [...new Set(eventNames)].filter((eventName) => !received.has(eventName))
}
