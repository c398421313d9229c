import type { ComponentChildren } from 'preact'
import type { Mutation } from '../../client/mutation'
import { ErrorMessage } from '../loading/error-message'
import { Dialog } from './dialog'

export function FormDialog(props: {
  readonly title: string
  readonly send: string
  readonly tone?: 'primary' | 'danger'
  readonly ready?: boolean
  readonly write: Mutation
  readonly submit: () => Promise<void>
  readonly close: () => void
  readonly children?: ComponentChildren
}) {
  const { write } = props
  return (
    <Dialog title={props.title} close={props.close}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void props.submit()
        }}
      >
        {props.children}
        {write.failure !== undefined && <ErrorMessage failure={write.failure} />}
        <div class="row end">
          <button type="button" class="button" onClick={props.close}>
            Cancel
          </button>
          <button
            type="submit"
            class={`button ${props.tone ?? 'primary'}`}
            disabled={write.busy || props.ready === false}
          >
            {write.busy ? 'One moment…' : props.send}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
