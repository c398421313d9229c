import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { api, type Schema, unwrap } from '../../client/api'
import { useMutation } from '../../client/mutation'
import { Field } from '../../components/controls/field'
import { FormDialog } from '../../components/dialogs/form-dialog'
import { toast } from '../../components/toasts'
import { type FunnelDraft, stepsOf } from './draft'

type Funnel = Schema<'Funnel'>

export function SaveDialog(props: {
  readonly draft: FunnelDraft
  /** Undefined creates a new one. */
  readonly funnel: Funnel | undefined
  readonly close: () => void
  readonly saved: (funnel: Funnel) => void
}) {
  const { draft, funnel } = props
  const [name, setName] = useState(funnel?.name ?? '')
  const [description, setDescription] = useState(funnel?.description ?? '')
  const write = useMutation()
  async function submit(): Promise<void> {
    const body = {
      name: name.trim(),
      description,
      windowSeconds: draft.windowSeconds,
      steps: stepsOf(draft),
    }
    const saved = await write.run(JSON.stringify([funnel?.id, body]), (headers) =>
      unwrap(
        funnel === undefined
          ? api.POST('/funnel', { body, headers })
          : api.PATCH('/funnel/{funnelId}', { params: { path: { funnelId: funnel.id } }, body }),
      ),
    )
    if (saved === undefined) return
    toast(`Saved ${saved.name}`)
    props.saved(saved)
  }
  return (
    <FormDialog
      title={funnel === undefined ? 'Save funnel' : 'Save changes'}
      send="Save"
      write={write}
      ready={name.trim() !== ''}
      submit={submit}
      close={props.close}
    >
      <Field label="Name" value={name} maxLength={200} required onChange={setName} />
      <Field label="Description" value={description} lines={3} onChange={setDescription} />
      <p class="hint">
        Steps and conversion window are saved. Time range, order, filters, exclusions and breakdown stay in
        the address.
      </p>
    </FormDialog>
  )
}

export function DeleteDialog(props: {
  readonly funnel: Funnel
  readonly close: () => void
  readonly deleted: () => void
}) {
  const [, navigate] = useLocation()
  const write = useMutation()
  async function submit(): Promise<void> {
    const { id, name } = props.funnel
    const gone = await write.run(id, async () => {
      await unwrap(api.DELETE('/funnel/{funnelId}', { params: { path: { funnelId: id } } }))
      return true
    })
    if (gone === undefined) return
    toast(`Deleted ${name}`)
    props.deleted()
    navigate('/funnels')
  }
  return (
    <FormDialog
      title={`Delete ${props.funnel.name}?`}
      send="Delete"
      tone="danger"
      write={write}
      submit={submit}
      close={props.close}
    >
      <p>The events stay; only the definition goes. Links to this funnel stop working.</p>
    </FormDialog>
  )
}
