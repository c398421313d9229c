import { useMemo } from 'preact/hooks'
import { formatCount, formatPercent } from '../../../domain/text/format.js'
import type { Schema } from '../../client/api'
import { LineChart } from '../../components/chart/line-chart'
import type { Series } from '../../components/chart/line-chart-props'
import { DataTable } from '../../components/data-table'
import { Time } from '../../components/text/time'
import type { FunnelInterval } from '../insights/funnel-draft'

type Point = Schema<'FunnelTrendPoint'>

/** The conversion rate over time. Buckets that can still change are dashed. */
export function Trend(props: { readonly points: readonly Point[]; readonly interval: FunnelInterval }) {
  const { points } = props
  const at = useMemo(() => points.map((point) => Date.parse(point.at)), [points])
  const lines = useMemo((): Series[] => {
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
  }, [points])
  return (
    <section class="section">
      <h2>Trend</h2>
      <div class="card">
        <LineChart
          label={`Conversion rate by ${props.interval}`}
          at={at}
          lines={lines}
          format={formatPercent}
        />
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
              { title: 'State', cell: ({ complete }) => (complete ? 'Complete' : 'Still counting') },
            ]}
          />
        </details>
      </div>
    </section>
  )
}
