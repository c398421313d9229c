import './events.css'
import { api, unwrap } from '../../client/api'
import { useQueryParams } from '../../client/query-params'
import { useResource } from '../../client/resource'
import { Field } from '../../components/controls/field'
import { Pager } from '../../components/controls/pager'
import { Select } from '../../components/controls/select'
import { Tabs } from '../../components/controls/tabs'
import { useDebounced } from '../../components/controls/use-debounced'
import { EmptyState } from '../../components/loading/empty-state'
import { ListView } from '../../components/loading/list-view'
import { ResourceView } from '../../components/loading/resource-view'
import { Page } from '../../components/page'
import { EventDialog } from './event-dialog'
import { EventTable, NoEvents } from './event-table'
import { INTERVAL_LABELS, type VocabularyInterval, VocabularyTable } from './vocabulary-table'

const NAMES_A_PAGE = 50
const EVENTS_A_PAGE = 25
const POLL_MS = 15_000
const TYPING_MS = 200
const ORDERS: Readonly<Record<string, string>> = {
  'receivedAt desc': 'Newest first',
  'receivedAt asc': 'Oldest first',
  'event asc': 'By name, A to Z',
  'event desc': 'By name, Z to A',
}

type Change = ReturnType<typeof useQueryParams>[1]

export default function EventsPage() {
  const [params, change] = useQueryParams()
  const view = params.get('view') === 'all' ? 'all' : 'names'
  return (
    <Page
      title="Events"
      lead="What the workspace has received."
      actions={
        <Tabs
          legend="Show"
          value={view}
          options={{ names: 'Names', all: 'Every event' }}
          onChange={(next) => change({ view: next === 'names' ? null : next, offset: null })}
        />
      }
    >
      {view === 'names' ? (
        <Names params={params} change={change} />
      ) : (
        <Listing params={params} change={change} />
      )}
    </Page>
  )
}

function Names(props: { readonly params: URLSearchParams; readonly change: Change }) {
  const { params, change } = props
  const search = params.get('search') ?? ''
  const offset = Number(params.get('offset') ?? 0)
  const wanted = useDebounced(search.trim(), TYPING_MS)
  const query = { limit: NAMES_A_PAGE, offset, ...(wanted === '' ? {} : { search: wanted }) }
  const names = useResource(
    `names ${offset} ${wanted}`,
    (signal) => unwrap(api.GET('/funnel/events', { params: { query }, signal })),
    { refetchMs: POLL_MS },
  )
  const asked = params.get('interval') ?? 'hour'
  const interval: VocabularyInterval = asked === 'minute' || asked === 'day' ? asked : 'hour'
  return (
    <>
      <div class="toolbar">
        <div class="wide">
          <Field
            label="Search names"
            type="search"
            value={search}
            onChange={(value) => change({ search: value === '' ? null : value, offset: null })}
          />
        </div>
        <Select
          label="Trend of the last"
          value={interval}
          options={INTERVAL_LABELS}
          onChange={(value) => change({ interval: value === 'hour' ? null : value })}
        />
      </div>
      <ResourceView of={names} what="event names" calm>
        {({ data, pagination }) =>
          pagination.total === 0 && wanted === '' ? (
            <NoEvents />
          ) : (
            <>
              {pagination.total === 0 ? (
                <EmptyState title="No matching names">
                  <p class="text">No received event has “{wanted}” in its name.</p>
                </EmptyState>
              ) : (
                <VocabularyTable names={data} interval={interval} />
              )}
              <Pager page={pagination} what="event names" change={change} />
            </>
          )
        }
      </ResourceView>
    </>
  )
}

function Listing(props: { readonly params: URLSearchParams; readonly change: Change }) {
  const { params, change } = props
  const opened = params.get('id')
  const sortBy = params.get('sortBy') === 'event' ? 'event' : 'receivedAt'
  const sortDir = params.get('sortDir') === 'asc' ? 'asc' : 'desc'
  const query = { limit: EVENTS_A_PAGE, offset: Number(params.get('offset') ?? 0), sortBy, sortDir } as const
  const page = useResource(
    JSON.stringify(query),
    (signal) => unwrap(api.GET('/events', { params: { query }, signal })),
    query.offset === 0 ? { refetchMs: POLL_MS } : {},
  )
  return (
    <>
      <div class="toolbar">
        <Select
          label="Order"
          value={`${sortBy} ${sortDir}`}
          options={ORDERS}
          onChange={(value) => {
            const [by = null, direction = null] = value.split(' ')
            change({ sortBy: by, sortDir: direction, offset: null })
          }}
        />
      </div>
      <ListView of={page} what="events" change={change} empty={<NoEvents />}>
        {(events) => <EventTable events={events} label="Events" open={(id) => change({ id })} />}
      </ListView>
      {opened !== null && (
        <EventDialog
          id={opened}
          known={page.data?.data.find(({ id }) => id === opened)}
          close={() => change({ id: null })}
        />
      )}
    </>
  )
}
