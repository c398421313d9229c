/**
 * p-values adjusted for being asked together, at the same places: the family-wise error stays below α however many there are (Holm, 1979). Null ones stay null and are
 * no part of the family.
 */
export function holm(pValues: readonly (number | null)[]): (number | null)[] {
  const family = pValues
    .flatMap((pValue, index) => (pValue === null ? [] : [{ pValue, index }]))
    .sort((a, b) => a.pValue - b.pValue)
  const adjusted: (number | null)[] = pValues.map(() => null)
  let largest = 0
  family.forEach(({ pValue, index }, rank) => {
    largest = Math.max(largest, Math.min(1, pValue * (family.length - rank)))
    adjusted[index] = largest
  })
  return adjusted
}
