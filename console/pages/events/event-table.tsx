import './events.css'
import type { Schema } from '../../client/api'
import { ScrollableTable } from '../../components/scrollable-table'
import { Time } from '../../components/text/time'

/** Characters of the properties in a row. */
const MAX_TEXT = 160

export function EventTable(props: {
  readonly events: readonly Schema<'Event'>[]
  readonly label: string
  readonly low?: boolean
  readonly open: (id: string) => void
}) {
  return (
    <ScrollableTable label={props.label} low={props.low === true}>
      <table>
        <thead>
          <tr>
            <th scope="col">Received</th>
            <th scope="col">Event</th>
            <th scope="col">Person</th>
            <th scope="col">Properties</th>
          </tr>
        </thead>
        <tbody>
          {props.events.map((event) => (
            <tr key={event.id}>
              <td class="nowrap">
                <Time at={event.receivedAt} as="clock" />
              </td>
              <th scope="row" class="long">
                <button type="button" class="event-name" onClick={() => props.open(event.id)}>
                  {event.event}
                </button>
              </th>
              <td class="long">
                <bdi>{personLabel(event.personId)}</bdi>
              </td>
              <td>
                <div class="event-properties" dir="ltr">
                  {JSON.stringify(event.properties).slice(0, MAX_TEXT)}
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollableTable>
  )
}

/** `user:17` as `17`, and `anonymous:a` as `a (anonymous)`. */
export function personLabel(personId: string): string {
  const id = personId.slice(personId.indexOf(':') + 1)
  return personId.startsWith('anonymous:') ? `${id} (anonymous)` : id
}
