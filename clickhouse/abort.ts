/** The promise, or what the signal stands for where it comes first; the promise is then left to settle unseen. */
export function settledOr<T>(signal: AbortSignal, promise: Promise<T>, onAbort: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(onAbort())
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
    if (signal.aborted) abort()
  })
}
