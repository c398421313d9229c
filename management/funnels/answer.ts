import { createHash } from 'node:crypto'
import type { ClickHouse } from '../../clickhouse/port.js'
import { hasVersions, storeVersion, workspaceVersion } from '../../clickhouse/queries/data-version.js'
import { type FunnelRequest, queryFunnel } from '../../clickhouse/queries/funnel/index.js'
import { type FunnelFigures, type FunnelResult, isBucketComplete } from '../../domain/funnel.js'
import type { Sql } from '../../postgres/driver/client.js'
import { memoizePerClient } from '../../runtime/memoize-per-client.js'
import { AnswerCache, type Versions } from './answer-cache.js'

export interface FunnelAnswer {
  readonly result: FunnelResult
  /** Events read for this answer. 0 if it was cached. */
  readonly rowsRead: number
  /** Time in the event store, or time to check that a cached answer is current. */
  readonly elapsedMs: number
}

export interface AnswerRequest extends FunnelRequest {
  readonly signal: AbortSignal
  /** Whether the range is fixed. A range until now never repeats, so its answer is not cached. */
  readonly repeatable: boolean
}

type Outcome = Awaited<ReturnType<typeof queryFunnel>>

/** Answers a funnel query, from the cache if no data has changed since. */
export async function answerFunnel(
  { sql, clickhouse }: { readonly sql: Sql; readonly clickhouse: ClickHouse },
  request: AnswerRequest,
): Promise<FunnelAnswer> {
  if (!request.repeatable || !hasVersions(clickhouse)) return queryFunnel(clickhouse, request)
  const started = performance.now()
  const { workspaceId, steps, query, now, signal } = request
  const { answer, cached } = await cacheOf(clickhouse).answer({
    key: createHash('sha256')
      .update(JSON.stringify([workspaceId, steps, query]))
      .digest('base64'),
    versions: versionsOf(sql, clickhouse, workspaceId, signal),
    signal,
    compute: (abort) => queryFunnel(clickhouse, { ...request, signal: abort }),
  })
  // Completeness depends on the clock, and a cached answer was computed at another time.
  const { interval } = query
  const current = <Figures extends FunnelFigures>(figures: Figures): Figures => ({
    ...figures,
    trend:
      interval === undefined
        ? null
        : (figures.trend?.map((point) => ({
            ...point,
            complete: isBucketComplete(point.at, interval, query, now),
          })) ?? null),
  })
  return {
    result: { ...current(answer.result), breakdown: answer.result.breakdown?.map(current) ?? null },
    rowsRead: cached ? 0 : answer.rowsRead,
    elapsedMs: cached ? performance.now() - started : answer.elapsedMs,
  }
}

function versionsOf(sql: Sql, clickhouse: ClickHouse, workspaceId: string, signal: AbortSignal): Versions {
  return {
    store: () => storeVersion(clickhouse, workspaceId, signal),
    events: async () => {
      // The count of writes that may concern the workspace is version enough, and costs no statement.
      const known = await clickhouse.contentVersion(workspaceId)
      if (known !== undefined) return `content ${known}`
      // Without a signal, because other requests may wait for the same answer.
      return workspaceVersion(clickhouse, workspaceId)
    },
    links: () => linkVersion(sql, workspaceId),
  }
}

/** Version of the links that queries see. Undefined while more links are being delivered. */
async function linkVersion(sql: Sql, workspaceId: string): Promise<string | undefined> {
  const [row] = await sql<{ delivered: string | null; waiting: boolean }[]>`
    select (select delivered from link_versions where workspace_id = ${workspaceId}) as delivered,
      exists (select from link_outbox where workspace_id = ${workspaceId}) as waiting`
  return row === undefined || row.waiting ? undefined : (row.delivered ?? '0')
}

const cacheOf = memoizePerClient(
  () => new AnswerCache<Outcome>((answer) => 2 * JSON.stringify(answer).length),
)
