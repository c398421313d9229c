import { useState } from 'preact/hooks'
import { pluralize } from '../../../domain/text/format.js'
import { useAddressState } from '../../client/address-state'
import { useQueryParams } from '../../client/query-params'
import { useDebounced } from '../../components/controls/use-debounced'
import { EmptyState } from '../../components/loading/empty-state'
import { ErrorMessage } from '../../components/loading/error-message'
import { Skeleton } from '../../components/loading/skeleton'
import { Page } from '../../components/page'
import { isEventName } from '../../components/query/event-name'
import { EventNameField } from '../../components/query/event-name-field'
import { useEventNames } from '../../components/query/suggestions'
import { EventDialog } from '../events/event-dialog'
import { EventTable, NoEvents } from '../events/event-table'
import { RefusedNotice } from '../events/refused-events'
import { Rate } from './rate'
import { type Live, useLive } from './use-live'

const TYPING_MS = 400

export default function LivePage() {
  const [params, change] = useQueryParams()
  const [paused, setPaused] = useState(false)
  const names = useEventNames()
  const [{ event: typed }, follow] = useAddressState(
    (read) => ({ event: read.get('event') ?? '' }),
    ({ event }) => ({ event: event || null }),
  )
  const filter = useDebounced(typed, TYPING_MS)
  const isName = filter === '' || isEventName(filter)
  const live = useLive(isName ? filter : '', paused)
  const opened = params.get('id')

  return (
    <Page title="Live" lead="Events as they arrive, about a second after they were sent.">
      <div class="live-bar">
        <EventNameField
          label="Only events named"
          value={typed}
          names={names}
          placeholder="All events"
          onChange={(event) => follow({ event })}
        />
        <div class="row">
          <button
            type="button"
            class="button"
            aria-pressed={paused}
            onClick={() => setPaused((before) => !before)}
          >
            {paused ? 'Go on' : 'Pause'}
          </button>
          <State live={live} paused={paused} />
        </div>
      </div>
      {!isName && (
        <p role="alert" class="notice warn">
          No event can have this name: names are letters, digits and _ . - $
        </p>
      )}
      {live.failure !== undefined && !live.failure.isRetryable && <ErrorMessage failure={live.failure} />}
      <RefusedNotice />
      <Rate rate={live.rate} />
      <section class="section">
        <h2>Newest events</h2>
        {live.skipped > 0 && (
          <p class="notice">
            {pluralize(live.skipped, 'event')} arrived too fast to be shown one by one; the figures above
            include them all.
          </p>
        )}
        <Newest live={live} filter={filter} open={(id) => change({ id })} />
      </section>
      {opened !== null && (
        <EventDialog
          id={opened}
          known={live.events.find(({ id }) => id === opened)}
          close={() => change({ id: null })}
        />
      )}
    </Page>
  )
}

function Newest(props: {
  readonly live: Live
  readonly filter: string
  readonly open: (id: string) => void
}) {
  const { live, filter, open } = props
  if (live.events.length > 0)
    return <EventTable events={live.events} open={open} label="The newest events" low />
  if (live.failure !== undefined)
    return (
      <EmptyState title="No connection">
        <p class="text">Events show here as soon as the connection is back.</p>
      </EmptyState>
    )
  if (!live.ready) return <Skeleton what="events" />
  if (filter !== '')
    return (
      <EmptyState title="No recent events of this name">
        <p class="text">It shows here as soon as one arrives.</p>
      </EmptyState>
    )
  return <NoEvents />
}

function State(props: { readonly live: Live; readonly paused: boolean }) {
  const { live, paused } = props
  const [tone, text] =
    live.failure !== undefined
      ? (['bad', 'No connection, trying again'] as const)
      : paused
        ? ([
            'warn',
            live.waiting === 0 ? 'Paused' : `Paused, ${pluralize(live.waiting, 'new event')}`,
          ] as const)
        : live.rate === undefined
          ? (['', 'Connecting'] as const)
          : (['good', 'Live'] as const)
  return (
    <span role="status" class={`badge ${tone}`}>
      {text}
    </span>
  )
}
