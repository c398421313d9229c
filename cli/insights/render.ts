import { formatCount, formatPercent } from '../../domain/text/format.js'
import type { Result } from '../client/api.js'
import { escapeControls } from '../output.js'
import { sparkline } from '../render/charts.js'
import { figures, renderTable } from '../render/table.js'
import { colorize, type TerminalStyle } from '../render/terminal-style.js'

type TrendsView = Result<'queryTrends'>
type Series = TrendsView['series'][number]
type Group = NonNullable<Series['breakdown']>[number]
/** A bucket by its index, or a figure of the whole range. */
type Row = number | keyof typeof TITLES
const TITLES = { total: 'total', before: 'period before', change: 'change' } as const
type RetentionView = Result<'queryRetention'>
type Cohort = RetentionView['cohorts'][number]

/**
 * A row per bucket and a column per series, then the groups of each series.
 *
 * @param before the same trends of the period before, of which the totals are shown
 */
export function renderTrends(style: TerminalStyle, answer: TrendsView, before?: TrendsView): string {
  const { series, interval } = answer
  const rows: Row[] = [...(series[0]?.data ?? []).keys(), 'total']
  if (before !== undefined) rows.push('before', 'change')
  const table = renderTable<Row>(
    style,
    [
      {
        title: interval,
        text: (row) => (typeof row === 'string' ? TITLES[row] : bucketText(interval, series[0]?.data[row])),
      },
      ...series.map((one, at) =>
        figures<Row>(seriesName(one), (row) => {
          const earlier = before?.series[at]?.total ?? null
          if (row === 'change') return changeText(one.total, earlier)
          if (row === 'before') return valueText(earlier)
          return valueText(row === 'total' ? one.total : (one.data[row]?.value ?? null))
        }),
      ),
    ],
    rows,
  )
  const groups = series.flatMap((one) =>
    one.breakdown === null ? [] : [`${seriesName(one)}\n${renderGroups(style, one.breakdown)}`],
  )
  return [table, ...groups, ...warnings(style, answer)].join('\n')
}

function renderGroups(style: TerminalStyle, groups: readonly Group[]): string {
  if (groups.length === 0) return 'No breakdown: there are no events.\n'
  return renderTable<Group>(
    style,
    [
      {
        title: 'value',
        text: ({ value }) =>
          value === null ? '(none)' : typeof value === 'string' ? value : JSON.stringify(value),
        minWidth: 8,
      },
      figures('total', ({ total }) => valueText(total)),
      { title: 'trend', text: ({ data }) => sparkline(data.map(({ value }) => value)), dropPriority: 1 },
    ],
    groups,
  )
}

/** A row per cohort: its persons, and the share of them in each period. */
export function renderRetention(style: TerminalStyle, answer: RetentionView): string {
  const { cohorts, interval } = answer
  const periods = cohorts[0]?.returned.length ?? 0
  const table = renderTable<Cohort>(
    style,
    [
      { title: interval, text: (cohort) => bucketText(interval, cohort) },
      figures('persons', ({ persons }) => formatCount(persons)),
      ...Array.from({ length: periods }, (_, period) =>
        figures<Cohort>(
          String(period),
          ({ persons, returned }) => {
            const back = returned[period] ?? null
            return back === null || persons === 0 ? '' : formatPercent(back / persons)
          },
          period + 1,
        ),
      ),
    ],
    cohorts,
  )
  return [table, ...warnings(style, answer)].join('\n')
}

function warnings(
  style: TerminalStyle,
  { neverReceived }: Pick<TrendsView, 'neverReceived'>,
): readonly string[] {
  if (neverReceived.length === 0) return []
  const names = neverReceived.map(escapeControls).join(', ')
  return [colorize(style, 'yellow', `Never received: ${names}. svc events names lists what was.\n`)]
}

/** The range cuts a bucket that is not complete, or it is not over. */
function bucketText(
  interval: string,
  bucket: { readonly at: string; readonly complete: boolean } | undefined,
): string {
  const at = bucket?.at.slice(0, interval === 'hour' ? 16 : 10).replace('T', ' ') ?? ''
  return bucket?.complete === false ? `${at} (in part)` : at
}

function seriesName({ eventName, measure, property }: Series): string {
  if (measure === 'events') return eventName
  return property === null ? `${measure} ${eventName}` : `${measure} ${property} ${eventName}`
}

function changeText(total: number | null, before: number | null): string {
  if (total === null || before === null || before === 0) return '-'
  return `${total >= before ? '+' : ''}${formatPercent(total / before - 1)}`
}

function valueText(value: number | null): string {
  if (value === null) return '-'
  return Number.isInteger(value) ? formatCount(value) : String(Number(value.toPrecision(6)))
}
