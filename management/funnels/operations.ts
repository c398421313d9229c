import { FUNNEL_LIMITS, type FunnelStep, type SavedQueryInput, toSavedQuery } from '../../domain/funnel.js'
import { changedFields, inWords } from '../audit.js'
import { type ErrorDetail, validationFailed } from '../domain-errors.js'
import type { Operation } from '../operation.js'
import {
  type FunnelFields,
  type FunnelRow,
  insertFunnel,
  lockFunnel,
  removeFunnel,
  writeFunnel,
} from './store.js'

/** Fields that are left out get their defaults. */
export type StepInput = Pick<FunnelStep, 'eventName'> & Partial<FunnelStep>

export function toSteps(steps: readonly StepInput[]): FunnelStep[] {
  return steps.map((step) => ({
    name: step.name ?? step.eventName,
    eventName: step.eventName,
    filters: step.filters ?? [],
  }))
}

/** Exclusions of steps that the funnel does not have. */
export function exclusionProblems(
  { exclusions = [] }: Pick<SavedQueryInput, 'exclusions'>,
  steps: number,
  path: string,
): ErrorDetail[] {
  return exclusions.flatMap(({ toStep }, index) =>
    toStep < steps
      ? []
      : [
          {
            path: `${path}/exclusions/${index}/toStep`,
            message: `must be a step of the funnel: 0 to ${steps - 1}`,
          },
        ],
  )
}

export interface NewFunnelInput {
  readonly name: string
  readonly description?: string
  readonly windowSeconds?: number
  readonly steps: readonly StepInput[]
  readonly query?: SavedQueryInput | null
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
      query: toSavedQuery(input.query),
      at: new Date(services.now()),
    })
    return {
      result: row,
      audit: { resourceId: row.id, summary: `Created the funnel ${JSON.stringify(row.name)}` },
    }
  },
}

export interface FunnelChangesInput {
  readonly id: string
  /** Fields that are left out stay as they are. */
  readonly changes: Partial<Omit<FunnelFields, 'steps' | 'query'>> & {
    readonly steps?: readonly StepInput[]
    readonly query?: SavedQueryInput | null
  }
}

/** An edit that changes nothing is not audited. Throws NOT_FOUND, NAME_TAKEN, VALIDATION_FAILED. */
export const updateFunnel: Operation<FunnelChangesInput, FunnelRow> = {
  action: 'funnel.update',

  async record(tx, { services, workspaceId }, { id, changes }) {
    const before = await lockFunnel(tx, workspaceId, id)
    const steps = changes.steps === undefined ? before.steps : toSteps(changes.steps)
    const query = changes.query === undefined ? before.query : toSavedQuery(changes.query)
    const problems = query === null ? [] : exclusionProblems(query, steps.length, '/query')
    if (problems.length > 0) throw validationFailed(problems)
    const wanted = { ...before, ...changes, steps, query }
    const changed = changedFields(before, wanted)
    if (changed.length === 0) return { result: before, audit: undefined }
    const at = new Date(services.now())
    const after = await writeFunnel(tx, workspaceId, before.id, { ...wanted, at })
    return {
      result: after,
      audit: {
        resourceId: after.id,
        summary: `Changed ${inWords(changed)} of the funnel ${JSON.stringify(before.name)}`,
      },
    }
  },
}

/** Throws NOT_FOUND. */
export const deleteFunnel: Operation<{ readonly id: string }, FunnelRow> = {
  action: 'funnel.delete',

  async record(tx, { workspaceId }, { id }) {
    const before = await lockFunnel(tx, workspaceId, id)
    await removeFunnel(tx, workspaceId, before.id)
    return {
      result: before,
      audit: { resourceId: before.id, summary: `Deleted the funnel ${JSON.stringify(before.name)}` },
    }
  },
}
