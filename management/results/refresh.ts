import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../../postgres/driver/client.js'
import { lookUpExperiment } from '../experiments/index.js'
import type { Services } from '../services.js'
import { refreshResults } from './current-results.js'

/** How old the figures of an experiment may become that nobody asks for. */
const MAX_AGE_MS = 60_000
/** Between two looks at whether some are that old. */
export const REFRESH_MS = 5_000
/** Experiments that are claimed at once: one after the other, so a process takes no more than one place in the event store for this. */
const BATCH = 20
/** One thread, and an end: a workspace of many events holds up the others no longer. */
const LIMITS = { maxSeconds: 30, maxMemoryBytes: 1_073_741_824, maxRows: 1_000_000_000, maxThreads: 1 }
/** As long as measuring took the event store is left to others, at most this. */
const LONGEST_REST_MS = 2_000

const REFRESHED = ['running', 'settling']

interface Claimed {
  id: string
  workspaceId: string
}

/**
 * Measures again what runs or settles and has not been measured for a minute, those of every workspace in turn, until none is left or it is told to stop. Of several processes
 * one is at an experiment. What cannot be measured comes again a minute later. Rejects where Postgres is gone.
 */
export async function refreshDue(services: Services, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const claimed = await claim(services.sql)
    if (claimed.length === 0) return
    for (const { id, workspaceId } of claimed) {
      if (signal.aborted) return
      const row = await lookUpExperiment(services.sql, workspaceId, id)
      // It may have been paused or written up since.
      if (row === undefined || !REFRESHED.includes(row.status)) continue
      const began = performance.now()
      try {
        await refreshResults(services, workspaceId, row, { limits: LIMITS, signal })
      } catch (error) {
        services.logger.debug({ err: error, experiment: id }, 'results are not refreshed, and come again')
      }
      const restMs = Math.min(performance.now() - began, LONGEST_REST_MS)
      await sleep(restMs, undefined, { signal, ref: false }).catch(() => {})
    }
  }
}

/** By the clock of the database, which all processes share. The longest without figures first, one of each workspace before the second of any. */
async function claim(sql: Sql): Promise<readonly Claimed[]> {
  return sql<Claimed[]>`
    with due as (
      select e.id, e.workspace_id, r.claimed_at,
        row_number() over (partition by e.workspace_id order by r.claimed_at nulls first, e.id) as turn
      from experiments e left join experiment_refreshes r on r.experiment_id = e.id
      where e.status = any(${REFRESHED})
        and (r.claimed_at is null or r.claimed_at < clock_timestamp() - ${MAX_AGE_MS} * interval '1 millisecond')
    ), next as (
      select id, workspace_id, turn, claimed_at from due order by turn, claimed_at nulls first, id limit ${BATCH}
    ), claimed as (
      insert into experiment_refreshes as r (experiment_id, claimed_at)
      select id, clock_timestamp() from next order by id
      on conflict (experiment_id) do update set claimed_at = excluded.claimed_at
      where r.claimed_at < clock_timestamp() - ${MAX_AGE_MS} * interval '1 millisecond'
      returning experiment_id
    )
    select n.id, n.workspace_id as "workspaceId" from next n join claimed c on c.experiment_id = n.id
    order by n.turn, n.claimed_at nulls first, n.id`
}
