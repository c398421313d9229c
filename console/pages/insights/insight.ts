import type { Schema } from '../../client/api'
import { searchOf } from '../../client/query-params'
import type { Range } from '../../components/controls/range'
import { type FunnelDraft, fromFunnel, toQueryParams } from './funnel-draft'
import { retentionOfSaved, retentionToParams } from './retention-draft'
import { trendsOfSaved, trendsToParams } from './trends-draft'

export type Insight = Schema<'Insight'>

/** The draft that shows a saved funnel query. */
export function funnelOfSaved(query: Schema<'SavedFunnelDraftQuery'>): FunnelDraft {
  const { steps, windowSeconds = 604_800, order = 'ordered', filters = [], exclusions = [] } = query
  const { breakdown = null, interval = null, last = '30d' } = query
  return fromFunnel({
    id: '',
    name: '',
    description: '',
    createdAt: '',
    updatedAt: '',
    windowSeconds,
    steps: steps.map(({ eventName, name = eventName, filters = [] }) => ({ eventName, name, filters })),
    query: { order, filters, exclusions, breakdown, interval, last },
  })
}

/** The page that shows an insight, with its saved range or another one. */
export function insightPath(insight: Insight, range?: Range): string {
  const { id, kind, query } = insight
  if (kind === 'funnel') return `/funnels${searchOf(toQueryParams({ ...funnelOfSaved(query), ...range }))}`
  const params =
    kind === 'trends'
      ? trendsToParams({ ...trendsOfSaved(query), ...range })
      : retentionToParams({ ...retentionOfSaved(query), ...range })
  return `/${kind}${searchOf({ insight: id, ...params })}`
}
