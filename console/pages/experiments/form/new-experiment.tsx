import { useLocation } from 'wouter-preact'
import { api, unwrap } from '../../../client/api'
import { useMutation } from '../../../client/mutation'
import { useQueryParams } from '../../../client/query-params'
import { useResource } from '../../../client/resource'
import { CopyBlock } from '../../../components/copy-block'
import { ResourceView } from '../../../components/loading/resource-view'
import { Page } from '../../../components/page'
import { toast } from '../../../components/toasts'
import { createBody, duplicateOf, type ExperimentDraft, newDraft } from './experiment-draft'
import { ExperimentForm } from './experiment-form'
import { useDraft } from './use-draft'

/** Creates an experiment; with `from` in the address, one like that one. */
export default function NewExperimentPage() {
  const [params] = useQueryParams()
  const from = params.get('from')
  const original = useResource(from, (signal) =>
    unwrap(api.GET('/experiments/{id}', { params: { path: { id: from ?? '' } }, signal })),
  )
  return (
    <Page
      title={from === null ? 'New experiment' : 'Duplicate experiment'}
      lead={
        from === null
          ? 'It is approved at once, and starts when you say so.'
          : 'All but the code is copied. It is approved at once, and starts when you say so.'
      }
    >
      {from === null ? (
        <NewForm initial={newDraft} />
      ) : (
        <ResourceView of={original} what="experiment" lines={9}>
          {(experiment) => <NewForm initial={duplicateOf(experiment)} from={from} />}
        </ResourceView>
      )}
    </Page>
  )
}

function NewForm(props: { readonly initial: ExperimentDraft; readonly from?: string }) {
  const { from = '' } = props
  const { draft, change, drop } = useDraft(`svc.draft.new.${from}`, props.initial)
  const [, navigate] = useLocation()
  const write = useMutation()
  const body = createBody(draft)
  async function create(): Promise<void> {
    const created = await write.run(JSON.stringify(body), (headers) =>
      unwrap(api.POST('/experiments', { body, headers })),
    )
    if (!created.ok) return
    drop()
    toast(`Created ${created.data.name}`)
    navigate(`/experiments/${created.data.key}`)
  }
  return (
    <ExperimentForm
      draft={draft}
      change={change}
      of="new"
      failure={write.failure}
      busy={write.busy}
      send="Create experiment"
      onSend={() => void create()}
      onCancel={() => {
        drop()
        navigate(from === '' ? '/experiments' : `/experiments/${from}`)
      }}
      aside={
        <aside class="card form-file" aria-label="The same as a file">
          <h2>The same as a file</h2>
          <p class="hint">
            For <code>svc experiments create experiment.json</code>, or for your team's review.
          </p>
          <CopyBlock what="the file" text={JSON.stringify(body, null, 2)} />
        </aside>
      }
    />
  )
}
