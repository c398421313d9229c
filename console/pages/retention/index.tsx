import '../../styles/funnels.css'
import { useMemo, useRef, useState } from 'preact/hooks'
import { pluralize } from '../../../domain/text/format.js'
import { useAddressState } from '../../client/address-state'
import { api, unwrap } from '../../client/api'
import { useResource } from '../../client/resource'
import { canSaveRange } from '../../components/controls/range'
import { Select } from '../../components/controls/select'
import { Tabs } from '../../components/controls/tabs'
import { TimeRange } from '../../components/controls/time-range'
import { useDebounced } from '../../components/controls/use-debounced'
import { EmptyState } from '../../components/loading/empty-state'
import { ResourceView } from '../../components/loading/resource-view'
import { Page } from '../../components/page'
import { EventNameField } from '../../components/query/event-name-field'
import { type DraftFilter, emptyFilter } from '../../components/query/filter-draft'
import { Filters } from '../../components/query/filters'
import {
  type EventNames,
  type EventProperty,
  useEventNames,
  useMissingNames,
  useProperties,
} from '../../components/query/suggestions'
import { useTyping } from '../../components/query/use-typing'
import {
  canAskRetention,
  MAX_PERIODS,
  PERIOD_LABELS,
  type RetentionDraft,
  retentionBody,
  retentionFromParams,
  retentionOfSaved,
  retentionToParams,
  savedRetention,
} from '../insights/retention-draft'
import { InsightActions, SavedInsights, useInsights } from '../insights/saved-insights'
import { RetentionTable } from './retention-table'

const TYPING_MS = 300

export default function RetentionPage() {
  const [draft, change] = useAddressState(retentionFromParams, retentionToParams)
  const names = useEventNames()
  const eventNames = [draft.startEvent.trim(), draft.returnEvent.trim()].filter((name) => name !== '')
  const properties = useProperties(eventNames)
  const { missing } = useMissingNames(names, eventNames)
  const typing = useTyping()
  const { insights, current } = useInsights()
  const canAsk = canAskRetention(draft)
  return (
    <Page title="Retention" lead="How many of the persons who did something come back later.">
      <SavedInsights kind="retention" insights={insights.data ?? []} current={current} />
      <div class={`funnel${canAsk ? ' results-first' : ''}`}>
        <div class="stack">
          <section class="card" aria-label="Events">
            <EventWithFilters
              label="First event"
              value={draft.startEvent}
              filters={draft.startFilters}
              names={names}
              properties={properties.get(draft.startEvent) ?? []}
              onName={(startEvent) => change({ startEvent })}
              onFilters={(startFilters) => change({ startFilters })}
            />
            <EventWithFilters
              label="Return event"
              value={draft.returnEvent}
              filters={draft.returnFilters}
              names={names}
              properties={properties.get(draft.returnEvent) ?? []}
              onName={(returnEvent) => change({ returnEvent })}
              onFilters={(returnFilters) => change({ returnFilters })}
            />
          </section>
          <section class="card" aria-label="Query">
            <Options draft={draft} onChange={change} />
          </section>
          {canAsk && (
            <InsightActions
              query={{ kind: 'retention', query: savedRetention(draft) }}
              insights={insights}
              current={current}
              unsaved={canSaveRange(draft) ? [] : ['time range']}
              edited={
                current?.kind === 'retention' && !isSameRetention(draft, retentionOfSaved(current.query))
              }
            />
          )}
        </div>
        <div class="stack">
          {canAsk ? (
            <Answer draft={draft} hold={typing && missing.length > 0} />
          ) : (
            <EmptyState title="No events yet">
              <p>
                {names.total === 0
                  ? 'Name what persons do first, and what counts as coming back. Events that arrive are suggested here.'
                  : `Pick what persons do first, and what counts as coming back: ${pluralize(names.total, 'event name')} to choose from. Both may be the same.`}
              </p>
            </EmptyState>
          )}
        </div>
      </div>
    </Page>
  )
}

/** Whether two drafts save the same. */
function isSameRetention(one: RetentionDraft, other: RetentionDraft): boolean {
  return JSON.stringify(savedRetention(one)) === JSON.stringify(savedRetention(other))
}

function EventWithFilters(props: {
  readonly label: string
  readonly value: string
  readonly filters: readonly DraftFilter[]
  readonly names: EventNames
  readonly properties: readonly EventProperty[]
  readonly onName: (name: string) => void
  readonly onFilters: (filters: readonly DraftFilter[]) => void
}) {
  const { label, value, filters, properties, onFilters } = props
  return (
    <div class="stack tight">
      <EventNameField label={label} value={value} names={props.names} onChange={props.onName} />
      <Filters filters={filters} properties={properties} onChange={onFilters} />
      <div class="row">
        <button type="button" class="button quiet small" onClick={() => onFilters([...filters, emptyFilter])}>
          Add filter<span class="hidden-text"> on the {label.toLowerCase()}</span>
        </button>
      </div>
    </div>
  )
}

function Options(props: {
  readonly draft: RetentionDraft
  readonly onChange: (changes: Partial<RetentionDraft>) => void
}) {
  const { draft, onChange } = props
  return (
    <div class="toolbar">
      <div class="full">
        <TimeRange value={draft} onChange={({ days, from, to }) => onChange({ days, from, to })} />
      </div>
      <Select
        label="Periods"
        value={draft.interval}
        options={PERIOD_LABELS}
        onChange={(interval) => onChange({ interval })}
      />
      <Select
        label="Number of periods"
        value={String(draft.periods)}
        options={[...new Set([4, 8, 12, 14, MAX_PERIODS, draft.periods])]
          .sort((a, b) => a - b)
          .map((count) => [String(count), String(count)] as const)}
        onChange={(periods) => onChange({ periods: Number(periods) })}
      />
    </div>
  )
}

function Answer(props: { readonly draft: RetentionDraft; readonly hold: boolean }) {
  const { draft, hold } = props
  const [shown, setShown] = useState<'share' | 'persons'>('share')
  const wanted = JSON.stringify(draft)
  const asked = useRef(wanted)
  if (!hold) asked.current = wanted
  const settled = useDebounced(asked.current, TYPING_MS)
  const query = useMemo(() => JSON.parse(settled) as RetentionDraft, [settled])
  const answer = useRetention(query)
  return (
    <ResourceView of={answer} what="figures" lines={8}>
      {(result) => (
        <section class="card" aria-label="Answer">
          <Tabs
            legend="Show"
            small
            value={shown}
            options={{ share: 'Share', persons: 'Persons' }}
            onChange={setShown}
          />
          <RetentionTable result={result} asPersons={shown === 'persons'} />
        </section>
      )}
    </ResourceView>
  )
}

/** The answer to a draft that names both events. */
export function useRetention(draft: RetentionDraft) {
  return useResource(JSON.stringify(draft), (signal) =>
    unwrap(api.POST('/events/retention', { body: retentionBody(draft, Date.now()), signal })),
  )
}
