/**
 * - `unauthorised`, `refused`: the endpoint's answer to what it is asked will not change.
 * - `unavailable`: it did not answer, or said that it cannot now.
 * - `invalid`: it answered, and not in the form that it was asked for.
 * - `budget`: the tokens or seconds of a batch are used up.
 */
export type LlmFailureKind = 'unauthorised' | 'refused' | 'unavailable' | 'invalid' | 'budget'

/** Why a model gave nothing that can be used, in words that may be shown: they hold neither the key nor the repository's text. */
export class LlmFailure extends Error {
  override readonly name = 'LlmFailure'
  readonly kind: LlmFailureKind
  readonly retryable: boolean

  constructor(kind: LlmFailureKind, message: string) {
    super(message)
    this.kind = kind
    this.retryable = kind === 'unavailable' || kind === 'budget'
  }
}
