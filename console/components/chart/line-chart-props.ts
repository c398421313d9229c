export interface Series {
  readonly label: string
  readonly values: readonly (number | null)[]
  /** Index of the colour, 0 to 7. */
  readonly colour?: number
  readonly dashed?: boolean
  readonly filled?: boolean
  /** Thinner and dotted, as for figures to compare with. */
  readonly faint?: boolean
}

export interface LineChartProps {
  /** Text alternative. The figures are also in a table nearby. */
  readonly label: string
  /** Milliseconds, ascending. */
  readonly at: readonly number[]
  readonly lines: readonly Series[]
  readonly format: (value: number) => string
  /** Pixels. */
  readonly height?: number
  /** Fixed upper end of the scale. */
  readonly max?: number
  /** Both ends of the scale, instead of 0 and `max`. */
  readonly range?: readonly [low: number, high: number]
  /** The times are days: the axis names no hours. */
  readonly daily?: boolean
  /** The times are starts of days in UTC. */
  readonly utcDays?: boolean
  /** False if the lines are named elsewhere. @default true with several lines */
  readonly legend?: boolean
  /** Pairs of lines, upper and lower, with the area between them filled. Constant while the page is open. */
  readonly bands?: readonly (readonly [upper: number, lower: number])[]
}
