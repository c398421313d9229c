import './events.css'
import { Link } from 'wouter-preact'
import type { Schema } from '../../client/api'
import { DataTable } from '../../components/data-table'
import { EmptyState } from '../../components/loading/empty-state'
import { Breakable } from '../../components/text/breakable'
import { Time } from '../../components/text/time'

/** Characters of the properties in a row. */
const MAX_TEXT = 160

const RECEIVED = {
  title: 'Received',
  class: 'nowrap' as const,
  cell: ({ receivedAt }: Schema<'Event'>) => <Time at={receivedAt} as="clock" />,
}
const HAPPENED = {
  title: 'Happened',
  class: 'nowrap' as const,
  cell: ({ timestamp }: Schema<'Event'>) => <Time at={timestamp} as="clock" />,
}
const PERSON = {
  title: 'Person',
  class: 'long' as const,
  cell: ({ personId }: Schema<'Event'>) => (
    <Link class="quiet-link" href={personPath(personId)}>
      <bdi>{personLabel(personId)}</bdi>
    </Link>
  ),
}

export function EventTable(props: {
  readonly events: readonly Schema<'Event'>[]
  readonly label: string
  readonly low?: boolean
  /** Leaves out the person. */
  readonly ofPerson?: boolean
  /** Adds when events happened; left out, only their receipt is shown. */
  readonly happened?: boolean
  readonly open: (id: string) => void
}) {
  const { happened = false } = props
  return (
    <DataTable
      label={props.label}
      low={props.low === true}
      rows={props.events}
      keyOf={({ id }) => id}
      columns={[
        ...(happened ? [HAPPENED] : [RECEIVED]),
        {
          title: 'Event',
          class: 'long',
          isHeading: true,
          cell: ({ id, event }) => (
            <button type="button" class="event-name" onClick={() => props.open(id)}>
              <Breakable text={event} />
            </button>
          ),
        },
        ...(props.ofPerson === true ? [] : [PERSON]),
        {
          title: 'Properties',
          cell: ({ properties }) => (
            <div class="event-properties" dir="ltr">
              {JSON.stringify(properties).slice(0, MAX_TEXT)}
            </div>
          ),
        },
        ...(happened ? [{ ...RECEIVED, class: 'nowrap wide-only' as const }] : []),
      ]}
    />
  )
}

/** `user:17` as `17`, and `anonymous:a` as `a (anonymous)`. */
export function personLabel(personId: string): string {
  const id = personId.slice(personId.indexOf(':') + 1)
  return personId.startsWith('anonymous:') ? `${id} (anonymous)` : id
}

/** The page of a person. */
export function personPath(personId: string): string {
  return `/persons?person=${encodeURIComponent(personId)}`
}

export function NoEvents() {
  return (
    <EmptyState title="No event has arrived yet">
      <p class="text">
        <Link href="/setup">Setup</Link> has a command to send the first one, and shows it arriving.
      </p>
    </EmptyState>
  )
}
