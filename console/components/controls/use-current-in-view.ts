import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** On a narrow page the links of a navigation scroll. Keeps the current one visible. */
export function useCurrentInView(path: string): RefObject<HTMLElement> {
  const nav = useRef<HTMLElement>(null)
  useEffect(() => {
    const link = nav.current?.querySelector<HTMLElement>('[aria-current]')
    if (nav.current !== null && link != null)
      nav.current.scrollLeft = link.offsetLeft - (nav.current.clientWidth - link.offsetWidth) / 2
  }, [path])
  return nav
}
