import { ServiceError } from '../errors.js'

/** No answer in time. The request may still be carried out. */
export class TimeoutError extends ServiceError<'timeout'> {
  constructor(message: string) {
    super(message, { code: 'timeout', retryable: true })
  }
}

/**
 * Waits for a promise up to a limit. A late result or failure is ignored.
 *
 * @param what named in the error
 * @param onTimeout called with the error before the caller has it
 * @throws TimeoutError after the limit, else what the promise rejects with
 */
export async function withTimeout<T>(
  limitMs: number,
  what: string,
  promise: PromiseLike<T>,
  onTimeout?: (error: TimeoutError) => void,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new TimeoutError(`${what}: no answer in ${limitMs} ms`)
      onTimeout?.(error)
      reject(error)
    }, limitMs)
  })
  try {
    return await Promise.race([promise, limit])
  } finally {
    clearTimeout(timer)
  }
}
