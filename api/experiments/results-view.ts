import type { Evidence, Results, VariantResults } from '../../domain/statistics/index.js'

/** Results with their fields in the usual order, which Postgres does not keep. */
export function toShownResults(results: Results) {
  const { dataQuality } = results
  return {
    asOf: results.asOf,
    state: results.state,
    reason: results.reason,
    exposed: results.exposed,
    multipleVariants: results.multipleVariants,
    srm: { pValue: results.srm.pValue, ok: results.srm.ok },
    dataQuality: {
      multipleVariants: dataQuality.multipleVariants,
      unknownVariants: dataQuality.unknownVariants,
      beforeStart: dataQuality.beforeStart,
      // Results stored by an earlier version do not have it.
      zeroWeight: dataQuality.zeroWeight ?? 0,
      clampedShare: dataQuality.clampedShare,
      lagSeconds: dataQuality.lagSeconds,
    },
    targets: results.targets.map(({ eventName, direction, primary, variants }) => ({
      eventName,
      direction,
      primary,
      variants: variants.map(toShownVariant),
    })),
  }
}

function toShownVariant(variant: VariantResults) {
  const { key, exposed, converted, rate, mean, standardDeviation, adjustedMean, vsControl } = variant
  return {
    key,
    exposed,
    converted,
    rate,
    ...(mean === undefined ? {} : { mean }),
    ...(standardDeviation === undefined ? {} : { standardDeviation }),
    ...(adjustedMean === undefined ? {} : { adjustedMean }),
    vsControl: vsControl === null ? null : toShownEvidence(vsControl),
  }
}

function toShownEvidence(evidence: Evidence) {
  return {
    lift: evidence.lift,
    liftCi: evidence.liftCi,
    pValue: evidence.pValue,
    adjustedPValue: evidence.adjustedPValue,
    chanceToWin: evidence.chanceToWin,
    risk: evidence.risk,
    sequentialCi: evidence.sequentialCi,
    sequentialPValue: evidence.sequentialPValue,
  }
}
