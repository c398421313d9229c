import { Link } from 'wouter-preact'
import { formatCount } from '../../../domain/text/format.js'
import { api, type Schema, unwrap } from '../../client/api'
import { useResource } from '../../client/resource'
import { DataTable } from '../../components/data-table'
import { EmptyState } from '../../components/loading/empty-state'
import { ResourceView } from '../../components/loading/resource-view'
import { Page } from '../../components/page'
import { Fact } from '../../components/text/fact'
import { Time } from '../../components/text/time'
import { EventPages } from '../events/event-pages'
import { personLabel } from '../events/event-table'

type PersonDetail = Schema<'PersonDetail'>
const MAX_IDS = 10

export function Person(props: { readonly id: string }) {
  const { id } = props
  const person = useResource(id, (signal) =>
    unwrap(api.GET('/events/persons/{personId}', { params: { path: { personId: id } }, signal })),
  )
  return (
    <Page title={personLabel(id)} lead={<Link href="/persons">All persons</Link>}>
      <ResourceView of={person} what="person" lines={8}>
        {(found) => (
          <>
            <Facts person={found} />
            {found.experiments.length > 0 && <Experiments person={found} />}
            <section class="section">
              <h2>Timeline</h2>
              <EventPages
                query={{ personId: found.personId }}
                label="Timeline"
                ofPerson
                empty={<EmptyState title="No events" />}
              />
            </section>
          </>
        )}
      </ResourceView>
    </Page>
  )
}

function Facts(props: { readonly person: PersonDetail }) {
  const { userId, anonymousIds, firstSeenAt, lastSeenAt, events } = props.person
  return (
    <dl class="card facts">
      <Fact name="User id">
        {userId === null ? <span class="muted">not signed in yet</span> : <bdi>{userId}</bdi>}
      </Fact>
      <Fact
        name={anonymousIds.length > 1 ? `${formatCount(anonymousIds.length)} anonymous ids` : 'Anonymous id'}
      >
        {anonymousIds.length === 0 ? <span class="muted">none linked</span> : null}
        {anonymousIds.slice(0, MAX_IDS).map((anonymousId) => (
          <div key={anonymousId}>
            <bdi>{anonymousId}</bdi>
          </div>
        ))}
        {anonymousIds.length > MAX_IDS && (
          <span class="muted">and {formatCount(anonymousIds.length - MAX_IDS)} more</span>
        )}
      </Fact>
      <Fact name="First seen">
        <Time at={firstSeenAt} />
      </Fact>
      <Fact name="Last seen">
        <Time at={lastSeenAt} />
      </Fact>
      <Fact name="Events" class="number">
        {formatCount(events)}
      </Fact>
    </dl>
  )
}

function Experiments(props: { readonly person: PersonDetail }) {
  return (
    <section class="section">
      <h2>Experiments</h2>
      <DataTable
        label="Experiments of this person"
        rows={props.person.experiments}
        keyOf={({ key, variant }) => `${key} ${variant}`}
        columns={[
          {
            title: 'Experiment',
            class: 'long',
            isHeading: true,
            cell: ({ key }) => <Link href={`/experiments/${encodeURIComponent(key)}`}>{key}</Link>,
          },
          { title: 'Variant', cell: ({ variant }) => variant },
          { title: 'First seen', class: 'nowrap', cell: ({ exposedAt }) => <Time at={exposedAt} as="day" /> },
        ]}
      />
    </section>
  )
}
