import { useMemo } from 'preact/hooks'
import { formatCount, formatPercent } from '../../../domain/text/format.js'
import type { Schema } from '../../client/api'
import { LineChart } from '../../components/chart/line-chart'
import type { Series } from '../../components/chart/line-chart-props'
import { DataTable } from '../../components/data-table'
import { valueLabel } from '../../components/query/value-label'
import { Time } from '../../components/text/time'
import type { FunnelInterval } from '../insights/funnel-draft'
import { drawn } from '../trends/trend-lines'
import { MAX_GROUPS_DRAWN } from './results'

type Point = Schema<'FunnelTrendPoint'>
type Group = Schema<'FunnelBreakdownGroup'>

/**
 * The conversion rate over time: a line for each of the largest groups of a breakdown, or one for all.
 * Buckets that can still change are dashed.
 */
export function Trend(props: {
  readonly points: readonly Point[]
  /** Null without a breakdown. */
  readonly breakdown: readonly Group[] | null
  readonly interval: FunnelInterval
}) {
  const { points, breakdown } = props
  const groups = breakdown ?? []
  const at = useMemo(() => points.map((point) => Date.parse(point.at)), [points])
  const lines = useMemo(
    () => (groups.length === 0 ? wholeLines(points) : groupLines(groups.slice(0, MAX_GROUPS_DRAWN))),
    [points, breakdown],
  )
  return (
    <section class="section">
      <h2>Trend</h2>
      <div class="card">
        <LineChart
          label={`Conversion rate by ${props.interval}`}
          at={at}
          lines={lines}
          {...(groups.length === 0 ? {} : { legend: false })}
          format={formatPercent}
        />
        {groups.length > 0 && <Legend groups={groups} isOpen={points.some(({ complete }) => !complete)} />}
        <details>
          <summary>As a table</summary>
          <DataTable
            label="Trend as a table"
            low
            rows={points}
            keyOf={({ at }) => at}
            columns={[
              { title: 'From', isHeading: true, cell: (point) => <Time at={point.at} /> },
              { title: 'Entered', class: 'number', cell: ({ entered }) => formatCount(entered) },
              { title: 'Completed', class: 'number', cell: ({ completed }) => formatCount(completed) },
              {
                title: 'Conversion rate',
                class: 'number',
                cell: ({ conversionRate }) => formatPercent(conversionRate),
              },
              ...groups.map(({ value, trend }) => ({
                title: valueLabel(value),
                class: 'number' as const,
                cell: (_: Point, index: number) => formatPercent(trend?.[index]?.conversionRate),
              })),
              { title: 'State', cell: ({ complete }) => (complete ? 'Complete' : 'Still counting') },
            ]}
          />
        </details>
      </div>
    </section>
  )
}

/** The colours of the lines. The lines of further groups are in the table only. */
function Legend(props: { readonly groups: readonly Group[]; readonly isOpen: boolean }) {
  const { groups } = props
  return (
    <ul role="list" class="row small" aria-label="Lines of the trend">
      {groups.slice(0, MAX_GROUPS_DRAWN).map(({ value }, at) => (
        <li key={JSON.stringify(value)}>
          <span class={`dot series-${at + 1}`} />
          <bdi>{valueLabel(value)}</bdi>
        </li>
      ))}
      {props.isOpen && <li class="muted">Dashed: still counting</li>}
    </ul>
  )
}

function wholeLines(points: readonly Point[]): Series[] {
  const open = points.findIndex(({ complete }) => !complete)
  const cut = open === -1 ? points.length : open
  const rates = points.map(({ conversionRate }) => conversionRate)
  return [
    {
      label: 'Conversion rate',
      values: rates.map((rate, index) => (index < cut ? rate : null)),
      filled: true,
    },
    {
      label: 'Still counting',
      values: rates.map((rate, index) => (index >= cut - 1 ? rate : null)),
      dashed: true,
      colour: 0,
    },
  ]
}

function groupLines(groups: readonly Group[]): Series[] {
  return drawn(
    groups.map(({ value, trend }) => ({
      label: valueLabel(value),
      points: (trend ?? []).map(({ at, conversionRate, complete }) => ({
        at,
        value: conversionRate,
        complete,
      })),
      previous: undefined,
    })),
  )
}
