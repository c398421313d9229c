import type { FunnelExperiment } from '../../domain/funnel.js'
import type { Sql } from '../../postgres/driver/client.js'
import { DomainError } from '../domain-errors.js'
import { findExperiment } from './store.js'
import type { ExperimentRow } from './types.js'

/** For other features: an experiment by its id or key; undefined where the workspace has none. */
export async function lookUpExperiment(
  sql: Sql,
  workspaceId: string,
  reference: string,
): Promise<ExperimentRow | undefined> {
  try {
    return await findExperiment(sql, workspaceId, reference)
  } catch (error) {
    if (error instanceof DomainError && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}

/** The experiment of a key as a funnel by variant goes by it; undefined where the workspace has none. */
export async function measuredExperiment(
  sql: Sql,
  workspaceId: string,
  key: string,
): Promise<FunnelExperiment | undefined> {
  const row = await lookUpExperiment(sql, workspaceId, key)
  // What has the form of an id is no key.
  if (row?.key !== key) return undefined
  return {
    key,
    variants: row.variants.map((variant) => variant.key),
    startedAt: row.startedAt?.getTime() ?? null,
    endedAt: row.endedAt?.getTime() ?? null,
  }
}
