/** A placeholder of about the size of what loads. */
export function Skeleton(props: { readonly lines?: number; readonly what?: string }) {
  return (
    <div role="status">
      <span class="hidden-text">Loading {props.what ?? ''}…</span>
      <div class="skeleton" aria-hidden="true">
        {Array.from({ length: props.lines ?? 5 }, (_, line) => (
          <span key={line} />
        ))}
      </div>
    </div>
  )
}
