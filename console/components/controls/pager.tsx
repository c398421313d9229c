import { formatCount } from '../../../domain/text/format.js'

interface Pagination {
  readonly limit: number
  readonly offset: number
  readonly total: number
  readonly hasMore: boolean
}

export function Pager(props: {
  readonly page: Pagination
  readonly what: string
  readonly go: (offset: number) => void
}) {
  const { limit, offset, total, hasMore } = props.page
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
            onClick={() => props.go(Math.max(0, offset - limit))}
          >
            Previous
          </button>
          <button
            type="button"
            class="button small"
            disabled={!hasMore}
            onClick={() => props.go(offset + limit)}
          >
            Next
          </button>
        </span>
      )}
    </div>
  )
}
