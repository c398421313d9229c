import './events.css'
import { useLocation } from 'wouter-preact'
import { api, unwrap } from '../../client/api'
import { useQueryParams } from '../../client/query-params'
import { useResource } from '../../client/resource'
import { Pager } from '../../components/controls/pager'
import { SearchField } from '../../components/controls/search-field'
import { Select } from '../../components/controls/select'
import { Tabs } from '../../components/controls/tabs'
import { EmptyState } from '../../components/loading/empty-state'
import { ResourceView } from '../../components/loading/resource-view'
import { Page } from '../../components/page'
import { EventNameDialog } from './event-name-dialog'
import { EventSearch } from './event-search'
import { NoEvents } from './event-table'
import { INTERVAL_LABELS, type VocabularyInterval, VocabularyTable } from './vocabulary-table'

const NAMES_A_PAGE = 50
const POLL_MS = 15_000
const HIDDEN_LABELS = [
  ['exclude', 'Left out'],
  ['include', 'Listed too'],
  ['only', 'Listed alone'],
] as const

type Change = ReturnType<typeof useQueryParams>[1]

export default function EventsPage() {
  const [params, change] = useQueryParams()
  const [, navigate] = useLocation()
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
          onChange={(next) => navigate(next === 'names' ? '/events' : '/events?view=all')}
        />
      }
    >
      {view === 'names' ? <Names params={params} change={change} /> : <EventSearch />}
    </Page>
  )
}

function Names(props: { readonly params: URLSearchParams; readonly change: Change }) {
  const { params, change } = props
  const search = params.get('search') ?? ''
  const opened = params.get('name')
  const offset = Number(params.get('offset') ?? 0)
  const hidden = HIDDEN_LABELS.find(([choice]) => choice === params.get('hidden'))?.[0] ?? 'exclude'
  const query = { limit: NAMES_A_PAGE, offset, hidden, ...(search === '' ? {} : { search }) }
  const names = useResource(
    `names ${offset} ${hidden} ${search}`,
    (signal) => unwrap(api.GET('/funnel/events', { params: { query }, signal })),
    { refetchMs: POLL_MS },
  )
  const asked = params.get('interval') ?? 'hour'
  const interval: VocabularyInterval = asked === 'minute' || asked === 'day' ? asked : 'hour'
  return (
    <>
      <div class="toolbar">
        <div class="wide">
          <SearchField label="Search names" address={[params, change]} />
        </div>
        <Select
          label="Trend of the last"
          value={interval}
          options={INTERVAL_LABELS}
          onChange={(value) => change({ interval: value === 'hour' ? null : value })}
        />
        <Select
          label="Hidden names"
          value={hidden}
          options={HIDDEN_LABELS}
          onChange={(value) => change({ hidden: value === 'exclude' ? null : value, offset: null })}
        />
      </div>
      <ResourceView of={names} what="event names" calm>
        {({ data, pagination }) =>
          pagination.total === 0 && search === '' && hidden === 'exclude' ? (
            <NoEvents />
          ) : (
            <>
              {pagination.total === 0 ? (
                <EmptyState title="No matching names">
                  <p class="text">
                    {search === ''
                      ? 'No name is hidden.'
                      : `No received event has “${search}” in its name or description.`}
                  </p>
                </EmptyState>
              ) : (
                <VocabularyTable names={data} interval={interval} open={(name) => change({ name })} />
              )}
              <Pager page={pagination} what="event names" change={change} />
            </>
          )
        }
      </ResourceView>
      {opened !== null && (
        <EventNameDialog
          name={opened}
          entry={names.data?.data.find(({ eventName }) => eventName === opened)}
          changed={() => {
            names.reload()
            change({ name: null })
          }}
          close={() => change({ name: null })}
        />
      )}
    </>
  )
}
