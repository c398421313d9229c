import type { Measurements, Results } from '../../domain/statistics/index.js'
import type { Sql, Transaction } from '../../postgres/driver/client.js'
import { jsonColumn } from '../../postgres/driver/json-column.js'

export interface StoredResults {
  readonly results: Results
  readonly measuredAt: Date
  /** What a learning holds, and is not measured again. */
  readonly frozen: boolean
}

/** Undefined where nothing was measured yet, or only the figures of a list are known. */
export async function findResults(
  sql: Sql | Transaction,
  experimentId: string,
): Promise<StoredResults | undefined> {
  const rows = await sql<StoredResults[]>`
    select results, measured_at as "measuredAt", frozen_at is not null as frozen
    from experiment_measurements where experiment_id = ${experimentId} and results is not null`
  return rows[0]
}

/** Keeps what was measured, unless something newer or frozen is kept already. */
export async function keepResults(
  sql: Sql | Transaction,
  workspaceId: string,
  experimentId: string,
  results: Results,
  measurements: Measurements,
  frozenAt: Date | null = null,
): Promise<void> {
  await sql`
    insert into experiment_measurements as m (experiment_id, workspace_id, users_exposed, estimated_lift, confidence, results, measured_at, frozen_at)
    select id, workspace_id, ${measurements.usersExposed}, ${measurements.estimatedLift}, ${measurements.confidence},
      ${jsonColumn(sql, results)}, ${measurements.asOf}, ${frozenAt}
    from experiments where workspace_id = ${workspaceId} and id = ${experimentId}
    on conflict (experiment_id) do update set users_exposed = excluded.users_exposed, estimated_lift = excluded.estimated_lift,
      confidence = excluded.confidence, results = excluded.results, measured_at = excluded.measured_at, frozen_at = excluded.frozen_at
    where m.frozen_at is null and (excluded.frozen_at is not null or m.measured_at <= excluded.measured_at)`
}
