import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { reachOf } from '../../../domain/text/serving.js'
import { api, type Schema, unwrap } from '../../client/api'
import { useResource } from '../../client/resource'
import { ResourceView } from '../../components/loading/resource-view'
import { Page } from '../../components/page'
import { InlineCode } from '../../components/text/inline-code'
import { StatusBadge } from '../../components/text/status-badge'
import { Actions } from './actions/actions'
import { isInProgress } from './actions/status-actions'
import { DetailList, VariantsAndTargets } from './detail-list'
import { PlanView } from './plan/plan'
import { ResultsView } from './results/results-view'
import { Revision } from './revision'
import { VariantFunnel } from './variant-funnel'

const ACTIVE_POLL_MS = 3_000
const POLL_MS = 20_000

/** Whether svc is at work, or relays are about to ask what is served. */
function isMoving(detail: Schema<'ExperimentDetail'>): boolean {
  return isInProgress(detail.status) || ['soon', 'late'].includes(reachOf(detail, Date.now())?.kind ?? '')
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
    >
      <ResourceView of={experiment} what="experiment" lines={9} calm>
        {(detail) => <Detail experiment={detail} reload={experiment.reload} />}
      </ResourceView>
    </Page>
  )
}

function Detail(props: { readonly experiment: Schema<'ExperimentDetail'>; readonly reload: () => void }) {
  const { experiment, reload } = props
  const [turn, setTurn] = useState(0)
  const wasMeasured = experiment.startedAt !== null
  return (
    <>
      <Actions
        experiment={experiment}
        done={() => {
          setTurn(turn + 1)
          reload()
        }}
      />
      {experiment.status === 'proposed' && <Revision id={experiment.id} reloadKey={turn} done={reload} />}
      {(experiment.hypothesis !== '' || experiment.mechanism !== '' || experiment.notes !== '') && (
        <section class="columns">
          {(
            [
              ['Hypothesis', experiment.hypothesis],
              ['Mechanism', experiment.mechanism],
              ['Notes', experiment.notes],
            ] as const
          ).map(
            ([name, text]) =>
              text !== '' && (
                <div key={name} class="stack tight">
                  <h2>{name}</h2>
                  <p class="text sentence" dir="auto">
                    <InlineCode text={text} />
                  </p>
                </div>
              ),
          )}
        </section>
      )}
      {wasMeasured && (
        <section class="section">
          <h2>Results</h2>
          {experiment.results === null ? (
            <p class="notice warn">
              There are no results at the moment: the event store does not answer, or nothing was measured.
            </p>
          ) : (
            <ResultsView
              results={experiment.results}
              variants={experiment.variants}
              targets={experiment.conversionTargets}
            />
          )}
        </section>
      )}
      <DetailList experiment={experiment} />
      <VariantsAndTargets experiment={experiment} />
      {experiment.plan !== undefined && <PlanView plan={experiment.plan} />}
      {wasMeasured && <VariantFunnel experiment={experiment} />}
    </>
  )
}
