const NARROWEST = 11

/** The largest distance from zero, so that zero is in the middle of the scale. */
export function intervalRange(intervals: readonly (readonly [number, number] | null)[]): number {
  const ends = intervals.flatMap((interval) => interval ?? []).map(Math.abs)
  return Math.max(0, ...ends.filter(Number.isFinite))
}

/**
 * Draws an interval such as `├──●──┤`, with `│` at zero. Intervals with the same `reach` line up.
 *
 * @param width columns, at least 11
 */
export function drawInterval(
  interval: readonly [number, number] | null,
  estimate: number | null,
  reach: number,
  width: number,
): string {
  const columns = Math.max(NARROWEST, width - (width % 2 === 0 ? 1 : 0))
  const at = (value: number): number =>
    Math.round(((Math.max(-reach, Math.min(reach, value)) + reach) / (2 * reach)) * (columns - 1))
  const line = new Array<string>(columns).fill(' ')
  line[(columns - 1) / 2] = '│'
  if (interval === null || reach === 0) return line.join('')
  const [low, high] = [at(interval[0]), at(interval[1])]
  for (let place = low; place <= high; place++) line[place] = place === (columns - 1) / 2 ? '┼' : '─'
  line[low] = '├'
  line[high] = '┤'
  if (estimate !== null) line[at(estimate)] = '●'
  return line.join('')
}

const LEVELS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']

/** One character per value, scaled from the lowest to the highest; a blank for null. */
export function sparkline(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null)
  const low = Math.min(...known)
  const span = Math.max(...known) - low
  return values
    .map((value) => {
      if (value === null) return ' '
      const level =
        span === 0 ? (value === 0 ? 0 : 3) : Math.round(((value - low) / span) * (LEVELS.length - 1))
      return LEVELS[level] ?? ''
    })
    .join('')
}
