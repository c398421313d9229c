import type { Status } from '../../../domain/lifecycle.js'
import { insertExperiment, type NewExperiment } from '../../../management/experiments/store.js'
import { proposalRow } from '../../../test/support/proposal-row.js'
import type { TestApi, TestWorkspace } from './api.js'

export interface ExperimentView {
  id: string
  key: string
  name: string
  mechanism: string
  notes: string
  hypothesis: string
  kind: string
  testType: string
  status: Status
  priority: string
  origin: string
  experimentRunId: string | null
  variants: { key: string; displayName: string; trafficSplit: number; isControl: boolean }[]
  conversionTargets: {
    eventName: string
    name: string
    direction: string
    windowHours: number | null
    filters: unknown[]
  }[]
  surfaces: { path: string; anchor: string | null }[]
  pullRequest: unknown
  dismissal: { reasons: string[]; note: string | null; dismissedAt: string; personId: string } | null
  rejectedStage: string | null
  decision: {
    outcome: string
    variant: string | null
    reason: string | null
    decidedAt: string
    settlesAt: string
  } | null
  createdAt: string
  updatedAt: string
  startedAt: string | null
  endedAt: string | null
}

export interface PageView<Item> {
  data: Item[]
  pagination: { limit: number; offset: number; total: number; hasMore: boolean }
}

export const halves = [
  { displayName: 'Control', trafficSplit: 50 },
  { displayName: 'Treatment', trafficSplit: 50 },
]
export const paid = [{ eventName: 'order_paid' }]

/** A valid body. */
export function experimentBody(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return { name: 'Shorter checkout', variants: halves, conversionTargets: paid, ...fields }
}

/** A row in any status, which requests cannot create without a repository. */
export async function putExperiment(
  api: Pick<TestApi, 'sql' | 'clock'>,
  workspace: Pick<TestWorkspace, 'id'>,
  status: Status,
  fields: Partial<NewExperiment> = {},
): Promise<string> {
  const at = new Date(api.clock.now())
  const row = proposalRow({ at, ...fields })
  const { id } = row
  const { sql } = api
  await insertExperiment(sql, workspace.id, row)
  const decided = ['settling', 'shipped', 'rejected'].includes(status)
  const outcome = status === 'rejected' ? 'reject' : 'ship'
  await sql`
    update experiments set status = ${status},
      rejected_stage = ${status === 'rejected' ? 'outcome' : null},
      started_at = ${['running', 'paused', 'ended', 'settling', 'shipped', 'concluded'].includes(status) ? at : null},
      ended_at = ${['ended', 'settling', 'shipped', 'rejected', 'concluded'].includes(status) ? at : null},
      decision_outcome = ${decided ? outcome : null},
      decision_variant = ${decided && outcome === 'ship' ? 'treatment' : null},
      decided_at = ${decided ? at : null},
      settles_at = ${decided ? new Date(at.getTime() + 3_600_000) : null}
    where id = ${id}`
  return id
}
