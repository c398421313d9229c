/** Holm-adjusted p-values (1979), at the same indexes. Null values stay null and are not in the family. */
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
