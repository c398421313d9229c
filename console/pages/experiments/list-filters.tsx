import { useState } from 'preact/hooks'
import { api, type Schema, unwrap } from '../../client/api'
import type { useQueryParams } from '../../client/query-params'
import { useResource } from '../../client/resource'
import { FilterSelect } from '../../components/controls/filter-select'
import { rangeStart } from '../../components/controls/range'
import { SearchField } from '../../components/controls/search-field'
import { Select } from '../../components/controls/select'
import { TimeRange } from '../../components/controls/time-range'
import { formatCompact } from '../../components/text/format'
import { SHOWN_STATUSES, statusName } from '../../components/text/status-badge'

type Address = ReturnType<typeof useQueryParams>

export const PAGE_SIZE = 50

/** Filters, named as in the API and the address. */
const FILTERS = [
  'status',
  'priority',
  'origin',
  'kind',
  'testType',
  'hasPr',
  'rejectedStage',
  'createdAfter',
  'createdBefore',
  'experimentRunId',
  'search',
] as const

export const SORTS = [
  ['createdAt', 'Created'],
  ['updatedAt', 'Changed'],
  ['startedAt', 'Started'],
  ['name', 'Name'],
  ['priority', 'Priority'],
  ['usersExposed', 'Exposed'],
  ['estimatedLift', 'Lift'],
  ['confidence', 'Chance to win'],
] as const

/** The query of an address. The API refuses unknown values. */
export function listQuery(params: URLSearchParams) {
  const given = Object.fromEntries(
    FILTERS.flatMap((name) => {
      const value = params.get(name)
      return value === null || value === '' ? [] : [[name, value]]
    }),
  )
  return {
    ...given,
    sortBy: (params.get('sortBy') ?? 'createdAt') as (typeof SORTS)[number][0],
    sortDir: params.get('sortDir') === 'asc' ? ('asc' as const) : ('desc' as const),
    limit: PAGE_SIZE,
    offset: Number(params.get('offset') ?? 0),
  } as {
    status?: string
    sortBy: (typeof SORTS)[number][0]
    sortDir: 'asc' | 'desc'
    limit: number
    offset: number
  }
}

export const hasFilters = (params: URLSearchParams): boolean => FILTERS.some((name) => params.has(name))

export const noFilters = Object.fromEntries([...FILTERS, 'offset'].map((name) => [name, null])) as Record<
  string,
  null
>

export function ListFilters(props: { readonly address: Address }) {
  const [params, change] = props.address
  const [more, setMore] = useState(() =>
    FILTERS.some((name) => name !== 'status' && name !== 'search' && params.has(name)),
  )
  const narrow = (changes: Record<string, string | null>): void => change({ ...changes, offset: null })
  return (
    <div class="section">
      <StatusChoice address={props.address} />
      <div class="toolbar">
        <div class="wide">
          <SearchField address={props.address} placeholder="Name, key or any text" />
        </div>
        <div class="wide-only">
          <Select
            label="Sort by"
            value={(params.get('sortBy') ?? 'createdAt') as (typeof SORTS)[number][0]}
            options={SORTS}
            onChange={(sortBy) => narrow({ sortBy: sortBy === 'createdAt' ? null : sortBy })}
          />
        </div>
        <div class="wide-only">
          <Select
            label="Direction"
            value={params.get('sortDir') ?? 'desc'}
            options={{ desc: 'Descending', asc: 'Ascending' }}
            onChange={(dir) => narrow({ sortDir: dir === 'desc' ? null : dir })}
          />
        </div>
        <div class="row">
          <button type="button" class="button quiet" aria-expanded={more} onClick={() => setMore(!more)}>
            {more ? 'Fewer filters' : 'More filters'}
          </button>
          {hasFilters(params) && (
            <button type="button" class="button quiet" onClick={() => change(noFilters)}>
              Show all
            </button>
          )}
        </div>
      </div>
      {more && (
        <div class="toolbar">
          {Object.entries(CHOICES).map(([name, [label, options]]) => (
            <FilterSelect key={name} address={props.address} name={name} label={label} options={options} />
          ))}
          <TimeRange
            label="Created"
            value={{ days: 0, from: params.get('createdAfter') ?? '', to: params.get('createdBefore') ?? '' }}
            any
            onChange={(range) =>
              narrow({ createdAfter: rangeStart(range, Date.now()) || null, createdBefore: range.to || null })
            }
          />
          <RunChoice address={props.address} />
        </div>
      )}
    </div>
  )
}

/** Label and names of the values of each filter with a fixed choice. */
const CHOICES: Readonly<Record<string, readonly [label: string, options: Readonly<Record<string, string>>]>> =
  {
    priority: ['Priority', { high: 'High', medium: 'Medium', low: 'Low' }],
    origin: ['Origin', { generated: 'Generated', api: 'Declared' }],
    kind: ['Kind', { experiment: 'Experiment', feature: 'Feature' }],
    testType: ['Test type', { dom: 'DOM', message: 'Message' }],
    hasPr: ['Pull request', { true: 'With one', false: 'Without' }],
    rejectedStage: ['Rejected at', { pr: 'Pull request', outcome: 'Outcome' }],
  }

/** The statuses with their counts; several can be chosen. */
function StatusChoice(props: { readonly address: Address }) {
  const [params, change] = props.address
  const counts = useResource('counts', (signal) => unwrap(api.GET('/experiments/counts', { signal })))
  const chosen = new Set((params.get('status') ?? '').split(',').filter((status) => status !== ''))
  const byStatus = counts.data?.byStatus
  return (
    <fieldset>
      <legend class="hidden-text">Status</legend>
      <div class="tabs">
        {SHOWN_STATUSES.filter(
          (status) => byStatus === undefined || byStatus[status] > 0 || chosen.has(status),
        ).map((status) => (
          <button
            key={status}
            type="button"
            class="button small"
            aria-pressed={chosen.has(status)}
            onClick={() => {
              const next = new Set(chosen)
              if (!next.delete(status)) next.add(status)
              change({ status: next.size === 0 ? null : [...next].join(','), offset: null })
            }}
          >
            {statusName(status)}
            {byStatus !== undefined && <span class="muted number">{formatCompact(byStatus[status])}</span>}
          </button>
        ))}
      </div>
    </fieldset>
  )
}

function RunChoice(props: { readonly address: Address }) {
  const [params, change] = props.address
  const runs = useResource('runs', async (signal) => {
    const { data } = await unwrap(api.GET('/experiment-runs', { params: { query: { limit: 50 } }, signal }))
    return data
  })
  const chosen = params.get('experimentRunId') ?? ''
  const known: readonly Schema<'GenerationRun'>[] = runs.data ?? []
  const name = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
  const options = known.map(({ id, createdAt }) => [id, name.format(new Date(createdAt))] as const)
  return (
    <Select
      label="Proposed by run of"
      value={chosen}
      options={[
        ['', 'Any'],
        ...options,
        ...(chosen === '' || options.some(([id]) => id === chosen) ? [] : [[chosen, chosen] as const]),
      ]}
      onChange={(id) => change({ experimentRunId: id === '' ? null : id, offset: null })}
    />
  )
}
