import {
  formatChange,
  formatCount,
  formatPercent,
  formatProbability,
} from '../../../../domain/text/format.js'
import type { Schema } from '../../../client/api'
import { formatNumber } from '../../../components/text/format'
import { pText } from './data-quality'

type Target = Schema<'TargetResults'>
type VariantFigures = Target['variants'][number]

const WIDTH = 600
const ROW_HEIGHT = 30
const MIDDLE = ROW_HEIGHT / 2

interface Scale {
  readonly low: number
  readonly high: number
}

/** A lift of more than this is not drawn, unless it is the measured one. */
const MAX_LIFT_DRAWN = 1

/** One scale for all variants of a target, including 0. Very wide intervals are clipped. */
function scaleOf(target: Target): Scale {
  const fixedEnds = target.variants.flatMap(({ vsControl }) => [
    ...(vsControl?.liftCi ?? []),
    ...(vsControl?.lift == null ? [] : [vsControl.lift]),
  ])
  const sequentialEnds = target.variants.flatMap(({ vsControl }) => vsControl?.sequentialCi ?? [])
  const lifts = target.variants.map(({ vsControl }) => Math.abs(vsControl?.lift ?? 0))
  const limit = Math.max(MAX_LIFT_DRAWN, 1.5 * Math.max(...lifts))
  const reach = Math.min(limit, Math.max(0.02, ...fixedEnds.map(Math.abs)))
  const most = Math.max(reach, ...sequentialEnds.map(Math.abs))
  const clipAt = Math.min(most, reach * 2.5) * 1.08
  const shownEnds = [
    0,
    ...[...fixedEnds, ...sequentialEnds].map((end) => Math.max(-clipAt, Math.min(clipAt, end))),
  ]
  const low = Math.min(...shownEnds)
  const high = Math.max(...shownEnds)
  const margin = (high - low) * 0.06 || 0.01
  return { low: low - margin, high: high + margin }
}

const xOf = (scale: Scale, value: number): number =>
  Math.max(0, Math.min(WIDTH, ((value - scale.low) / (scale.high - scale.low)) * WIDTH))

const across = (scale: Scale, from: number, to: number) => ({
  x1: xOf(scale, from),
  x2: xOf(scale, to),
  y1: MIDDLE,
  y2: MIDDLE,
})
const upright = (scale: Scale, at: number, y1: number, y2: number) => ({
  x1: xOf(scale, at),
  x2: xOf(scale, at),
  y1,
  y2,
})

/** Up to six ticks at round values. */
function ticksOf({ low, high }: Scale): number[] {
  const rough = (high - low) / 6
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? rough
  const ticks: number[] = []
  for (let at = Math.ceil(low / step) * step; at <= high; at += step)
    ticks.push(Math.abs(at) < step / 1e6 ? 0 : at)
  return ticks
}

