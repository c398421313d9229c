/** The errors of one port: each code, and whether the same call, unchanged, can succeed later. */
export type ErrorTable<Code extends string = string> = Readonly<Record<Code, { readonly retryable: boolean }>>

export interface ServiceErrorOptions<Code extends string> {
  /** One of the port's closed list. */
  readonly code: Code
  /** Whether the same call, unchanged, can succeed later. */
  readonly retryable: boolean
  /** How long the other side asks to wait before the next try, in milliseconds. */
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

/**
 * Base of every error that a port throws when infrastructure fails or a call is not allowed. Callers decide
 * by `code` and `retryable`, never by the message. Expected outcomes are return values, not errors.
 *
 * An adapter classifies what its driver throws once, at its boundary, and keeps the original as `cause`. A
 * port declares a table and a class whose name ends in `Error`:
 *
 * @example
 * const LOG_ERRORS = { unavailable: { retryable: true }, layout: { retryable: false } } satisfies ErrorTable
 * class LogError extends ServiceError<keyof typeof LOG_ERRORS> {
 *   constructor(code: keyof typeof LOG_ERRORS, message: string, options?: ErrorOptions) {
 *     super(message, { ...options, code, ...LOG_ERRORS[code] })
 *   }
 * }
 */
export class ServiceError<Code extends string = string> extends Error {
  readonly code: Code
  readonly retryable: boolean
  readonly retryAfterMs: number | undefined

  constructor(message: string, { code, retryable, retryAfterMs, ...rest }: ServiceErrorOptions<Code>) {
    super(message, rest)
    this.name = new.target.name
    this.code = code
    this.retryable = retryable
    this.retryAfterMs = retryAfterMs
  }
}

/** Whether a failed call can succeed later, unchanged. False for anything that no port has classified. */
export function isRetryable(error: unknown): boolean {
  return error instanceof ServiceError && error.retryable
}

/** The code of a system or driver error, such as `ENOENT` or a SQLSTATE. Undefined if there is none. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

/** Whether a disk is full: a port's `disk_full` or the system's ENOSPC, also as the cause of an error. */
export function isDiskFull(error: unknown): boolean {
  const code = errorCode(error)
  if (code === 'disk_full' || code === 'ENOSPC') return true
  return error instanceof Error && error.cause !== undefined && isDiskFull(error.cause)
}

/** The code of a system error, else its message: for lines that already name the file or address. */
export function errorReason(thrown: unknown): string {
  return errorCode(thrown) ?? errorMessage(thrown)
}

/** One line for people about anything thrown. Refused connections have an empty message and only a code. */
export function errorMessage(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  return thrown.message || errorCode(thrown) || thrown.name
}
