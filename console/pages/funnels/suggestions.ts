import { api, unwrap } from '../../client/api'
import { useResource } from '../../client/resource'
import type { ComboboxOption } from '../../components/controls/combobox'
import { formatCompact } from '../../components/text/format'

/** All event names, most frequent first. */
export function useEventNames(): readonly ComboboxOption[] {
  const { data } = useResource('events', async (signal) => {
    const { data: names } = await unwrap(api.GET('/funnel/events', { signal }))
    return names.map(({ eventName, count }) => ({ value: eventName, note: formatCompact(count) }))
  })
  return data ?? []
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
