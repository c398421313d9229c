/** A store did not answer in time. What was asked may still happen. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
}

/** Waits for a promise no longer than a limit; what it does later is ignored. `what` is named in the error. */
export async function within<T>(limitMs: number, what: string, promise: PromiseLike<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswerError(`${what}: no answer in ${limitMs} ms`)), limitMs)
  })
  try {
    return await Promise.race([promise, limit])
  } finally {
    clearTimeout(timer)
  }
}
