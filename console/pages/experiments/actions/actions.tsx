import { useState } from 'preact/hooks'
import { api, ifMatch, type Schema, unwrap } from '../../../client/api'
import type { Permission } from '../../../client/identity'
import { useMutation } from '../../../client/mutation'
import { PermissionButton } from '../../../components/controls/permission-button'
import { FormDialog } from '../../../components/dialogs/form-dialog'
import { ErrorMessage } from '../../../components/loading/error-message'
import { toast } from '../../../components/toasts'
import { DecideDialog, ShipDialog } from './decision-dialogs'
import { ApproveDialog, DismissDialog, RefineDialog } from './review-dialogs'
import { ServingNote } from './serving-note'
import { type ActionName, STATUS_ACTIONS } from './status-actions'

type Detail = Schema<'ExperimentDetail'>

const LABELS: Readonly<
  Record<ActionName, { readonly name: string; readonly scope: Permission | readonly Permission[] }>
> = {
  approve: { name: 'Approve', scope: 'proposals.review' },
  refine: { name: 'Refine…', scope: 'proposals.review' },
  dismiss: { name: 'Dismiss…', scope: 'proposals.review' },
  'generate-pr': { name: 'Write pull request', scope: 'experiments.manage' },
  start: { name: 'Start', scope: 'experiments.manage' },
  pause: { name: 'Pause', scope: 'experiments.manage' },
  resume: { name: 'Resume', scope: 'experiments.manage' },
  end: { name: 'End…', scope: 'experiments.manage' },
  decide: { name: 'Decide…', scope: 'experiments.decide' },
  ship: { name: 'Ship at once…', scope: 'experiments.manage' },
  conclude: { name: 'Conclude…', scope: ['experiments.manage', 'experiments.decide'] },
}

/** Actions that move an experiment forward. */
const FORWARD: readonly ActionName[] = ['approve', 'start', 'resume', 'decide']

/** Actions that need no dialog. */
const DIRECT = ['generate-pr', 'start', 'pause', 'resume'] as const
const isDirect = (name: ActionName): name is (typeof DIRECT)[number] => DIRECT.some((one) => one === name)

export function Actions(props: { readonly experiment: Detail; readonly done: () => void }) {
  const { experiment, done } = props
  const [open, setOpen] = useState<ActionName | undefined>(undefined)
  const write = useMutation()
  const { description, actions } = STATUS_ACTIONS[experiment.status]
  const close = (): void => setOpen(undefined)
  const finished = (): void => {
    close()
    done()
  }
  async function run(name: ActionName): Promise<void> {
    if (!isDirect(name)) {
      setOpen(name)
      return
    }
    const params = { path: { id: experiment.id } }
    const moved = await write.run(name + experiment.id, (sent) => {
      const headers = { ...sent, ...ifMatch(experiment) }
      return unwrap(api.POST(`/experiments/{id}/${name}`, { params, headers }))
    })
    if (moved.ok) toast(`${LABELS[name].name}: done`)
    // Reload even after an error: the experiment may have moved on.
    done()
  }
  const shared = { experiment, close, done: finished }
  const starts = actions.includes('start')
  return (
    <section class="card next" aria-label="What can be done next">
      <p>{description}</p>
      <ServingNote of={experiment} />
      {starts && !experiment.readiness.canStart && (
        <ul class="small muted">
          {experiment.readiness.checks
            .filter(({ ok }) => !ok)
            .map(({ code, message }) => (
              <li key={code}>{message}.</li>
            ))}
        </ul>
      )}
      {actions.length > 0 && (
        <div class="row">
          {actions.map((name, index) => (
            <PermissionButton
              key={name}
              scope={LABELS[name].scope}
              tone={FORWARD.includes(name) && index === 0 ? 'primary' : name === 'dismiss' ? 'danger' : ''}
              busy={write.busy}
              onClick={() => void run(name)}
            >
              {name === 'decide' && experiment.status === 'settling' ? 'Settle now…' : LABELS[name].name}
            </PermissionButton>
          ))}
        </div>
      )}
      {write.failure !== undefined && <ErrorMessage failure={write.failure} />}
      {open === 'approve' && <ApproveDialog {...shared} />}
      {open === 'dismiss' && <DismissDialog {...shared} />}
      {open === 'refine' && <RefineDialog {...shared} />}
      {open === 'decide' && <DecideDialog {...shared} />}
      {open === 'ship' && <ShipDialog {...shared} />}
      {open === 'end' && <EndDialog {...shared} conclude={false} />}
      {open === 'conclude' && <EndDialog {...shared} conclude />}
    </section>
  )
}

function EndDialog(props: {
  readonly experiment: Detail
  readonly conclude: boolean
  readonly close: () => void
  readonly done: () => void
}) {
  const { conclude } = props
  const { id, name } = props.experiment
  return (
    <FormDialog
      title={conclude ? `Conclude ${name}?` : `End ${name}?`}
      send={conclude ? 'Conclude' : 'End'}
      intent={[id, conclude]}
      of={props.experiment}
      reload={props.done}
      submit={(headers) =>
        unwrap(api.POST('/experiments/{id}/end', { params: { path: { id } }, body: { conclude }, headers }))
      }
      done={() => {
        toast(conclude ? `Concluded ${name}` : `Ended ${name}`)
        props.done()
      }}
      close={props.close}
    >
      <p>
        {conclude
          ? 'The experiment ends without shipping or rejecting. Its results are frozen and a learning is written.'
          : 'No new visitor takes part, and it cannot be started again. A decision follows.'}
      </p>
    </FormDialog>
  )
}
