/** A stretch of a table in order of time: so many rows, the first not before `first`, the last not after `last`, milliseconds. */
export interface Granule {
  /** Rows, of which only those of one workspace count: all of them where both ends are known. */
  readonly rows: number
  readonly first: number | undefined
  readonly last: number | undefined
}

export interface PageBounds {
  /** The page lies among rows received from `from` to before `to`; undefined where that is open. */
  readonly from: number | undefined
  readonly to: number | undefined
  /** Whether rows of the listing lie before the page's range: those from `to` on where it is descending, else those before `from`. */
  readonly preceded: boolean
}

/**
 * Where a page must lie, from what an index knows of a table's rows: sure to hold the whole page, and not many rows more. Rows may come
 * to lie anywhere later; none may have gone.
 *
 * @param shallow a page that begins before this row is looked for from the beginning
 * @param margin so many rows may have come before the page since the index was read
 * @returns undefined where there are not that many rows
 */
export function pageBounds(
  granules: readonly Granule[],
  page: { readonly offset: number; readonly limit: number; readonly sortDir: 'asc' | 'desc' },
  shallow: number,
  margin = 0,
): PageBounds | undefined {
  const descending = page.sortDir === 'desc'
  // On an axis that runs against the listing: it begins at the greatest place.
  const stretches = granules.map(({ rows, first, last }) => ({
    rows,
    near: descending ? (last ?? Infinity) : -(first ?? -Infinity),
    far: descending ? (first ?? -Infinity) : -(last ?? Infinity),
  }))
  const most = stretches.reduce((sum, { rows }) => sum + rows, 0)
  if (most <= page.offset) return undefined

  const end = endOf(stretches, page.offset + page.limit)
  const start = page.offset - margin
  const begin = start < Math.max(shallow, 0) ? undefined : beginOf(stretches, start)
  const preceded = begin !== undefined
  return descending
    ? { from: end, to: begin, preceded }
    : {
        from: begin === undefined ? undefined : -begin + 1,
        to: end === undefined ? undefined : -end + 1,
        preceded,
      }
}

interface Stretch {
  readonly rows: number
  readonly near: number
  readonly far: number
}

/** A place at or before which, counted from the beginning, there are at least so many rows. */
function endOf(stretches: readonly Stretch[], rows: number): number | undefined {
  const whole = stretches.filter(({ near, far }) => Number.isFinite(near) && Number.isFinite(far))
  let sure = 0
  for (const stretch of whole.sort((a, b) => b.far - a.far)) {
    sure += stretch.rows
    if (sure >= rows) return stretch.far
  }
  return undefined
}

/** The farthest place of which is sure that at most so many rows lie at or before it. */
function beginOf(stretches: readonly Stretch[], rows: number): number | undefined {
  let most = 0
  for (const stretch of [...stretches].sort((a, b) => b.near - a.near)) {
    most += stretch.rows
    if (most > rows) return Number.isFinite(stretch.near) ? stretch.near + 1 : undefined
  }
  return undefined
}
