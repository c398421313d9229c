import type { Sql } from '../../postgres/client.js'
import { settleExperiment } from './outcome.js'

interface Due {
  id: string
  workspaceId: string
  outcome: 'ship' | 'reject'
}

/**
 * Carries out the decisions whose settling is over, oldest first, each in a transaction of its own. What is due stands in the experiments
 * themselves, so a restart loses nothing and several processes share the work. One that fails keeps no other waiting: it is left for the next call, and
 * its error is thrown at the end.
 *
 * @param now milliseconds since 1970
 * @returns how many were settled
 */
export async function settleDue(sql: Sql, now: () => number, newId: () => string): Promise<number> {
  const failed = new Map<string, unknown>()
  let settled = 0
  for (;;) {
    let current: string | undefined
    try {
      await sql.begin(async (tx) => {
        const at = new Date(now())
        const rows = await tx<Due[]>`
          select id, workspace_id as "workspaceId", decision_outcome as outcome
          from experiments
          where status = 'settling' and settles_at <= ${at} and id <> all(${[...failed.keys()]}::uuid[])
          order by settles_at limit 1 for update skip locked`
        const due = rows[0]
        current = due?.id
        if (due === undefined) return
        const to = due.outcome === 'ship' ? 'shipped' : 'rejected'
        await settleExperiment(tx, newId, due.workspaceId, due.id, { move: 'settle', to, fields: {} }, at)
      })
      if (current === undefined) break
      settled++
    } catch (error) {
      // Nothing was at hand: Postgres itself does not answer.
      if (current === undefined) throw error
      failed.set(current, error)
    }
  }
  for (const error of failed.values()) throw error
  return settled
}
