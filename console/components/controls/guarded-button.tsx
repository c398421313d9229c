import type { ComponentChildren } from 'preact'

/** A button that may be denied. Then it explains why and does nothing. */
export function GuardedButton(props: {
  /** Why it cannot be used now. */
  readonly reason?: string | undefined
  readonly tone?: 'primary' | 'danger' | 'quiet' | '' | undefined
  readonly small?: boolean | undefined
  readonly busy?: boolean | undefined
  readonly onClick: () => void
  readonly children: ComponentChildren
}) {
  const { reason, small, tone } = props
  return (
    <button
      type="button"
      class={`button ${reason === undefined ? (tone ?? '') : ''} ${small === true ? 'small' : ''}`}
      // Focusable, so that the reason can be read.
      aria-disabled={reason !== undefined}
      disabled={props.busy === true}
      title={reason}
      onClick={() => {
        if (reason === undefined) props.onClick()
      }}
    >
      {props.children}
      {reason !== undefined && <span class="hidden-text">. {reason}</span>}
    </button>
  )
}
