import type { components } from '../../../contract/operations.js'
import type { Series } from '../../components/chart/line-chart-props.js'
import { valueLabel } from '../../components/query/value-label.js'
import { needsProperty, seriesLabel } from '../insights/trends-draft.js'

type Result = components['schemas']['TrendsResult']
type Point = components['schemas']['TrendPoint']

/** A line of a chart and a row of its table. */
export interface TrendLine {
  readonly label: string
  readonly total: number | null
  readonly points: readonly Point[]
  readonly previous: { readonly total: number | null; readonly points: readonly Point[] } | undefined
  /** Counts are whole numbers. */
  readonly counts: boolean
}

/** A line for each series, or for each of its groups, with the same of the period before. */
export function linesOf(result: Result, before: Result | undefined): TrendLine[] {
  return result.series.flatMap((one, index): TrendLine[] => {
    const earlier = before?.series[index]
    const name = seriesLabel({ ...one, property: one.property ?? '' })
    const counts = !needsProperty(one.measure)
    if (one.breakdown === null)
      return [{ label: name, total: one.total, points: one.data, previous: asPrevious(earlier), counts }]
    return one.breakdown.map(({ value, total, data }) => {
      const same = earlier?.breakdown?.find((group) => JSON.stringify(group.value) === JSON.stringify(value))
      return {
        label: result.series.length === 1 ? valueLabel(value) : `${name}: ${valueLabel(value)}`,
        total,
        points: data,
        previous: asPrevious(same),
        counts,
      }
    })
  })
}

function asPrevious(found: { total: number | null; data: readonly Point[] } | undefined) {
  return found === undefined ? undefined : { total: found.total, points: found.data }
}

/** Lines to draw: what can still change, or was cut by the range, is dashed. */
export function drawn(lines: readonly Pick<TrendLine, 'label' | 'points' | 'previous'>[]): Series[] {
  return lines.flatMap(({ label, points, previous }, colour): Series[] => {
    const values = points.map(({ value }) => value)
    const isOpen = (at: number): boolean => points[at]?.complete === false
    return [
      { label, colour, values: values.map((value, at) => (isOpen(at) ? null : value)) },
      {
        label,
        colour,
        dashed: true,
        // With its neighbours, to meet the solid part.
        values: values.map((value, at) => (isOpen(at - 1) || isOpen(at) || isOpen(at + 1) ? value : null)),
      },
      ...(previous === undefined
        ? []
        : [
            {
              label: `${label}, period before`,
              colour,
              faint: true,
              values: points.map((_, at) => previous.points[at]?.value ?? null),
            },
          ]),
    ]
  })
}
