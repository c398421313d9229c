import { useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { api, ifMatch, type Schema, unwrap } from '../../../client/api'
import { useMutation } from '../../../client/mutation'
import { useResource } from '../../../client/resource'
import { ResourceView } from '../../../components/loading/resource-view'
import { Page } from '../../../components/page'
import { toast } from '../../../components/toasts'
import { isProposal, whyNotEditable } from './editable'
import { draftOf, mergeDrafts, updateBody } from './experiment-draft'
import { ExperimentForm } from './experiment-form'
import { useDraft } from './use-draft'

type Detail = Schema<'ExperimentDetail'>
export default function EditExperimentPage(props: { readonly id: string }) {
  const { id } = props
  const experiment = useResource(id, (signal) =>
    unwrap(api.GET('/experiments/{id}', { params: { path: { id } }, signal })),
  )
  return (
    <Page
      title={experiment.data === undefined ? 'Edit experiment' : `Edit ${experiment.data.name}`}
      lead={<Link href={`/experiments/${id}`}>Back to the experiment</Link>}
    >
      <ResourceView of={experiment} what="experiment" lines={9} calm>
        {(detail) => {
          const reason = whyNotEditable(detail)
          return reason === undefined ? (
            <EditForm experiment={detail} reload={experiment.reload} />
          ) : (
            <p class="notice warn">{reason}.</p>
          )
        }}
      </ResourceView>
    </Page>
  )
}

function EditForm(props: { readonly experiment: Detail; readonly reload: () => void }) {
  const { experiment } = props
  const [read, setRead] = useState(experiment)
  const base = draftOf(read)
  const { draft, change, drop } = useDraft(`svc.draft.${experiment.id}.${read.updatedAt}`, base)
  const [, navigate] = useLocation()
  const write = useMutation()
  const back = (): void => {
    drop()
    navigate(`/experiments/${experiment.key}`)
  }
  async function save(): Promise<void> {
    const body = updateBody(draft, base)
    const params = { path: { id: experiment.id } }
    const saved = await write.run(JSON.stringify([body, read.updatedAt]), (sent) =>
      unwrap(api.PATCH('/experiments/{id}', { params, body, headers: { ...sent, ...ifMatch(read) } })),
    )
    if (!saved.ok) return
    toast(`Saved ${saved.data.name}`)
    back()
  }
  async function load(): Promise<void> {
    const params = { path: { id: experiment.id } }
    const theirs = await write.run('read', () => unwrap(api.GET('/experiments/{id}', { params })))
    if (!theirs.ok) return
    change(mergeDrafts(draft, base, draftOf(theirs.data)))
    setRead(theirs.data)
    toast('Loaded the new version; what you typed is still there')
  }
  return (
    <ExperimentForm
      draft={draft}
      change={change}
      of={isProposal(experiment) ? 'proposal' : 'approved'}
      failure={write.failure}
      busy={write.busy}
      send="Save"
      onSend={() => void save()}
      onCancel={back}
      reload={() => void load()}
    />
  )
}
