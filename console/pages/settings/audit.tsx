import { useEffect, useMemo, useState } from 'preact/hooks'
import { api, type Schema, unwrap } from '../../client/api'
import { useMe } from '../../client/identity'
import { useQueryParams } from '../../client/query-params'
import { useResource } from '../../client/resource'
import { Field } from '../../components/controls/field'
import { FilterSelect } from '../../components/controls/filter-select'
import { rangeStart, readRange, writeRange } from '../../components/controls/range'
import { TimeRange } from '../../components/controls/time-range'
import { useDebounced } from '../../components/controls/use-debounced'
import { DataTable } from '../../components/data-table'
import { EmptyState } from '../../components/loading/empty-state'
import { ListView } from '../../components/loading/list-view'
import { Time } from '../../components/text/time'
import { Section } from './section'

const PAGE_SIZE = 25
const POLL_MS = 15_000
const TYPING_MS = 300
const ACTION = /^[a-z][a-z_-]*\.[a-z][a-z_-]*$/
const RESOURCES = {
  experiment: 'Experiments',
  learning: 'Learnings',
  funnel: 'Funnels',
  key: 'Keys',
  person: 'Members',
  session: 'Sessions',
  access: 'Denied requests',
  hook: 'Webhooks',
  erasure: 'Erasures',
  vocabulary: 'Event names',
  'dead-letters': 'Dead letters',
  workspace: 'The workspace',
  repository: 'Repository',
  quota: 'Limits',
}
const FILTERS = ['actorPersonId', 'resourceType', 'action', 'resourceId'] as const

export function AuditSection() {
  const address = useQueryParams()
  const [params, change] = address
  const me = useMe()
  const people = useResource(me?.person.owner === true ? 'people' : null, (signal) =>
    unwrap(api.GET('/people', { signal })),
  )
  const persons = people.data?.data ?? (me === undefined ? [] : [me.person])
  const filter = useMemo(() => filterOf(params), [params])
  const query = { ...filter, limit: PAGE_SIZE, offset: Number(params.get('offset') ?? 0) }
  const entries = useResource(
    `audit ${JSON.stringify(query)}`,
    (signal) => unwrap(api.GET('/audit', { params: { query }, signal })),
    { refetchMs: POLL_MS },
  )
  const exported = new URLSearchParams({ ...filter, format: 'ndjson' }).toString()
  return (
    <Section
      title="Audit"
      lead="Every change, by people, keys, operators and svc itself, and what was refused. Entries are never changed or removed."
      action={
        <a class="button" href={`/v1/audit?${exported}`} download="audit.ndjson">
          Export as NDJSON
        </a>
      }
    >
      <div class="toolbar">
        <FilterSelect
          address={address}
          name="actorPersonId"
          label="Person"
          options={Object.fromEntries(persons.map(({ id, name }) => [id, name]))}
        />
        <FilterSelect address={address} name="resourceType" label="About" options={RESOURCES} />
        <ActionField address={address} />
        <TimeRange
          value={readRange(params, 0)}
          any
          onChange={(range) => change({ ...writeRange(range, 0), offset: null })}
        />
      </div>
      {params.get('resourceId') !== null && (
        <p>
          Only what was done to <code>{params.get('resourceId')}</code>.{' '}
          <button
            type="button"
            class="button small quiet"
            onClick={() => change({ resourceId: null, offset: null })}
          >
            Show all
          </button>
        </p>
      )}
      <ListView
        of={entries}
        what="entries"
        change={change}
        empty={
          <EmptyState title="No entries">
            <p class="text">Nothing that was done matches these filters.</p>
          </EmptyState>
        }
      >
        {(rows) => (
          <EntryTable rows={rows} showResource={(resourceId) => change({ resourceId, offset: null })} />
        )}
      </ListView>
    </Section>
  )
}

function EntryTable(props: {
  readonly rows: readonly Schema<'AuditEntry'>[]
  readonly showResource: (id: string) => void
}) {
  return (
    <DataTable
      label="Audit entries"
      rows={props.rows}
      keyOf={({ id }) => id}
      columns={[
        { title: 'When', class: 'nowrap', cell: ({ at }) => <Time at={at} as="clock" /> },
        { title: 'What', class: 'long', cell: ({ summary }) => <span dir="auto">{summary}</span> },
        {
          title: 'Who',
          cell: ({ actorPersonName, actorApiKeyName }) => (
            <>
              <span dir="auto">{actorPersonName}</span>
              {actorApiKeyName !== null && (
                <div class="muted small" dir="auto">
                  with the key {actorApiKeyName}
                </div>
              )}
            </>
          ),
        },
        { title: 'Action', class: 'nowrap', cell: ({ action }) => <code>{action}</code> },
        {
          title: 'More',
          class: 'nowrap',
          cell: ({ resourceId, summary }) => (
            <button type="button" class="button small quiet" onClick={() => props.showResource(resourceId)}>
              History<span class="hidden-text"> of: {summary}</span>
            </button>
          ),
        },
      ]}
    />
  )
}

type Address = ReturnType<typeof useQueryParams>

/** The filters of the address that the API accepts. */
function filterOf(params: URLSearchParams): Record<string, string> {
  const given = FILTERS.flatMap((name) => {
    const value = params.get(name)
    return value === null || (name === 'action' && !ACTION.test(value)) ? [] : [[name, value]]
  })
  const range = readRange(params, 0)
  const from = rangeStart(range, Date.now())
  return {
    ...Object.fromEntries(given),
    ...(from === '' ? {} : { from }),
    ...(range.to === '' || range.to < from ? {} : { to: range.to }),
  }
}

function ActionField({ address }: { readonly address: Address }) {
  const [params, change] = address
  const there = params.get('action') ?? ''
  const [typed, setTyped] = useState(there)
  const settled = useDebounced(typed, TYPING_MS)
  useEffect(() => {
    const wanted = settled.trim()
    if (wanted !== there && (wanted === '' || ACTION.test(wanted)))
      change({ action: wanted === '' ? null : wanted, offset: null })
  }, [settled])
  const fits = typed.trim() === '' || ACTION.test(typed.trim())
  return (
    <Field
      label="Action"
      value={typed}
      placeholder="key.create"
      maxLength={100}
      problem={fits ? undefined : 'Such as key.create'}
      onChange={setTyped}
    />
  )
}
