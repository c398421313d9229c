import { Checkbox } from '../../components/controls/checkbox'
import { Combobox } from '../../components/controls/combobox'
import { Select } from '../../components/controls/select'
import { TimeRange } from '../../components/controls/time-range'
import { emptyFilter } from '../../components/query/filter-draft'
import { Filters } from '../../components/query/filters'
import { type EventProperty, propertyOptions } from '../../components/query/suggestions'
import { INTERVALS, type TrendsDraft } from '../insights/trends-draft'

const LIMITS = [3, 5, 8, 25, 50]

export function TrendsQueryFields(props: {
  readonly draft: TrendsDraft
  readonly properties: readonly EventProperty[]
  readonly onChange: (changes: Partial<TrendsDraft>) => void
}) {
  const { draft, properties, onChange } = props
  return (
    <div class="stack">
      <div class="toolbar">
        <div class="full">
          <TimeRange value={draft} onChange={({ days, from, to }) => onChange({ days, from, to })} />
        </div>
        <Select
          label="Interval"
          value={draft.interval}
          options={INTERVALS}
          onChange={(interval) => onChange({ interval })}
        />
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
            options={[...new Set([...LIMITS, draft.limit])]
              .sort((a, b) => a - b)
              .map((limit) => [String(limit), `Largest ${limit}`] as const)}
            onChange={(limit) => onChange({ limit: Number(limit) })}
          />
        )}
      </div>
      <Checkbox checked={draft.compare} onChange={(compare) => onChange({ compare })}>
        Compare with the period before
      </Checkbox>
      <Filters
        filters={draft.filters}
        properties={properties}
        onChange={(filters) => onChange({ filters })}
      />
      <div class="row">
        <button
          type="button"
          class="button small"
          onClick={() => onChange({ filters: [...draft.filters, emptyFilter] })}
        >
          Add filter on all series
        </button>
      </div>
    </div>
  )
}
