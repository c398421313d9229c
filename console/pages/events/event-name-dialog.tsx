import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { formatPercent } from '../../../domain/text/format.js'
import { api, type Schema, unwrap } from '../../client/api'
import { usePermissions } from '../../client/identity'
import { useResource } from '../../client/resource'
import { PermissionButton } from '../../components/controls/permission-button'
import { DataTable } from '../../components/data-table'
import { Dialog } from '../../components/dialogs/dialog'
import { ResourceView } from '../../components/loading/resource-view'
import { valueLabel } from '../../components/query/value-label'
import { Breakable } from '../../components/text/breakable'
import { VocabularyForm } from './vocabulary-form'

type Property = Schema<'EventProperties'>['data'][number]
const MAX_VALUES = 4

/** The properties of an event's newest events, and what can be done with the name and with them. */
export function EventNameDialog(props: {
  readonly name: string
  /** Undefined while it is unknown. */
  readonly entry: Schema<'EventName'> | undefined
  readonly changed: () => void
  readonly close: () => void
}) {
  const { name, entry, close } = props
  const path = { eventName: name }
  const properties = useResource(name, (signal) =>
    unwrap(
      api.GET('/funnel/events/{eventName}/properties', {
        params: { path, query: { hidden: 'include' } },
        signal,
      }),
    ),
  )
  const [edited, setEdited] = useState<'name' | Property>()
  const stopEditing = () => setEdited(undefined)
  const event = encodeURIComponent(name)
  if (edited === 'name' && entry !== undefined)
    return <NameForm entry={entry} saved={props.changed} close={stopEditing} />
  if (edited !== undefined && edited !== 'name')
    return (
      <PropertyForm
        eventName={name}
        property={edited}
        saved={() => {
          properties.reload()
          stopEditing()
        }}
        close={stopEditing}
      />
    )
  return (
    <Dialog title={name} close={close}>
      {entry?.description != null && (
        <p class="text" dir="auto">
          {entry.description}
        </p>
      )}
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
              <PropertyTable properties={data} edit={setEdited} />
              {sampled && <p class="hint">Of the newest 10,000 events of this name.</p>}
            </>
          )
        }
      </ResourceView>
      <div class="row end">
        {entry !== undefined && (
          <PermissionButton scope="funnels.manage" tone="quiet" onClick={() => setEdited('name')}>
            Describe or hide this name
          </PermissionButton>
        )}
        <button type="button" class="button" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  )
}

function NameForm(props: {
  readonly entry: Schema<'EventName'>
  readonly saved: () => void
  readonly close: () => void
}) {
  const { eventName, description, hiddenBy } = props.entry
  const hiddenByOther = hiddenBy !== null && hiddenBy !== eventName
  return (
    <VocabularyForm
      name={eventName}
      description={description}
      hidden={hiddenByOther ? undefined : hiddenBy !== null}
      submit={(body, headers) =>
        unwrap(api.PATCH('/funnel/events/{eventName}', { params: { path: { eventName } }, body, headers }))
      }
      saved={props.saved}
      close={props.close}
    >
      {hiddenByOther && (
        <p class="hint">
          Hidden by <code>{hiddenBy}</code>
        </p>
      )}
    </VocabularyForm>
  )
}

function PropertyForm(props: {
  readonly eventName: string
  readonly property: Property
  readonly saved: () => void
  readonly close: () => void
}) {
  const { property, description, hidden } = props.property
  const path = { eventName: props.eventName }
  return (
    <VocabularyForm
      name={property}
      description={description}
      hidden={hidden}
      submit={(change, headers) => {
        const body = { property, ...change }
        return unwrap(api.PATCH('/funnel/events/{eventName}/properties', { params: { path }, body, headers }))
      }}
      saved={props.saved}
      close={props.close}
    />
  )
}

function PropertyTable(props: {
  readonly properties: readonly Property[]
  readonly edit: (property: Property) => void
}) {
  const mayEdit = usePermissions().includes('funnels.manage')
  return (
    <DataTable
      label="Properties"
      low
      rows={props.properties}
      keyOf={({ property }) => property}
      columns={[
        {
          title: 'Property',
          class: 'name',
          isHeading: true,
          cell: ({ property, description, hidden }) => (
            <>
              <code>
                <Breakable text={property} />
              </code>
              {hidden && <span class="muted small"> hidden</span>}
              {description !== null && (
                <div class="muted small" dir="auto">
                  {description}
                </div>
              )}
            </>
          ),
        },
        { title: 'Type', class: 'nowrap wide-only', cell: ({ types }) => types.join(', ') },
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
        ...(mayEdit
          ? [
              {
                title: 'Change',
                cell: (property: Property) => (
                  <button type="button" class="button quiet small" onClick={() => props.edit(property)}>
                    Edit<span class="hidden-text"> {property.property}</span>
                  </button>
                ),
              },
            ]
          : []),
      ]}
    />
  )
}
