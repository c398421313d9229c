import { formatCount } from '../../../domain/text/format.js'
import type { useQueryParams } from '../../client/query-params'

export interface Pagination {
  readonly limit: number
  readonly offset: number
  readonly total: number
  readonly hasMore: boolean
}

export function Pager(props: {
  readonly page: Pagination
  readonly what: string
  /** Of the address, which has the `offset`. */
  readonly change: ReturnType<typeof useQueryParams>[1]
}) {
  const { limit, offset, total, hasMore } = props.page
  function go(to: number): void {
    props.change({ offset: to <= 0 ? null : String(to) })
    window.scrollTo(0, 0)
  }
  return (
    <div class="pager">
      <span role="status">
        {total === 0
          ? `No ${props.what}`
          : `${formatCount(Math.min(offset + 1, total))} to ${formatCount(Math.min(offset + limit, total))} of ${formatCount(total)} ${props.what}`}
      </span>
      {(offset > 0 || hasMore) && (
        <span class="row">
          <button
            type="button"
            class="button small"
            disabled={offset === 0}
            onClick={() => go(offset - limit)}
          >
            Previous
          </button>
          <button type="button" class="button small" disabled={!hasMore} onClick={() => go(offset + limit)}>
            Next
          </button>
        </span>
      )}
    </div>
  )
}
