import { Link } from 'wouter-preact'
import { formatFilter } from '../../../domain/text/filter.js'
import { formatPercent } from '../../../domain/text/format.js'
import { capitalize, dismissalLabel } from '../../../domain/text/labels.js'
import type { Schema } from '../../client/api'
import { ScrollableTable } from '../../components/scrollable-table'
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

/** What visitors see now, and whether their pages can know it. */
function Serving({ of: { serving, variants, startedAt } }: { readonly of: Detail }) {
  const { state, lastAskedAt } = serving
  const winner = variants.find(({ key }) => key === state)
  return (
    <>
      {state === true ? 'Their variant' : winner ? `${winner.displayName}, for everyone` : 'The control'}
      {startedAt !== null && (
        <div class="small muted">
          {lastAskedAt === null ? (
            'No relay has asked in the last hour: open pages may show an older state'
          ) : (
            <>
              Relays asked <Time at={lastAskedAt} />
            </>
          )}
        </div>
      )}
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
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <Time at={at} />
              </dd>
            </div>
          ),
      )}
      <div>
        <dt>Visitors see</dt>
        <dd>
          <Serving of={experiment} />
        </dd>
      </div>
      <div>
        <dt>Priority</dt>
        <dd>{capitalize(experiment.priority)}</dd>
      </div>
      <div>
        <dt>Origin</dt>
        <dd>
          {experiment.origin === 'api' ? (
            'Declared'
          ) : experiment.experimentRunId === null ? (
            'Generated'
          ) : (
            <Link href={`/experiments?experimentRunId=${experiment.experimentRunId}`}>
              Generated, with others
            </Link>
          )}
        </dd>
      </div>
      {pullRequest !== null && (
        <div>
          <dt>Pull request</dt>
          <dd>
            <PullRequest of={pullRequest} />
          </dd>
        </div>
      )}
      {cleanupPullRequest !== null && (
        <div>
          <dt>Cleanup pull request</dt>
          <dd>
            <PullRequest of={cleanupPullRequest} />
          </dd>
        </div>
      )}
      {decision !== null && (
        <div>
          <dt>Decision</dt>
          <dd>
            {decision.outcome === 'ship' ? `Ship ${decision.variant ?? ''}` : 'Reject'},{' '}
            <Time at={decision.decidedAt} />
            {experiment.status === 'settling' && (
              <div class="small muted">
                Settles <Time at={decision.settlesAt} />
              </div>
            )}
            {decision.reason !== null && <div class="small text">{decision.reason}</div>}
          </dd>
        </div>
      )}
      {dismissal !== null && (
        <div>
          <dt>Dismissed</dt>
          <dd>
            {dismissal.reasons.map(dismissalLabel).map(capitalize).join(' · ')}
            {dismissal.note !== null && <div class="small text">{dismissal.note}</div>}
          </dd>
        </div>
      )}
      <Surfaces of={experiment.surfaces} />
    </dl>
  )
}

export function Variants(props: { readonly experiment: Detail }) {
  const { variants, conversionTargets } = props.experiment
  return (
    <div class="columns">
      <section class="section">
        <h2>Variants</h2>
        <ScrollableTable label="Variants">
          <table>
            <thead>
              <tr>
                <th scope="col">Variant</th>
                <th scope="col" class="number">
                  Traffic
                </th>
              </tr>
            </thead>
            <tbody>
              {variants.map((variant) => (
                <tr key={variant.key}>
                  <th scope="row">
                    <bdi>{variant.displayName}</bdi>{' '}
                    {variant.isControl && <span class="badge plain">Control</span>}
                    <div class="muted small">{variant.key}</div>
                  </th>
                  <td class="number">{formatPercent(variant.trafficSplit / 100)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollableTable>
      </section>
      <section class="section">
        <h2>Targets</h2>
        <ScrollableTable label="Targets">
          <table>
            <thead>
              <tr>
                <th scope="col">Target</th>
                <th scope="col">Should</th>
                <th scope="col" class="number">
                  Conversion window
                </th>
              </tr>
            </thead>
            <tbody>
              {conversionTargets.map((target, index) => (
                <tr key={target.name + target.eventName}>
                  <th scope="row" class="long">
                    <bdi>{target.name}</bdi> {index === 0 && <span class="badge plain">Primary</span>}
                    <div class="muted small">
                      {target.eventName}
                      {target.metric?.type === 'mean' && `, mean of ${target.metric.property}`}
                      {target.filters.map((filter) => (
                        <div key={JSON.stringify(filter)}>{formatFilter(filter)}</div>
                      ))}
                    </div>
                  </th>
                  <td>{capitalize(target.direction)}</td>
                  <td class="number">
                    {target.windowHours === null ? 'any time' : formatSeconds(target.windowHours * 3_600)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollableTable>
      </section>
    </div>
  )
}
