import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { ifMatch } from '../../client/api'
import type { ApiError } from '../../client/api-error'
import { useMutation } from '../../client/mutation'
import { ErrorMessage } from '../loading/error-message'
import { Dialog } from './dialog'

/** A dialog with one write. It stays open with the error if the write fails. */
export function FormDialog<Data>(props: {
  readonly title: string
  /** Text of the button that sends. */
  readonly send: string
  readonly tone?: 'primary' | 'danger'
  readonly ready?: boolean
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
  const [precondition] = useState(() => (props.of === undefined ? {} : ifMatch(props.of)))
  async function submit(event: Event): Promise<void> {
    event.preventDefault()
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
          <button
            type="submit"
            class={`button ${props.tone ?? 'primary'}`}
            disabled={busy || props.ready === false}
          >
            {busy ? 'One moment…' : props.send}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
