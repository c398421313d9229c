/** The UTC month of a time in milliseconds, as `yyyymm`: the scope of deduplication and of table parts. */
export function monthOf(milliseconds: number): number {
  const date = new Date(milliseconds)
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1
}
