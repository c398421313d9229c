import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { useAddress } from '../../client/address'
import { answer, api, type Schema } from '../../client/api'
import { useResource } from '../../client/resource'
import { Permitted } from '../../parts/controls/button'
import { Pager } from '../../parts/controls/pager'
import { Empty } from '../../parts/loading/empty'
import { Loaded } from '../../parts/loading/loaded'
import { Page } from '../../parts/page'
import { asShare, asSpan, asWhole, asWords } from '../../parts/text/format'
import { Time } from '../../parts/text/time'
import { GenerateDialog } from './generate'

type Run = Schema<'GenerationRun'>

const PAGE_SIZE = 25
const AT_WORK_MS = 1_000
const FRESH_MS = 10_000
const isAtWork = ({ status }: Pick<Run, 'status'>): boolean => status === 'queued' || status === 'running'

export default function Runs() {
  const [params, change] = useAddress()
  const [generating, setGenerating] = useState(false)
  const query = { limit: PAGE_SIZE, offset: Number(params.get('offset') ?? 0) }
  const page = useResource(
    `${query.offset} ${generating}`,
    (signal) => answer(api.GET('/experiment-runs', { params: { query }, signal })),
    { everyMs: (latest) => (latest?.data.some(isAtWork) === true ? AT_WORK_MS : FRESH_MS) },
  )
  return (
    <Page
      title="Runs"
      lead="Batches of proposals: how far they are, and what became of them."
      actions={
        <Permitted scope="proposals.review" onClick={() => setGenerating(true)}>
          Generate proposals…
        </Permitted>
      }
    >
      <Loaded of={page} what="runs" calm>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title="No runs yet">
              <p class="text">
                A run reads the repository and proposes experiments. <Link href="/setup">Setup</Link> says
                what it needs.
              </p>
            </Empty>
          ) : (
            <>
              <ul role="list" class="stack">
                {data.map((run) => (
                  <RunCard key={run.id} run={run} />
                ))}
              </ul>
              <Pager
                page={pagination}
                what="runs"
                go={(offset) => change({ offset: offset === 0 ? null : String(offset) })}
              />
            </>
          )
        }
      </Loaded>
      {generating && <GenerateDialog close={() => setGenerating(false)} />}
    </Page>
  )
}

const LOOKS = { queued: '', running: 'accent', succeeded: 'good', failed: 'bad' } as const

function RunCard(props: { readonly run: Run }) {
  const { run } = props
  return (
    <li class="card">
      <div class="row">
        <h2>
          <Time at={run.createdAt} />
        </h2>
        <span class={`badge ${LOOKS[run.status]}`}>{asWords(run.status)}</span>
        {isAtWork(run) && run.step !== null && <span class="muted">{asWords(run.step)}…</span>}
        {run.survived > 0 && <Link href={`/experiments?experimentRunId=${run.id}`}>What it proposed</Link>}
      </div>
      {isAtWork(run) && <Progress share={run.progress} />}
      <dl class="facts">
        <div>
          <dt>Asked for</dt>
          <dd class="number">{asWhole(run.requested)}</dd>
        </div>
        <div>
          <dt>Thought of</dt>
          <dd class="number">{asWhole(run.generated)}</dd>
        </div>
        <div>
          <dt>Kept</dt>
          <dd class="number">{asWhole(run.survived)}</dd>
        </div>
        {run.durationMs !== null && (
          <div>
            <dt>Took</dt>
            <dd class="number">{asSpan(run.durationMs / 1_000)}</dd>
          </div>
        )}
      </dl>
      {run.dropped.length > 0 && (
        <p class="small muted">
          Left out:{' '}
          {run.dropped
            .map(({ reason, count }) => `${asWhole(count)} ${asWords(reason).toLowerCase()}`)
            .join(', ')}
        </p>
      )}
      {run.dropped.some(({ reason }) => reason === 'path_not_allowed') && (
        <p class="small">
          Svc may not write to the files of some ideas. Connect the repository again: pages beside a folder{' '}
          <code>src</code> with <code>--helper</code>, a path in the folder that the site serves; guarded
          paths with <code>--allow</code>.
        </p>
      )}
      {run.error !== null && (
        <p class="notice bad" dir="auto">
          Failed at “{run.error.step}”: {run.error.message}
        </p>
      )}
    </li>
  )
}

function Progress(props: { readonly share: number }) {
  const { share } = props
  return (
    <div
      class="progress"
      role="progressbar"
      aria-label="Progress"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share * 100)}
      aria-valuetext={asShare(share)}
    >
      <span
        ref={(element: HTMLSpanElement | null) => {
          element?.style.setProperty('transform', `scaleX(${share})`)
        }}
      />
    </div>
  )
}
