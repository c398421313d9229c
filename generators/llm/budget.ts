import { deadlineSignal } from '../../runtime/concurrency/deadline-signal.js'
import { LlmError } from './llm-error.js'

/** An upper estimate of the tokens of a text, because a question over the budget is not sent. */
export const tokensOf = (text: string): number => Math.ceil(text.length / 3)

/** About as many tokens as endpoints count, for those that do not say. */
export const estimatedTokens = (...texts: readonly { content: string }[]): number =>
  Math.ceil(texts.reduce((sum, { content }) => sum + content.length, 0) / 4)

/** Limits of one batch. Times are milliseconds of a monotonic clock. */
export class Budget {
  readonly signal: AbortSignal
  readonly #tokens: number
  readonly #endsAt: number
  readonly #now: () => number
  readonly #outer: AbortSignal | undefined
  #spent = 0

  constructor(limits: { tokens: number; seconds: number }, now: () => number, signal?: AbortSignal) {
    this.#tokens = limits.tokens
    this.#now = now
    this.#endsAt = now() + limits.seconds * 1000
    this.#outer = signal
    this.signal = deadlineSignal(Math.ceil(limits.seconds * 1000), signal)
  }

  left(): number {
    return Math.max(0, this.#tokens - this.#spent)
  }

  leftMs(): number {
    return Math.max(0, this.#endsAt - this.#now())
  }

  spend(tokens: number): void {
    this.#spent += tokens
  }

  /** @throws LlmError if fewer tokens are left */
  reserve(tokens: number): void {
    this.check()
    if (tokens > this.left())
      throw new LlmError(
        'budget',
        `a batch may cost ${this.#tokens} tokens, of which ${this.#spent} are used: the next question needs ${tokens}`,
      )
  }

  /** @throws the caller's abort reason, or LlmError if the time is up */
  check(): void {
    this.#outer?.throwIfAborted()
    if (this.signal.aborted || this.leftMs() === 0)
      throw new LlmError('budget', 'the model did not answer in the time that a batch has')
  }
}
