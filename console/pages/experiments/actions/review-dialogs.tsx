import { useState } from 'preact/hooks'
import { api, type Schema, unwrap } from '../../../client/api'
import { Checkbox } from '../../../components/controls/checkbox'
import { Field } from '../../../components/controls/field'
import { FormDialog } from '../../../components/dialogs/form-dialog'
import { toast } from '../../../components/toasts'
import { REASONS, type Reason } from './dismissal-reasons'

interface DialogProps {
  readonly experiment: Pick<Schema<'Experiment'>, 'id' | 'key' | 'name'>
  readonly close: () => void
  readonly done: () => void
}

/** Approves. Asks again if another experiment in flight shares a surface. */
export function ApproveDialog({ experiment, close, done }: DialogProps) {
  const [overlaps, setOverlaps] = useState(false)
  const [acknowledged, setAcknowledged] = useState(false)
  const body = acknowledged ? { acknowledgeOverlap: true } : {}
  return (
    <FormDialog
      title={`Approve ${experiment.name}?`}
      send="Approve"
      missing={overlaps && !acknowledged && 'Confirm first that the overlap is wanted'}
      intent={[experiment.id, body]}
      of={experiment}
      reload={done}
      submit={(headers) =>
        unwrap(
          api.POST('/experiments/{id}/approve', { params: { path: { id: experiment.id } }, body, headers }),
        )
      }
      failed={({ code }) => code === 'SURFACE_OVERLAP' && setOverlaps(true)}
      done={({ name, pullRequest }) => {
        toast(`Approved ${name}${pullRequest?.number == null ? '' : `: pull request ${pullRequest.number}`}`)
        done()
      }}
      close={close}
    >
      <p>If a repository is connected, svc writes the pull request.</p>
      {overlaps && (
        <Checkbox checked={acknowledged} onChange={setAcknowledged}>
          Run both although they share a surface
        </Checkbox>
      )}
    </FormDialog>
  )
}

export function DismissDialog({ experiment, close, done }: DialogProps) {
  const [reasons, setReasons] = useState<readonly Reason[]>([])
  const [note, setNote] = useState('')
  const body = { reasons: [...reasons], ...(note.trim() === '' ? {} : { note: note.trim() }) }
  return (
    <FormDialog
      title={`Dismiss ${experiment.name}`}
      send="Dismiss"
      tone="danger"
      missing={reasons.length === 0 && 'Choose a reason'}
      intent={[experiment.id, body]}
      of={experiment}
      reload={done}
      submit={(headers) =>
        unwrap(
          api.POST('/experiments/{id}/dismiss', { params: { path: { id: experiment.id } }, body, headers }),
        )
      }
      done={({ name }) => {
        toast(`Dismissed ${name}`)
        done()
      }}
      close={close}
    >
      <fieldset class="stack tight">
        <legend class="legend">Why</legend>
        {REASONS.map(([reason, name]) => (
          <Checkbox
            key={reason}
            checked={reasons.includes(reason)}
            onChange={(checked) =>
              setReasons(checked ? [...reasons, reason] : reasons.filter((one) => one !== reason))
            }
          >
            {name}
          </Checkbox>
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

export function RefineDialog({ experiment, close, done }: DialogProps) {
  const [instructions, setInstructions] = useState('')
  const body = { instructions: instructions.trim() }
  return (
    <FormDialog
      title={`Refine ${experiment.name}`}
      send="Rewrite it"
      missing={body.instructions === '' && 'Say what to change'}
      intent={[experiment.id, body]}
      of={experiment}
      reload={done}
      submit={(headers) =>
        unwrap(
          api.POST('/experiments/{id}/refine', { params: { path: { id: experiment.id } }, body, headers }),
        )
      }
      done={() => {
        toast(`${experiment.name} is being rewritten`)
        done()
      }}
      close={close}
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
