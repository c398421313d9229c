import { Link } from 'wouter-preact'
import { formatCount } from '../../../domain/text/format.js'
import { api, type Schema, unwrap } from '../../client/api'
import { useQueryParams } from '../../client/query-params'
import { useResource } from '../../client/resource'
import { SearchField } from '../../components/controls/search-field'
import { DataTable } from '../../components/data-table'
import { EmptyState } from '../../components/loading/empty-state'
import { ListView } from '../../components/loading/list-view'
import { Page } from '../../components/page'
import { Time } from '../../components/text/time'
import { NoEvents, personLabel, personPath } from '../events/event-table'
import { Person } from './person'

const PAGE_SIZE = 25

export default function PersonsPage() {
  const [params] = useQueryParams()
  const id = params.get('person')
  return id === null ? <Persons /> : <Person key={id} id={id} />
}

function Persons() {
  const address = useQueryParams()
  const [params, change] = address
  const search = params.get('search') ?? ''
  const query = {
    limit: PAGE_SIZE,
    offset: Number(params.get('offset') ?? 0),
    ...(search === '' ? {} : { search }),
  }
  const persons = useResource(JSON.stringify(query), (signal) =>
    unwrap(api.GET('/events/persons', { params: { query }, signal })),
  )
  return (
    <Page title="Persons" lead="Everyone who sent an event, those seen last first.">
      <div class="toolbar">
        <div class="wide">
          <SearchField address={address} placeholder="user id or anonymous id" />
        </div>
      </div>
      <ListView
        of={persons}
        what="persons"
        change={change}
        empty={
          search === '' ? (
            <NoEvents />
          ) : (
            <EmptyState title="No such person">
              <p class="text">No user id and no anonymous id contains “{search}”.</p>
            </EmptyState>
          )
        }
      >
        {(rows) => <PersonTable persons={rows} />}
      </ListView>
    </Page>
  )
}

function PersonTable(props: { readonly persons: readonly Schema<'PersonSummary'>[] }) {
  return (
    <DataTable
      label="Persons"
      rows={props.persons}
      keyOf={({ personId }) => personId}
      columns={[
        {
          title: 'Person',
          class: 'long',
          isHeading: true,
          cell: ({ personId }) => (
            <Link href={personPath(personId)}>
              <bdi>{personLabel(personId)}</bdi>
            </Link>
          ),
        },
        { title: 'Events', class: 'number', cell: ({ events }) => formatCount(events) },
        { title: 'Last seen', class: 'nowrap', cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
        {
          title: 'First seen',
          class: 'nowrap wide-only',
          cell: ({ firstSeenAt }) => <Time at={firstSeenAt} />,
        },
      ]}
    />
  )
}
