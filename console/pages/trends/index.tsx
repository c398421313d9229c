import '../../styles/funnels.css'
import { useMemo, useRef } from 'preact/hooks'
import { periodBefore } from '../../../domain/period-before.js'
import { formatCount } from '../../../domain/text/format.js'
import { useAddressState } from '../../client/address-state'
import { api, unwrap } from '../../client/api'
import { useResource } from '../../client/resource'
import { canSaveRange } from '../../components/controls/range'
import { useDebounced } from '../../components/controls/use-debounced'
import { EmptyState } from '../../components/loading/empty-state'
import { ResourceView } from '../../components/loading/resource-view'
import { Page } from '../../components/page'
import {
  mergeProperties,
  useEventNames,
  useMissingNames,
  useProperties,
} from '../../components/query/suggestions'
import { useTyping } from '../../components/query/use-typing'
import { InsightActions, SavedInsights, useInsights } from '../insights/saved-insights'
import {
  namedSeries,
  savedTrends,
  type TrendsDraft,
  trendsBody,
  trendsFromParams,
  trendsOfSaved,
  trendsToParams,
} from '../insights/trends-draft'
import { SeriesList } from './series-list'
import { TrendsChart } from './trends-chart'
import { TrendsQueryFields } from './trends-query-fields'

const TYPING_MS = 300

export default function TrendsPage() {
  const [draft, change] = useAddressState(trendsFromParams, trendsToParams)
  const names = useEventNames()
  const eventNames = draft.series.map(({ eventName }) => eventName.trim())
  const properties = useProperties(eventNames)
  const { missing } = useMissingNames(
    names,
    eventNames.filter((name) => name !== ''),
  )
  const typing = useTyping()
  const { insights, current } = useInsights()
  const hasSeries = namedSeries(draft).length > 0
  return (
    <Page title="Trends" lead="How often events happen, how many persons do them, and what they add up to.">
      <SavedInsights kind="trends" insights={insights.data ?? []} current={current} />
      <div class={`funnel${hasSeries ? ' results-first' : ''}`}>
        <div class="stack">
          <section class="card" aria-label="Series">
            <SeriesList draft={draft} names={names} properties={properties} onChange={change} />
          </section>
          <section class="card" aria-label="Query">
            <TrendsQueryFields
              draft={draft}
              properties={mergeProperties(properties.values())}
              onChange={change}
            />
          </section>
          {hasSeries && (
            <InsightActions
              query={{ kind: 'trends', query: savedTrends(draft) }}
              insights={insights}
              current={current}
              unsaved={canSaveRange(draft) ? [] : ['time range']}
              edited={current?.kind === 'trends' && !isSameTrends(draft, trendsOfSaved(current.query))}
            />
          )}
        </div>
        <div class="stack">
          {hasSeries ? (
            <Answer draft={draft} hold={typing && missing.length > 0} />
          ) : (
            <EmptyState title="No series yet">
              <p>
                {names.total === 0
                  ? 'Name an event to count. Events that arrive are suggested here.'
                  : `Pick the event to count: ${formatCount(names.total)} names to choose from.`}
              </p>
            </EmptyState>
          )}
        </div>
      </div>
    </Page>
  )
}

/** Whether two drafts save the same. */
function isSameTrends(one: TrendsDraft, other: TrendsDraft): boolean {
  return JSON.stringify(savedTrends(one)) === JSON.stringify(savedTrends(other))
}

function Answer(props: { readonly draft: TrendsDraft; readonly hold: boolean }) {
  const { draft, hold } = props
  const wanted = JSON.stringify(draft)
  const asked = useRef(wanted)
  if (!hold) asked.current = wanted
  const settled = useDebounced(asked.current, TYPING_MS)
  const query = useMemo(() => JSON.parse(settled) as TrendsDraft, [settled])
  const answer = useTrends(query)
  return (
    <ResourceView of={answer} what="figures" lines={8}>
      {({ result, before }) => (
        <section class="card" aria-label="Answer">
          <TrendsChart result={result} before={before} />
        </section>
      )}
    </ResourceView>
  )
}

/** The answer to a draft with at least one series, and that of the period before if it is compared. */
export function useTrends(draft: TrendsDraft) {
  return useResource(JSON.stringify(draft), async (signal) => {
    const now = Date.now()
    const body = trendsBody(draft, now)
    const [result, before] = await Promise.all([
      unwrap(api.POST('/events/trends', { body, signal })),
      draft.compare
        ? unwrap(api.POST('/events/trends', { body: periodBefore(body, now), signal }))
        : undefined,
    ])
    return { result, before }
  })
}
