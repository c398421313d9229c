/** A store did not answer in time. What was asked may still happen. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
}

/**
 * Waits for a promise no longer than a limit; what it does later is ignored. `what` is named in the error, which `overdue` is told of before anybody
 * else.
 */
export async function withTimeout<T>(
  limitMs: number,
  what: string,
  promise: PromiseLike<T>,
  overdue?: (error: TimeoutError) => void,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new TimeoutError(`${what}: no answer in ${limitMs} ms`)
      overdue?.(error)
      reject(error)
    }, limitMs)
  })
  try {
    return await Promise.race([promise, limit])
  } finally {
    clearTimeout(timer)
  }
}
