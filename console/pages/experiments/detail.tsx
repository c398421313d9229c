import { useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { resultsCsv } from '../../../domain/statistics/results-csv.js'
import { pluralize } from '../../../domain/text/format.js'
import { reachOf } from '../../../domain/text/serving.js'
import { api, type Schema, unwrap } from '../../client/api'
import { useResource } from '../../client/resource'
import { PermissionButton } from '../../components/controls/permission-button'
import { ResourceView } from '../../components/loading/resource-view'
import { Page } from '../../components/page'
import { InlineCode } from '../../components/text/inline-code'
import { StatusBadge } from '../../components/text/status-badge'
import { Actions } from './actions/actions'
import { isInProgress, STATUS_ACTIONS } from './actions/status-actions'
import { DetailList, VariantsAndTargets } from './detail-list'
import { whyNotEditable } from './form/editable'
import { PlanView } from './plan/plan'
import { Planning } from './planning'
import { Preview } from './preview/preview'
import { ResultsOverTime } from './results/history-chart'
import { DataQualityNotes, type NamedResults, Targets, VerdictView } from './results/results-view'
import { Segments } from './results/segments'
import { Revision } from './revision'
import { VariantFunnel } from './variant-funnel'

const ACTIVE_POLL_MS = 3_000
const POLL_MS = 20_000

/** Whether svc is at work, a start waits for something, or relays are about to ask what is served. */
function isMoving(detail: Schema<'ExperimentDetail'>): boolean {
  const waits = STATUS_ACTIONS[detail.status].includes('start') && !detail.readiness.canStart
  return (
    isInProgress(detail.status) || waits || ['soon', 'late'].includes(reachOf(detail, Date.now())?.kind ?? '')
  )
}

export default function ExperimentPage(props: { readonly id: string }) {
  const { id } = props
  const experiment = useResource(
    id,
    (signal) => unwrap(api.GET('/experiments/{id}', { params: { path: { id } }, signal })),
    {
      refetchMs: (detail) => (detail !== undefined && isMoving(detail) ? ACTIVE_POLL_MS : POLL_MS),
    },
  )
  const { data } = experiment
  return (
    <Page
      title={data?.name ?? 'Experiment'}
      lead={
        data === undefined ? (
          <Link href="/experiments">All experiments</Link>
        ) : (
          <span class="row">
            <StatusBadge status={data.status} /> <code>{data.key}</code>
            <Link href="/experiments">All experiments</Link>
          </span>
        )
      }
      actions={data !== undefined && <HeadActions experiment={data} />}
    >
      <ResourceView of={experiment} what="experiment" lines={9} calm>
        {(detail) => <Detail experiment={detail} reload={experiment.reload} />}
      </ResourceView>
    </Page>
  )
}

function HeadActions({ experiment }: { readonly experiment: Schema<'ExperimentDetail'> }) {
  const [, navigate] = useLocation()
  return (
    <>
      <PermissionButton
        scope="experiments.manage"
        small
        reason={whyNotEditable(experiment)}
        onClick={() => navigate(`/experiments/${experiment.key}/edit`)}
      >
        Edit
      </PermissionButton>
      <PermissionButton
        scope="experiments.manage"
        small
        onClick={() => navigate(`/experiments/-/new?from=${experiment.key}`)}
      >
        Duplicate
      </PermissionButton>
    </>
  )
}

function Detail(props: { readonly experiment: Schema<'ExperimentDetail'>; readonly reload: () => void }) {
  const { experiment, reload } = props
  const [turn, setTurn] = useState(0)
  const { results, plan } = experiment
  const wasMeasured = experiment.startedAt !== null
  const measured =
    results === null
      ? undefined
      : { results, variants: experiment.variants, targets: experiment.conversionTargets }
  const isProposal = experiment.status === 'proposed'
  return (
    <>
      {wasMeasured &&
        (measured === undefined ? (
          <p class="notice warn">
            There are no results at the moment: the event store does not answer, or nothing was measured.
          </p>
        ) : (
          <VerdictView {...measured} sizing={experiment.sizing} refreshSeconds={refreshSeconds(experiment)} />
        ))}
      <Actions
        experiment={experiment}
        done={() => {
          setTurn(turn + 1)
          reload()
        }}
      />
      {isProposal && <Revision id={experiment.id} reloadKey={turn} done={reload} />}
      {!wasMeasured && <Reasoning experiment={experiment} />}
      {!wasMeasured && <Preview experiment={experiment} />}
      {isProposal && plan !== undefined && <PlanView plan={plan} />}
      {wasMeasured && measured !== undefined && <Measured experiment={experiment} measured={measured} />}
      {wasMeasured && <Reasoning experiment={experiment} />}
      <DetailList experiment={experiment} />
      <VariantsAndTargets experiment={experiment} />
      {!wasMeasured && <Planning experiment={experiment} />}
      {!isProposal && plan !== undefined && (
        <details class="section">
          <summary>Code: {pluralize(plan.files.length, 'file')} of its pull request</summary>
          <div class="stack">
            {wasMeasured && <Preview experiment={experiment} />}
            <PlanView plan={plan} />
          </div>
        </details>
      )}
    </>
  )
}

/** Undefined once the results are final. */
function refreshSeconds(experiment: Schema<'ExperimentDetail'>): number | undefined {
  if (['shipped', 'rejected', 'concluded'].includes(experiment.status)) return undefined
  return (isMoving(experiment) ? ACTIVE_POLL_MS : POLL_MS) / 1_000
}

/** The figures behind the verdict, the most important ones first. */
function Measured(props: {
  readonly experiment: Schema<'ExperimentDetail'>
  readonly measured: NamedResults
}) {
  const { experiment, measured } = props
  if (measured.results.state === 'no_data') return <DataQualityNotes results={measured.results} />
  return (
    <>
      <section class="section">
        <h2>Results</h2>
        <Targets {...measured} primary />
        <p>
          <a
            class="button quiet small"
            href={`data:text/csv;charset=utf-8,${encodeURIComponent(resultsCsv(measured.results))}`}
            download={`${experiment.key}-results.csv`}
          >
            Results as CSV
          </a>
        </p>
      </section>
      <ResultsOverTime experiment={experiment} />
      {measured.results.srm.ok && <Planning experiment={experiment} />}
      {measured.targets.length > 1 && (
        <section class="section">
          <h2>Other targets</h2>
          <Targets {...measured} primary={false} />
        </section>
      )}
      <Segments experiment={experiment} />
      <section class="section">
        <h2>Quality of the data</h2>
        <DataQualityNotes results={measured.results} />
      </section>
      <VariantFunnel experiment={experiment} />
    </>
  )
}

/** Why the experiment is made. */
function Reasoning({ experiment }: { readonly experiment: Schema<'ExperimentDetail'> }) {
  const texts = (
    [
      ['Hypothesis', experiment.hypothesis],
      ['Mechanism', experiment.mechanism],
      ['Notes', experiment.notes],
    ] as const
  ).filter(([, text]) => text !== '')
  if (texts.length === 0) return null
  return (
    <section class="columns">
      {texts.map(([name, text]) => (
        <div key={name} class="stack tight">
          <h2>{name}</h2>
          <p class="text sentence" dir="auto">
            <InlineCode text={text} />
          </p>
        </div>
      ))}
    </section>
  )
}
