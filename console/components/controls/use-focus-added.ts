import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** Focuses the first field of the last item of a list once an empty item was added. */
export function useFocusAdded<Element extends HTMLElement>(
  count: number,
  isLastEmpty: boolean,
): RefObject<Element> {
  const list = useRef<Element>(null)
  const before = useRef(count)
  // Before the next key arrives.
  useLayoutEffect(() => {
    if (count === before.current + 1 && isLastEmpty)
      list.current?.querySelector<HTMLElement>(':scope > li:last-child input')?.focus()
    before.current = count
  }, [count])
  return list
}
