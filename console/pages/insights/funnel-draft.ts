import type { components } from '../../../contract/operations.js'
import { jsonOrText } from '../../../domain/text/filter.js'
import {
  lastOf,
  type Range,
  rangeOfLast,
  rangeOfSaved,
  rangeToSaved,
  readRange,
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

type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]

/*
 * The state of the funnel builder, and its form in the address and in the API. In the address a step is
 * `step=NAME`, or a JSON object if it has more than a name; filters are `where`, exclusions `without`.
 * Defaults are omitted.
 */

export interface DraftStep {
  readonly eventName: string
  readonly name: string
  readonly filters: readonly DraftFilter[]
}

export interface Exclusion {
  readonly eventName: string
  readonly fromStep: number
  readonly toStep: number
}

export type Order = NonNullable<Schema<'FunnelQuery'>['order']>
export type FunnelInterval = NonNullable<Schema<'FunnelQuery'>['interval']>
type Body = Omit<Schema<'FunnelDraftQuery'>, 'steps'>

export interface FunnelDraft extends Range {
  readonly steps: readonly DraftStep[]
  readonly windowSeconds: number
  readonly order: Order
  readonly filters: readonly DraftFilter[]
  readonly exclusions: readonly Exclusion[]
  readonly breakdown: string
  readonly limit: number
  readonly interval: FunnelInterval | ''
  readonly experiment: string
}

const DEFAULT_WINDOW_SECONDS = 604_800
const DEFAULT_DAYS = 30
const DEFAULT_LIMIT = 10
export const emptyStep: DraftStep = { eventName: '', name: '', filters: [] }

export const emptyDraft: FunnelDraft = {
  steps: [emptyStep, emptyStep],
  windowSeconds: DEFAULT_WINDOW_SECONDS,
  order: 'ordered',
  days: DEFAULT_DAYS,
  from: '',
  to: '',
  filters: [],
  exclusions: [],
  breakdown: '',
  limit: DEFAULT_LIMIT,
  interval: '',
  experiment: '',
}

export const namedSteps = (draft: FunnelDraft): readonly DraftStep[] =>
  draft.steps.filter(({ eventName }) => eventName.trim() !== '')

/** The draft that shows a saved funnel. */
export function fromFunnel({ windowSeconds, steps, query }: Schema<'Funnel'>): FunnelDraft {
  return {
    ...emptyDraft,
    windowSeconds,
    steps: steps.map(({ eventName, name, filters }) => ({
      eventName,
      name: name === eventName ? '' : name,
      filters: filtersFromBody(filters),
    })),
    ...(query === null
      ? {}
      : {
          order: query.order,
          filters: filtersFromBody(query.filters),
          exclusions: query.exclusions,
          breakdown: query.breakdown?.property ?? '',
          limit: query.breakdown?.limit ?? DEFAULT_LIMIT,
          interval: query.interval ?? '',
          ...rangeOfLast(query.last),
        }),
  }
}

/** The draft that shows a saved funnel query. */
export function funnelOfSaved(query: Schema<'SavedFunnelDraftQuery'>): FunnelDraft {
  const { steps, windowSeconds = 604_800, order = 'ordered', filters = [], exclusions = [] } = query
  const { breakdown = null, interval = null, experiment = '' } = query
  const funnel = fromFunnel({
    id: '',
    name: '',
    description: '',
    createdAt: '',
    updatedAt: '',
    windowSeconds,
    steps: steps.map(({ eventName, name = eventName, filters = [] }) => ({ eventName, name, filters })),
    query: { order, filters, exclusions, breakdown, interval, last: '30d' },
  })
  return { ...funnel, ...rangeOfSaved(query), experiment }
}

/** The part of a draft that a saved funnel keeps. `base` is the saved draft, whose range may be kept. */
export function savedOf(draft: FunnelDraft, base: FunnelDraft) {
  const { order, filters, exclusions, breakdown, interval } = queryOf(draft, 0)
  const last = lastOf(draft) ?? lastOf(base) ?? '30d'
  return {
    windowSeconds: draft.windowSeconds,
    steps: stepsOf(draft),
    query: {
      order: order ?? ('ordered' as const),
      filters: filters ?? [],
      exclusions: exclusions ?? [],
      breakdown: breakdown ?? null,
      interval: interval ?? null,
      last,
    },
  }
}

/** The part of a draft that an insight keeps. */
export function savedFunnelQuery(draft: FunnelDraft): Schema<'SavedFunnelDraftQuery'> {
  const { query, ...funnel } = savedOf(draft, emptyDraft)
  const { last: _, ...asked } = query
  const { experiment } = draft
  return { ...funnel, ...asked, ...rangeToSaved(draft), ...(experiment === '' ? {} : { experiment }) }
}

export function stepsOf(draft: FunnelDraft): Schema<'FunnelStepInput'>[] {
  return namedSteps(draft).map(({ eventName, name, filters }) => ({
    eventName: eventName.trim(),
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    ...(filtersToBody(filters).length === 0 ? {} : { filters: filtersToBody(filters) }),
  }))
}

