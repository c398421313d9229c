/**
 * Grey lines in place of content that is loading.
 * @param lines about as many as the content will have, so that the page does not jump @default 5
 * @param what named to screen readers: "experiments"
 */
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
