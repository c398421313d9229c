import { formatCount, pluralize } from '../../../domain/text/format.js'
import { LineChart } from '../../components/chart/line-chart'
import { Fact } from '../../components/text/fact'
import { formatNumber } from '../../components/text/format'
import type { Live } from './use-live'

/** Single seconds would be too spiky. */
const POINT_SECONDS = 5

export function Rate(props: { readonly rate: Live['rate'] }) {
  const { rate } = props
  if (rate === undefined) return null
  const { at, counts } = rate
  const perSecond = sums(counts).map((sum) => sum / POINT_SECONDS)
  const times = perSecond.map((_, i) => at - (perSecond.length - 1 - i) * POINT_SECONDS * 1_000)
  const total = counts.reduce((sum, count) => sum + count, 0)
  const lastMinute = counts.slice(-60).reduce((sum, count) => sum + count, 0)
  const now = counts.slice(-10).reduce((sum, count) => sum + count, 0) / 10
  const most = Math.max(...counts)
  const label = `Events a second over the last five minutes: ${pluralize(total, 'event')} in all, ${formatCount(most)} in the busiest second, ${formatNumber(now)} a second now`
  return (
    <section class="card live-rate" aria-label="Rate">
      <dl class="facts">
        <Fact name="Now" class="number big">
          {perSecondText(now)}
        </Fact>
        <Fact name="Last minute" class="number">
          {pluralize(lastMinute, 'event')}
        </Fact>
        <Fact name="Last 5 minutes" class="number">
          {pluralize(total, 'event')}
        </Fact>
        <Fact name="Busiest second" class="number">
          {pluralize(most, 'event')}
        </Fact>
      </dl>
      <p class="muted small">Events a second, averaged over {POINT_SECONDS} seconds</p>
      <LineChart
        label={label}
        at={times}
        lines={[{ label: 'Events a second', values: perSecond, filled: true }]}
        format={perSecondText}
        height={160}
      />
    </section>
  )
}

const perSecondText = (value: number): string => `${formatNumber(value)}/s`

function sums(counts: readonly number[]): number[] {
  return Array.from({ length: Math.floor(counts.length / POINT_SECONDS) }, (_, i) =>
    counts.slice(i * POINT_SECONDS, (i + 1) * POINT_SECONDS).reduce((sum, count) => sum + count, 0),
  )
}
