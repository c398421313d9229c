import { formatChange, formatCount } from '../../../../domain/text/format.js'
import { api, type Schema, unwrap } from '../../../client/api'
import { useQueryParams } from '../../../client/query-params'
import { useResource } from '../../../client/resource'
import { Select } from '../../../components/controls/select'
import { DataTable } from '../../../components/data-table'
import { ResourceView } from '../../../components/loading/resource-view'
import { valueLabel } from '../../../components/query/value-label'
import { isComparable } from './comparable'

type Segment = Schema<'ResultsBySegment'>['data'][number]

/** Properties that every exposure has. */
const OWN = ['experiment', 'variant']

/** The primary target for each value of a property of the exposures. The address keeps the choice. */
export function Segments(props: { readonly experiment: Schema<'ExperimentDetail'> }) {
  const { id, variants } = props.experiment
  const [params, change] = useQueryParams()
  const chosen = params.get('segment') ?? ''
  const known = useResource('exposure properties', async (signal) => {
    const path = { eventName: '$exposure' }
    const { data } = await unwrap(
      api.GET('/funnel/events/{eventName}/properties', { params: { path }, signal }),
    )
    return data.map(({ property }) => property).filter((property) => !OWN.includes(property))
  })
  const segments = useResource(chosen === '' ? null : `${id} ${chosen}`, (signal) =>
    unwrap(
      api.GET('/experiments/{id}/results', {
        params: { path: { id }, query: { breakdown: chosen } },
        signal,
      }),
    ),
  )
  const properties = known.data ?? []
  return (
    <section class="section">
      <h2>Segments</h2>
      {properties.length === 0 && chosen === '' ? (
        <p class="muted">
          The exposures have no properties to compare by. Send some with <code>$exposure</code>, such as the
          country or the device.
        </p>
      ) : (
        <div class="toolbar">
          <Select
            label="Compare by"
            value={chosen}
            options={[
              ['', 'All persons'],
              ...[...new Set([...properties, chosen])].flatMap((one) =>
                one === '' ? [] : [[one, one] as const],
              ),
            ]}
            onChange={(segment) => change({ segment: segment === '' ? null : segment })}
          />
        </div>
      )}
      {chosen !== '' && (
        <ResourceView of={segments} what="segments">
          {({ data }) => <SegmentTable by={chosen} segments={data} variants={variants} />}
        </ResourceView>
      )}
    </section>
  )
}

function SegmentTable(props: {
  readonly by: string
  readonly segments: readonly Segment[]
  readonly variants: readonly Schema<'Variant'>[]
}) {
  const others = props.variants.filter(({ isControl }) => !isControl)
  return (
    <>
      <DataTable
        label={`Results by ${props.by}`}
        rows={props.segments}
        keyOf={({ value }) => JSON.stringify(value)}
        columns={[
          { title: props.by, isHeading: true, cell: ({ value }) => valueLabel(value) },
          { title: 'Persons', class: 'number', cell: ({ results }) => formatCount(results.exposed) },
          ...others.map(({ key, displayName }) => ({
            title: displayName,
            class: 'number' as const,
            cell: (segment: Segment) => <SegmentLift segment={segment} variant={key} />,
          })),
        ]}
      />
      <p class="hint">
        Lift on the primary target. Look for ideas here, not for a decision: of many segments, some differ by
        chance alone.
      </p>
    </>
  )
}

function SegmentLift(props: { readonly segment: Segment; readonly variant: string }) {
  const primary = props.segment.results.targets.find((target) => target.primary)
  const against = primary?.variants.find(({ key }) => key === props.variant)?.vsControl
  if (primary === undefined || against?.lift == null || !isComparable(primary))
    return <span class="muted">Too few</span>
  return (
    <>
      {formatChange(against.lift)}
      {against.liftCi !== null && (
        <div class="muted small">
          {formatChange(against.liftCi[0])} to {formatChange(against.liftCi[1])}
        </div>
      )}
    </>
  )
}
