export interface FailureDetail {
  readonly path: string
  readonly message: string
}

interface RefusalBody {
  readonly code?: string
  readonly message?: string
  readonly requestId?: string
  readonly details?: readonly FailureDetail[]
}

/** What came instead of an answer: the API's refusal, or that nothing could be reached (status 0). */
export class Failure extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string | null,
    readonly details: readonly FailureDetail[],
  ) {
    super(message)
  }

  /** Asking again may help. */
  get passing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500
  }
}

/** @param body as far as it could be read */
export function refusalOf(response: Response, body: unknown): Failure {
  const { code, message, requestId, details } = (
    typeof body === 'object' && body !== null ? body : {}
  ) as RefusalBody
  return new Failure(
    response.status,
    code ?? 'UNKNOWN',
    message ?? `The server answered ${response.status}`,
    requestId ?? response.headers.get('X-Request-Id'),
    details ?? [],
  )
}

/** Anything thrown, as a failure. Being called off is none, and is thrown on. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown
  if (thrown instanceof DOMException && thrown.name === 'AbortError') throw thrown
  return new Failure(0, 'UNREACHABLE', 'The server cannot be reached', null, [])
}
