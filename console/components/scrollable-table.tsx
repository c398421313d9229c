import type { ComponentChildren } from 'preact'

/** Scrolls a wide table inside the page, also with the keyboard. */
export function ScrollableTable(props: {
  readonly label: string
  /** Limits the height. */
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
