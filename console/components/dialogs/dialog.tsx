import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

/** A modal dialog. The browser traps the focus, closes it on Escape, and restores the focus. */
export function Dialog(props: {
  readonly title: string
  readonly close: () => void
  readonly children: ComponentChildren
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const element = dialog.current
    const before = document.activeElement
    element?.showModal()
    return () => {
      element?.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        props.close()
      }}
    >
      <div class="body">
        <h2 id={id} dir="auto">
          {props.title}
        </h2>
        {props.children}
      </div>
    </dialog>
  )
}
