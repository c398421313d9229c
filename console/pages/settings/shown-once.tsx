import type { ComponentChildren } from 'preact'
import { CopyBlock } from '../../components/copy-block'
import { Dialog } from '../../components/dialogs/dialog'

/** A secret that the server does not show again. */
export function ShownOnce(props: {
  readonly title: string
  readonly text: string
  /** Name of the copied text. */
  readonly what: string
  readonly close: () => void
  readonly children?: ComponentChildren
}) {
  return (
    <Dialog title={props.title} close={props.close}>
      <p class="notice">Copy it now. It is shown only once.</p>
      <CopyBlock text={props.text} what={props.what} />
      {props.children}
      <div class="row end">
        <button type="button" class="button primary" onClick={props.close}>
          Done
        </button>
      </div>
    </Dialog>
  )
}
