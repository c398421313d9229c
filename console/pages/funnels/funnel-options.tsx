import { useId } from 'preact/hooks'
import { api, unwrap } from '../../client/api'
import { useResource } from '../../client/resource'
import { Combobox } from '../../components/controls/combobox'
import { Field } from '../../components/controls/field'
import { GuardedButton } from '../../components/controls/guarded-button'
import { Select } from '../../components/controls/select'
import { TimeRange } from '../../components/controls/time-range'
import { useFocusAdded } from '../../components/controls/use-focus-added'
import { EventNameField } from '../../components/query/event-name-field'
import { emptyFilter } from '../../components/query/filter-draft'
import { Filters } from '../../components/query/filters'
import { type EventNames, type EventProperty, propertyOptions } from '../../components/query/suggestions'
import { type FunnelDraft, namedSteps } from '../insights/funnel-draft'
import { INTERVALS } from '../insights/trends-draft'

const UNITS = [
  ['86400', 'days'],
  ['3600', 'hours'],
  ['60', 'minutes'],
  ['1', 'seconds'],
] as const
type Unit = (typeof UNITS)[number][0]

export function FunnelOptions(props: {
  readonly draft: FunnelDraft
  readonly names: EventNames
  readonly properties: readonly EventProperty[]
  readonly onChange: (changes: Partial<FunnelDraft>) => void
}) {
  const { draft, onChange, properties } = props
  return (
    <div class="stack">
      <div class="toolbar">
        <div class="full">
          <TimeRange value={draft} onChange={({ days, from, to }) => onChange({ days, from, to })} />
        </div>
        <ConversionWindow
          seconds={draft.windowSeconds}
          onChange={(windowSeconds) => onChange({ windowSeconds })}
        />
        <Select
          label="Order"
          value={draft.order}
          options={{ ordered: 'In order', strict: 'Strict', any: 'Any order' }}
          onChange={(order) => onChange({ order })}
        />
        <Select
          label="Trend"
          value={draft.interval}
          options={{ '': 'None', ...INTERVALS }}
          onChange={(interval) => onChange({ interval })}
        />
        <div class="full">
          <ExperimentChoice draft={draft} onChange={onChange} />
        </div>
        <BreakdownOptions draft={draft} properties={properties} onChange={onChange} />
      </div>
      <Filters
        filters={draft.filters}
        properties={properties}
        onChange={(filters) => onChange({ filters })}
      />
      <Exclusions {...props} />
      <div class="row">
        <button
          type="button"
          class="button small"
          onClick={() => onChange({ filters: [...draft.filters, emptyFilter] })}
        >
          Add filter
        </button>
        <GuardedButton
          small
          reason={namedSteps(draft).length < 2 ? 'An exclusion needs two steps with an event' : undefined}
          onClick={() =>
            onChange({
              exclusions: [
                ...draft.exclusions,
                { eventName: '', fromStep: 0, toStep: namedSteps(draft).length - 1 },
              ],
            })
          }
        >
          Add exclusion
        </GuardedButton>
      </div>
    </div>
  )
}

/** The property of the breakdown and its number of values. An experiment breaks down by its variants. */
function BreakdownOptions(props: {
  readonly draft: FunnelDraft
  readonly properties: readonly EventProperty[]
  readonly onChange: (changes: Partial<FunnelDraft>) => void
}) {
  const { draft, properties, onChange } = props
  if (draft.experiment !== '') return null
  return (
    <>
      <Combobox
        label="Breakdown"
        value={draft.breakdown}
        choices={propertyOptions(properties)}
        placeholder="property"
        onChange={(breakdown) => onChange({ breakdown })}
      />
      {draft.breakdown !== '' && (
        <Select
          label="Values"
          value={String(draft.limit)}
          options={[...new Set([3, 5, 10, 25, 50, draft.limit])]
            .sort((a, b) => a - b)
            .map((limit) => [String(limit), `Largest ${limit}`] as const)}
          onChange={(limit) => onChange({ limit: Number(limit) })}
        />
      )}
    </>
  )
}

