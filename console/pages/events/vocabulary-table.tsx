import { Link } from 'wouter-preact'
import { formatCount } from '../../../domain/text/format.js'
import { api, type Schema, unwrap } from '../../client/api'
import { useResource } from '../../client/resource'
import { ScrollableTable } from '../../components/scrollable-table'
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
    <ScrollableTable label="Event names">
      <table>
        <thead>
          <tr>
            <th scope="col">Event</th>
            <th scope="col" class="number">
              Received
            </th>
            <th scope="col">Last {INTERVAL_LABELS[interval]}</th>
            <th scope="col">First seen</th>
            <th scope="col">Last seen</th>
          </tr>
        </thead>
        <tbody>
          {names.map(({ eventName, count, firstSeenAt, lastSeenAt }) => {
            const counts = trends.data?.get(eventName)
            return (
              <tr key={eventName}>
                <th scope="row" class="long">
                  <Link href={`/?event=${encodeURIComponent(eventName)}`}>{eventName}</Link>
                </th>
                <td class="number">{formatCount(count)}</td>
                <td>
                  {counts !== undefined && <Sparkline counts={counts} span={INTERVAL_LABELS[interval]} />}
                </td>
                <td class="nowrap">
                  <Time at={firstSeenAt} />
                </td>
                <td class="nowrap">
                  <Time at={lastSeenAt} />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </ScrollableTable>
  )
}
