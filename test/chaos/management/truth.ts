import type { MachineClock } from '../clients/machine-clock.js'

/** `done` and `refused` are certain; `unknown` is a request that was given up without an answer. */
export type WriteOutcome = 'done' | 'refused' | 'unknown'

/** A management request, over all of its attempts under one Idempotency-Key. */
export interface Write {
  /** Part of every text that it writes, so that a partial write shows. */
  readonly number: number
  /** As its audit entry has it. */
  readonly action: string
  /** Unique name of the resource that it creates, `undefined` if it changes an existing one. */
  readonly creates: string | undefined
  /** Id of the resource; for one that is created, from the answer. */
  resource: string | undefined
  outcome: WriteOutcome
  /**
   * Attempts that may have taken effect besides the answered one. Only requests other than POST have some,
   * because they have no Idempotency-Key.
   */
  repeats: number
  /** By the real clock; the end is infinite until it is known. */
  readonly startedAt: number
  endedAt: number
}

/** Every management request that was sent, and what came of it. */
export class ManagementTruth {
  readonly writes: Write[] = []

  constructor(readonly clock: MachineClock) {}

  begin(action: string, resource: string | undefined, creates?: (number: number) => string): Write {
    const number = this.writes.length
    const write: Write = {
      number,
      action,
      creates: creates?.(number),
      resource,
      outcome: 'unknown',
      repeats: 0,
      startedAt: Date.now(),
      endedAt: Number.POSITIVE_INFINITY,
    }
    this.writes.push(write)
    return write
  }

  settle(write: Write, outcome: WriteOutcome, resource?: string): void {
    write.outcome = outcome
    write.resource ??= resource
    if (outcome !== 'unknown') write.endedAt = Date.now()
  }

  get done(): number {
    return this.writes.filter(({ outcome }) => outcome === 'done').length
  }
}

/** The text that a request writes into each of its text fields. */
export function markOf(number: number): string {
  return `written by ${number}`
}
