interface ErrorDetail {
  readonly path: string
  readonly message: string
}

interface ErrorBody {
  readonly code?: string
  readonly message?: string
  readonly requestId?: string
  readonly details?: readonly ErrorDetail[]
}

/** An error answer of the API, or an unreachable server (status 0). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string | null,
    readonly details: readonly ErrorDetail[],
  ) {
    super(message)
  }

  /** Someone else has changed the resource since it was read. */
  get isChanged(): boolean {
    return this.code === 'PRECONDITION_FAILED'
  }

  /** A retry may help. */
  get isRetryable(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500
  }
}

/** The error of a write to what someone else has changed. */
export function changedError(): ApiError {
  return new ApiError(412, 'PRECONDITION_FAILED', '', null, [])
}

export function responseError(response: Response, body: unknown): ApiError {
  const { code, message, requestId, details } = (
    typeof body === 'object' && body !== null ? body : {}
  ) as ErrorBody
  return new ApiError(
    response.status,
    code ?? 'UNKNOWN',
    message ?? `The server answered ${response.status}`,
    requestId ?? response.headers.get('X-Request-Id'),
    details ?? [],
  )
}

/** Wraps anything thrown, but rethrows an abort. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  if (thrown instanceof DOMException && thrown.name === 'AbortError') throw thrown
  return new ApiError(0, 'UNREACHABLE', 'The server cannot be reached', null, [])
}
