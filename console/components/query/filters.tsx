import './query.css'
import { Combobox } from '../controls/combobox'
import { Select } from '../controls/select'
import { useFocusAdded } from '../controls/use-focus-added'
import { type DraftFilter, OPERATORS } from './filter-draft'
import { type EventProperty, propertyOptions, valueOptions } from './suggestions'

export function Filters(props: {
  readonly filters: readonly DraftFilter[]
  readonly properties: readonly EventProperty[]
  readonly onChange: (filters: readonly DraftFilter[]) => void
}) {
  const { filters, properties, onChange } = props
  const change = (index: number, changes: Partial<DraftFilter>): void =>
    onChange(filters.map((filter, at) => (at === index ? { ...filter, ...changes } : filter)))
  const list = useFocusAdded<HTMLUListElement>(filters.length, filters.at(-1)?.property === '')
  if (filters.length === 0) return null
  return (
    <div class="field filter-box">
      <span class="legend">Filters</span>
      <ul role="list" class="filters" ref={list}>
        {filters.map((filter, index) => (
          <li key={index} class="filter">
            <Combobox
              label="Property"
              hideLabel
              value={filter.property}
              choices={propertyOptions(properties)}
              placeholder="property"
              onChange={(property) => change(index, { property })}
            />
            <Select
              label="Operator"
              hideLabel
              value={filter.operator}
              options={OPERATORS}
              onChange={(operator) => change(index, { operator })}
            />
            {filter.operator !== 'exists' && filter.operator !== 'not_exists' && (
              <Combobox
                label="Value"
                hideLabel
                value={filter.value}
                choices={valueOptions(properties, filter)}
                placeholder={filter.operator === 'in' ? 'a, b, c' : 'value'}
                onChange={(value) => change(index, { value })}
              />
            )}
            <button
              type="button"
              class="button quiet small"
              onClick={() => onChange(filters.filter((_, at) => at !== index))}
            >
              <span aria-hidden="true">×</span>
              <span class="hidden-text">Remove the filter</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
