import { FUNNEL_LIMITS } from '../../../domain/funnel.js'
import type { Operation } from '../../operation.js'
import { type StepInput, toSteps } from '../steps.js'
import { type FunnelRow, insertFunnel } from '../store.js'

export interface NewFunnelInput {
  readonly name: string
  readonly description?: string
  readonly windowSeconds?: number
  readonly steps: readonly StepInput[]
}

/** Throws NAME_TAKEN. */
export const createFunnel: Operation<NewFunnelInput, FunnelRow> = {
  action: 'funnel.create',

  async record(tx, { services, workspaceId }, input) {
    const row = await insertFunnel(tx, workspaceId, {
      id: services.newId(),
      name: input.name,
      description: input.description ?? '',
      windowSeconds: input.windowSeconds ?? FUNNEL_LIMITS.defaultWindowSeconds,
      steps: toSteps(input.steps),
      at: new Date(services.now()),
    })
    return {
      result: row,
      audit: { resourceId: row.id, summary: `Created the funnel ${JSON.stringify(row.name)}` },
    }
  },
}
