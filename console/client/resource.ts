import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { type Failure, failureOf } from './failure'

export interface Resource<Data> {
  /** The latest answer; stays while a newer one is asked for, also of another key, so that nothing jumps. */
  readonly data: Data | undefined
  readonly failure: Failure | undefined
  readonly loading: boolean
  /** Asks again. */
  reload(): void
  /** Puts in what a write has answered. */
  set(data: Data): void
}

interface State<Data> {
  readonly key: string | null
  readonly data: Data | undefined
  readonly failure: Failure | undefined
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
    readonly everyMs?: number | ((data: Data | undefined) => number | undefined)
    readonly keep?: boolean
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
  const { keep = true } = options
  const everyMs = typeof options.everyMs === 'function' ? options.everyMs(state.data) : options.everyMs

  useEffect(() => {
    if (key === null) {
      setState({ key, data: undefined, failure: undefined, loading: false })
      return
    }
    const abort = new AbortController()
    setState((before) => ({
      ...before,
      key,
      data: keep || before.key === key ? before.data : undefined,
      loading: true,
    }))
    const settle = (next: Partial<State<Data>>): void => {
      if (!abort.signal.aborted) setState((before) => ({ ...before, loading: false, ...next }))
    }
    latest.current(abort.signal).then(
      (data) => settle({ data, failure: undefined }),
      (thrown: unknown) => {
        if (!abort.signal.aborted) settle({ failure: failureOf(thrown) })
      },
    )
    return () => abort.abort()
  }, [key, turn, keep])

  useEffect(() => {
    if (everyMs === undefined || key === null) return
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') setTurn((before) => before + 1)
    }, everyMs)
    return () => clearInterval(timer)
  }, [everyMs, key])

  const reload = useCallback(() => setTurn((before) => before + 1), [])
  const set = useCallback(
    (data: Data) => setState((before) => ({ ...before, data, failure: undefined, loading: false })),
    [],
  )
  const { data, failure, loading } = state
  return { data, failure, loading, reload, set }
}
