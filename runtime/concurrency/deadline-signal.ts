/**
 * A signal that aborts after so many milliseconds, or with the one given.
 *
 * Use it instead of `AbortSignal.timeout`: Node 20 garbage-collects a timeout that only `AbortSignal.any`
 * refers to, and then neither signal ever aborts. A listener keeps it alive.
 */
export function deadlineSignal(milliseconds: number, signal?: AbortSignal): AbortSignal {
  const limit = AbortSignal.timeout(milliseconds)
  limit.addEventListener('abort', () => {}, { once: true })
  return signal === undefined ? limit : AbortSignal.any([signal, limit])
}
