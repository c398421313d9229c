import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { api, ifMatch, type Schema, unwrap } from '../../../client/api'
import { type Permission, usePermissions } from '../../../client/identity'
import { useMutation } from '../../../client/mutation'
import { useResource } from '../../../client/resource'
import { GuardedButton } from '../../../components/controls/guarded-button'
import { PERMISSION_TEXTS } from '../../../components/controls/permission-button'
import { FormDialog } from '../../../components/dialogs/form-dialog'
import { ErrorMessage } from '../../../components/loading/error-message'
import { toast } from '../../../components/toasts'
import { DecideDialog, ShipDialog } from './decision-dialogs'
import { nextStep } from './next-step'
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
  const reasonOf = useReasons(experiment)
  const actions = STATUS_ACTIONS[experiment.status]
  const reasons = [...new Set(actions.flatMap((name) => reasonOf(name) ?? []))]
  const close = (): void => setOpen(undefined)
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
  return (
    <section class="card next" aria-label="What can be done next">
      <p>
        <strong>{nextStep(experiment)}</strong>
      </p>
      {hasLearning(experiment) && (
        <p>
          <Link href={`/learnings?search=${experiment.key}`}>Read its learning</Link>
        </p>
      )}
      <ServingNote of={experiment} />
      {actions.length > 0 && (
        <div class="row">
          {actions.map((name, index) => (
            <GuardedButton
              key={name}
              reason={reasonOf(name)?.join('. ')}
              tone={FORWARD.includes(name) && index === 0 ? 'primary' : name === 'dismiss' ? 'danger' : ''}
              busy={write.busy}
              onClick={() => void run(name)}
            >
              {name === 'decide' && experiment.status === 'settling' ? 'Settle now…' : LABELS[name].name}
            </GuardedButton>
          ))}
        </div>
      )}
      {reasons.length > 0 && (
        <ul class="small muted">
          {reasons.map((reason) => (
            <li key={reason}>{reason}.</li>
          ))}
        </ul>
      )}
      {write.failure !== undefined && <ErrorMessage failure={write.failure} />}
      <ActionDialog
        open={open}
        experiment={experiment}
        close={close}
        done={() => {
          close()
          done()
        }}
      />
    </section>
  )
}

/** Written when it is decided or concluded. */
function hasLearning({ status, rejectedStage }: Detail): boolean {
  return ['shipped', 'concluded'].includes(status) || (status === 'rejected' && rejectedStage === 'outcome')
}

function ActionDialog(props: {
  readonly open: ActionName | undefined
  readonly experiment: Detail
  readonly close: () => void
  readonly done: () => void
}) {
  const { open, ...shared } = props
  switch (open) {
    case 'approve':
      return <ApproveDialog {...shared} />
    case 'dismiss':
      return <DismissDialog {...shared} />
    case 'refine':
      return <RefineDialog {...shared} />
    case 'decide':
      return <DecideDialog {...shared} />
    case 'ship':
      return <ShipDialog {...shared} />
    case 'end':
    case 'conclude':
      return <EndDialog {...shared} conclude={open === 'conclude'} />
    default:
      return null
  }
}

/** Why an action cannot be used now, as sentences without a full stop; undefined if it can. */
function useReasons(experiment: Detail): (name: ActionName) => readonly string[] | undefined {
  const granted = usePermissions()
  const writes = STATUS_ACTIONS[experiment.status].includes('generate-pr')
  const service = useResource(writes ? 'readiness' : null, (signal) =>
    unwrap(api.GET('/readiness', { signal })),
  )
  const repository = service.data?.checks.find(({ code }) => code === 'repository')
  return (name) => {
    const { scope } = LABELS[name]
    const missing = [scope].flat().find((one) => !granted.includes(one))
    if (missing !== undefined) return [`You do not have the permission to ${PERMISSION_TEXTS[missing]}`]
    if (name === 'generate-pr' && repository?.ok === false)
      return ['The pull request needs a repository, which Setup helps to connect']
    if (name === 'start' && !experiment.readiness.canStart)
      return experiment.readiness.checks.flatMap(({ ok, message }) => (ok ? [] : [message]))
    return undefined
  }
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
