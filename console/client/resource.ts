import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { type ApiError, toApiError } from './api-error'

export interface Resource<Data> {
  /** The latest answer; stays while a newer one is asked for, also of another key, so that nothing jumps. */
  readonly data: Data | undefined
  readonly failure: ApiError | undefined
  readonly loading: boolean
  /** Asks again. */
  reload(): void
  /** Puts in what a write has answered. */
  set(data: Data): void
}

interface State<Data> {
  readonly key: string | null
  readonly data: Data | undefined
  readonly failure: ApiError | undefined
  readonly loading: boolean
}

/**
 * Asks for something and keeps it for as long as the component stands. The request before is called off when the key changes.
 *
 * @param key what is asked for, as text; null asks for nothing
 * @param load is called with a new key, after `reload`, and every `everyMs` while the page is seen; how often may depend on what there is
 * @param options.keep false forgets the data of another key at once
 */
export function useResource<Data>(
  key: string | null,
  load: (signal: AbortSignal) => Promise<Data>,
  options: {
    readonly refetchMs?: number | ((data: Data | undefined) => number | undefined)
    readonly keepPreviousData?: boolean
  } = {},
): Resource<Data> {
  const [state, setState] = useState<State<Data>>({
    key: null,
    data: undefined,
    failure: undefined,
    loading: key !== null,
  })
  const [turn, setTurn] = useState(0)
  const latest = useRef(load)
  latest.current = load
  const { keepPreviousData = true } = options
  const refetchMs =
    typeof options.refetchMs === 'function' ? options.refetchMs(state.data) : options.refetchMs

  useEffect(() => {
    if (key === null) {
      setState({ key, data: undefined, failure: undefined, loading: false })
      return
    }
    const abort = new AbortController()
    setState((before) => ({
      ...before,
      key,
      data: keepPreviousData || before.key === key ? before.data : undefined,
      loading: true,
    }))
    const settle = (next: Partial<State<Data>>): void => {
      if (!abort.signal.aborted) setState((before) => ({ ...before, loading: false, ...next }))
    }
    latest.current(abort.signal).then(
      (data) => settle({ data, failure: undefined }),
      (thrown: unknown) => {
        if (!abort.signal.aborted) settle({ failure: toApiError(thrown) })
      },
    )
    return () => abort.abort()
  }, [key, turn, keepPreviousData])

  useEffect(() => {
    if (refetchMs === undefined || key === null) return
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') setTurn((before) => before + 1)
    }, refetchMs)
    return () => clearInterval(timer)
  }, [refetchMs, key])

  const reload = useCallback(() => setTurn((before) => before + 1), [])
  const set = useCallback(
    (data: Data) => setState((before) => ({ ...before, data, failure: undefined, loading: false })),
    [],
  )
  const { data, failure, loading } = state
  return { data, failure, loading, reload, set }
}
