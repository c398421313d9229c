import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { api, type Schema, unwrap } from '../../client/api'
import { Field } from '../../components/controls/field'
import { lastOf } from '../../components/controls/range'
import { FormDialog } from '../../components/dialogs/form-dialog'
import { toast } from '../../components/toasts'
import { emptyDraft, type FunnelDraft, fromFunnel, savedOf } from '../insights/funnel-draft'
import { savedText } from '../insights/save-insight-dialog'

type Funnel = Schema<'Funnel'>

/** The parts of the screen that a funnel cannot keep. */
function unsavedOf(draft: FunnelDraft): string[] {
  return [
    ...(lastOf(draft) === undefined ? ['time range'] : []),
    ...(draft.experiment === '' ? [] : ['experiment']),
  ]
}

export function SaveDialog(props: {
  readonly draft: FunnelDraft
  /** Undefined creates a new one. */
  readonly funnel: Funnel | undefined
  readonly close: () => void
  readonly saved: (funnel: Funnel) => void
  readonly reload: () => void
}) {
  const { draft, funnel } = props
  const [name, setName] = useState(funnel?.name ?? '')
  const [description, setDescription] = useState(funnel?.description ?? '')
  const base = funnel === undefined ? emptyDraft : fromFunnel(funnel)
  const body = { name: name.trim(), description, ...savedOf(draft, base) }
  return (
    <FormDialog
      title={funnel === undefined ? 'Save funnel' : 'Save changes'}
      send="Save"
      missing={body.name === '' && 'Enter a name'}
      intent={[funnel?.id, body]}
      of={funnel}
      reload={props.reload}
      submit={(headers) =>
        unwrap(
          funnel === undefined
            ? api.POST('/funnel', { body, headers })
            : api.PATCH('/funnel/{funnelId}', { params: { path: { funnelId: funnel.id } }, body, headers }),
        )
      }
      done={(saved) => {
        toast(`Saved ${saved.name}`)
        props.saved(saved)
      }}
      close={props.close}
    >
      <Field label="Name" value={name} maxLength={200} required onChange={setName} />
      <Field label="Description" value={description} lines={3} onChange={setDescription} />
      <p class="hint">{savedText(unsavedOf(draft))}</p>
    </FormDialog>
  )
}

export function DeleteDialog(props: {
  readonly funnel: Funnel
  readonly close: () => void
  readonly deleted: () => void
  readonly reload: () => void
}) {
  const [, navigate] = useLocation()
  const { id, name } = props.funnel
  return (
    <FormDialog
      title={`Delete ${name}?`}
      send="Delete"
      tone="danger"
      intent={id}
      of={props.funnel}
      reload={props.reload}
      submit={(headers) =>
        unwrap(api.DELETE('/funnel/{funnelId}', { params: { path: { funnelId: id } }, headers }))
      }
      done={() => {
        toast(`Deleted ${name}`)
        props.deleted()
        navigate('/funnels')
      }}
      close={props.close}
    >
      <p>The events stay; only the definition goes. Links to this funnel stop working.</p>
    </FormDialog>
  )
}
