import { useMemo, useState } from 'preact/hooks'
import { formatChange, formatCount, formatPercent } from '../../../../domain/text/format.js'
import { api, type Schema, unwrap } from '../../../client/api'
import { useResource } from '../../../client/resource'
import { LineChart } from '../../../components/chart/line-chart'
import { Tabs } from '../../../components/controls/tabs'
import { DataTable } from '../../../components/data-table'
import { ResourceView } from '../../../components/loading/resource-view'
import { formatNumber } from '../../../components/text/format'
import { Time } from '../../../components/text/time'
import { historyLines, historyRange, type VariantHistory } from './history-lines'

/** The server computes each day anew. */
const POLL_MS = 5 * 60_000

/** The lift on the primary target at the end of each day, with both intervals. */
export function ResultsOverTime(props: { readonly experiment: Schema<'ExperimentDetail'> }) {
  const { id, endedAt, variants } = props.experiment
  const others = variants.filter(({ isControl }) => !isControl)
  const [chosen, setChosen] = useState(others[0]?.key ?? '')
  const history = useResource(
    `history ${id} ${endedAt}`,
    (signal) => unwrap(api.GET('/experiments/{id}/results/history', { params: { path: { id } }, signal })),
    endedAt === null ? { refetchMs: POLL_MS } : {},
  )
  return (
    <section class="section">
      <div class="row">
        <h2>Results over time</h2>
        {others.length > 1 && (
          <Tabs
            legend="Variant over time"
            small
            value={chosen}
            options={Object.fromEntries(others.map(({ key, displayName }) => [key, displayName]))}
            onChange={setChosen}
          />
        )}
      </div>
      <ResourceView of={history} what="results over time" calm>
        {({ data }) => <VariantOverTime data={data} variant={chosen} />}
      </ResourceView>
    </section>
  )
}

function VariantOverTime(props: {
  readonly data: Schema<'ResultsHistory'>['data']
  readonly variant: string
}) {
  const points = useMemo(
    () =>
      props.data.flatMap(({ at, variants }): VariantHistory[] => {
        const found = variants.find(({ key }) => key === props.variant)
        return found === undefined ? [] : [{ ...found, at: Date.parse(at) }]
      }),
    [props.data, props.variant],
  )
  const at = useMemo(() => points.map((point) => point.at), [points])
  const lines = useMemo(() => historyLines(points), [points])
  if (points.filter(({ liftCi }) => liftCi !== null).length < 2)
    return <p class="muted">The chart begins once two days have enough figures to compare.</p>
  return (
    <>
      <div class="card">
        <LineChart
          label="Lift against the control at the end of each day, with both intervals"
          at={at}
          lines={lines}
          bands={BANDS}
          range={historyRange(points)}
          daily
          format={(lift) => formatChange(lift).replace('.0%', '%')}
        />
        <p class="hint">
          Lift against the control at the end of each day (UTC). The dark area is the 95% interval if you look
          once; the light one holds however often you look.
        </p>
      </div>
      <details>
        <summary>Figures of each day</summary>
        <HistoryTable points={points} />
      </details>
    </>
  )
}

/** Indexes of `historyLines`. */
const BANDS = [
  [1, 2],
  [3, 4],
] as const

function HistoryTable(props: { readonly points: readonly VariantHistory[] }) {
  return (
    <DataTable
      label="Results of each day"
      low
      rows={[...props.points].reverse()}
      keyOf={({ at }) => at}
      columns={[
        {
          title: 'Until',
          class: 'nowrap',
          isHeading: true,
          cell: ({ at }) => <Time at={new Date(at).toISOString()} />,
        },
        { title: 'Lift', class: 'number', cell: ({ lift }) => formatChange(lift) },
        { title: '95% interval', class: 'number', cell: ({ liftCi }) => ends(liftCi) },
        { title: 'At every look', class: 'number', cell: ({ sequentialCi }) => ends(sequentialCi) },
        {
          title: 'Rate or mean',
          class: 'number',
          cell: ({ rate, mean }) => (mean === null ? formatPercent(rate) : formatNumber(mean)),
        },
        { title: 'Persons', class: 'number', cell: ({ exposed }) => formatCount(exposed) },
      ]}
    />
  )
}

const ends = (interval: readonly number[] | null): string =>
  interval === null ? '-' : `${formatChange(interval[0])} to ${formatChange(interval[1])}`
