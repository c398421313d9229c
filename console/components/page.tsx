import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

let opened = false

/**
 * What every page begins with: its one heading, which gets the focus when the page was come to from another one, and the document's title.
 *
 * @param title also the name of the link that leads here
 */
export function Page(props: {
  readonly title: string
  /** One line below the heading. */
  readonly lead?: ComponentChildren
  /** Buttons beside the heading. */
  readonly actions?: ComponentChildren
  readonly children?: ComponentChildren
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${props.title} · svc`
  }, [props.title])
  useEffect(() => {
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
