/** The promise's result, or a rejection after so many milliseconds; what the promise does later is ignored. */
export async function within<T>(milliseconds: number, promise: PromiseLike<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError(milliseconds)), milliseconds)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
  constructor(milliseconds: number) {
    super(`no answer within ${milliseconds} ms`)
  }
}