export function queryOf(draft: FunnelDraft, now: number): Body {
  const { from, to, days, windowSeconds, order, breakdown, limit, interval, experiment } = draft
  const filters = filtersToBody(draft.filters)
  const steps = namedSteps(draft).length
  const exclusions = draft.exclusions.filter(
    ({ eventName, fromStep, toStep }) => isEventName(eventName) && fromStep < toStep && toStep < steps,
  )
  const begin =
    from !== '' ? from : days === DEFAULT_DAYS ? '' : new Date(now - days * 86_400_000).toISOString()
  return {
    ...(begin === '' ? {} : { from: begin }),
    ...(to === '' ? {} : { to }),
    windowSeconds,
    ...(order === 'ordered' ? {} : { order }),
    ...(filters.length === 0 ? {} : { filters }),
    ...(exclusions.length === 0 ? {} : { exclusions }),
    ...(experiment !== ''
      ? { experiment }
      : breakdown.trim() === ''
        ? {}
        : { breakdown: { property: breakdown.trim(), limit } }),
    ...(interval === '' ? {} : { interval }),
  }
}

/** Whether the draft has a step and only valid event names. */
export function isComplete(draft: FunnelDraft): boolean {
  const steps = namedSteps(draft)
  return steps.length > 0 && steps.every(({ eventName }) => isEventName(eventName.trim()))
}

/** @param base the saved funnel, whose values are omitted */
export function toQueryParams(
  draft: FunnelDraft,
  base: FunnelDraft = emptyDraft,
): Record<string, string | readonly string[] | null> {
  const steps = namedSteps(draft).map(({ eventName, name, filters }) =>
    name === '' && filters.length === 0
      ? eventName
      : JSON.stringify({
          event: eventName,
          ...(name === '' ? {} : { name }),
          ...(filters.length === 0 ? {} : { where: filters.map(filterToList) }),
        }),
  )
  const unless = <Value>(value: Value, usual: Value): string | null =>
    value === usual ? null : String(value)
  const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
  // One empty value is an empty list.
  const listed = (texts: readonly string[]): readonly string[] => (texts.length === 0 ? [''] : texts)
  return {
    step: isSame(namedSteps(draft), namedSteps(base)) ? null : steps,
    window: unless(draft.windowSeconds, base.windowSeconds),
    order: unless(draft.order, base.order),
    ...writeRange(draft, base.days),
    where: isSame(draft.filters, base.filters)
      ? null
      : listed(draft.filters.map((filter) => JSON.stringify(filterToList(filter)))),
    without: isSame(draft.exclusions, base.exclusions)
      ? null
      : listed(
          draft.exclusions.map(({ eventName, fromStep, toStep }) =>
            JSON.stringify([eventName, fromStep, toStep]),
          ),
        ),
    by: unless(draft.breakdown, base.breakdown),
    top: unless(draft.limit, base.limit),
    trend: unless(draft.interval, base.interval),
    experiment: unless(draft.experiment, ''),
  }
}

/** Parses a draft. Invalid parts are dropped. */
export function fromQueryParams(params: URLSearchParams, base: FunnelDraft = emptyDraft): FunnelDraft {
  const steps = params.getAll('step').map(readStep)
  return {
    ...base,
    ...(steps.length === 0 ? {} : { steps: steps.length === 1 ? [...steps, emptyStep] : steps }),
    windowSeconds: whole(params.get('window'), 1, 7_776_000, base.windowSeconds),
    order: among(params.get('order'), ['ordered', 'strict', 'any'] as const, base.order),
    ...readRange(params, base.days),
    ...(params.has('where')
      ? { filters: params.getAll('where').flatMap((text) => filterFromList(jsonOrText(text))) }
      : {}),
    ...(params.has('without')
      ? { exclusions: params.getAll('without').flatMap((text) => readExclusion(jsonOrText(text))) }
      : {}),
    breakdown: params.get('by') ?? base.breakdown,
    limit: whole(params.get('top'), 1, 50, base.limit),
    interval: among(params.get('trend'), ['hour', 'day', 'week', 'month', ''] as const, base.interval),
    experiment: params.get('experiment') ?? '',
  }
}

function readStep(text: string): DraftStep {
  const read = text.startsWith('{') ? jsonOrText(text) : undefined
  if (typeof read !== 'object' || read === null) return { ...emptyStep, eventName: text }
  const { event, name, where } = read as Readonly<Record<string, unknown>>
  return {
    eventName: typeof event === 'string' ? event : '',
    name: typeof name === 'string' ? name : '',
    filters: Array.isArray(where) ? where.flatMap(filterFromList) : [],
  }
}

function readExclusion(read: unknown): Exclusion[] {
  if (!Array.isArray(read)) return []
  const [eventName, fromStep, toStep] = read as unknown[]
  if (typeof eventName !== 'string' || !Number.isInteger(fromStep) || !Number.isInteger(toStep)) return []
  return [{ eventName, fromStep: Number(fromStep), toStep: Number(toStep) }]
}

function whole(text: string | null, least: number, most: number, usual: number): number {
  const value = text === null ? Number.NaN : Number(text)
  return Number.isInteger(value) && value >= least && value <= most ? value : usual
}

function among<Value extends string>(text: string | null, values: readonly Value[], usual: Value): Value {
  return values.find((value) => value === text) ?? usual
}
