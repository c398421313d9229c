import type { ComponentChildren } from 'preact'

/** Around a table: what does not fit is scrolled here, also with the keyboard, and the page stays as wide as it is. */
export function ScrollableTable(props: {
  readonly label: string
  /** Keeps to some height. */
  readonly low?: boolean
  readonly children: ComponentChildren
}) {
  return (
    <section
      class={`table-frame${props.low === true ? ' scroll' : ''}`}
      tabIndex={0}
      aria-label={props.label}
    >
      {props.children}
    </section>
  )
}
