import type { ComponentChildren } from 'preact'

/** Shown in place of an empty list, with what to do next. */
export function EmptyState(props: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="state">
      <strong>{props.title}</strong>
      {props.children}
    </div>
  )
}
