import { useCallback, useMemo } from 'preact/hooks'
import { useLocation, useSearch } from 'wouter-preact'

/** What the address says after `?`, and how to change it: a null takes a name out, a list repeats it. Typing replaces the entry of the history, so that Back leaves the page. */
export function useQueryParams(): readonly [
  URLSearchParams,
  (changes: Readonly<Record<string, string | readonly string[] | null>>) => void,
] {
  const search = useSearch()
  const [path, navigate] = useLocation()
  const params = useMemo(() => new URLSearchParams(search), [search])
  const change = useCallback(
    (changes: Readonly<Record<string, string | readonly string[] | null>>) => {
      // What has been changed a moment ago is not in `search` yet.
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
