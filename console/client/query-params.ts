import { useCallback, useMemo } from 'preact/hooks'
import { useLocation, useSearch } from 'wouter-preact'

/**
 * The query parameters and a setter: null removes a name, a list repeats it. Replaces the history entry, so
 * that Back leaves the page.
 */
export function useQueryParams(): readonly [
  URLSearchParams,
  (changes: Readonly<Record<string, string | readonly string[] | null>>) => void,
] {
  const search = useSearch()
  const [path, navigate] = useLocation()
  const params = useMemo(() => new URLSearchParams(search), [search])
  const change = useCallback(
    (changes: Readonly<Record<string, string | readonly string[] | null>>) => {
      // `search` does not contain changes made in this render yet.
      const next = new URLSearchParams(window.location.search)
      for (const [name, value] of Object.entries(changes)) {
        next.delete(name)
        if (value === null) continue
        for (const one of typeof value === 'string' ? [value] : value) next.append(name, one)
      }
      const text = next.toString()
      navigate(text === '' ? path : `${path}?${text}`, { replace: true })
    },
    [path, navigate],
  )
  return [params, change]
}

/** The query of an address with `?`, or an empty text; null leaves a name out, a list repeats it. */
export function searchOf(params: Readonly<Record<string, string | readonly string[] | null>>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(params))
    for (const one of value === null ? [] : [value].flat()) search.append(name, one)
  return search.size === 0 ? '' : `?${search}`
}
