import { freeSlug, slugOf } from '../../domain/slug.js'
import { UUID_PATTERN } from '../../domain/uuid.js'
import type { ConversionTarget, Surface, Variant } from '../../management/experiments/types.js'
import { RESERVED_KEYS } from '../../management/experiments/words.js'
import type { RefusalDetail } from '../../management/refusals.js'
import type { Rule } from '../frame/route.js'
import type { CreateExperimentBody, TargetInputBody } from './schemas.js'

/** Of a new experiment. */
export const createRules: readonly Rule<CreateExperimentBody>[] = [
  { of: ['variants'], problems: ({ variants }) => splitProblems(variants) },
  {
    of: ['key'],
    problems: ({ key }) =>
      key === undefined || isUsableKey(key)
        ? []
        : [{ path: '/key', message: 'must be neither counts nor generate nor a UUID' }],
  },
  {
    of: ['changes'],
    problems({ changes = [] }) {
      const paths = changes.map(({ path }) => path)
      return paths.flatMap((path, index) =>
        paths.indexOf(path) < index
          ? [{ path: `/changes/${index}/path`, message: 'is changed more than once' }]
          : [],
      )
    },
  },
]

export function splitProblems(variants: readonly { readonly trafficSplit: number }[]): RefusalDetail[] {
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
