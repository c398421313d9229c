import { useRef, useState } from 'preact/hooks'
import { type ApiError, toApiError } from './api-error'

export interface Mutation {
  readonly busy: boolean
  readonly failure: ApiError | undefined
  /** Drops the failure. */
  reset(): void
  /**
   * Sends a write.
   *
   * @param intent identifies the write: a retry of the same intent reuses its Idempotency-Key
   * @param send gets the headers to send
   */
  run<Data>(
    intent: string,
    send: (headers: Record<string, string>) => Promise<Data>,
  ): Promise<{ readonly ok: true; readonly data: Data } | { readonly ok: false; readonly failure: ApiError }>
}

export function useMutation(): Mutation {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<ApiError | undefined>(undefined)
  const open = useRef<{ readonly intent: string; readonly key: string } | undefined>(undefined)
  return {
    busy,
    failure,
    reset: () => setFailure(undefined),
    async run(intent, send) {
      const attempt = open.current?.intent === intent ? open.current : { intent, key: crypto.randomUUID() }
      open.current = attempt
      setBusy(true)
      setFailure(undefined)
      try {
        const data = await send({ 'Idempotency-Key': attempt.key })
        open.current = undefined
        return { ok: true, data }
      } catch (thrown) {
        const found = toApiError(thrown)
        if (!found.isRetryable) open.current = undefined
        setFailure(found)
        return { ok: false, failure: found }
      } finally {
        setBusy(false)
      }
    },
  }
}
