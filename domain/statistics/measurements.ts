import type { Evidence } from './evidence.js'
import type { Measurements } from './results.js'
import type { Results } from './results-types.js'

/** Computed from stored results, so that lists need none of the distributions. */
export function measurementsOf(results: Results): Measurements {
  const primary = results.targets.find((target) => target.primary)
  let best: Evidence | undefined
  for (const { vsControl } of primary?.variants ?? [])
    if (vsControl !== null && (vsControl.chanceToWin ?? -1) > (best?.chanceToWin ?? -1)) best = vsControl
  return {
    usersExposed: results.exposed,
    estimatedLift: best?.lift ?? null,
    confidence: best?.chanceToWin ?? null,
    asOf: results.asOf,
  }
}
