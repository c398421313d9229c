/** The UTC calendar month of a time in milliseconds, as `yyyymm`: the scope of deduplication and of a table part. */
export function monthOf(milliseconds: number): number {
  const date = new Date(milliseconds)
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1
}

/** The first millisecond of a `yyyymm` month and the first one after it. */
export function monthBounds(month: number): { readonly from: number; readonly to: number } {
  const year = Math.floor(month / 100)
  const index = (month % 100) - 1
  return { from: Date.UTC(year, index), to: Date.UTC(year, index + 1) }
}
