import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

let opened = false

/**
 * Sets the document's title and renders the page heading, which gets the focus after navigation.
 *
 * @param title also the text of links to this page
 */
export function Page(props: {
  readonly title: string
  readonly lead?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children?: ComponentChildren
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${props.title} · svc`
  }, [props.title])
  // A later focus would take the keys of someone who is typing already.
  useLayoutEffect(() => {
    if (opened) {
      window.scrollTo(0, 0)
      heading.current?.focus({ preventScroll: true })
    }
    opened = true
  }, [])
  return (
    <>
      <div class="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1} dir="auto">
            {props.title}
          </h1>
          {props.lead !== undefined && <div class="muted">{props.lead}</div>}
        </div>
        {props.actions !== undefined && <div class="row end">{props.actions}</div>}
      </div>
      {props.children}
    </>
  )
}
