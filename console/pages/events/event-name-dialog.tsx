import { Link } from 'wouter-preact'
import { formatPercent } from '../../../domain/text/format.js'
import { api, type Schema, unwrap } from '../../client/api'
import { useMutation } from '../../client/mutation'
import { useResource } from '../../client/resource'
import { PermissionButton } from '../../components/controls/permission-button'
import { DataTable } from '../../components/data-table'
import { Dialog } from '../../components/dialogs/dialog'
import { ErrorMessage } from '../../components/loading/error-message'
import { ResourceView } from '../../components/loading/resource-view'
import { valueLabel } from '../../components/query/value-label'
import { toast } from '../../components/toasts'

type Property = Schema<'EventProperties'>['data'][number]
const MAX_VALUES = 4

/** The properties of an event's newest events, and what can be done with the name. */
export function EventNameDialog(props: {
  readonly name: string
  /** The name or pattern that hides it; null if it shows, undefined while that is unknown. */
  readonly hiddenBy: string | null | undefined
  readonly changed: () => void
  readonly close: () => void
}) {
  const { name, close } = props
  const properties = useResource(name, (signal) =>
    unwrap(
      api.GET('/funnel/events/{eventName}/properties', { params: { path: { eventName: name } }, signal }),
    ),
  )
  const event = encodeURIComponent(name)
  return (
    <Dialog title={name} close={close}>
      <p class="row">
        <Link class="button small" href={`/events?view=all&event=${event}`}>
          Search these events
        </Link>
        <Link class="button small" href={`/trends?series=${event}`}>
          Show the trend
        </Link>
        <Link class="button small" href={`/?event=${event}`}>
          Follow live
        </Link>
      </p>
      <ResourceView of={properties} what="properties">
        {({ data, sampled }) =>
          data.length === 0 ? (
            <p class="text muted">These events have no properties.</p>
          ) : (
            <>
              <PropertyTable properties={data} />
              {sampled && <p class="hint">Of the newest 10,000 events of this name.</p>}
            </>
          )
        }
      </ResourceView>
      <div class="row end">
        <Visibility {...props} />
        <button type="button" class="button" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  )
}

/** Hides the name from lists and suggestions, or shows it again. */
function Visibility(props: {
  readonly name: string
  readonly hiddenBy: string | null | undefined
  readonly changed: () => void
}) {
  const { name, hiddenBy } = props
  const { busy, failure, run } = useMutation()
  if (hiddenBy === undefined) return null
  if (hiddenBy !== null && hiddenBy !== name)
    return (
      <span class="muted">
        Hidden by <code>{hiddenBy}</code>
      </span>
    )
  const hidden = hiddenBy === null
  async function change(): Promise<void> {
    const path = { eventName: name }
    const outcome = await run(`${name} ${hidden}`, (headers) =>
      unwrap(api.PATCH('/funnel/events/{eventName}', { params: { path }, body: { hidden }, headers })),
    )
    if (!outcome.ok) return
    toast(hidden ? `${name} is left out of lists and suggestions` : `${name} is listed again`)
    props.changed()
  }
  return (
    <>
      {failure !== undefined && <ErrorMessage failure={failure} />}
      <PermissionButton scope="funnels.manage" tone="quiet" busy={busy} onClick={() => void change()}>
        {hidden ? 'Hide this name' : 'List this name again'}
      </PermissionButton>
    </>
  )
}

function PropertyTable(props: { readonly properties: readonly Property[] }) {
  return (
    <DataTable
      label="Properties"
      low
      rows={props.properties}
      keyOf={({ property }) => property}
      columns={[
        { title: 'Property', isHeading: true, cell: ({ property }) => <code>{property}</code> },
        { title: 'Type', cell: ({ types }) => types.join(', ') },
        { title: 'Of events', class: 'number', cell: ({ share }) => formatPercent(share) },
        {
          title: 'Frequent values',
          class: 'long',
          cell: ({ values, distinct }) => (
            <>
              <bdi>
                {values
                  .slice(0, MAX_VALUES)
                  .map(({ value }) => valueLabel(value))
                  .join(', ')}
              </bdi>
              {distinct > MAX_VALUES && <span class="muted"> and {distinct - MAX_VALUES} more</span>}
            </>
          ),
        },
      ]}
    />
  )
}
