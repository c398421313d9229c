import type { ComponentChildren } from 'preact'
import type { useQueryParams } from '../../client/query-params'
import type { Resource } from '../../client/resource'
import { Pager, type Pagination } from '../controls/pager'
import { ResourceView } from './resource-view'

/** A page of a list with its pager. */
export function ListView<Row>(props: {
  readonly of: Resource<{ readonly data: readonly Row[]; readonly pagination: Pagination }>
  readonly what: string
  readonly change: ReturnType<typeof useQueryParams>[1]
  /** Shown in place of an empty list. */
  readonly empty: ComponentChildren
  readonly children: (rows: readonly Row[]) => ComponentChildren
}) {
  return (
    <ResourceView of={props.of} what={props.what} lines={8} calm>
      {({ data, pagination }) =>
        pagination.total === 0 ? (
          props.empty
        ) : (
          <>
            {props.children(data)}
            <Pager page={pagination} what={props.what} change={props.change} />
          </>
        )
      }
    </ResourceView>
  )
}
