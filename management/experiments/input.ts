import { freeSlug, slugOf } from '../../domain/slug.js'
import { UUID_PATTERN } from '../../domain/uuid.js'
import type { ErrorDetail } from '../domain-errors.js'
import { RESERVED_KEYS } from './limits.js'
import type { ConversionTarget, Surface, Variant } from './types.js'

/** A variant as it is declared; its key is made from its name. */
export type VariantInput = Omit<Variant, 'key'>

/** A target as it is declared; what is left out has its default. */
export type TargetInput = Pick<ConversionTarget, 'eventName'> & Partial<ConversionTarget>

export interface SurfaceInput {
  readonly path: string
  readonly anchor?: string | null
}

export function splitProblems(variants: readonly { readonly trafficSplit: number }[]): ErrorDetail[] {
  const sum = variants.reduce((total, variant) => total + variant.trafficSplit, 0)
  return sum === 100
    ? []
    : [{ path: '/variants', message: `must have traffic splits that add up to 100, not to ${sum}` }]
}

/** Whether a path below `/experiments` by this key is the experiment's. */
export function isUsableKey(key: string): boolean {
  return !RESERVED_KEYS.has(key) && !UUID_PATTERN.test(key)
}

export function toVariants(inputs: readonly VariantInput[]): Variant[] {
  const keys = new Set<string>()
  return inputs.map(({ displayName, trafficSplit }) => {
    const key = freeSlug(slugOf(displayName, 'variant'), (taken) => keys.has(taken))
    keys.add(key)
    return { key, displayName, trafficSplit }
  })
}

export function toTargets(inputs: readonly TargetInput[]): ConversionTarget[] {
  return inputs.map((target) => ({
    eventName: target.eventName,
    name: target.name ?? target.eventName,
    direction: target.direction ?? 'increase',
    windowHours: target.windowHours ?? null,
    filters: target.filters ?? [],
    ...(target.metric === undefined ? {} : { metric: target.metric }),
  }))
}

export function toSurfaces(inputs: readonly SurfaceInput[] = []): Surface[] {
  return inputs.map(({ path, anchor }) => ({ path, anchor: anchor ?? null }))
}
