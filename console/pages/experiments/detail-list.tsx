import { Link } from 'wouter-preact'
import { formatFilter } from '../../../domain/text/filter.js'
import { formatPercent } from '../../../domain/text/format.js'
import { capitalize, dismissalLabel } from '../../../domain/text/labels.js'
import type { Schema } from '../../client/api'
import { DataTable } from '../../components/data-table'
import { Fact } from '../../components/text/fact'
import { formatSeconds } from '../../components/text/format'
import { Time } from '../../components/text/time'
import { Surfaces } from './surfaces'

type Detail = Schema<'ExperimentDetail'>

/** A pull request. In a local repository it has no address. */
function PullRequest(props: { readonly of: NonNullable<Detail['pullRequest']> }) {
  const { number, url, branch, state, error } = props.of
  const name = number === null ? 'not opened' : `#${number}`
  const tone = { open: 'accent', merged: 'good', closed: '', failed: 'bad' }[state]
  return (
    <>
      {url !== null && /^https?:/.test(url) ? (
        <a href={url} rel="noreferrer" target="_blank">
          {name}
        </a>
      ) : (
        name
      )}{' '}
      <span class={`badge plain ${tone}`}>{capitalize(state)}</span>
      {branch !== null && (
        <div class="small">
          <code>{branch}</code>
        </div>
      )}
      {error !== null && <div class="small problem">{error}</div>}
    </>
  )
}

export function DetailList(props: { readonly experiment: Detail }) {
  const { experiment } = props
  const { pullRequest, cleanupPullRequest, decision, dismissal } = experiment
  const moments = [
    ['Created', experiment.createdAt],
    ['Started', experiment.startedAt],
    ['Ended', experiment.endedAt],
    ['Changed', experiment.updatedAt],
  ] as const
  return (
    <dl class="facts">
      {moments.map(
        ([name, at]) =>
          at !== null && (
            <Fact key={name} name={name}>
              <Time at={at} />
            </Fact>
          ),
      )}
      <Fact name="Priority">{capitalize(experiment.priority)}</Fact>
      <Fact name="Origin">
        {experiment.origin === 'api' ? (
          'Declared'
        ) : experiment.experimentRunId === null ? (
          'Generated'
        ) : (
          <Link href={`/experiments?experimentRunId=${experiment.experimentRunId}`}>
            Generated, with others
          </Link>
        )}
      </Fact>
      {pullRequest !== null && (
        <Fact name="Pull request">
          <PullRequest of={pullRequest} />
        </Fact>
      )}
      {cleanupPullRequest !== null && (
        <Fact name="Cleanup pull request">
          <PullRequest of={cleanupPullRequest} />
        </Fact>
      )}
      {decision !== null && (
        <Fact name="Decision">
          {decision.outcome === 'ship' ? `Ship ${decision.variant ?? ''}` : 'Reject'},{' '}
          <Time at={decision.decidedAt} />
          {experiment.status === 'settling' && (
            <div class="small muted">
              Settles <Time at={decision.settlesAt} />
            </div>
          )}
          {decision.reason !== null && <div class="small text">{decision.reason}</div>}
        </Fact>
      )}
      {dismissal !== null && (
        <Fact name="Dismissed">
          {dismissal.reasons.map(dismissalLabel).map(capitalize).join(' · ')}
          {dismissal.note !== null && <div class="small text">{dismissal.note}</div>}
        </Fact>
      )}
      <Surfaces of={experiment.surfaces} />
    </dl>
  )
}

export function VariantsAndTargets(props: { readonly experiment: Detail }) {
  const { variants, conversionTargets } = props.experiment
  return (
    <div class="columns">
      <section class="section">
        <h2>Variants</h2>
        <DataTable
          label="Variants"
          rows={variants}
          keyOf={({ key }) => key}
          columns={[
            {
              title: 'Variant',
              isHeading: true,
              cell: ({ key, displayName, isControl }) => (
                <>
                  <bdi>{displayName}</bdi> {isControl && <span class="badge plain">Control</span>}
                  <div class="muted small">{key}</div>
                </>
              ),
            },
            {
              title: 'Traffic',
              class: 'number',
              cell: ({ trafficSplit }) => formatPercent(trafficSplit / 100),
            },
          ]}
        />
      </section>
      <section class="section">
        <h2>Targets</h2>
        <DataTable
          label="Targets"
          rows={conversionTargets}
          keyOf={({ name, eventName }) => name + eventName}
          columns={[
            {
              title: 'Target',
              class: 'long',
              isHeading: true,
              cell: ({ name, eventName, metric, filters, windowHours, margin }, index) => (
                <>
                  <bdi>{name}</bdi> {index === 0 && <span class="badge plain">Primary</span>}
                  {margin !== undefined && (
                    <span class="badge plain">Guardrail, margin {formatPercent(margin)}</span>
                  )}
                  <div class="muted small">
                    {eventName}
                    {metric?.type === 'mean' && `, mean of ${metric.property}`}
                    {windowHours !== null && `, within ${formatSeconds(windowHours * 3_600)}`}
                    {filters.map((filter) => (
                      <div key={JSON.stringify(filter)}>{formatFilter(filter)}</div>
                    ))}
                  </div>
                </>
              ),
            },
            { title: 'Should', class: 'nowrap', cell: ({ direction }) => capitalize(direction) },
          ]}
        />
      </section>
    </div>
  )
}
