import { type ErrorTable, ServiceError } from '../../runtime/errors.js'

/** Failures of a call to the language model. */
export const LLM_ERRORS = {
  /** The endpoint does not accept the key. */
  unauthorised: { retryable: false },
  /** The endpoint or the model rejects the request. */
  refused: { retryable: false },
  /** The endpoint does not answer at the moment; trying again may help. */
  unavailable: { retryable: true },
  /** The answer does not match the requested schema. */
  invalid: { retryable: false },
  /** The token or time budget of a batch is used up. */
  budget: { retryable: true },
} as const satisfies ErrorTable

export type LlmErrorCode = keyof typeof LLM_ERRORS

/** The message may be shown to people: it holds neither the key nor text of the repository. */
export class LlmError extends ServiceError<LlmErrorCode> {
  constructor(code: LlmErrorCode, message: string) {
    super(message, { code, ...LLM_ERRORS[code] })
  }
}
