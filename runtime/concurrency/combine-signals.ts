/** One signal for work that several signals, or a deadline, can end. Call `release` when the work is over. */
export interface CombinedSignal {
  readonly signal: AbortSignal
  release(): void
}

/** Unlike `AbortSignal.any`, it leaves nothing behind in signals that live as long as the process. */
export function combineSignals(
  signals: readonly (AbortSignal | undefined)[],
  timeoutMs?: number,
): CombinedSignal {
  const controller = new AbortController()
  const listeners = signals.flatMap((signal) =>
    signal === undefined ? [] : [{ signal, abort: () => controller.abort(signal.reason) }],
  )
  for (const { signal, abort } of listeners) {
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  }
  const late = () => controller.abort(new DOMException('it took too long', 'TimeoutError'))
  const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs)
  return {
    signal: controller.signal,
    release() {
      clearTimeout(timer)
      for (const { signal, abort } of listeners) signal.removeEventListener('abort', abort)
    },
  }
}
