import { formatCount } from '../../../domain/text/format.js'

const WIDTH = 120
const HEIGHT = 24

/** A small line without axes, which shows the shape only. */
export function Sparkline(props: { readonly counts: readonly number[]; readonly span: string }) {
  const { counts, span } = props
  const most = Math.max(1, ...counts)
  const total = counts.reduce((sum, count) => sum + count, 0)
  const points = counts.map(
    (count, i) =>
      `${((i / Math.max(1, counts.length - 1)) * WIDTH).toFixed(1)} ${(HEIGHT - (count / most) * HEIGHT).toFixed(1)}`,
  )
  const line = `M${points.join('L')}`
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${formatCount(total)} in the last ${span}`}
    >
      <path class="area" d={`${line}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z`} />
      <path d={line} />
    </svg>
  )
}
