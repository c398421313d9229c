import { api, unwrap } from '../../client/api'
import { useResource } from '../../client/resource'
import type { ComboboxOption } from '../controls/combobox'
import { useDebounced } from '../controls/use-debounced'
import { formatCompact } from '../text/format'

/** The most frequent event names. */
export interface EventNames {
  readonly options: readonly ComboboxOption[]
  /** Of the workspace. If there are more than options, the others are found by what is typed. */
  readonly total: number
}

const NO_NAMES: EventNames = { options: [], total: 0 }
const MAX_NAMES = 500
const TYPING_MS = 200

export function useEventNames(): EventNames {
  return useResource('events', (signal) => loadNames(signal)).data ?? NO_NAMES
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

async function loadNames(signal: AbortSignal, search?: string): Promise<EventNames> {
  const query = { limit: MAX_NAMES, ...(search === undefined ? {} : { search }) }
  const { data, pagination } = await unwrap(api.GET('/funnel/events', { params: { query }, signal }))
  const options = data.map(({ eventName, count }) => ({ value: eventName, note: formatCompact(count) }))
  return { options, total: pagination.total }
}

const RECENT = 100

/** Property paths of the newest events, as suggestions. */
export function useProperties(): readonly ComboboxOption[] {
  const { data } = useResource('properties', async (signal) => {
    const { data: events } = await unwrap(
      api.GET('/events', { params: { query: { limit: RECENT } }, signal }),
    )
    const seen = new Map<string, number>()
    for (const { properties } of events)
      for (const path of pathsOf(properties, 2)) seen.set(path, (seen.get(path) ?? 0) + 1)
    return [...seen].sort((a, b) => b[1] - a[1]).map(([value]) => ({ value }))
  })
  return data ?? []
}

function pathsOf(value: object, depth: number): string[] {
  return Object.entries(value).flatMap(([key, below]) =>
    typeof below === 'object' && below !== null && !Array.isArray(below) && depth > 1
      ? pathsOf(below as object, depth - 1).map((path) => `${key}.${path}`)
      : [key],
  )
}
