import { formatCount } from '../../../domain/text/format.js'
import type { useQueryParams } from '../../client/query-params'
import { GuardedButton } from './guarded-button'

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
          <GuardedButton
            small
            reason={offset === 0 ? 'This is the first page' : undefined}
            onClick={() => go(offset - limit)}
          >
            Previous
          </GuardedButton>
          <GuardedButton
            small
            reason={hasMore ? undefined : 'This is the last page'}
            onClick={() => go(offset + limit)}
          >
            Next
          </GuardedButton>
        </span>
      )}
    </div>
  )
}
