import { UUID_PATTERN } from '../../domain/uuid.js'
import type { Sql } from '../../postgres/driver/client.js'
import { batchLoader } from '../../runtime/concurrency/batch-loader.js'
import { memoizePerClient } from '../../runtime/memoize-per-client.js'
import { found } from '../domain-errors.js'
import type { ExperimentRow } from './types.js'

const MAX_AT_ONCE = 200

export type StatusRow = Pick<
  ExperimentRow,
  'id' | 'key' | 'status' | 'rejectedStage' | 'pullRequest' | 'updatedAt'
>

interface Asked {
  readonly workspaceId: string
  /** An id or a key. */
  readonly reference: string
}

const loaderOf = memoizePerClient((sql: Sql) =>
  batchLoader((asked: readonly Asked[]) => findStatuses(sql, asked), MAX_AT_ONCE),
)

/** The status alone, for clients that poll. Concurrent calls share one query. Throws NOT_FOUND. */
export async function findStatus(sql: Sql, workspaceId: string, reference: string): Promise<StatusRow> {
  return found(await loaderOf(sql)({ workspaceId, reference }), 'experiment')
}

/** In the order of the questions. A reference that looks like a UUID is an id. */
async function findStatuses(sql: Sql, asked: readonly Asked[]): Promise<readonly (StatusRow | undefined)[]> {
  const ids = asked.map(({ reference }) => (UUID_PATTERN.test(reference) ? reference : null))
  const keys = asked.map(({ reference }, i) => (ids[i] === null ? reference : null))
  const rows = await sql<(StatusRow & { place: number })[]>`
    select asked.place::int as place, e.id, e.key, e.status, e.rejected_stage as "rejectedStage", e.pull_request as "pullRequest",
      e.updated_at as "updatedAt"
    from unnest(${asked.map(({ workspaceId }) => workspaceId)}::uuid[], ${ids}::uuid[], ${keys}::text[])
      with ordinality as asked (workspace_id, id, key, place)
    cross join lateral (
      select * from experiments where workspace_id = asked.workspace_id and id = asked.id
      union all
      select * from experiments where workspace_id = asked.workspace_id and key = asked.key
    ) as e`
  const found: (StatusRow | undefined)[] = asked.map(() => undefined)
  for (const { place, ...row } of rows) found[place - 1] = row
  return found
}
