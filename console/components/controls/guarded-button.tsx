import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

const GAP_PX = 6

/** A button that may be denied. Then it does nothing, and explains why to pointers, keyboards and readers. */
export function GuardedButton(props: {
  /** Why it cannot be used now. */
  readonly reason?: string | undefined
  readonly tone?: 'primary' | 'danger' | 'quiet' | '' | undefined
  readonly small?: boolean | undefined
  readonly busy?: boolean | undefined
  readonly type?: 'button' | 'submit'
  readonly onClick?: () => void
  readonly children: ComponentChildren
}) {
  const { reason, small, tone } = props
  const id = useId()
  const note = useRef<HTMLSpanElement>(null)
  /** Puts the reason below or above the button, in the window: tables and dialogs would cut it off. */
  function place(): void {
    const element = note.current
    const button = element?.previousElementSibling
    if (element == null || button == null) return
    const { width, height } = element.getBoundingClientRect()
    const { left, top, bottom } = button.getBoundingClientRect()
    const { clientWidth, clientHeight } = document.documentElement
    const below = bottom + GAP_PX
    element.style.left = `${Math.max(GAP_PX, Math.min(left, clientWidth - width - GAP_PX))}px`
    element.style.top = `${below + height > clientHeight ? top - GAP_PX - height : below}px`
  }
  useEffect(() => {
    if (reason === undefined) return
    window.addEventListener('resize', place)
    window.addEventListener('scroll', place, true)
    return () => {
      window.removeEventListener('resize', place)
      window.removeEventListener('scroll', place, true)
    }
  }, [reason === undefined])
  return (
    <span class="guarded">
      <button
        type={props.type ?? 'button'}
        class={`button ${reason === undefined || tone === 'quiet' ? (tone ?? '') : ''} ${small === true ? 'small' : ''}`}
        // Focusable, so that the reason can be read.
        aria-disabled={reason !== undefined}
        aria-describedby={reason === undefined ? undefined : id}
        disabled={props.busy === true}
        onMouseEnter={place}
        onFocus={place}
        onClick={() => {
          if (reason === undefined) props.onClick?.()
        }}
      >
        {props.children}
      </button>
      {reason !== undefined && (
        <span class="reason" id={id} role="tooltip" ref={note}>
          {reason}.
        </span>
      )}
    </span>
  )
}
