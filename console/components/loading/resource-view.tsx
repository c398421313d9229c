import type { ComponentChildren } from 'preact'
import type { Resource } from '../../client/resource'
import { ErrorMessage } from './error-message'
import { Skeleton } from './skeleton'

/**
 * Shows a resource while it loads, if it failed, and its data. Old data stays, dimmed, while newer data
 * loads.
 */
export function ResourceView<Data>(props: {
  readonly of: Resource<Data>
  readonly what: string
  /** Does not dim; for polling. */
  readonly calm?: boolean
  readonly lines?: number
  readonly children: (data: Data) => ComponentChildren
}) {
  const { data, failure, loading, reload } = props.of
  if (data === undefined) {
    if (failure !== undefined) return <ErrorMessage failure={failure} retry={reload} />
    return <Skeleton what={props.what} {...(props.lines === undefined ? {} : { lines: props.lines })} />
  }
  return (
    <div class={`stack${loading && props.calm !== true ? ' busy' : ''}`} aria-busy={loading}>
      {failure !== undefined && <ErrorMessage failure={failure} retry={reload} />}
      {props.children(data)}
    </div>
  )
}
