import type { Measurements, Results } from '../../domain/statistics/index.js'
import type { Sql, Transaction } from '../../postgres/driver/client.js'
import { jsonColumn } from '../../postgres/driver/json-column.js'

export interface StoredResults {
  readonly results: Results
  readonly measuredAt: Date
  /** Frozen results belong to a learning and are never measured again. */
  readonly frozen: boolean
}

/** Undefined if nothing was measured yet. */
export async function findResults(
  sql: Sql | Transaction,
  experimentId: string,
): Promise<StoredResults | undefined> {
  const rows = await sql<StoredResults[]>`
    select results, measured_at as "measuredAt", frozen_at is not null as frozen
    from experiment_measurements where experiment_id = ${experimentId} and results is not null`
  return rows[0]
}

/**
 * Stores results, unless newer or frozen ones are stored already. Locks the experiment first, as a change of
 * its status does, because triggers of both write one row of `experiment_figures`.
 */
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
    for share
    on conflict (experiment_id) do update set users_exposed = excluded.users_exposed, estimated_lift = excluded.estimated_lift,
      confidence = excluded.confidence, results = excluded.results, measured_at = excluded.measured_at, frozen_at = excluded.frozen_at
    where m.frozen_at is null and (excluded.frozen_at is not null or m.measured_at <= excluded.measured_at)`
}

export interface StaleExperiment {
  readonly id: string
  readonly workspaceId: string
}

/**
 * Claims experiments that no process has claimed for `maxAgeMs`, by the clock of the database. The longest
 * unclaimed come first, and one of each workspace before the second of any. Paused and ended experiments are
 * claimed until they were measured after that, and ended ones again once nothing counts any more.
 */
export async function claimStale(
  sql: Sql,
  settlingHours: number,
  maxAgeMs: number,
  limit: number,
): Promise<StaleExperiment[]> {
  const staleBefore = sql`clock_timestamp() - ${maxAgeMs} * interval '1 millisecond'`
  const measuredUntil = sql`e.ended_at + ${settlingHours}::double precision * interval '1 hour'`
  return sql<StaleExperiment[]>`
    with measured as (
      select e.id, e.workspace_id from experiments e where e.status in ('running', 'settling')
      union all
      select e.id, e.workspace_id
      from experiments e left join experiment_measurements m on m.experiment_id = e.id
      where e.status in ('paused', 'ended') and (m.measured_at is null or m.measured_at < e.updated_at
        or (${measuredUntil} <= clock_timestamp() and m.measured_at < ${measuredUntil}))
    ), due as (
      select e.id, e.workspace_id, r.claimed_at,
        row_number() over (partition by e.workspace_id order by r.claimed_at nulls first, e.id) as turn
      from measured e left join experiment_refreshes r on r.experiment_id = e.id
      where r.claimed_at is null or r.claimed_at < ${staleBefore}
    ), next as (
      select id, workspace_id, turn, claimed_at from due order by turn, claimed_at nulls first, id limit ${limit}
    ), claimed as (
      insert into experiment_refreshes as r (experiment_id, claimed_at)
      select id, clock_timestamp() from next order by id
      on conflict (experiment_id) do update set claimed_at = excluded.claimed_at
      where r.claimed_at < ${staleBefore}
      returning experiment_id
    )
    select n.id, n.workspace_id as "workspaceId" from next n join claimed c on c.experiment_id = n.id
    order by n.turn, n.claimed_at nulls first, n.id`
}
