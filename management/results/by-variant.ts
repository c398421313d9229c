import type { FunnelExperiment } from '../../domain/funnel.js'
import type { Sql } from '../../postgres/driver/client.js'
import type { Variant } from '../experiments/types.js'

interface Row {
  variants: Variant[]
  startedAt: Date | null
  endedAt: Date | null
}

/** The experiment of a key as a funnel by variant goes by it; undefined where the workspace has none. */
export async function measuredExperiment(
  sql: Sql,
  workspaceId: string,
  key: string,
): Promise<FunnelExperiment | undefined> {
  const [row] = await sql<Row[]>`
    select variants, started_at as "startedAt", ended_at as "endedAt" from experiments
    where workspace_id = ${workspaceId} and key = ${key}`
  if (row === undefined) return undefined
  return {
    key,
    variants: row.variants.map((variant) => variant.key),
    startedAt: row.startedAt?.getTime() ?? null,
    endedAt: row.endedAt?.getTime() ?? null,
  }
}
