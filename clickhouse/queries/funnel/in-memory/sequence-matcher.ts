/** The requirements of a funnel on one person's events, which are numbers `time * scale + code`. */
export interface SequenceRules {
  /** Per step: an event satisfies it if the bits of its code under `mask` equal `value`. */
  readonly tests: readonly { readonly mask: number; readonly value: number }[]
  readonly windowMs: number
  /** Attempts begin before this time. */
  readonly startsBefore: number
  readonly scale: number
}

/** Finds a person's best attempt in two passes. `orderedAttemptSql` explains why that is right. */
export class SequenceMatcher {
  /** The times at which the steps of the last attempt found were reached. */
  readonly times: Float64Array
  /** Per step, the latest start whose chain has reached it. */
  private readonly latest: Float64Array

  constructor(private readonly rules: SequenceRules) {
    this.times = new Float64Array(rules.tests.length)
    this.latest = new Float64Array(rules.tests.length)
  }

  /** The steps that the best attempt over the ordered events in `[begin, end)` reaches; 0 if none begins. */
  find(events: Float64Array, begin: number, end: number): number {
    const { tests, windowMs, startsBefore, scale } = this.rules
    const { latest } = this
    let level = 0
    let last = begin
    /** Steps below this have a chain. */
    let chains = 0
    for (let place = begin; place < end; place++) {
      const event = events[place] ?? 0
      const time = Math.floor(event / scale)
      const code = event - time * scale
      // From the last step down, because an event takes part in a chain once.
      for (let step = Math.min(chains, tests.length - 1); step > 0; step--) {
        if (!this.satisfies(code, step)) continue
        const start = latest[step - 1] ?? 0
        latest[step] = start
        if (step === chains) chains++
        if (step < level || time - start > windowMs) continue
        level = step + 1
        last = place
      }
      if (time >= startsBefore || !this.satisfies(code, 0)) continue
      latest[0] = time
      if (chains === 0) {
        chains = 1
        level = 1
        last = place
      }
    }
    if (level > 0) this.walk(events, begin, last, level)
    return level
  }

  /** From the first start in the window before the completing event, the earliest next step each time. */
  private walk(events: Float64Array, begin: number, last: number, level: number): void {
    const { windowMs, startsBefore, scale } = this.rules
    const opened = Math.floor((events[last] ?? 0) / scale) - windowMs
    let step = 0
    for (let place = begin; step < level && place <= last; place++) {
      const event = events[place] ?? 0
      const time = Math.floor(event / scale)
      if (!this.satisfies(event - time * scale, step)) continue
      if (step === 0 && (time < opened || time >= startsBefore)) continue
      this.times[step++] = time
    }
  }

  private satisfies(code: number, step: number): boolean {
    const test = this.rules.tests[step]
    return test !== undefined && (code & test.mask) === test.value
  }
}
