import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { type ApiError, toApiError } from './api-error'

export interface Resource<Data> {
  /**
   * The latest answer. Stays while newer data loads, also for another key, so that the page does not jump.
   */
  readonly data: Data | undefined
  readonly failure: ApiError | undefined
  readonly loading: boolean
  reload(): void
  /** Replaces the data with the answer of a write. */
  set(data: Data): void
}

interface State<Data> {
  readonly key: string | null
  /** Counts the loads of any key. */
  readonly turn: number
  readonly data: Data | undefined
  readonly failure: ApiError | undefined
  readonly loading: boolean
}

/**
 * Loads data for as long as the component is mounted. A new key cancels the previous request.
 *
 * @param key identifies the data; null loads nothing
 * @param load called for a new key, after `reload`, and every `refetchMs` while the page is visible
 * @param options.keepPreviousData false drops the data of the previous key at once
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
    turn: 0,
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
      setState({ key, turn, data: undefined, failure: undefined, loading: false })
      return
    }
    const abort = new AbortController()
    setState((before) => ({
      ...before,
      key,
      turn,
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
  const { data, failure } = state
  // The effect that starts to load runs only after the page is drawn.
  const loading = state.loading || state.key !== key || state.turn !== turn
  return { data, failure, loading, reload, set }
}
