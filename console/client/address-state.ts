import { useEffect, useRef, useState } from 'preact/hooks'
import { useSearch } from 'wouter-preact'
import { useQueryParams } from './query-params'

/** Browsers ignore addresses that change faster than people type. */
const WRITE_MS = 150

/**
 * State that is also in the address. Changes show at once and are written when they pause; an address that
 * comes from elsewhere replaces the state.
 */
export function useAddressState<State extends object>(
  read: (params: URLSearchParams) => State,
  write: (state: State) => Record<string, string | readonly string[] | null>,
): readonly [State, (changes: Partial<State>) => void] {
  const search = useSearch()
  const [, setAddress] = useQueryParams()
  const [state, setState] = useState(() => read(new URLSearchParams(search)))
  const latest = useRef(state)
  const written = useRef(window.location.search)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const save = useRef<() => void>(() => undefined)
  save.current = () => {
    setAddress(write(latest.current))
    written.current = window.location.search
  }
  useEffect(() => {
    // `search` may be older than what was written since.
    const now = window.location.search
    if (now === written.current) return
    clearTimeout(timer.current)
    written.current = now
    latest.current = read(new URLSearchParams(now))
    setState(latest.current)
  }, [search])
  useEffect(() => () => clearTimeout(timer.current), [])
  function change(changes: Partial<State>): void {
    latest.current = { ...latest.current, ...changes }
    setState(latest.current)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => save.current(), WRITE_MS)
  }
  return [state, change]
}