function ConversionWindow(props: { readonly seconds: number; readonly onChange: (seconds: number) => void }) {
  const { seconds } = props
  const id = useId()
  const unit: Unit = UNITS.find(([unit]) => seconds % Number(unit) === 0)?.[0] ?? '1'
  const set = (amount: number, by: Unit): void => {
    const next = Math.round(amount * Number(by))
    if (next >= 1 && next <= 7_776_000) props.onChange(next)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset legend cannot be placed in a grid
    <div class="field" role="group" aria-labelledby={id}>
      <span class="legend" id={id}>
        Conversion window
      </span>
      <div class="pair">
        <Field
          label="Length of the conversion window"
          hideLabel
          type="number"
          value={String(seconds / Number(unit))}
          onChange={(text) => set(Number(text), unit)}
        />
        <Select
          label="Unit of the conversion window"
          hideLabel
          value={unit}
          options={UNITS}
          onChange={(next) => set(seconds / Number(unit), next)}
        />
      </div>
    </div>
  )
}

function ExperimentChoice(props: {
  readonly draft: FunnelDraft
  readonly onChange: (changes: Partial<FunnelDraft>) => void
}) {
  const { experiment } = props.draft
  const { data } = useResource('experiments', async (signal) => {
    const query = { status: 'running,paused,ended,settling,shipped,rejected,concluded', limit: 200 }
    const { data } = await unwrap(api.GET('/experiments', { params: { query }, signal }))
    return data.map(({ key, name }) => [key, name] as const)
  })
  const known = data ?? []
  const options = known.some(([key]) => key === experiment)
    ? known
    : [...known, [experiment, experiment] as const]
  return (
    <Select
      label="Breakdown by variant of"
      value={experiment}
      options={[['', 'No experiment'], ...options.filter(([key]) => key !== '')]}
      onChange={(key) => props.onChange({ experiment: key, ...(key === '' ? {} : { breakdown: '' }) })}
    />
  )
}

function Exclusions(props: {
  readonly draft: FunnelDraft
  readonly names: EventNames
  readonly onChange: (changes: Partial<FunnelDraft>) => void
}) {
  const { draft, names, onChange } = props
  const steps = namedSteps(draft).map(
    ({ name, eventName }, index) => [String(index), `${index + 1}. ${name || eventName}`] as const,
  )
  const change = (index: number, changes: Partial<FunnelDraft['exclusions'][number]>): void =>
    onChange({
      exclusions: draft.exclusions.map((exclusion, at) =>
        at === index ? { ...exclusion, ...changes } : exclusion,
      ),
    })
  const list = useFocusAdded<HTMLUListElement>(
    draft.exclusions.length,
    draft.exclusions.at(-1)?.eventName === '',
  )
  if (draft.exclusions.length === 0) return null
  return (
    <ul role="list" class="filters" ref={list}>
      {draft.exclusions.map((exclusion, index) => (
        <li key={index} class="filter exclusion">
          <EventNameField
            label="Exclusion"
            value={exclusion.eventName}
            names={names}
            onChange={(eventName) => change(index, { eventName })}
          />
          <Select
            label="After step"
            value={String(exclusion.fromStep)}
            options={steps.slice(0, -1)}
            onChange={(text) => change(index, { fromStep: Number(text) })}
          />
          <Select
            label="Before step"
            value={String(exclusion.toStep)}
            options={steps.slice(1)}
            onChange={(text) => change(index, { toStep: Number(text) })}
          />
          <button
            type="button"
            class="button quiet small"
            onClick={() => onChange({ exclusions: draft.exclusions.filter((_, at) => at !== index) })}
          >
            <span aria-hidden="true">×</span>
            <span class="hidden-text">Remove the exclusion</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
