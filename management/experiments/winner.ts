import { validationFailed } from '../domain-errors.js'
import type { ExperimentRow, Variant } from './types.js'

/**
 * The variant that is to be shipped; of two, the one that is not the control needs no name. Throws VALIDATION_FAILED, for the control too: what stays as it was is
 * a rejection.
 */
export function requireVariant(row: ExperimentRow, key: string | undefined): Variant {
  const known = row.variants.map((variant) => variant.key).join(', ')
  const variant =
    key === undefined && row.variants.length === 2
      ? row.variants[1]
      : row.variants.find((candidate) => candidate.key === key)
  if (variant !== undefined && variant === row.variants[0])
    throw validationFailed([
      { path: '/variant', message: 'is the control: to leave everything as it was, decide to reject' },
    ])
  if (variant !== undefined) return variant
  const message =
    key === undefined ? `is required: one of ${known}` : `is no variant of the experiment: one of ${known}`
  throw validationFailed([{ path: '/variant', message }])
}