/** The lift as a point, its 95% interval as a thick line, the sequential interval as a thin line. */
function Interval(props: {
  readonly figures: VariantFigures
  readonly scale: Scale
  readonly better: 1 | -1
}) {
  const { figures, scale, better } = props
  const against = figures.vsControl
  const [low, high] = against?.liftCi ?? []
  const [from, to] = against?.sequentialCi ?? []
  const lift = against?.lift
  const tone =
    low === undefined || high === undefined || (low <= 0 && high >= 0)
      ? 'open'
      : low > 0 === better > 0
        ? 'better'
        : 'worse'
  return (
    <svg
      class={`interval ${tone}`}
      viewBox={`0 0 ${WIDTH} ${ROW_HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={describeFigures(figures)}
    >
      <Grid scale={scale} />
      {from !== undefined && to !== undefined && <line class="sequential" {...across(scale, from, to)} />}
      {low !== undefined && high !== undefined && <line class="fixed" {...across(scale, low, high)} />}
      {lift != null && <line class="lift" {...upright(scale, lift, MIDDLE - 9, MIDDLE + 9)} />}
    </svg>
  )
}

function Grid(props: { readonly scale: Scale }) {
  return (
    <>
      {ticksOf(props.scale).map((tick) => (
        <line
          key={tick}
          class={tick === 0 ? 'zero' : 'tick'}
          {...upright(props.scale, tick, 0, ROW_HEIGHT)}
        />
      ))}
    </>
  )
}

function describeFigures({ vsControl }: VariantFigures): string {
  if (vsControl === null || vsControl.lift === null) return 'No lift yet'
  const { lift, liftCi, sequentialCi } = vsControl
  const between = (ends: readonly number[] | null): string =>
    ends === null ? 'not known' : `${formatChange(ends[0])} to ${formatChange(ends[1])}`
  return `Lift ${formatChange(lift)}, 95% interval ${between(liftCi)}, sequential interval ${between(sequentialCi)}`
}

export function TargetIntervals(props: {
  readonly target: Target
  readonly variantName: (variant: string) => string
}) {
  const { target, variantName } = props
  const scale = scaleOf(target)
  const mean = target.variants.some((variant) => variant.mean != null)
  const known = target.variants.some(({ vsControl }) => vsControl?.lift != null)
  // Ticks at the edge would overlap the neighbouring columns.
  const drawn = known ? ticksOf(scale).filter((tick) => Math.abs(xOf(scale, tick) / WIDTH - 0.5) < 0.47) : []
  const better = target.direction === 'decrease' ? -1 : 1
  return (
    <div class="target">
      <div class="target-row target-head small muted" aria-hidden="true">
        <span>Variant</span>
        <span class="number">{mean ? 'Mean' : 'Rate'}</span>
        <span class="axis">
          {drawn.map((tick) => (
            <Tick key={tick} at={xOf(scale, tick) / WIDTH} text={formatChange(tick).replace('.0%', '%')} />
          ))}
        </span>
        <span class="number">Lift</span>
        <span class="number">Chance to win</span>
      </div>
      <ul role="list">
        {target.variants.map((variant) => (
          <li key={variant.key} class="target-row">
            <span class="target-name">
              <bdi>{variantName(variant.key)}</bdi>
              <span class="muted small number">
                {formatCount(variant.converted)} of {formatCount(variant.exposed)}
              </span>
            </span>
            <span class="number">
              <span class="hidden-text">{mean ? 'Mean' : 'Rate'} </span>
              {mean ? formatNumber(variant.adjustedMean ?? variant.mean) : formatPercent(variant.rate)}
            </span>
            {variant.vsControl === null ? (
              <span class="muted small control">Control</span>
            ) : (
              <>
                {variant.vsControl.lift === null ? (
                  <span class="muted small">No lift yet</span>
                ) : (
                  <Interval figures={variant} scale={scale} better={better} />
                )}
                <span class="number">
                  <span class="hidden-text">Lift </span>
                  <strong>{formatChange(variant.vsControl.lift)}</strong>
                </span>
                <span class="number">
                  <span class="only-narrow muted small" aria-hidden="true">
                    Chance to win{' '}
                  </span>
                  <span class="hidden-text">Chance to win </span>
                  {formatProbability(variant.vsControl.chanceToWin)}
                </span>
                {variant.vsControl.liftCi !== null && (
                  <span class="target-note muted small number">
                    95%: {intervalText(variant.vsControl.liftCi)} · sequential:{' '}
                    {intervalText(variant.vsControl.sequentialCi)}
                    {variant.vsControl.adjustedPValue !== null &&
                      ` · p ${pText(variant.vsControl.adjustedPValue)}`}
                    {variant.vsControl.risk !== null && ` · risk ${formatPercent(variant.vsControl.risk)}`}
                  </span>
                )}
              </>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}

const intervalText = (interval: readonly number[] | null): string =>
  interval === null ? '-' : `${formatChange(interval[0])} to ${formatChange(interval[1])}`

/** A number of the axis. Placed from code, because the content security policy allows no inline styles. */
function Tick(props: { readonly at: number; readonly text: string }) {
  return (
    <span
      ref={(element: HTMLSpanElement | null) => element?.style.setProperty('left', `${props.at * 100}%`)}
      class="number"
    >
      {props.text}
    </span>
  )
}
