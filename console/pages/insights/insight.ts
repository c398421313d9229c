import type { Schema } from '../../client/api'
import { searchOf } from '../../client/query-params'
import type { Range } from '../../components/controls/range'
import { funnelOfSaved, toQueryParams } from './funnel-draft'
import { retentionOfSaved, retentionToParams } from './retention-draft'
import { trendsOfSaved, trendsToParams } from './trends-draft'

export type Insight = Schema<'Insight'>

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
