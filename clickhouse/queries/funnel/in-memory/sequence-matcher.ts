/** What a funnel asks of one person's events, which are numbers `time * scale + code`. */
export interface SequenceRules {
  /** Of each step: an event satisfies it where the bits of its code under `mask` are `value`. */
  readonly tests: readonly { readonly mask: number; readonly value: number }[]
  readonly windowMs: number
  /** The time from which on no run begins. */
  readonly startsBefore: number
  readonly scale: number
}

/**
 * Finds the best run of a person, the steps one after the other and nothing ending a run: the same as `orderedAttemptSql`, which says why it is right, in one pass along
 * the events and one back over those of the best run.
 */
export class SequenceMatcher {
  /** The times at which the steps of the run found last were reached. */
  readonly times: Float64Array
  /** Of each step, the latest start whose chain has reached it. */
  private readonly latest: Float64Array

  constructor(private readonly rules: SequenceRules) {
    this.times = new Float64Array(rules.tests.length)
    this.latest = new Float64Array(rules.tests.length)
  }

  /** How many steps the best run over the events from `begin` to before `end` reaches, which are in order; 0 where none begins. */
  find(events: Float64Array, begin: number, end: number): number {
    const { tests, windowMs, startsBefore, scale } = this.rules
    const { latest } = this
    let level = 0
    let last = begin
    /** The steps up to here have a chain. */
    let chains = 0
    for (let place = begin; place < end; place++) {
      const event = events[place] ?? 0
      const time = Math.floor(event / scale)
      const code = event - time * scale
      // From the last step down, as an event takes part in a chain once: what it completes rests on the events before it.
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

  /** From the first start in the window before the event that completes the run, each time to the earliest next step. */
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
