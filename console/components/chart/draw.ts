import 'uplot/dist/uPlot.min.css'
import uPlot from 'uplot'
import type { LineChartProps } from './line-chart-props'

/** Draws a chart in the current colours of the page, as wide as `frame`, until `end`. */
export function draw(frame: HTMLElement, props: LineChartProps) {
  let latest = props
  const height = props.height ?? 220
  const size = () => ({ width: Math.max(200, frame.clientWidth), height })
  const showTip = (drawn: uPlot): void => placeTip(drawn, tip, latest)
  const chart = new uPlot(
    { ...size(), ...optionsOf(frame, () => latest), plugins: [{ hooks: { setCursor: [showTip] } }] },
    dataOf(props),
    frame,
  )
  const tip = document.createElement('div')
  tip.className = 'chart-tip'
  tip.hidden = true
  chart.over.append(tip)
  const observer = new ResizeObserver(() => chart.setSize(size()))
  observer.observe(frame)
  return {
    update(next: LineChartProps): void {
      latest = next
      chart.setData(dataOf(next))
    },
    end(): void {
      observer.disconnect()
      chart.destroy()
    },
  }
}

/** Steps of an axis without hours. */
const DAYS = [1, 2, 7, 14, 28]

function optionsOf(frame: HTMLElement, latest: () => LineChartProps) {
  const style = getComputedStyle(frame)
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim()
  const axis = {
    stroke: colour('ink-2'),
    font: `12px ${style.fontFamily}`,
    grid: { stroke: colour('line'), width: 1 },
    ticks: { show: false },
  }
  const { lines, bands = [], legend, daily, utcDays } = latest()
  const colourOf = (index: number): string => colour(`series-${((lines[index]?.colour ?? index) % 8) + 1}`)
  return {
    bands: bands.map(([upper, lower]) => ({
      series: [upper + 1, lower + 1],
      fill: `color-mix(in srgb, ${colourOf(upper)} 16%, transparent)`,
    })),
    legend: { show: (legend ?? lines.length > 1) && bands.length === 0, live: false },
    ...(utcDays === true ? { tzDate: (at) => uPlot.tzDate(new Date(at * 1_000), 'Etc/UTC') } : {}),
    cursor: { y: false, points: { size: 7 } },
    scales: {
      x: { time: true },
      y: { range: (_, __, most) => rangeOf(latest(), most) },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        ...(daily === true || utcDays === true ? { incrs: DAYS.map((days) => days * 86_400) } : {}),
        values: (_, splits, __, ___, step) => splits.map(timeOf(step, utcDays)),
      },
      { ...axis, size: 58, values: (_, values) => values.map((value) => latest().format(value)) },
    ],
    series: [
      {},
      ...lines.map((line, index) => {
        const stroke = colourOf(index)
        return {
          label: line.label,
          stroke,
          width: line.faint === true ? 1.5 : 2,
          ...(line.faint === true ? { dash: [2, 3], alpha: 0.75 } : {}),
          spanGaps: false,
          points: { show: line.values.length < 3, size: 6, fill: stroke },
          ...(line.dashed === true ? { dash: [5, 4] } : {}),
          ...(line.filled === true ? { fill: `color-mix(in srgb, ${stroke} 14%, transparent)` } : {}),
        }
      }),
    ],
  } satisfies Partial<uPlot.Options>
}

function rangeOf({ range, max }: LineChartProps, most: number): [number, number] {
  return range === undefined ? [0, max ?? (most > 0 ? most * 1.08 : 1)] : [range[0], range[1]]
}

/** Shows the values at the cursor. */
function placeTip(
  { cursor, over }: uPlot,
  tip: HTMLElement,
  { at, lines, format, utcDays }: LineChartProps,
): void {
  const { idx, left } = cursor
  const time = idx == null ? undefined : at[idx]
  tip.hidden = time === undefined || left === undefined || left < 0
  if (tip.hidden || idx == null || left === undefined) return
  tip.textContent = [
    new Intl.DateTimeFormat(
      undefined,
      utcDays === true
        ? { dateStyle: 'medium', timeZone: 'UTC' }
        : { dateStyle: 'medium', timeStyle: 'short' },
    ).format(time),
    // A line in two parts has one label.
    ...new Set(
      lines.flatMap(({ label, values }) => {
        const value = values[idx]
        return value == null ? [] : [`${label}: ${format(value)}`]
      }),
    ),
  ].join('\n')
  const room = over.clientWidth - tip.offsetWidth - 12
  tip.style.transform = `translate(${Math.max(0, left > room ? left - tip.offsetWidth - 12 : left + 12)}px, 0)`
}

/** Formats axis times by day, minute or second. */
function timeOf(stepSeconds: number, utcDays = false): (seconds: number) => string {
  const format = new Intl.DateTimeFormat(
    undefined,
    stepSeconds >= 86_400
      ? { day: 'numeric', month: 'short', ...(utcDays ? { timeZone: 'UTC' } : {}) }
      : { hour: 'numeric', minute: '2-digit', ...(stepSeconds < 60 ? { second: '2-digit' } : {}) },
  )
  return (seconds) => format.format(seconds * 1_000)
}

function dataOf({ at, lines }: LineChartProps): uPlot.AlignedData {
  return [at.map((time) => time / 1_000), ...lines.map(({ values }) => [...values])]
}
