import { isDeepStrictEqual } from 'node:util'
import { notFound } from '../../domain-errors.js'
import type { Operation } from '../../operation.js'
import { type StepInput, toSteps } from '../steps.js'
import { type FunnelFields, type FunnelRow, lockFunnel, updateFunnel as writeFunnel } from '../store.js'

export interface FunnelChangesInput {
  readonly id: string
  /** Only what is there changes. */
  readonly changes: Partial<Omit<FunnelFields, 'steps'>> & { readonly steps?: readonly StepInput[] }
}

/** What changes nothing leaves no audit entry. Throws NOT_FOUND, NAME_TAKEN. */
export const updateFunnel: Operation<FunnelChangesInput, FunnelRow> = {
  action: 'funnel.update',

  async record(tx, { services, workspaceId }, { id, changes }) {
    const before = await lockFunnel(tx, workspaceId, id)
    if (before === undefined) throw notFound('funnel')
    const wanted: FunnelFields = {
      name: changes.name ?? before.name,
      description: changes.description ?? before.description,
      windowSeconds: changes.windowSeconds ?? before.windowSeconds,
      steps: changes.steps === undefined ? before.steps : toSteps(changes.steps),
    }
    const changed = (Object.keys(wanted) as Array<keyof FunnelFields>).filter(
      (field) => !isDeepStrictEqual(wanted[field], before[field]),
    )
    if (changed.length === 0) return { result: before, audit: undefined }
    const at = new Date(services.now())
    const after = await writeFunnel(tx, workspaceId, before.id, { ...wanted, at })
    if (after === undefined) throw notFound('funnel')
    return {
      result: after,
      audit: {
        resourceId: after.id,
        summary: `Changed ${changed.join(', ')} of the funnel ${JSON.stringify(before.name)}`,
      },
    }
  },
}
