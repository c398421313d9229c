import { Combobox } from '../../components/controls/combobox'
import { GuardedButton } from '../../components/controls/guarded-button'
import { Select } from '../../components/controls/select'
import { useFocusAdded } from '../../components/controls/use-focus-added'
import { EventNameField } from '../../components/query/event-name-field'
import { emptyFilter } from '../../components/query/filter-draft'
import { Filters } from '../../components/query/filters'
import { type EventNames, type EventProperty, propertyOptions } from '../../components/query/suggestions'
import {
  emptySeries,
  MAX_SERIES,
  MEASURES,
  needsProperty,
  type SeriesDraft,
  type TrendsDraft,
} from '../insights/trends-draft'

export function SeriesList(props: {
  readonly draft: TrendsDraft
  readonly names: EventNames
  readonly properties: ReadonlyMap<string, readonly EventProperty[]>
  readonly onChange: (changes: Partial<TrendsDraft>) => void
}) {
  const { names, properties, onChange } = props
  const { series } = props.draft
  const list = useFocusAdded<HTMLOListElement>(series.length, series.at(-1)?.eventName === '')
  return (
    <div class="stack tight">
      <ol role="list" class="steps" ref={list}>
        {series.map((one, index) => (
          <SeriesItem
            key={index}
            series={one}
            label={series.length === 1 ? 'Event' : `Event ${index + 1}`}
            isOnly={series.length === 1}
            names={names}
            properties={properties.get(one.eventName) ?? []}
            change={(changes) =>
              onChange({ series: series.map((each, at) => (at === index ? { ...each, ...changes } : each)) })
            }
            remove={() => onChange({ series: series.filter((_, at) => at !== index) })}
          />
        ))}
      </ol>
      <div class="row">
        <GuardedButton
          reason={series.length >= MAX_SERIES ? `Trends have at most ${MAX_SERIES} series` : undefined}
          onClick={() => onChange({ series: [...series, emptySeries] })}
        >
          Add series
        </GuardedButton>
      </div>
    </div>
  )
}

function SeriesItem(props: {
  readonly series: SeriesDraft
  readonly label: string
  readonly isOnly: boolean
  readonly names: EventNames
  readonly properties: readonly EventProperty[]
  readonly change: (changes: Partial<SeriesDraft>) => void
  readonly remove: () => void
}) {
  const { series, label, properties, change } = props
  const numbers = properties.filter(({ types }) => types.includes('number'))
  return (
    <li class="step">
      <div class="step-line">
        <EventNameField
          label={label}
          value={series.eventName}
          names={props.names}
          onChange={(eventName) => change({ eventName })}
        />
        {!props.isOnly && (
          <div class="step-tools">
            <button type="button" class="button quiet small" onClick={props.remove}>
              <span aria-hidden="true">×</span>
              <span class="hidden-text">Remove {series.eventName || 'empty series'}</span>
            </button>
          </div>
        )}
      </div>
      <div class="step-more">
        <div class="measure">
          <Select
            label={`Measure of ${series.eventName || label}`}
            hideLabel
            value={series.measure}
            options={MEASURES}
            onChange={(measure) => change({ measure, ...(needsProperty(measure) ? {} : { property: '' }) })}
          />
          {needsProperty(series.measure) && (
            <Combobox
              label={`Property to measure of ${series.eventName || label}`}
              hideLabel
              value={series.property}
              choices={propertyOptions(numbers)}
              placeholder="number property"
              onChange={(property) => change({ property })}
            />
          )}
        </div>
        <Filters
          filters={series.filters}
          properties={properties}
          onChange={(filters) => change({ filters })}
        />
        <div class="row">
          <button
            type="button"
            class="button quiet small"
            onClick={() => change({ filters: [...series.filters, emptyFilter] })}
          >
            Add filter<span class="hidden-text"> on {series.eventName || label}</span>
          </button>
        </div>
      </div>
    </li>
  )
}
