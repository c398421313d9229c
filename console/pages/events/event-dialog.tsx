import './events.css'
import { Link } from 'wouter-preact'
import { timeAdjustmentLabel } from '../../../domain/text/labels.js'
import { api, type Schema, unwrap } from '../../client/api'
import { useResource } from '../../client/resource'
import { CopyBlock } from '../../components/copy-block'
import { Dialog } from '../../components/dialogs/dialog'
import { ResourceView } from '../../components/loading/resource-view'
import { Time } from '../../components/text/time'
import { personLabel, personPath } from './event-table'

type StoredEvent = Schema<'Event'>

export function EventDialog(props: {
  readonly id: string
  /** The event, if it is loaded already. */
  readonly known: StoredEvent | undefined
  readonly close: () => void
}) {
  const { id, known } = props
  const asked = useResource(known === undefined ? id : null, (signal) =>
    unwrap(api.GET('/events/{eventId}', { params: { path: { eventId: id } }, signal })),
  )
  return (
    <Dialog title={known?.event ?? asked.data?.event ?? 'Event'} close={props.close}>
      {known === undefined ? (
        <ResourceView of={asked} what="event">
          {(event) => <Detail event={event} />}
        </ResourceView>
      ) : (
        <Detail event={known} />
      )}
      <div class="row end">
        <button type="button" class="button" onClick={props.close}>
          Close
        </button>
      </div>
    </Dialog>
  )
}

function Detail(props: { readonly event: StoredEvent }) {
  const { event } = props
  return (
    <>
      <dl class="event-detail">
        <dt>Person</dt>
        <dd>
          <Link href={personPath(event.personId)}>
            <bdi>{personLabel(event.personId)}</bdi>
          </Link>
        </dd>
        <dt>Happened</dt>
        <dd>
          <Time at={event.timestamp} as="exact" />, {timeAdjustmentLabel(event.timestampAdjustment)}
        </dd>
        {event.originalTimestamp !== null && event.timestampAdjustment !== 'none' && (
          <>
            <dt>Sent as</dt>
            <dd>
              <Time at={event.originalTimestamp} as="exact" />
            </dd>
          </>
        )}
        <dt>Received</dt>
        <dd>
          <Time at={event.receivedAt} as="exact" />
        </dd>
        <OptionalField name="User id" value={event.userId} />
        <OptionalField name="Anonymous id" value={event.anonymousId} />
        <OptionalField name="Insert id" value={event.insertId} />
        <OptionalField name="SDK" value={event.sdkVersion} />
        <dt>Id</dt>
        <dd>
          <code>{event.id}</code>
        </dd>
      </dl>
      <section class="section" aria-label="Properties">
        <h3>Properties</h3>
        <CopyBlock text={JSON.stringify(event.properties, null, 2)} what="properties" />
      </section>
      <p class="small">
        <Link href={`/events?view=all&event=${encodeURIComponent(event.event)}`}>
          Search events of this name
        </Link>{' '}
        · <Link href={`/?event=${encodeURIComponent(event.event)}`}>Follow them live</Link>
      </p>
    </>
  )
}

function OptionalField(props: { readonly name: string; readonly value: string | null }) {
  if (props.value === null) return null
  return (
    <>
      <dt>{props.name}</dt>
      <dd>
        <bdi>{props.value}</bdi>
      </dd>
    </>
  )
}
