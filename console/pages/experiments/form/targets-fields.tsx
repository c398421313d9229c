import { Combobox } from '../../../components/controls/combobox'
import { Field } from '../../../components/controls/field'
import { Select } from '../../../components/controls/select'
import { EventNameField } from '../../../components/query/event-name-field'
import { emptyFilter } from '../../../components/query/filter-draft'
import { Filters } from '../../../components/query/filters'
import {
  type EventNames,
  propertyOptions,
  useMissingNames,
  useProperties,
} from '../../../components/query/suggestions'
import { type DraftTarget, emptyTarget } from './experiment-draft'
import { ListFields } from './list-fields'
import type { ProblemAt } from './problems'

const MAX_TARGETS = 3
const MAX_GUARDRAILS = 5

interface TargetsProps {
  readonly rows: readonly DraftTarget[]
  readonly names: EventNames
  /** In the list that the API gets. */
  readonly offset: number
  readonly problemAt: ProblemAt
  readonly onChange: (rows: readonly DraftTarget[]) => void
}

export function TargetsFields(props: TargetsProps) {
  const problem = props.problemAt('/conversionTargets')
  return (
    <section class="card" aria-label="Targets">
      <h2>Targets</h2>
      <p class="hint">Events that a better variant changes. The first one decides who wins.</p>
      <TargetRows {...props} what="target" min={1} max={MAX_TARGETS} />
      {problem !== undefined && <p class="problem-text small">{problem}</p>}
    </section>
  )
}

export function GuardrailsFields(props: TargetsProps) {
  return (
    <section class="card" aria-label="Guardrails">
      <h2>Guardrails</h2>
      <p class="hint">
        Events that no variant may harm, such as refunds. A harmed guardrail keeps a variant from winning.
      </p>
      <TargetRows {...props} what="guardrail" min={0} max={MAX_GUARDRAILS} />
    </section>
  )
}

function TargetRows(
  props: TargetsProps & {
    readonly what: 'target' | 'guardrail'
    readonly min: number
    readonly max: number
  },
) {
  const { rows, what, offset } = props
  const properties = useProperties(rows.map(({ eventName }) => eventName))
  const { neverReceived } = useMissingNames(
    props.names,
    rows.map(({ eventName }) => eventName).filter((name) => name !== ''),
  )
  return (
    <ListFields {...props} empty={emptyTarget} what={what}>
      {(target, index, change) => (
        <TargetFields
          target={target}
          label={
            what === 'guardrail'
              ? `Guardrail ${index + 1}`
              : index === 0
                ? 'Primary target'
                : `Target ${index + 1}`
          }
          isGuardrail={what === 'guardrail'}
          names={props.names}
          isUnknown={neverReceived.has(target.eventName)}
          properties={properties.get(target.eventName) ?? []}
          problemAt={(path) => props.problemAt(`/conversionTargets/${offset + index}${path}`)}
          change={change}
        />
      )}
    </ListFields>
  )
}

function TargetFields(props: {
  readonly target: DraftTarget
  readonly label: string
  readonly isGuardrail: boolean
  readonly names: EventNames
  readonly isUnknown: boolean
  readonly properties: Parameters<typeof propertyOptions>[0]
  readonly problemAt: ProblemAt
  readonly change: (changes: Partial<DraftTarget>) => void
}) {
  const { target, label, properties, problemAt, change } = props
  return (
    <div class="stack grow">
      <div class="toolbar">
        <div class="wide">
          <EventNameField
            label={label}
            value={target.eventName}
            names={props.names}
            problem={problemAt('/eventName')}
            {...(props.isUnknown ? { hint: 'No event of this name was received yet.' } : {})}
            onChange={(eventName) => change({ eventName })}
          />
        </div>
        <Field
          label="Shown as"
          value={target.name}
          placeholder={target.eventName}
          problem={problemAt('/name')}
          onChange={(name) => change({ name })}
        />
        <Select
          label="Better is"
          value={target.direction}
          options={{ increase: 'More', decrease: 'Less' }}
          onChange={(direction) => change({ direction })}
        />
        <Select
          label="Measured as"
          value={target.isMean ? 'mean' : 'share'}
          options={{ share: 'Share of persons', mean: 'Mean of a property' }}
          onChange={(kind) => change({ isMean: kind === 'mean' })}
        />
        {target.isMean && (
          <Combobox
            label="Property of the mean"
            value={target.property}
            choices={propertyOptions(properties.filter(({ types }) => types.includes('number')))}
            problem={problemAt('/metric/property')}
            onChange={(property) => change({ property })}
          />
        )}
        <Field
          label="Within hours"
          type="number"
          value={target.windowHours}
          placeholder="any time"
          problem={problemAt('/windowHours')}
          onChange={(windowHours) => change({ windowHours })}
        />
        {props.isGuardrail && (
          <Field
            label="Margin, %"
            type="number"
            value={target.margin}
            problem={problemAt('/margin')}
            onChange={(margin) => change({ margin })}
          />
        )}
      </div>
      <TargetFilters target={target} label={label} properties={properties} change={change} />
    </div>
  )
}

function TargetFilters(props: {
  readonly target: DraftTarget
  readonly label: string
  readonly properties: Parameters<typeof propertyOptions>[0]
  readonly change: (changes: Partial<DraftTarget>) => void
}) {
  const { target, label, properties, change } = props
  return (
    <>
      <Filters filters={target.filters} properties={properties} onChange={(filters) => change({ filters })} />
      <div>
        <button
          type="button"
          class="button quiet small"
          onClick={() => change({ filters: [...target.filters, emptyFilter] })}
        >
          Add filter<span class="hidden-text"> to {label}</span>
        </button>
      </div>
    </>
  )
}
