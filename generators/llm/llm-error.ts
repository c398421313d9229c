import { type ErrorTable, ServiceError } from '../../runtime/errors.js'

/** What goes wrong with a language model. */
export const LLM_ERRORS = {
  /** The endpoint does not accept the key. */
  unauthorised: { retryable: false },
  /** The endpoint or the model refuses what it is asked for. */
  refused: { retryable: false },
  /** No answer, or none now. */
  unavailable: { retryable: true },
  /** An answer in another form than the one asked for. */
  invalid: { retryable: false },
  /** The tokens or seconds of a batch are used up. */
  budget: { retryable: true },
} as const satisfies ErrorTable

export type LlmErrorCode = keyof typeof LLM_ERRORS

/** The message may be shown to people: it holds neither the key nor text of the repository. */
export class LlmError extends ServiceError<LlmErrorCode> {
  constructor(code: LlmErrorCode, message: string) {
    super(message, { code, ...LLM_ERRORS[code] })
  }
}
