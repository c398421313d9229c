import './chart.css'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Skeleton } from '../loading/skeleton'
import type { LineChartProps } from './line-chart-props'

type Draw = typeof import('./draw').draw

/** Lines over time. The chart library is loaded on first use. */
export function LineChart(props: LineChartProps) {
  const frame = useRef<HTMLDivElement>(null)
  const [loaded, setLoaded] = useState<Draw | undefined>(undefined)
  const [scheme, setScheme] = useState(0)
  useEffect(() => {
    void import('./draw').then(
      ({ draw }) => setLoaded(() => draw),
      () => undefined,
    )
    const dark = matchMedia('(prefers-color-scheme: dark)')
    const change = (): void => setScheme((before) => before + 1)
    dark.addEventListener('change', change)
    return () => dark.removeEventListener('change', change)
  }, [])
  const shape = JSON.stringify([
    props.lines.map(({ label, dashed, colour, filled, faint }) => [label, dashed, colour, filled, faint]),
    props.height,
    props.max,
    props.utcDays,
  ])
  const chart = useRef<ReturnType<Draw> | undefined>(undefined)
  // Redraw if the shape changes; otherwise only update the values.
  useEffect(() => {
    if (loaded === undefined || frame.current === null) return
    const drawn = loaded(frame.current, props)
    chart.current = drawn
    return () => {
      chart.current = undefined
      drawn.end()
    }
  }, [loaded, shape, scheme])
  useEffect(() => chart.current?.update(props), [props.at, props.lines])
  return (
    <div class="chart">
      {loaded === undefined && <Skeleton what="chart" lines={6} />}
      <div ref={frame} role="img" aria-label={props.label} />
    </div>
  )
}
