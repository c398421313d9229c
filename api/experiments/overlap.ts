import { IN_FLIGHT } from '../../domain/lifecycle.js'
import type { Transaction } from '../../postgres/client.js'
import { ApiError } from '../errors.js'
import { jsonColumn } from '../json-column.js'
import type { Surface } from './types.js'

/**
 * Throws SURFACE_OVERLAP where an experiment in flight changes one of the surfaces: the same file and anchor, or the same file where one of
 * the two names no anchor. Of two that would take the same surface at once the second sees the first: the workspace is locked until the
 * transaction ends.
 *
 * @param exceptId the experiment that asks
 */
export async function refuseOverlap(
  tx: Transaction,
  workspaceId: string,
  surfaces: readonly Surface[],
  exceptId: string,
): Promise<void> {
  if (surfaces.length === 0) return
  await tx`select pg_advisory_xact_lock(hashtextextended(${`surfaces ${workspaceId}`}, 0))`
  const shared = await tx<{ index: number; key: string }[]>`
    select (wanted.index - 1)::int as index, min(e.key) as key
    from experiments e
    cross join lateral jsonb_to_recordset(e.surfaces) as held (path text, anchor text)
    join rows from (jsonb_to_recordset(${jsonColumn(tx, surfaces)}) as (path text, anchor text))
      with ordinality as wanted (path, anchor, index)
      on held.path = wanted.path and (held.anchor = wanted.anchor or held.anchor is null or wanted.anchor is null)
    where e.workspace_id = ${workspaceId} and e.status = any(${[...IN_FLIGHT]}) and e.id <> ${exceptId}
    group by wanted.index, e.id
    order by wanted.index, min(e.key)
    limit 100`
  const first = shared[0]
  if (first === undefined) return
  throw new ApiError(
    'SURFACE_OVERLAP',
    `Shares a surface with the experiment ${first.key}, which is in flight: send acknowledgeOverlap to run both`,
    shared.map(({ index, key }) => ({
      path: `/surfaces/${index}`,
      message: `is shared with the experiment ${key}`,
    })),
  )
}
