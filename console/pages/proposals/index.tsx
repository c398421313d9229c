import './proposals.css'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { pluralize } from '../../../domain/text/format.js'
import { capitalize } from '../../../domain/text/labels.js'
import { api, type Schema, unwrap } from '../../client/api'
import { useQueryParams } from '../../client/query-params'
import { useResource } from '../../client/resource'
import { PermissionButton } from '../../components/controls/permission-button'
import { Select } from '../../components/controls/select'
import { EmptyState } from '../../components/loading/empty-state'
import { ListView } from '../../components/loading/list-view'
import { ResourceView } from '../../components/loading/resource-view'
import { Page } from '../../components/page'
import { Fact } from '../../components/text/fact'
import { InlineCode } from '../../components/text/inline-code'
import { Time } from '../../components/text/time'
import { ApproveDialog, DismissDialog, RefineDialog } from '../experiments/actions/review-dialogs'
import { Preview } from '../experiments/preview/preview'
import { Revision } from '../experiments/revision'
import { Surfaces } from '../experiments/surfaces'
import { GenerateButton } from '../runs/generate'

type Experiment = Schema<'Experiment'>
const PAGE_SIZE = 20
const POLL_MS = 15_000
const SORTS = { createdAt: 'Newest first', priority: 'Highest priority first', name: 'By name' } as const
const isSort = (name: string): name is keyof typeof SORTS => Object.hasOwn(SORTS, name)

export default function ProposalsPage() {
  const [params, change] = useQueryParams()
  const asked = params.get('sortBy') ?? ''
  const sortBy = isSort(asked) ? asked : 'createdAt'
  const query = {
    status: 'proposed',
    sortBy,
    sortDir: sortBy === 'name' ? ('asc' as const) : ('desc' as const),
    limit: PAGE_SIZE,
    offset: Number(params.get('offset') ?? 0),
  }
  const page = useResource(
    JSON.stringify(query),
    (signal) => unwrap(api.GET('/experiments', { params: { query }, signal })),
    { refetchMs: POLL_MS },
  )
  return (
    <Page title="Proposals" lead="Proposals to approve, refine or dismiss." actions={<GenerateButton />}>
      <ListView
        of={page}
        what="proposals"
        change={change}
        empty={
          <EmptyState title="No proposals">
            <p class="text">
              Proposals are generated from the connected repository and what visitors do.{' '}
              <Link href="/setup">Setup</Link> shows what is still needed for that;{' '}
              <Link href="/runs">Runs</Link> shows what was generated.
            </p>
          </EmptyState>
        }
      >
        {(proposals) => (
          <>
            <div class="toolbar">
              <Select
                label="Order"
                value={sortBy}
                options={SORTS}
                onChange={(next) => change({ sortBy: next === 'createdAt' ? null : next, offset: null })}
              />
            </div>
            <ul role="list" class="proposals">
              {proposals.map((experiment) => (
                <Proposal key={experiment.id} experiment={experiment} done={page.reload} />
              ))}
            </ul>
          </>
        )}
      </ListView>
    </Page>
  )
}

function Proposal(props: { readonly experiment: Experiment; readonly done: () => void }) {
  const { experiment } = props
  const [open, setOpen] = useState<'approve' | 'dismiss' | 'refine' | undefined>(undefined)
  const [turn, setTurn] = useState(0)
  const shared = {
    experiment,
    close: () => setOpen(undefined),
    done: () => {
      setOpen(undefined)
      setTurn(turn + 1)
      props.done()
    },
  }
  const variants = experiment.variants.map(({ displayName }) => displayName)
  return (
    <li class="card">
      <div class="page-head">
        <div>
          <h2>
            <Link href={`/experiments/${experiment.key}`}>
              <bdi>{experiment.name}</bdi>
            </Link>
          </h2>
          <p class="muted small">
            {capitalize(experiment.priority)} priority · <Time at={experiment.createdAt} /> ·{' '}
            {pluralize(variants.length, 'variant')}
          </p>
        </div>
        <div class="row">
          <PermissionButton scope="proposals.review" tone="primary" small onClick={() => setOpen('approve')}>
            Approve<span class="hidden-text"> {experiment.name}</span>
          </PermissionButton>
          <PermissionButton scope="proposals.review" small onClick={() => setOpen('refine')}>
            Refine…<span class="hidden-text"> {experiment.name}</span>
          </PermissionButton>
          <PermissionButton scope="proposals.review" tone="danger" small onClick={() => setOpen('dismiss')}>
            Dismiss…<span class="hidden-text"> {experiment.name}</span>
          </PermissionButton>
        </div>
      </div>
      {experiment.hypothesis !== '' && (
        <p class="text" dir="auto">
          <InlineCode text={experiment.hypothesis} />
        </p>
      )}
      <dl class="facts">
        {experiment.mechanism !== '' && (
          <div>
            <dt>Mechanism</dt>
            <dd class="sentence" dir="auto">
              {experiment.mechanism}
            </dd>
          </div>
        )}
        <Fact name="Variants">
          <bdi>{variants.join(' · ')}</bdi>
        </Fact>
        <Fact name="Target">
          {experiment.conversionTargets.map(({ direction, eventName, name }) => (
            <div key={name + eventName}>
              <bdi>{name}</bdi>{' '}
              <span class="muted small">
                {direction === 'increase' ? 'more is better' : 'less is better'}
              </span>
            </div>
          ))}
        </Fact>
        <Surfaces of={experiment.surfaces} />
      </dl>
      <ProposalPreview id={experiment.id} name={experiment.name} reloadKey={turn} />
      <Revision id={experiment.id} reloadKey={turn} done={props.done} />
      {open === 'approve' && <ApproveDialog {...shared} />}
      {open === 'dismiss' && <DismissDialog {...shared} />}
      {open === 'refine' && <RefineDialog {...shared} />}
    </li>
  )
}

/** Loaded once it is unfolded, because it reads the repository. */
function ProposalPreview(props: { readonly id: string; readonly name: string; readonly reloadKey: number }) {
  const { id } = props
  const [open, setOpen] = useState(false)
  const detail = useResource(open ? `${id} ${props.reloadKey}` : null, (signal) =>
    unwrap(api.GET('/experiments/{id}', { params: { path: { id } }, signal })),
  )
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Preview<span class="hidden-text"> of {props.name}</span>
      </summary>
      {open && (
        <ResourceView of={detail} what="preview" lines={3}>
          {(experiment) => <Preview experiment={experiment} />}
        </ResourceView>
      )}
    </details>
  )
}
