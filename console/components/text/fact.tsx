import type { ComponentChildren } from 'preact'

/** A name and its value in a `<dl>`. */
export function Fact(props: {
  readonly name: string
  /** Class of the value. */
  readonly class?: string
  readonly children: ComponentChildren
}) {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd class={props.class ?? ''}>{props.children}</dd>
    </div>
  )
}
