import { useMemo } from 'preact/hooks'
import { formatChange, formatCount } from '../../../domain/text/format.js'
import type { Schema } from '../../client/api'
import { LineChart } from '../../components/chart/line-chart'
import { DataTable } from '../../components/data-table'
import { Breakable } from '../../components/text/breakable'
import { formatCompact, formatNumber } from '../../components/text/format'
import { Time } from '../../components/text/time'
import { MEASURES, type TrendsInterval } from '../insights/trends-draft'
import { drawn, linesOf, type TrendLine } from './trend-lines'

type Result = Schema<'TrendsResult'>

/** More lines are in the table only. */
const MAX_DRAWN = 8
const UNITS: Readonly<Record<TrendsInterval, string>> = {
  hour: 'an hour',
  day: 'a day',
  week: 'a week',
  month: 'a month',
}

/** The chart, its legend with totals, and every figure as a table. */
export function TrendsChart(props: {
  readonly result: Result
  /** Of the period before. */
  readonly before: Result | undefined
  readonly height?: number
  /** Names the tables if there are several charts on a page. */
  readonly name?: string
}) {
  const { result, before } = props
  const suffix = props.name === undefined ? '' : ` of ${props.name}`
  const lines = useMemo(() => linesOf(result, before), [result, before])
  const chart = useMemo(() => drawn(lines.slice(0, MAX_DRAWN)), [lines])
  const at = useMemo(() => result.series[0]?.data.map((point) => Date.parse(point.at)) ?? [], [result])
  const hasOpen = lines.some(({ points }) => points.some(({ complete }) => !complete))
  const unit = `${unitOf(result)} ${UNITS[result.interval]}`
  return (
    <>
      {result.neverReceived.length > 0 && (
        <p class="notice warn" role="status">
          No event of this name was ever received: {result.neverReceived.join(', ')}
        </p>
      )}
      <p class="muted small">
        {unit}
        {result.interval === 'hour' ? '' : ' (UTC)'}
        {hasOpen && '. Dashed: not over yet, or cut by the time range'}
        {before !== undefined && '. Dotted: the period before'}
      </p>
      <LineChart
        label={`${unit}, from ${result.from.slice(0, 10)} to ${result.to.slice(0, 10)}`}
        at={at}
        lines={chart}
        legend={false}
        utcDays={result.interval !== 'hour'}
        format={formatCompact}
        {...(props.height === undefined ? {} : { height: props.height })}
      />
      <Totals label={`Totals${suffix}`} lines={lines} isCompared={before !== undefined} />
      <details>
        <summary>Every figure as a table</summary>
        <Figures label={`Every figure${suffix}`} lines={lines} result={result} />
      </details>
    </>
  )
}

function unitOf({ series }: Result): string {
  const [first] = series
  const isSame = series.every(
    ({ measure, property }) => measure === first?.measure && property === first.property,
  )
  if (!isSame || first === undefined) return 'Figures'
  return first.property === null ? MEASURES[first.measure] : `${MEASURES[first.measure]} ${first.property}`
}

const figure = (value: number | null | undefined, counts: boolean): string =>
  value == null ? '-' : counts ? formatCount(value) : formatNumber(value)

/** A row for each line: its colour, name and total. */
function Totals(props: {
  readonly label: string
  readonly lines: readonly TrendLine[]
  readonly isCompared: boolean
}) {
  return (
    <DataTable
      label={props.label}
      rows={props.lines}
      keyOf={({ label }) => label}
      columns={[
        {
          title: 'Series',
          class: 'long',
          isHeading: true,
          cell: ({ label }, index) => (
            <>
              {index < MAX_DRAWN && <span class={`dot series-${(index % MAX_DRAWN) + 1}`} />}
              <bdi>
                <Breakable text={label} />
              </bdi>
            </>
          ),
        },
        { title: 'Total', class: 'number', cell: ({ total, counts }) => figure(total, counts) },
        ...(props.isCompared
          ? [
              {
                title: 'Before',
                class: 'number' as const,
                cell: ({ previous, counts }: TrendLine) => figure(previous?.total, counts),
              },
              {
                title: 'Change',
                class: 'number' as const,
                cell: ({ total, previous }: TrendLine) =>
                  total === null || !previous?.total ? '-' : formatChange(total / previous.total - 1),
              },
            ]
          : []),
      ]}
    />
  )
}

function Figures(props: {
  readonly label: string
  readonly lines: readonly TrendLine[]
  readonly result: Result
}) {
  const { lines, result } = props
  const rows = result.series[0]?.data ?? []
  return (
    <DataTable
      label={props.label}
      low
      rows={rows}
      keyOf={({ at }) => at}
      columns={[
        {
          title: result.interval === 'hour' ? 'From' : 'From (UTC)',
          class: 'nowrap',
          isHeading: true,
          cell: ({ at, complete }) => (
            <>
              <Time at={at} as={result.interval === 'hour' ? 'stamp' : 'utc-day'} />
              {!complete && <span class="muted"> partial</span>}
            </>
          ),
        },
        ...lines.map(({ label, points, counts }) => ({
          title: label,
          class: 'number' as const,
          cell: (_: unknown, index: number) => figure(points[index]?.value, counts),
        })),
      ]}
    />
  )
}
