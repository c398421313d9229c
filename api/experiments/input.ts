import { freeSlug, slugOf } from '../../domain/slug.js'
import { UUID_PATTERN } from '../../domain/uuid.js'
import type { ErrorDetail } from '../errors.js'
import type { CreateExperimentBody, TargetInputBody } from './schemas.js'
import type { ConversionTarget, Surface, Variant } from './types.js'
import { RESERVED_KEYS } from './words.js'

/** Rules of a body that a schema cannot say; every offending place. */
export function problemsOf(body: CreateExperimentBody): ErrorDetail[] {
  const details = splitProblems(body.variants)
  if (body.key !== undefined && !isUsableKey(body.key))
    details.push({ path: '/key', message: 'must be neither counts nor generate nor a UUID' })
  const paths = new Set<string>()
  for (const [index, change] of (body.changes ?? []).entries()) {
    if (paths.has(change.path))
      details.push({ path: `/changes/${index}/path`, message: 'is changed more than once' })
    paths.add(change.path)
  }
  return details
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

export function toVariants(inputs: CreateExperimentBody['variants']): Variant[] {
  const keys = new Set<string>()
  return inputs.map(({ displayName, trafficSplit }) => {
    const key = freeSlug(slugOf(displayName, 'variant'), (taken) => keys.has(taken))
    keys.add(key)
    return { key, displayName, trafficSplit }
  })
}

export function toTargets(inputs: readonly TargetInputBody[]): ConversionTarget[] {
  return inputs.map((target) => ({
    eventName: target.eventName,
    name: target.name ?? target.eventName,
    direction: target.direction ?? 'increase',
    windowHours: target.windowHours ?? null,
    filters: target.filters ?? [],
  }))
}

export function toSurfaces(inputs: CreateExperimentBody['surfaces']): Surface[] {
  return (inputs ?? []).map(({ path, anchor }) => ({ path, anchor: anchor ?? null }))
}
