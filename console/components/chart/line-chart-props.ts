export interface Series {
  readonly label: string
  readonly values: readonly (number | null)[]
  /** Which of the eight colours, from 0. */
  readonly colour?: number
  readonly dashed?: boolean
  readonly filled?: boolean
}

export interface LineChartProps {
  /** What the picture shows, for whoever does not see it; the figures also stand in a table beside it. */
  readonly label: string
  /** Milliseconds, rising. */
  readonly at: readonly number[]
  readonly lines: readonly Series[]
  readonly format: (value: number) => string
  /** Pixels. */
  readonly height?: number
  /** Upper end of the scale, where it is fixed. */
  readonly max?: number
}
