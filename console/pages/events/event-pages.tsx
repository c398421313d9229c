import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { operations } from '../../../contract/operations'
import { formatCount } from '../../../domain/text/format.js'
import { api, type Schema, unwrap } from '../../client/api'
import { useMutation } from '../../client/mutation'
import { useQueryParams } from '../../client/query-params'
import { useResource } from '../../client/resource'
import { ErrorMessage } from '../../components/loading/error-message'
import { ResourceView } from '../../components/loading/resource-view'
import { EventDialog } from './event-dialog'
import { EventTable } from './event-table'

type Page = Schema<'EventPage'>
type Conditions = NonNullable<operations['listEvents']['parameters']['query']>

const PAGE_SIZE = 25
const POLL_MS = 15_000

/** Pages of events one below the other. The first is kept up to date while it is alone. */
export function EventPages(props: {
  readonly query: Conditions
  readonly label: string
  /** Leaves out the person. */
  readonly ofPerson?: boolean
  readonly empty: ComponentChildren
}) {
  const [params, change] = useQueryParams()
  const [more, setMore] = useState<readonly Page[]>([])
  const load = (cursor: string | null, signal?: AbortSignal): Promise<Page> => {
    const query = { limit: PAGE_SIZE, ...props.query, ...(cursor === null ? {} : { cursor }) }
    return unwrap(api.GET('/events', { params: { query }, ...(signal === undefined ? {} : { signal }) }))
  }
  const first = useResource(
    JSON.stringify(props.query),
    (signal) => load(null, signal),
    more.length === 0 ? { refetchMs: POLL_MS } : {},
  )
  const opened = params.get('id')
  const events = [first.data, ...more].flatMap((page) => page?.data ?? [])
  return (
    <>
      <ResourceView of={first} what="events" lines={8} calm>
        {({ pagination, cursor }) =>
          pagination.total === 0 ? (
            props.empty
          ) : (
            <>
              <EventTable
                events={events}
                label={props.label}
                happened
                ofPerson={props.ofPerson === true}
                open={(id) => change({ id })}
              />
              <MorePages
                shown={events.length}
                total={pagination.total}
                cursor={more.length === 0 ? cursor : (more.at(-1)?.cursor ?? null)}
                load={load}
                add={(page) => setMore([...more, page])}
              />
            </>
          )
        }
      </ResourceView>
      {opened !== null && (
        <EventDialog
          id={opened}
          known={events.find(({ id }) => id === opened)}
          close={() => change({ id: null })}
        />
      )}
    </>
  )
}

function MorePages(props: {
  readonly shown: number
  readonly total: number
  /** Null at the end. */
  readonly cursor: string | null
  readonly load: (cursor: string) => Promise<Page>
  readonly add: (page: Page) => void
}) {
  const { shown, total, cursor, load, add } = props
  const { busy, failure, run } = useMutation()
  async function more(from: string): Promise<void> {
    const outcome = await run(from, () => load(from))
    if (outcome.ok) add(outcome.data)
  }
  return (
    <>
      {failure !== undefined && <ErrorMessage failure={failure} />}
      <div class="pager">
        <span role="status">
          {formatCount(shown)} of {formatCount(Math.max(shown, total))} events
        </span>
        {cursor !== null && shown < total && (
          <button type="button" class="button small" disabled={busy} onClick={() => void more(cursor)}>
            {busy ? 'Loading…' : 'Show more'}
          </button>
        )}
      </div>
    </>
  )
}
