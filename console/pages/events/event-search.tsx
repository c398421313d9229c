import { useMemo } from 'preact/hooks'
import { formatCount } from '../../../domain/text/format.js'
import { useAddressState } from '../../client/address-state'
import { api, unwrap } from '../../client/api'
import { useResource } from '../../client/resource'
import { Combobox } from '../../components/controls/combobox'
import { type Range, rangeStart, readRange, writeRange } from '../../components/controls/range'
import { Select } from '../../components/controls/select'
import { TimeRange } from '../../components/controls/time-range'
import { useDebounced } from '../../components/controls/use-debounced'
import { EmptyState } from '../../components/loading/empty-state'
import { isEventName } from '../../components/query/event-name'
import { EventNameField } from '../../components/query/event-name-field'
import {
  type DraftFilter,
  emptyFilter,
  filterFromList,
  filterToList,
} from '../../components/query/filter-draft'
import { Filters } from '../../components/query/filters'
import { mergeProperties, useEventNames, useProperties } from '../../components/query/suggestions'
import { EventPages } from './event-pages'
import { NoEvents } from './event-table'

const TYPING_MS = 400

interface Search extends Range {
  readonly event: string
  readonly person: string
  /** One or none. */
  readonly filters: readonly DraftFilter[]
  readonly sortDir: 'asc' | 'desc'
}

function readSearch(params: URLSearchParams): Search {
  const where = params.get('where')
  return {
    event: params.get('event') ?? '',
    person: params.get('person') ?? '',
    filters: where === null ? [] : filterFromList(parseJson(where)),
    sortDir: params.get('sortDir') === 'asc' ? 'asc' : 'desc',
    ...readRange(params, 0),
  }
}

function writeSearch({ event, person, filters: [filter], sortDir, ...range }: Search) {
  return {
    event: event || null,
    person: person || null,
    where: filter === undefined ? null : JSON.stringify(filterToList(filter)),
    sortDir: sortDir === 'desc' ? null : sortDir,
    ...writeRange(range, 0),
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The conditions in the form of the API. A person without a kind is a user. */
function conditionsOf(search: Search, now: number) {
  const { event, person, filters, to, sortDir } = search
  const filter = filters.find(({ property }) => property.trim() !== '')
  const withoutValue = filter?.operator === 'exists' || filter?.operator === 'not_exists'
  const from = rangeStart(search, now)
  return {
    sortDir,
    ...(isEventName(event) ? { event } : {}),
    ...(person.trim() === ''
      ? {}
      : { personId: /^(user|anonymous):/.test(person) ? person : `user:${person.trim()}` }),
    ...(from === '' ? {} : { from }),
    ...(to === '' ? {} : { to }),
    ...(filter === undefined || (filter.value === '' && !withoutValue)
      ? {}
      : {
          property: filter.property.trim(),
          operator: filter.operator,
          ...(withoutValue ? {} : { value: filter.value }),
        }),
  }
}

/** Every event, by name, person, property and time. */
export function EventSearch() {
  const [search, change] = useAddressState(readSearch, writeSearch)
  const names = useEventNames()
  const properties = useProperties([search.event])
  const persons = usePersonsLike(search.person)
  const isAll = JSON.stringify(search) === JSON.stringify(readSearch(new URLSearchParams()))
  const asked = useDebounced(JSON.stringify(search), TYPING_MS)
  const query = useMemo(() => conditionsOf(JSON.parse(asked) as Search, Date.now()), [asked])
  return (
    <>
      <div class="toolbar">
        <EventNameField
          label="Event"
          value={search.event}
          names={names}
          placeholder="any name"
          onChange={(event) => change({ event })}
        />
        <Combobox
          label="Person"
          value={search.person}
          choices={persons}
          placeholder="anyone"
          onChange={(person) => change({ person })}
        />
        <TimeRange value={search} any onChange={({ days, from, to }) => change({ days, from, to })} />
        <Select
          label="Order"
          value={search.sortDir}
          options={{ desc: 'Newest first', asc: 'Oldest first' }}
          onChange={(sortDir) => change({ sortDir })}
        />
      </div>
      <Filters
        filters={search.filters}
        properties={mergeProperties(properties.values())}
        onChange={(filters) => change({ filters })}
      />
      <div class="row">
        {search.filters.length === 0 && (
          <button type="button" class="button small" onClick={() => change({ filters: [emptyFilter] })}>
            Add filter
          </button>
        )}
        {!isAll && (
          <button
            type="button"
            class="button quiet small"
            onClick={() => change({ ...readSearch(new URLSearchParams()) })}
          >
            Clear search
          </button>
        )}
        <ExportLinks query={query} />
      </div>
      {search.event !== '' && !isEventName(search.event) && (
        <p role="alert" class="notice warn">
          No event can have this name: names are letters, digits and _ . - $
        </p>
      )}
      <EventPages
        key={asked}
        query={query}
        label="Events"
        empty={
          isAll ? (
            <NoEvents />
          ) : (
            <EmptyState title="No event meets these conditions">
              <p class="text">Widen the time range, or remove a condition.</p>
            </EmptyState>
          )
        }
      />
    </>
  )
}

/** The events of the name and the time; an export knows no other conditions. */
function ExportLinks({ query }: { readonly query: ReturnType<typeof conditionsOf> }) {
  const { event, from, to, personId, property } = query
  if (personId !== undefined || property !== undefined) return null
  const range = Object.entries({ event, from, to }).filter((entry) => entry[1] !== undefined) as string[][]
  return (
    <span class="row">
      Export
      {Object.entries({ csv: 'CSV', ndjson: 'NDJSON', parquet: 'Parquet' }).map(([format, name]) => (
        <a
          key={format}
          class="button quiet small"
          href={`/v1/events/export?${new URLSearchParams([...range, ['format', format]])}`}
          download={`events.${format}`}
          aria-label={`Export as ${name}`}
        >
          {name}
        </a>
      ))}
    </span>
  )
}

function usePersonsLike(typed: string) {
  const search = useDebounced(typed.replace(/^(user|anonymous):/, '').trim(), TYPING_MS)
  const { data } = useResource(search === '' ? null : `persons ${search}`, async (signal) => {
    const query = { search: search.slice(0, 200), limit: 10 }
    const { data } = await unwrap(api.GET('/events/persons', { params: { query }, signal }))
    return data.map(({ personId, events }) => ({ value: personId, note: `${formatCount(events)} events` }))
  })
  return data ?? []
}
