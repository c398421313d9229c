import '../../styles/funnels.css'
import { Link } from 'wouter-preact'
import { api, unwrap } from '../../client/api'
import { useResource } from '../../client/resource'
import type { Range } from '../../components/controls/range'
import { ResourceView } from '../../components/loading/resource-view'
import { StepBars, Summary } from '../funnels/results'
import { type FunnelDraft, funnelOfSaved, queryOf, stepsOf } from '../insights/funnel-draft'
import { type Insight, insightPath } from '../insights/insight'
import { type RetentionDraft, retentionOfSaved } from '../insights/retention-draft'
import { type TrendsDraft, trendsOfSaved } from '../insights/trends-draft'
import { useRetention } from '../retention'
import { RetentionTable } from '../retention/retention-table'
import { useTrends } from '../trends'
import { TrendsChart } from '../trends/trends-chart'

const CHART_HEIGHT = 170

export function InsightCard(props: { readonly insight: Insight; readonly range: Range }) {
  const { insight, range } = props
  return (
    <section class="card" aria-label={insight.name}>
      <h2>
        <Link class="quiet-link" href={insightPath(insight, range)}>
          <bdi>{insight.name}</bdi>
        </Link>
      </h2>
      {insight.kind === 'trends' ? (
        <TrendsCard name={insight.name} draft={{ ...trendsOfSaved(insight.query), ...range }} />
      ) : insight.kind === 'retention' ? (
        <RetentionCard name={insight.name} draft={{ ...retentionOfSaved(insight.query), ...range }} />
      ) : (
        <FunnelCard draft={{ ...funnelOfSaved(insight.query), ...range }} />
      )}
    </section>
  )
}

function TrendsCard(props: { readonly name: string; readonly draft: TrendsDraft }) {
  return (
    <ResourceView of={useTrends(props.draft)} what="figures" lines={6}>
      {({ result, before }) => (
        <TrendsChart result={result} before={before} name={props.name} height={CHART_HEIGHT} />
      )}
    </ResourceView>
  )
}

function RetentionCard(props: { readonly name: string; readonly draft: RetentionDraft }) {
  return (
    <ResourceView of={useRetention(props.draft)} what="figures" lines={6}>
      {(result) => <RetentionTable result={result} name={props.name} />}
    </ResourceView>
  )
}

function FunnelCard(props: { readonly draft: FunnelDraft }) {
  const { draft } = props
  const figures = useResource(JSON.stringify(draft), (signal) =>
    unwrap(
      api.POST('/funnel/query', { body: { steps: stepsOf(draft), ...queryOf(draft, Date.now()) }, signal }),
    ),
  )
  return (
    <ResourceView of={figures} what="figures" lines={6}>
      {(result) => (
        <>
          <Summary result={result} />
          <StepBars result={result} />
        </>
      )}
    </ResourceView>
  )
}
