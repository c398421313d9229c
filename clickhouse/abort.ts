/** Resolves with the promise, or rejects with `onAbort()` if the signal is aborted before it settles. */
export function settledOr<T>(signal: AbortSignal, promise: Promise<T>, onAbort: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(onAbort())
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
    if (signal.aborted) abort()
  })
}
