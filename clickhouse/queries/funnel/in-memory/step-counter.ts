import { bucketStart, type TrendInterval } from '../../../../domain/funnel.js'
import { type FiguresRow, QUANTILES, type StepFigures } from '../figures.js'
import type { Attempt } from './attempt-finder.js'

/** Inputs of a trend: start of the funnel's clock in milliseconds since 1970. */
export interface StepCounterTrend {
  readonly interval: TrendInterval
  readonly origin: number
}

/** Counts attempts as `figuresSql` does. */
export class StepCounter {
  private persons = 0
  /** Per step after the first, the time since the previous step, in milliseconds. */
  private readonly durations: Durations[]
  private readonly entered = new Map<number, number>()
  private readonly completed = new Map<number, number>()

  constructor(
    private readonly steps: number,
    private readonly trend: StepCounterTrend | undefined,
  ) {
    this.durations = Array.from({ length: steps - 1 }, () => new Durations())
  }

  add({ level, times }: Pick<Attempt, 'level' | 'times'>): void {
    this.persons++
    for (let step = 1; step < level; step++)
      this.durations[step - 1]?.add((times[step] ?? 0) - (times[step - 1] ?? 0))
    if (this.trend === undefined) return
    const bucket = bucketStart(this.trend.origin + (times[0] ?? 0), this.trend.interval)
    this.entered.set(bucket, (this.entered.get(bucket) ?? 0) + 1)
    if (level === this.steps) this.completed.set(bucket, (this.completed.get(bucket) ?? 0) + 1)
  }

  figures(): FiguresRow {
    const reached = this.durations.filter((durations) => durations.count > 0)
    return {
      persons: this.persons,
      steps: reached.map((durations) => durations.figures()),
      tiedPersons: [],
      ...(this.trend === undefined
        ? {}
        : {
            entered: [[...this.entered.keys()], [...this.entered.values()]],
            completed: [[...this.completed.keys()], [...this.completed.values()]],
          }),
    }
  }
}

class Durations {
  count = 0
  private values = new Float64Array(64)

  add(value: number): void {
    if (this.count === this.values.length) {
      const wider = new Float64Array(2 * this.count)
      wider.set(this.values)
      this.values = wider
    }
    this.values[this.count++] = value
  }

  /** All durations are here, so the two values around a quantile suffice. */
  figures(): StepFigures {
    const sorted = this.values.subarray(0, this.count).sort()
    return [
      this.count,
      QUANTILES.map((quantile) => {
        const place = quantile * (this.count - 1)
        return [Math.floor(place), [...sorted.subarray(Math.floor(place), Math.ceil(place) + 1)]]
      }),
    ]
  }
}
