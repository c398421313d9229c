import { validationFailed } from '../refusals.js'
import type { ExperimentRow, Variant } from './types.js'

/** The variant that is to be shipped; of two, the one that is not the control needs no name. Throws VALIDATION_FAILED. */
export function requireVariant(row: ExperimentRow, key: string | undefined): Variant {
  const known = row.variants.map((variant) => variant.key).join(', ')
  const variant =
    key === undefined && row.variants.length === 2
      ? row.variants[1]
      : row.variants.find((candidate) => candidate.key === key)
  if (variant !== undefined) return variant
  const message =
    key === undefined ? `is required: one of ${known}` : `is no variant of the experiment: one of ${known}`
  throw validationFailed([{ path: '/variant', message }])
}
