export interface PageOptions {
  readonly workspaceId: string
  /** 1 to 100. */
  readonly limit: number
  /** Up to 2^53 - 1; a page past the end is empty. */
  readonly offset: number
  readonly sortDir: 'asc' | 'desc'
  readonly signal?: AbortSignal | undefined
}

/** Consecutive rows of a table in time order: none before `first`, none after `last`, in milliseconds. */
export interface Granule {
  /** Number of rows. If an end is unknown, only some belong to the workspace. */
  readonly rows: number
  readonly first: number | undefined
  readonly last: number | undefined
}

export interface PageBounds {
  /** The page is among rows received from `from` to before `to`; undefined if that end is open. */
  readonly from: number | undefined
  readonly to: number | undefined
  /** Whether rows of the listing precede the range: from `to` on if descending, else those before `from`. */
  readonly preceded: boolean
}

/**
 * The range that surely contains a page, and few rows more, from an index of the table's rows. Rows may
 * arrive anywhere later; none may have been removed.
 * @param shallow a page that begins before this row is read from the start
 * @param margin rows that may have arrived before the page since the index was read
 * @returns undefined if there are not that many rows
 */
export function pageBounds(
  granules: readonly Granule[],
  page: Pick<PageOptions, 'offset' | 'limit' | 'sortDir'>,
  shallow: number,
  margin = 0,
): PageBounds | undefined {
  const descending = page.sortDir === 'desc'
  // Measured against the listing's direction: the listing begins at the greatest value.
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

/** A value at or before which there are at least this many rows, counted from the start. */
function endOf(stretches: readonly Stretch[], rows: number): number | undefined {
  const whole = stretches.filter(({ near, far }) => Number.isFinite(near) && Number.isFinite(far))
  let sure = 0
  for (const stretch of whole.sort((a, b) => b.far - a.far)) {
    sure += stretch.rows
    if (sure >= rows) return stretch.far
  }
  return undefined
}

/** The farthest value at or before which there are surely at most this many rows. */
function beginOf(stretches: readonly Stretch[], rows: number): number | undefined {
  let most = 0
  for (const stretch of [...stretches].sort((a, b) => b.near - a.near)) {
    most += stretch.rows
    if (most > rows) return Number.isFinite(stretch.near) ? stretch.near + 1 : undefined
  }
  return undefined
}
