/**
 * A signal that aborts after so many milliseconds, whoever holds it, or with the one given.
 *
 * In place of `AbortSignal.timeout`: Node 20 lets go of one that only a signal joined by `AbortSignal.any` refers to, and then neither of them ever aborts. One that
 * is listened to stays until its time has come.
 */
export function deadlineSignal(milliseconds: number, signal?: AbortSignal): AbortSignal {
  const limit = AbortSignal.timeout(milliseconds)
  limit.addEventListener('abort', () => {}, { once: true })
  return signal === undefined ? limit : AbortSignal.any([signal, limit])
}
