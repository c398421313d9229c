import type { FunnelStep } from '../../domain/funnel.js'

/** A step as it is asked for; what is left out has its default. */
export type StepInput = Pick<FunnelStep, 'eventName'> & Partial<FunnelStep>

export function toSteps(steps: readonly StepInput[]): FunnelStep[] {
  return steps.map((step) => ({
    name: step.name ?? step.eventName,
    eventName: step.eventName,
    filters: step.filters ?? [],
  }))
}
