import { formatCount } from '../../../domain/text/format.js'
import { api, type Schema, unwrap } from '../../client/api'
import { useResource } from '../../client/resource'
import { DataTable } from '../../components/data-table'
import { Breakable } from '../../components/text/breakable'
import { Time } from '../../components/text/time'
import { Sparkline } from './sparkline'

export type VocabularyInterval = Schema<'EventTrends'>['interval']
export const INTERVAL_LABELS: Readonly<Record<VocabularyInterval, string>> = {
  minute: '60 minutes',
  hour: '24 hours',
  day: '30 days',
}

const POLL_MS = 30_000

export function VocabularyTable(props: {
  readonly names: readonly Schema<'EventName'>[]
  readonly interval: VocabularyInterval
  readonly open: (eventName: string) => void
}) {
  const { names, interval } = props
  const events = names.map(({ eventName }) => eventName).join(',')
  const trends = useResource(
    events === '' ? null : `${interval} ${events}`,
    async (signal) => {
      const { data } = await unwrap(
        api.GET('/events/trends', { params: { query: { events, interval } }, signal }),
      )
      return new Map(data.map(({ eventName, counts }) => [eventName, counts]))
    },
    { refetchMs: POLL_MS },
  )
  return (
    <DataTable
      label="Event names"
      rows={names}
      keyOf={({ eventName }) => eventName}
      columns={[
        {
          title: 'Event',
          class: 'long',
          isHeading: true,
          cell: ({ eventName, description }) => (
            <>
              <button type="button" class="event-name" onClick={() => props.open(eventName)}>
                <Breakable text={eventName} />
              </button>
              {description !== null && (
                <div class="muted small" dir="auto">
                  {description}
                </div>
              )}
            </>
          ),
        },
        { title: 'Received', class: 'number', cell: ({ count }) => formatCount(count) },
        {
          title: `Last ${INTERVAL_LABELS[interval]}`,
          cell: ({ eventName }) => {
            const counts = trends.data?.get(eventName)
            return counts !== undefined && <Sparkline counts={counts} span={INTERVAL_LABELS[interval]} />
          },
        },
        {
          title: 'First seen',
          class: 'nowrap wide-only',
          cell: ({ firstSeenAt }) => <Time at={firstSeenAt} />,
        },
        { title: 'Last seen', class: 'nowrap', cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
      ]}
    />
  )
}
