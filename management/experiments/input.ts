import { freeSlug, slugOf } from '../../domain/slug.js'
import { UUID_PATTERN } from '../../domain/uuid.js'
import { isWindowsDevice } from '../../repositories/path-policy.js'
import { type ErrorDetail, validationFailed } from '../domain-errors.js'
import {
  type ConversionTarget,
  DEFAULT_ALPHA,
  DEFAULT_POWER,
  type ExperimentRow,
  RESERVED_KEYS,
  type Sizing,
  type Surface,
  type Variant,
} from './types.js'

/** A declared variant. Its key is made from its name. */
export type VariantInput = Omit<Variant, 'key'>

/** A declared target. Fields that are left out get their defaults. */
export type TargetInput = Pick<ConversionTarget, 'eventName'> & Partial<ConversionTarget>

export type SizingInput = Pick<Sizing, 'minimumEffect'> & Partial<Sizing>

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

/** The control is the first variant; every result compares with it. */
export function controlSplitProblems(
  control: { readonly trafficSplit: number } | undefined,
  index = 0,
): ErrorDetail[] {
  return control?.trafficSplit === 0
    ? [{ path: `/variants/${index}/trafficSplit`, message: 'must be above 0: this is the control' }]
    : []
}

/** Whether `/experiments/KEY` can only mean the experiment of this key, and a file can have its name. */
export function isUsableKey(key: string): boolean {
  return !RESERVED_KEYS.has(key) && !UUID_PATTERN.test(key) && !isWindowsDevice(key)
}

export function toVariants(inputs: readonly VariantInput[]): Variant[] {
  const keys = new Set<string>()
  return inputs.map(({ displayName, trafficSplit }) => {
    const key = freeSlug(slugOf(displayName, 'variant'), (taken) => keys.has(taken))
    keys.add(key)
    return { key, displayName, trafficSplit }
  })
}

/** Guardrails come last, so that the first target is the primary one. */
export function toTargets(inputs: readonly TargetInput[]): ConversionTarget[] {
  const isGuardrail = ({ role }: TargetInput) => role === 'guardrail'
  return [...inputs.filter((target) => !isGuardrail(target)), ...inputs.filter(isGuardrail)].map(
    (target) => ({
      eventName: target.eventName,
      name: target.name ?? target.eventName,
      direction: target.direction ?? 'increase',
      windowHours: target.windowHours ?? null,
      filters: target.filters ?? [],
      ...(target.metric === undefined ? {} : { metric: target.metric }),
      ...(target.role === undefined ? {} : { role: target.role }),
      ...(target.margin === undefined ? {} : { margin: target.margin }),
    }),
  )
}

export function toSizing(input: SizingInput | null | undefined): Sizing | null {
  return input === null || input === undefined
    ? null
    : {
        minimumEffect: input.minimumEffect,
        power: input.power ?? DEFAULT_POWER,
        alpha: input.alpha ?? DEFAULT_ALPHA,
        exposureEvent: input.exposureEvent ?? null,
      }
}

export function toSurfaces(inputs: readonly SurfaceInput[] = []): Surface[] {
  return inputs.map(({ path, anchor }) => ({ path, anchor: anchor ?? null }))
}

/**
 * The variant to ship.
 *
 * @param key defaults to the variant that is not the control, if there are two
 * @throws DomainError VALIDATION_FAILED, also for the control: keeping it is a rejection
 */
export function requireVariant(row: ExperimentRow, key: string | undefined): Variant {
  const known = row.variants.map((variant) => variant.key).join(', ')
  const variant =
    key === undefined && row.variants.length === 2
      ? row.variants[1]
      : row.variants.find((candidate) => candidate.key === key)
  if (variant !== undefined && variant === row.variants[0])
    throw validationFailed([
      { path: '/variant', message: 'is the control: to keep everything as it was, decide to reject' },
    ])
  if (variant !== undefined) return variant
  const message =
    key === undefined ? `is required: one of ${known}` : `is not a variant of the experiment: one of ${known}`
  throw validationFailed([{ path: '/variant', message }])
}
