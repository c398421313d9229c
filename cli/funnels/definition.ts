import { FUNNEL_LIMITS, toSavedQuery } from '../../domain/funnel.js'
import type { Input, Result } from '../client/api.js'

export type StoredFunnel = Result<'listFunnels'>['data'][number]
type FunnelInput = Input<'createFunnel'>['body']
type Filter = StoredFunnel['steps'][number]['filters'][number]

/** A funnel with all defaults filled in, so that equal funnels compare equal. */
export interface Definition {
  readonly name: string
  readonly description: string
  readonly windowSeconds: number
  readonly steps: readonly {
    readonly name: string
    readonly eventName: string
    readonly filters: readonly Filter[]
  }[]
  readonly query: StoredFunnel['query']
}

export function toDefinition(funnel: FunnelInput | StoredFunnel): Definition {
  return {
    name: funnel.name,
    description: funnel.description ?? '',
    windowSeconds: funnel.windowSeconds ?? FUNNEL_LIMITS.defaultWindowSeconds,
    steps: funnel.steps.map(({ name, eventName, filters }) => ({
      name: name ?? eventName,
      eventName,
      filters: filters ?? [],
    })),
    query: toSavedQuery(funnel.query),
  }
}

export function omitDefaults({
  name,
  description,
  windowSeconds,
  steps,
  query,
}: Definition): Record<string, unknown> {
  return {
    name,
    ...(description === '' ? {} : { description }),
    windowSeconds,
    steps: steps.map(omitStepDefaults),
    ...(query === null ? {} : { query: omitQueryDefaults(query) }),
  }
}

function omitQueryDefaults(query: NonNullable<Definition['query']>): Record<string, unknown> {
  const { order, filters, exclusions, breakdown, interval, last } = query
  return {
    ...(order === 'ordered' ? {} : { order }),
    ...(filters.length === 0 ? {} : { filters }),
    ...(exclusions.length === 0 ? {} : { exclusions }),
    ...(breakdown === null ? {} : { breakdown }),
    ...(interval === null ? {} : { interval }),
    last,
  }
}

export function omitStepDefaults(step: Definition['steps'][number]): Record<string, unknown> {
  return {
    ...(step.name === step.eventName ? {} : { name: step.name }),
    eventName: step.eventName,
    ...(step.filters.length === 0 ? {} : { filters: step.filters }),
  }
}

/** Whether two values are equal as JSON, whatever the order of their fields. */
export function jsonEquals(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  )
}
