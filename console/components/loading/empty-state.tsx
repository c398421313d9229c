import type { ComponentChildren } from 'preact'

/** Stands where there is nothing yet, and says what to do about it. */
export function EmptyState(props: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="state">
      <strong>{props.title}</strong>
      {props.children}
    </div>
  )
}
