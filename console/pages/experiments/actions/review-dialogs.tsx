import { useState } from 'preact/hooks'
import { api, type Schema, unwrap } from '../../../client/api'
import { useMutation } from '../../../client/mutation'
import { Field } from '../../../components/controls/field'
import { FormDialog } from '../../../components/dialogs/form-dialog'
import { toast } from '../../../components/toasts'
import { REASONS, type Reason } from './dismissal-reasons'

type Experiment = Schema<'Experiment'>

interface DialogProps {
  readonly experiment: Pick<Experiment, 'id' | 'key' | 'name'>
  readonly close: () => void
  readonly done: () => void
}

const pathOf = ({ id }: Pick<Experiment, 'id'>) => ({ path: { id } })

/** Approves. Asks again if another experiment in flight shares a surface. */
export function ApproveDialog(props: DialogProps) {
  const { experiment } = props
  const [acknowledged, setAcknowledged] = useState(false)
  const write = useMutation()
  const overlap = write.failure?.code === 'SURFACE_OVERLAP'
  async function submit(): Promise<void> {
    const body = acknowledged ? { acknowledgeOverlap: true } : {}
    const approved = await write.run(`${experiment.id}${acknowledged}`, (headers) =>
      unwrap(api.POST('/experiments/{id}/approve', { params: pathOf(experiment), body, headers })),
    )
    if (approved === undefined) return
    toast(
      approved.pullRequest?.number == null
        ? `Approved ${approved.name}`
        : `Approved ${approved.name}: pull request ${approved.pullRequest.number}`,
    )
    props.done()
  }
  return (
    <FormDialog
      title={`Approve ${experiment.name}?`}
      send="Approve"
      write={write}
      ready={!overlap || acknowledged}
      submit={submit}
      close={props.close}
    >
      <p>If a repository is connected, svc writes the pull request.</p>
      {(overlap || acknowledged) && (
        <label class="check">
          <input
            type="checkbox"
            checked={acknowledged}
            onChange={(event) => setAcknowledged(event.currentTarget.checked)}
          />
          Run both although they share a surface
        </label>
      )}
    </FormDialog>
  )
}

export function DismissDialog(props: DialogProps) {
  const { experiment } = props
  const [reasons, setReasons] = useState<readonly Reason[]>([])
  const [note, setNote] = useState('')
  const write = useMutation()
  async function submit(): Promise<void> {
    const body = { reasons: [...reasons], ...(note.trim() === '' ? {} : { note: note.trim() }) }
    const gone = await write.run(JSON.stringify([experiment.id, body]), (headers) =>
      unwrap(api.POST('/experiments/{id}/dismiss', { params: pathOf(experiment), body, headers })),
    )
    if (gone === undefined) return
    toast(`Dismissed ${gone.name}`)
    props.done()
  }
  return (
    <FormDialog
      title={`Dismiss ${experiment.name}`}
      send="Dismiss"
      tone="danger"
      write={write}
      ready={reasons.length > 0}
      submit={submit}
      close={props.close}
    >
      <fieldset class="stack tight">
        <legend class="legend">Why</legend>
        {REASONS.map(([reason, name]) => (
          <label key={reason} class="check">
            <input
              type="checkbox"
              checked={reasons.includes(reason)}
              onChange={(event) =>
                setReasons(
                  event.currentTarget.checked
                    ? [...reasons, reason]
                    : reasons.filter((one) => one !== reason),
                )
              }
            />
            {name}
          </label>
        ))}
      </fieldset>
      <Field
        label="Note"
        value={note}
        lines={3}
        maxLength={2000}
        hint="For the team. Later proposals and pull requests take it into account."
        onChange={setNote}
      />
    </FormDialog>
  )
}

export function RefineDialog(props: DialogProps) {
  const { experiment } = props
  const [instructions, setInstructions] = useState('')
  const write = useMutation()
  async function submit(): Promise<void> {
    const body = { instructions: instructions.trim() }
    const accepted = await write.run(JSON.stringify([experiment.id, body]), (headers) =>
      unwrap(api.POST('/experiments/{id}/refine', { params: pathOf(experiment), body, headers })),
    )
    if (accepted === undefined) return
    toast(`${experiment.name} is being rewritten`)
    props.done()
  }
  return (
    <FormDialog
      title={`Refine ${experiment.name}`}
      send="Rewrite it"
      write={write}
      ready={instructions.trim() !== ''}
      submit={submit}
      close={props.close}
    >
      <Field
        label="What should change"
        value={instructions}
        lines={5}
        maxLength={4000}
        hint="The proposal is rewritten in the background and stays a proposal."
        onChange={setInstructions}
      />
    </FormDialog>
  )
}
