import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { ifMatch } from '../../client/api'
import type { ApiError } from '../../client/api-error'
import { useMutation } from '../../client/mutation'
import { GuardedButton } from '../controls/guarded-button'
import { ErrorMessage } from '../loading/error-message'
import { Dialog } from './dialog'

/** A dialog with one write. It stays open with the error if the write fails. */
export function FormDialog<Data>(props: {
  readonly title: string
  /** Text of the button that sends. */
  readonly send: string
  readonly tone?: 'primary' | 'danger'
  /** Sentence on what to do before it can be sent, without a full stop. */
  readonly missing?: string | false | undefined
  /** The content of the request: submitting the same again after an error reuses the Idempotency-Key. */
  readonly intent: unknown
  /** The resource as it was read: the write fails if someone else has changed it since the dialog opened. */
  readonly of?: object | undefined
  readonly submit: (headers: Record<string, string>) => Promise<Data>
  readonly done: (answer: Data) => void
  readonly failed?: (failure: ApiError) => void
  /** Closes the dialog and loads the resource again. */
  readonly reload?: (() => void) | undefined
  readonly close: () => void
  readonly children?: ComponentChildren
}) {
  const { busy, failure, run } = useMutation()
  const missing = props.missing === false ? undefined : props.missing
  const [precondition] = useState(() => (props.of === undefined ? {} : ifMatch(props.of)))
  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    if (missing !== undefined) return
    const outcome = await run(JSON.stringify(props.intent), (headers) =>
      props.submit({ ...headers, ...precondition }),
    )
    if (outcome.ok) props.done(outcome.data)
    else props.failed?.(outcome.failure)
  }
  return (
    <Dialog title={props.title} close={props.close}>
      <form onSubmit={submit}>
        {props.children}
        {failure !== undefined && <ErrorMessage failure={failure} reload={props.reload} />}
        <div class="row end">
          <button type="button" class="button" onClick={props.close}>
            Cancel
          </button>
          <GuardedButton type="submit" tone={props.tone ?? 'primary'} busy={busy} reason={missing}>
            {busy ? 'One moment…' : props.send}
          </GuardedButton>
        </div>
      </form>
    </Dialog>
  )
}
