import type { components } from '../../../../contract/operations.js'
import type { Series } from '../../../components/chart/line-chart-props.js'

/** The figures of a variant at a time in milliseconds. */
export type VariantHistory = components['schemas']['ResultsHistory']['data'][number]['variants'][number] & {
  readonly at: number
}

/** The lift, then the upper and lower ends of both intervals, then the control. */
export function historyLines(points: readonly VariantHistory[]): Series[] {
  const endOf = (interval: readonly number[] | null, end: 0 | 1): number | null => interval?.[end] ?? null
  const ends = { colour: 0, dashed: true } as const
  return [
    { label: 'Lift', values: points.map(({ lift }) => lift), colour: 0 },
    { label: '95%, up to', values: points.map(({ liftCi }) => endOf(liftCi, 1)), ...ends },
    { label: '95%, from', values: points.map(({ liftCi }) => endOf(liftCi, 0)), ...ends },
    {
      label: 'At every look, up to',
      values: points.map(({ sequentialCi }) => endOf(sequentialCi, 1)),
      ...ends,
    },
    {
      label: 'At every look, from',
      values: points.map(({ sequentialCi }) => endOf(sequentialCi, 0)),
      ...ends,
    },
    { label: 'Control', values: points.map(() => 0), colour: 7 },
  ]
}

/** How many times the latest interval the scale shows. */
const REACH = 2.5

/**
 * The ends of the scale, including 0. Intervals of the first days are far wider than the latest one: they
 * run out of the chart.
 */
export function historyRange(points: readonly VariantHistory[]): [number, number] {
  const known = points.flatMap(({ liftCi }) => (liftCi === null ? [] : [liftCi]))
  const latest = known[known.length - 1] ?? [-0.1, 0.1]
  const reach = REACH * Math.max(0.02, ...latest.map(Math.abs))
  const low = Math.max(-reach, Math.min(0, ...known.map(([from = 0]) => from)))
  const high = Math.min(reach, Math.max(0, ...known.map(([, to = 0]) => to)))
  const margin = (high - low) * 0.08
  return [low - margin, high + margin]
}
