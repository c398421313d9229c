import type { components } from '../../../contract/operations.js'
import { jsonOrText } from '../../../domain/text/filter.js'
import {
  type Range,
  rangeOfSaved,
  rangeToSaved,
  readRange,
  wholeStart,
  writeRange,
} from '../../components/controls/range.js'
import { isEventName } from '../../components/query/event-name.js'
import {
  type DraftFilter,
  filterFromList,
  filtersFromBody,
  filtersToBody,
  filterToList,
} from '../../components/query/filter-draft.js'

export type RetentionBody = components['schemas']['RetentionQuery']
export type CohortInterval = NonNullable<RetentionBody['interval']>

/** The state of the retention page. */
export interface RetentionDraft extends Range {
  readonly startEvent: string
  readonly returnEvent: string
  readonly startFilters: readonly DraftFilter[]
  readonly returnFilters: readonly DraftFilter[]
  readonly interval: CohortInterval
  readonly periods: number
}

export const PERIOD_LABELS: Readonly<Record<CohortInterval, string>> = {
  day: 'Days',
  week: 'Weeks',
  month: 'Months',
}
export const MAX_PERIODS = 31
const DEFAULT_PERIODS = 8
const DEFAULT_DAYS = 30

export const canAskRetention = ({ startEvent, returnEvent }: RetentionDraft): boolean =>
  isEventName(startEvent.trim()) && isEventName(returnEvent.trim())

export function retentionBody(draft: RetentionDraft, now: number): RetentionBody {
  const { to, startEvent, returnEvent, startFilters, returnFilters, interval, periods } = draft
  return {
    from: wholeStart(draft, now),
    ...(to === '' ? {} : { to }),
    interval,
    startEvent: startEvent.trim(),
    returnEvent: returnEvent.trim(),
    startFilters: filtersToBody(startFilters),
    returnFilters: filtersToBody(returnFilters),
    periods,
  }
}

/** The part of a draft that an insight keeps. */
export function savedRetention(draft: RetentionDraft): components['schemas']['SavedRetentionQuery'] {
  const { from: _, to: __, ...query } = retentionBody(draft, 0)
  return { ...query, ...rangeToSaved(draft) }
}

export function retentionOfSaved(query: components['schemas']['SavedRetentionQuery']): RetentionDraft {
  const { startEvent, returnEvent, startFilters = [], returnFilters = [] } = query
  return {
    ...rangeOfSaved(query),
    startEvent,
    returnEvent,
    startFilters: filtersFromBody(startFilters),
    returnFilters: filtersFromBody(returnFilters),
    interval: query.interval ?? 'day',
    periods: query.periods ?? DEFAULT_PERIODS,
  }
}

export function retentionFromParams(params: URLSearchParams): RetentionDraft {
  const periods = Number(params.get('periods'))
  const interval = params.get('interval')
  const filtersOf = (name: string): DraftFilter[] =>
    params.getAll(name).flatMap((text) => filterFromList(jsonOrText(text)))
  return {
    ...readRange(params, DEFAULT_DAYS),
    startEvent: params.get('start') ?? '',
    returnEvent: params.get('return') ?? '',
    startFilters: filtersOf('where'),
    returnFilters: filtersOf('return-where'),
    interval: interval === 'week' || interval === 'month' ? interval : 'day',
    periods: Number.isInteger(periods) && periods >= 1 && periods <= MAX_PERIODS ? periods : DEFAULT_PERIODS,
  }
}

export function retentionToParams(draft: RetentionDraft): Record<string, string | readonly string[] | null> {
  const texts = (filters: readonly DraftFilter[]): string[] =>
    filters.map((filter) => JSON.stringify(filterToList(filter)))
  return {
    ...writeRange(draft, DEFAULT_DAYS),
    start: draft.startEvent || null,
    return: draft.returnEvent || null,
    where: texts(draft.startFilters),
    'return-where': texts(draft.returnFilters),
    interval: draft.interval === 'day' ? null : draft.interval,
    periods: draft.periods === DEFAULT_PERIODS ? null : String(draft.periods),
  }
}
