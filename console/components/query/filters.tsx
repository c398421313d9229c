import { Combobox, type ComboboxOption } from '../controls/combobox'
import { Field } from '../controls/field'
import { Select } from '../controls/select'
import { type DraftFilter, OPERATORS } from './filter-draft'

export function Filters(props: {
  readonly filters: readonly DraftFilter[]
  readonly properties: readonly ComboboxOption[]
  readonly onChange: (filters: readonly DraftFilter[]) => void
}) {
  const { filters, properties, onChange } = props
  const change = (index: number, changes: Partial<DraftFilter>): void =>
    onChange(filters.map((filter, at) => (at === index ? { ...filter, ...changes } : filter)))
  if (filters.length === 0) return null
  return (
    <ul role="list" class="filters">
      {filters.map((filter, index) => (
        <li key={index} class="filter">
          <Combobox
            label="Property"
            hideLabel
            value={filter.property}
            choices={properties}
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
            <Field
              label="Value"
              hideLabel
              value={filter.value}
              placeholder={filter.operator === 'in' ? 'a, b, c' : 'value'}
              onChange={(value) => change(index, { value })}
            />
          )}
          <button
            type="button"
            class="button quiet small"
            onClick={() => onChange(filters.filter((_, at) => at !== index))}
          >
            Remove<span class="hidden-text"> the filter</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
