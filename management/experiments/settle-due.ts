import type { Sql } from '../../postgres/driver/client.js'
import type { Jobs } from '../jobs/port.js'
import { outcomeJob, sendOutcomeJob } from './outcome.js'

/** How often this runs; so what falls due before the next time has to have its job by then. */
export const SWEEP_MS = 60_000
const BATCH = 500

interface Due {
  id: string
  workspaceId: string
  settlesAt: Date
}

/**
 * Sees to it that every decision whose settling is over, or will be before the next call, has a job for it. Requests send theirs themselves; this
 * finds those of a version that had no jobs, and those whose job waits for a clock that was set back. It carries nothing out, so it may run anywhere and at any time.
 *
 * @param now milliseconds since 1970
 */
export async function sendDueOutcomes(sql: Sql, jobs: Jobs, now: () => number): Promise<void> {
  let after: Pick<Due, 'id' | 'settlesAt'> = {
    id: '00000000-0000-0000-0000-000000000000',
    settlesAt: new Date(0),
  }
  for (;;) {
    const rows: Due[] = await sql<Due[]>`
      select id, workspace_id as "workspaceId", settles_at as "settlesAt" from experiments
      where status = 'settling' and settles_at <= ${new Date(now() + 2 * SWEEP_MS)}
        and (settles_at, id) > (${after.settlesAt}, ${after.id})
      order by settles_at, id limit ${BATCH}`
    const last = rows.at(-1)
    if (last === undefined) return
    const underWay = await jobs.findActive(
      outcomeJob,
      rows.map((row) => row.id),
    )
    const lacking = rows.filter((row) => !underWay.has(row.id))
    if (lacking.length > 0)
      await sql.begin(async (tx) => {
        for (const { workspaceId, id, settlesAt } of lacking)
          await sendOutcomeJob(tx, jobs, workspaceId, id, settlesAt.getTime() - now())
      })
    if (rows.length < BATCH) return
    after = last
  }
}
