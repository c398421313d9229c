import { notFound } from '../../domain-errors.js'
import type { Operation } from '../../operation.js'
import { type FunnelRow, lockFunnel, deleteFunnel as removeFunnel } from '../store.js'

/** Throws NOT_FOUND. */
export const deleteFunnel: Operation<{ readonly id: string }, FunnelRow> = {
  action: 'funnel.delete',

  async record(tx, { workspaceId }, { id }) {
    const before = await lockFunnel(tx, workspaceId, id)
    if (before === undefined || !(await removeFunnel(tx, workspaceId, before.id))) throw notFound('funnel')
    return {
      result: before,
      audit: { resourceId: before.id, summary: `Deleted the funnel ${JSON.stringify(before.name)}` },
    }
  },
}
