import { api, type Schema, unwrap } from '../../client/api'
import { useResource } from '../../client/resource'
import type { ComboboxOption } from '../controls/combobox'
import { useDebounced } from '../controls/use-debounced'
import { formatCompact } from '../text/format'
import { isEventName } from './event-name'
import { type DraftFilter, operandText } from './filter-draft'

/** The most frequent event names. */
export interface EventNames {
  readonly options: readonly ComboboxOption[]
  /** Of the workspace. If there are more than options, the others are found by what is typed. */
  readonly total: number
}

const NO_NAMES: EventNames = { options: [], total: 0 }
const MAX_NAMES = 500
const TYPING_MS = 200
const POLL_MS = 30_000
const NO_PROPERTIES: ReadonlyMap<string, readonly EventProperty[]> = new Map()

export function useEventNames(): EventNames {
  return useResource('events', (signal) => loadNames(signal), { refetchMs: POLL_MS }).data ?? NO_NAMES
}

/** Suggestions for a name that is typed: of the most frequent names, and of all others that contain it. */
export function useNamesLike(names: EventNames, typed: string): readonly ComboboxOption[] {
  const search = useDebounced(typed.trim(), TYPING_MS)
  const searches = search !== '' && names.total > names.options.length
  const { data } = useResource(searches ? `events ${search}` : null, (signal) => loadNames(signal, search))
  const found = searches ? (data?.options ?? []) : []
  const known = new Set(found.map(({ value }) => value))
  return [...found, ...names.options.filter(({ value }) => !known.has(value))]
}

async function loadNames(
  signal: AbortSignal,
  search?: string,
  hidden: 'exclude' | 'include' = 'exclude',
): Promise<EventNames> {
  const query = { limit: MAX_NAMES, hidden, ...(search === undefined ? {} : { search }) }
  const { data, pagination } = await unwrap(api.GET('/funnel/events', { params: { query }, signal }))
  const options = data.map(({ eventName, description, count }) => ({
    value: eventName,
    description,
    note: formatCompact(count),
  }))
  return { options, total: pagination.total }
}

/** The names that are not suggested: unfinished, hidden, or never received. */
export function useMissingNames(names: EventNames, wanted: readonly string[]) {
  const known = new Set(names.options.map(({ value }) => value))
  const missing = [...new Set(wanted)].filter((name) => !known.has(name))
  const key = useDebounced(missing.join(), TYPING_MS)
  const { data } = useResource(key === '' ? null : key, async (signal) => {
    const asked = key.split(',')
    const found = await Promise.all(asked.map((name) => loadNames(signal, name, 'include')))
    return asked.filter((name, at) => !found[at]?.options.some(({ value }) => value === name))
  })
  return { missing, neverReceived: new Set(data) as ReadonlySet<string> }
}

export type EventProperty = Schema<'EventProperties'>['data'][number]

/** The properties of the newest events of each name. */
export function useProperties(eventNames: readonly string[]): ReadonlyMap<string, readonly EventProperty[]> {
  const wanted = [...new Set(eventNames)].filter(isEventName).sort()
  const key = useDebounced(wanted.join(), TYPING_MS)
  const { data } = useResource(key === '' ? null : key, async (signal) => {
    const names = key.split(',')
    const answers = await Promise.all(
      names.map((eventName) =>
        unwrap(api.GET('/funnel/events/{eventName}/properties', { params: { path: { eventName } }, signal })),
      ),
    )
    return new Map(names.map((name, at) => [name, answers[at]?.data ?? []]))
  })
  return data ?? NO_PROPERTIES
}

/** The properties of several names, each once. */
export function mergeProperties(lists: Iterable<readonly EventProperty[]>): readonly EventProperty[] {
  const merged = new Map<string, EventProperty>()
  for (const property of [...lists].flat()) {
    const before = merged.get(property.property)
    const values = [...(before?.values ?? []), ...property.values]
    const unique = new Map(values.map((one) => [JSON.stringify(one.value), one]))
    merged.set(property.property, { ...property, ...before, values: [...unique.values()] })
  }
  return [...merged.values()]
}

export function propertyOptions(properties: readonly EventProperty[]): readonly ComboboxOption[] {
  return properties.map(({ property, description, types }) => ({
    value: property,
    description,
    note: types.join(', '),
  }))
}

/** Values for a filter, in the form in which they are typed. */
export function valueOptions(
  properties: readonly EventProperty[],
  { property, operator, value: typed }: DraftFilter,
): readonly ComboboxOption[] {
  const values = properties.find((one) => one.property === property)?.values ?? []
  // A list grows by its last item.
  const earlier = operator === 'in' ? /^.*,\s*/.exec(typed)?.[0] : undefined
  return values.map(({ value, count }) => ({
    value: (earlier ?? '') + operandText(value, operator),
    note: formatCompact(count),
  }))
}
