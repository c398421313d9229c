import { IN_FLIGHT } from '../../domain/lifecycle.js'
import type { Transaction } from '../../postgres/driver/client.js'
import { forceCustomPlan } from '../../postgres/driver/force-custom-plan.js'
import { jsonColumn } from '../../postgres/driver/json-column.js'
import { DomainError } from '../domain-errors.js'
import type { FileChange, Surface } from './types.js'

/**
 * Throws SURFACE_OVERLAP if an experiment in flight changes the same file and anchor, or the same file if one
 * of the two has no anchor, or gives variants to the same text of it or a part of that: their pull requests
 * would conflict, whatever their anchors are. Locks the files until the transaction ends, so of two calls the
 * second sees the first.
 *
 * @param exceptId the experiment that is being approved or declared
 */
export async function refuseOverlap(
  tx: Transaction,
  workspaceId: string,
  { surfaces, changes }: { readonly surfaces: readonly Surface[]; readonly changes: readonly FileChange[] },
  exceptId: string,
): Promise<void> {
  if (surfaces.length === 0) return
  const paths = surfaces.map(({ path }) => `surface ${workspaceId} ${path}`)
  const texts = changes.flatMap(({ path, edits = [] }) =>
    edits.flatMap(({ find, variant }) => (variant === undefined ? [] : [{ path, find }])),
  )
  // A custom plan knows the statuses and uses the partial index of surfaces.
  const overlap = forceCustomPlan(tx<{ index: number; key: string }[]>`
    select (wanted.index - 1)::int as index, min(e.key) as key
    from rows from (jsonb_to_recordset(${jsonColumn(tx, surfaces)}) as (path text, anchor text))
      with ordinality as wanted (path, anchor, index)
    join experiments e on e.surfaces @> jsonb_build_array(jsonb_build_object('path', wanted.path))
    cross join lateral jsonb_to_recordset(e.surfaces) as other (path text, anchor text)
    where e.workspace_id = ${workspaceId} and e.status = any(${[...IN_FLIGHT]}) and e.surfaces <> '[]' and e.id <> ${exceptId}
      and other.path = wanted.path
      and (
        other.anchor = wanted.anchor or other.anchor is null or wanted.anchor is null
        or exists (
          select from jsonb_to_recordset(${jsonColumn(tx, texts)}) as text (path text, find text)
          join jsonb_to_recordset(e.changes) as change (path text, edits jsonb) on change.path = text.path
          cross join lateral jsonb_to_recordset(coalesce(change.edits, '[]')) as edit (find text, variant text)
          where text.path = wanted.path and edit.variant is not null
            and (position(edit.find in text.find) > 0 or position(text.find in edit.find) > 0)
        )
      )
    group by wanted.index, e.id
    order by wanted.index, min(e.key)
    limit 100`)
  // Pipelined in this order: the query runs once the locks are held.
  const [, , shared] = await Promise.all([
    tx`select pg_advisory_xact_lock_shared(hashtextextended(${`surfaces ${workspaceId}`}, 0))`,
    tx`
      select pg_advisory_xact_lock(lock_key) from (
        select distinct hashtextextended(path, 0) as lock_key from unnest(${paths}::text[]) as path order by lock_key
      ) as ordered`,
    overlap,
  ])
  const first = shared[0]
  if (first === undefined) return
  throw new DomainError(
    'SURFACE_OVERLAP',
    `Shares a surface with the experiment ${first.key}, which is in flight: send acknowledgeOverlap to run both`,
    shared.map(({ index, key }) => ({
      path: `/surfaces/${index}`,
      message: `is shared with the experiment ${key}`,
    })),
  )
}
