import { useEffect, useState } from 'preact/hooks'

/**
 * State that survives a reload of the page and signing in again, until it is dropped.
 *
 * @param name of the place in the tab's storage
 */
export function useDraft<Draft extends object>(name: string, initial: Draft) {
  const [draft, setDraft] = useState<Draft>(() => ({ ...initial, ...stored(name) }))
  useEffect(() => {
    if (JSON.stringify(draft) === JSON.stringify(initial)) sessionStorage.removeItem(name)
    else sessionStorage.setItem(name, JSON.stringify(draft))
  }, [draft])
  return {
    draft,
    change: (changes: Partial<Draft>): void => setDraft((before) => ({ ...before, ...changes })),
    drop(): void {
      sessionStorage.removeItem(name)
    },
  }
}

function stored(name: string): object {
  const parsed: unknown = JSON.parse(sessionStorage.getItem(name) ?? 'null')
  return typeof parsed === 'object' && parsed !== null ? parsed : {}
}
