import './proposals.css'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { useAddress } from '../../client/address'
import { answer, api, type Schema } from '../../client/api'
import { useResource } from '../../client/resource'
import { Permitted } from '../../parts/controls/button'
import { Pager } from '../../parts/controls/pager'
import { Select } from '../../parts/controls/select'
import { Empty } from '../../parts/loading/empty'
import { Loaded } from '../../parts/loading/loaded'
import { Page } from '../../parts/page'
import { asWords, counted } from '../../parts/text/format'
import { Time } from '../../parts/text/time'
import { WithCode } from '../../parts/text/with-code'
import { ApproveDialog, DismissDialog, RefineDialog } from '../experiments/actions/review'
import { Revision } from '../experiments/revision'
import { Surfaces } from '../experiments/surfaces'
import { GenerateDialog } from '../runs/generate'

type Experiment = Schema<'Experiment'>
const PAGE_SIZE = 20
const FRESH_MS = 15_000
const SORTS = [
  ['createdAt', 'Newest first'],
  ['priority', 'Highest priority first'],
  ['name', 'By name'],
] as const

export default function Proposals() {
  const [params, change] = useAddress()
  const [generating, setGenerating] = useState(false)
  const sortBy = SORTS.find(([name]) => name === params.get('sortBy'))?.[0] ?? 'createdAt'
  const query = {
    status: 'proposed',
    sortBy,
    sortDir: sortBy === 'name' ? ('asc' as const) : ('desc' as const),
    limit: PAGE_SIZE,
    offset: Number(params.get('offset') ?? 0),
  }
  const page = useResource(
    JSON.stringify(query),
    (signal) => answer(api.GET('/experiments', { params: { query }, signal })),
    { everyMs: FRESH_MS },
  )
  return (
    <Page
      title="Proposals"
      lead="What waits to be approved, rewritten or turned down."
      actions={
        <Permitted scope="proposals.review" onClick={() => setGenerating(true)}>
          Generate proposals…
        </Permitted>
      }
    >
      <Loaded of={page} what="proposals" lines={8} calm>
        {({ data, pagination }) =>
          data.length === 0 && pagination.total === 0 ? (
            <Empty title="Nothing waits">
              <p class="text">
                Proposals are generated from the connected repository and what visitors do.{' '}
                <Link href="/setup">Setup</Link> says whether everything for it is there;{' '}
                <Link href="/runs">Runs</Link> shows what was generated.
              </p>
            </Empty>
          ) : (
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
                {data.map((experiment) => (
                  <Proposal key={experiment.id} experiment={experiment} done={page.reload} />
                ))}
              </ul>
              <Pager
                page={pagination}
                what="proposals"
                go={(offset) => {
                  change({ offset: offset === 0 ? null : String(offset) })
                  window.scrollTo(0, 0)
                }}
              />
            </>
          )
        }
      </Loaded>
      {generating && <GenerateDialog close={() => setGenerating(false)} />}
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
            {asWords(experiment.priority)} priority · <Time at={experiment.createdAt} /> ·{' '}
            {counted(variants.length, 'variant')}
          </p>
        </div>
        <div class="row">
          <Permitted scope="proposals.review" look="primary" small onClick={() => setOpen('approve')}>
            Approve<span class="hidden-text"> {experiment.name}</span>
          </Permitted>
          <Permitted scope="proposals.review" small onClick={() => setOpen('refine')}>
            Refine…<span class="hidden-text"> {experiment.name}</span>
          </Permitted>
          <Permitted scope="proposals.review" look="danger" small onClick={() => setOpen('dismiss')}>
            Dismiss…<span class="hidden-text"> {experiment.name}</span>
          </Permitted>
        </div>
      </div>
      {experiment.hypothesis !== '' && (
        <p class="text" dir="auto">
          <WithCode text={experiment.hypothesis} />
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
        <div>
          <dt>Variants</dt>
          <dd>
            <bdi>{variants.join(' · ')}</bdi>
          </dd>
        </div>
        <div>
          <dt>Target</dt>
          <dd>
            {experiment.conversionTargets.map(({ direction, eventName, name }) => (
              <div key={name + eventName}>
                <bdi>{name}</bdi>{' '}
                <span class="muted small">
                  {direction === 'increase' ? 'more is better' : 'less is better'}
                </span>
              </div>
            ))}
          </dd>
        </div>
        <Surfaces of={experiment.surfaces} />
      </dl>
      <Revision id={experiment.id} turn={turn} done={props.done} />
      {open === 'approve' && <ApproveDialog {...shared} />}
      {open === 'dismiss' && <DismissDialog {...shared} />}
      {open === 'refine' && <RefineDialog {...shared} />}
    </li>
  )
}
