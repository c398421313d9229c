import type { ComponentChildren } from 'preact'

/** One of the settings, under its heading. */
export function Section(props: {
  readonly title: string
  readonly lead: ComponentChildren
  readonly action?: ComponentChildren
  readonly children: ComponentChildren
}) {
  return (
    <div class="section">
      <div class="row between">
        <div class="stack tight">
          <h2>{props.title}</h2>
          <p class="text muted">{props.lead}</p>
        </div>
        {props.action}
      </div>
      {props.children}
    </div>
  )
}
