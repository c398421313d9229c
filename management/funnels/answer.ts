import { createHash } from 'node:crypto'
import { memoizePerClient } from '../../clickhouse/memoize-per-client.js'
import type { ClickHouse } from '../../clickhouse/port.js'
import { hasVersions, storeVersion, workspaceVersion } from '../../clickhouse/queries/data-version.js'
import { type FunnelRequest, queryFunnel } from '../../clickhouse/queries/funnel/index.js'
import { type FunnelResult, isBucketComplete } from '../../domain/funnel.js'
import type { Sql } from '../../postgres/driver/client.js'
import { AnswerCache, type Versions } from './answer-cache.js'

export interface FunnelAnswer {
  readonly result: FunnelResult
  /** Events read for this answer: none where an earlier one was given again. */
  readonly rowsRead: number
  /** Time until this answer was there, in the event store or for finding that an earlier one still holds. */
  readonly elapsedMs: number
}

export interface AnswerRequest extends FunnelRequest {
  readonly signal: AbortSignal
  /** Whether the range was given, so that the same query can come again: a range that ends now is another one each time. */
  readonly repeatable: boolean
}

type Outcome = Awaited<ReturnType<typeof queryFunnel>>

/** Answers a funnel query as `queryFunnel` does, from an earlier answer where nothing has changed since. */
export async function answerFunnel(
  { sql, clickhouse }: { readonly sql: Sql; readonly clickhouse: ClickHouse },
  request: AnswerRequest,
): Promise<FunnelAnswer> {
  if (!request.repeatable || !hasVersions(clickhouse)) return queryFunnel(clickhouse, request)
  const started = performance.now()
  const { workspaceId, steps, query, now, signal } = request
  const { answer, kept } = await cacheOf(clickhouse).answer({
    key: createHash('sha256')
      .update(JSON.stringify([workspaceId, steps, query]))
      .digest('base64'),
    versions: versionsOf(sql, clickhouse, workspaceId, signal),
    signal,
    compute: (abort) => queryFunnel(clickhouse, { ...request, signal: abort }),
  })
  // Completeness depends on the clock, and this answer may have been computed for another time.
  const { interval, windowSeconds } = query
  const { trend } = answer.result
  const current =
    trend === null || interval === undefined
      ? trend
      : trend.map((point) => ({
          ...point,
          complete: isBucketComplete(point.at, interval, windowSeconds, now),
        }))
  return {
    result: { ...answer.result, trend: current },
    rowsRead: kept ? 0 : answer.rowsRead,
    elapsedMs: kept ? performance.now() - started : answer.elapsedMs,
  }
}

function versionsOf(sql: Sql, clickhouse: ClickHouse, workspaceId: string, signal: AbortSignal): Versions {
  return {
    store: () => storeVersion(clickhouse, workspaceId, signal),
    // Shared by all who wait for the same answer: none of them ends it.
    events: () => workspaceVersion(clickhouse, workspaceId),
    links: () => linkVersion(sql, workspaceId),
  }
}

/** How many links of the workspace queries know of; undefined while more are on their way to them. */
async function linkVersion(sql: Sql, workspaceId: string): Promise<string | undefined> {
  const [row] = await sql<{ delivered: string | null; waiting: boolean }[]>`
    select (select delivered from link_versions where workspace_id = ${workspaceId}) as delivered,
      exists (select from link_outbox where workspace_id = ${workspaceId}) as waiting`
  return row === undefined || row.waiting ? undefined : (row.delivered ?? '0')
}

const cacheOf = memoizePerClient(
  () => new AnswerCache<Outcome>((answer) => 2 * JSON.stringify(answer).length),
)
