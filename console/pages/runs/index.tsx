import { Link } from 'wouter-preact'
import { formatCount, formatDuration, formatPercent, pluralize } from '../../../domain/text/format.js'
import { capitalize } from '../../../domain/text/labels.js'
import { countRun } from '../../../domain/text/run-counts.js'
import { api, type Schema, unwrap } from '../../client/api'
import { useQueryParams } from '../../client/query-params'
import { useResource } from '../../client/resource'
import { EmptyState } from '../../components/loading/empty-state'
import { ListView } from '../../components/loading/list-view'
import { Page } from '../../components/page'
import { Fact } from '../../components/text/fact'
import { Time } from '../../components/text/time'
import { GenerateButton } from './generate'

type Run = Schema<'GenerationRun'>

const PAGE_SIZE = 25
const ACTIVE_POLL_MS = 1_000
const POLL_MS = 10_000
const isActive = ({ status }: Pick<Run, 'status'>): boolean => status === 'queued' || status === 'running'

export default function RunsPage() {
  const [params, change] = useQueryParams()
  const query = { limit: PAGE_SIZE, offset: Number(params.get('offset') ?? 0) }
  const page = useResource(
    String(query.offset),
    (signal) => unwrap(api.GET('/experiment-runs', { params: { query }, signal })),
    { refetchMs: (latest) => (latest?.data.some(isActive) === true ? ACTIVE_POLL_MS : POLL_MS) },
  )
  return (
    <Page
      title="Runs"
      lead="Batches of proposals: their progress and their results."
      actions={<GenerateButton done={page.reload} />}
    >
      <ListView
        of={page}
        what="runs"
        change={change}
        empty={
          <EmptyState title="No runs yet">
            <p class="text">
              A run reads the repository and proposes experiments. <Link href="/setup">Setup</Link> says what
              it needs.
            </p>
          </EmptyState>
        }
      >
        {(runs) => (
          <ul role="list" class="stack">
            {runs.map((run) => (
              <RunCard key={run.id} run={run} />
            ))}
          </ul>
        )}
      </ListView>
    </Page>
  )
}

const STATUS_STYLES = { queued: '', running: 'accent', succeeded: 'good', failed: 'bad' } as const

function RunCard(props: { readonly run: Run }) {
  const { run } = props
  return (
    <li class="card">
      <div class="row">
        <h2>
          <Time at={run.createdAt} />
        </h2>
        <span class={`badge ${STATUS_STYLES[run.status]}`}>{capitalize(run.status)}</span>
        {isActive(run) && run.step !== null && <span class="muted">{capitalize(run.step)}…</span>}
        {run.survived > 0 && <Link href={`/experiments?experimentRunId=${run.id}`}>What it proposed</Link>}
      </div>
      {isActive(run) && <Progress share={run.progress} />}
      <RunFigures run={run} />
      <RunDetails run={run} />
      <RunAdvice run={run} />
      {run.error !== null && (
        <p class="notice bad" dir="auto">
          Failed at “{run.error.step}”: {run.error.message}
        </p>
      )}
    </li>
  )
}

function RunFigures({ run }: { readonly run: Run }) {
  const { found, stored, dropped, skipped } = countRun(run)
  const figures = [
    ['Requested', formatCount(run.requested)],
    ['Found', formatCount(found)],
    ['Dropped', formatCount(found - stored)],
    ['Stored', formatCount(stored)],
    ...(run.durationMs === null ? [] : [['Took', formatDuration(run.durationMs)] as const]),
  ] as const
  return (
    <>
      <dl class="facts">
        {figures.map(([name, value]) => (
          <Fact key={name} name={name} class="number">
            {value}
          </Fact>
        ))}
      </dl>
      {[['Dropped', dropped] as const, ['Skipped', skipped] as const].map(
        ([name, counts]) =>
          counts.length > 0 && (
            <p key={name} class="small muted">
              {name}: {counts.map(({ label, count }) => `${formatCount(count)} ${label}`).join(', ')}
            </p>
          ),
      )}
      {run.questions > 0 && (
        <p class="small muted">
          Asked the model {pluralize(run.questions, 'question')}, {formatCount(run.tokens)} tokens.
        </p>
      )}
    </>
  )
}

/** Each idea and each file, folded. */
function RunDetails({ run }: { readonly run: Run }) {
  return (
    <>
      {run.ideas.length > 0 && (
        <details>
          <summary>What became of each idea</summary>
          <ul class="small" dir="auto">
            {run.ideas.map(({ name, outcome, message }, index) => (
              <li key={index}>
                {name}
                <span class="muted">: {outcome === 'stored' ? 'stored' : (message ?? 'dropped')}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {run.files.length > 0 && (
        <details>
          <summary>Files that the model read</summary>
          <ul class="small">
            {run.files.map(({ path, why }) => (
              <li key={path}>
                <code>{path}</code>
                <span class="muted">: {why}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

/** Advice that would bring more proposals the next time. */
function RunAdvice({ run }: { readonly run: Run }) {
  const has = (wanted: string): boolean => run.dropped.some(({ reason }) => reason === wanted)
  return (
    <>
      {has('path_not_allowed') && (
        <p class="small">
          Some ideas are in files that svc may not write to. Connect the repository again: pages beside a
          folder <code>src</code> with <code>--helper</code>, a path in the folder that the site serves;
          guarded paths with <code>--allow</code>.
        </p>
      )}
      {has('page_without_idea') && (
        <p class="small">
          There are only a few rules. Connect a language model for more ideas: set <code>SVC_LLM_URL</code>{' '}
          and <code>SVC_LLM_MODEL</code>.
        </p>
      )}
    </>
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
      aria-valuetext={formatPercent(share)}
    >
      <span
        ref={(element: HTMLSpanElement | null) => {
          element?.style.setProperty('transform', `scaleX(${share})`)
        }}
      />
    </div>
  )
}
