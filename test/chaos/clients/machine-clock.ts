import { renameSync, writeFileSync } from 'node:fs'

interface Step {
  /** By the real clock, milliseconds. */
  readonly at: number
  /** Added to the real clock from then on, milliseconds. */
  readonly offsetMs: number
}

/** How late a process may still go by the clock before a step: it looks once in a while. */
const NOTICED_MS = 2_000

/** The clock of the machine under test: the real one until a fault steps it. */
export class MachineClock {
  private steps: readonly Step[] = [{ at: Number.NEGATIVE_INFINITY, offsetMs: 0 }]
  /** File from which the processes read the offset, `undefined` if nothing steps the clock. */
  file: string | undefined

  get offsetMs(): number {
    return this.steps.at(-1)?.offsetMs ?? 0
  }

  now(): number {
    return Date.now() + this.offsetMs
  }

  /** The processes follow within some milliseconds. */
  step(byMs: number): void {
    const offsetMs = this.offsetMs + byMs
    if (this.file !== undefined) {
      // A rename, because an empty file would be the real clock for a moment.
      writeFileSync(`${this.file}.new`, String(offsetMs))
      renameSync(`${this.file}.new`, this.file)
    }
    this.steps = [...this.steps, { at: Date.now(), offsetMs }]
  }

  /** Whether the clock was stepped between two times of the real clock. */
  steppedBetween(from: number, to: number): boolean {
    return this.steps.some(({ at }) => at >= from - NOTICED_MS && at <= to)
  }

  /**
   * The time that the machine's clock shows at a time of the real clock; undefined if it was stepped around
   * then.
   */
  shownAt(time: number): number | undefined {
    if (this.steppedBetween(time, time + NOTICED_MS)) return undefined
    return time + (this.steps.findLast(({ at }) => at <= time)?.offsetMs ?? 0)
  }

  /** Whether the machine's clock may have shown a time between two times of the real clock. */
  mayShow(time: number, from: number, to: number): boolean {
    return this.steps.some(({ at, offsetMs }, i) => {
      const until = this.steps[i + 1]?.at ?? Number.POSITIVE_INFINITY
      if (at > to || until + NOTICED_MS < from) return false
      return from + offsetMs <= time && time <= to + offsetMs
    })
  }
}
