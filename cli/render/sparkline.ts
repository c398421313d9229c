const LEVELS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']

/** A character a value, from the lowest to the highest there is; a blank where there is none. */
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
