import type { FunnelExperiment } from '../../domain/funnel.js'
import type { Sql } from '../../postgres/driver/client.js'
import { findExperiment } from '../experiments/store.js'
import { Refusal } from '../refusals.js'

/** The experiment of a key as a funnel by variant goes by it; undefined where the workspace has none. */
export async function measuredExperiment(
  sql: Sql,
  workspaceId: string,
  key: string,
): Promise<FunnelExperiment | undefined> {
  const row = await findExperiment(sql, workspaceId, key).catch((error: unknown) => {
    if (error instanceof Refusal && error.code === 'NOT_FOUND') return undefined
    throw error
  })
  // What has the form of an id is no key.
  if (row?.key !== key) return undefined
  return {
    key,
    variants: row.variants.map((variant) => variant.key),
    startedAt: row.startedAt?.getTime() ?? null,
    endedAt: row.endedAt?.getTime() ?? null,
  }
}
