/** A store did not answer in time. What was asked may still happen. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
}

/**
 * Waits for a promise no longer than a limit; what it does later is ignored. `what` is named in the error, which `overdue` is told of before anybody
 * else.
 */
export async function within<T>(
  limitMs: number,
  what: string,
  promise: PromiseLike<T>,
  overdue?: (error: NoAnswerError) => void,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new NoAnswerError(`${what}: no answer in ${limitMs} ms`)
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
