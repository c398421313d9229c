import { Field } from '../../components/controls/field'
import { GuardedButton } from '../../components/controls/guarded-button'
import { useFocusAdded } from '../../components/controls/use-focus-added'
import { EventNameField } from '../../components/query/event-name-field'
import { emptyFilter } from '../../components/query/filter-draft'
import { Filters } from '../../components/query/filters'
import type { EventNames, EventProperty } from '../../components/query/suggestions'
import { type DraftStep, emptyStep, type FunnelDraft } from '../insights/funnel-draft'

const MAX_STEPS = 20

export function Steps(props: {
  readonly draft: FunnelDraft
  readonly names: EventNames
  readonly properties: ReadonlyMap<string, readonly EventProperty[]>
  readonly onChange: (changes: Partial<FunnelDraft>) => void
}) {
  const { names, properties, onChange } = props
  const { steps } = props.draft
  const put = (next: readonly DraftStep[]): void => onChange({ steps: next })
  const change = (index: number, changes: Partial<DraftStep>): void =>
    put(steps.map((step, at) => (at === index ? { ...step, ...changes } : step)))
  const swap = (a: number, b: number): void => {
    const next = [...steps]
    const [one, other] = [next[a], next[b]]
    if (one === undefined || other === undefined) return
    next[a] = other
    next[b] = one
    put(next)
  }

  const list = useFocusAdded<HTMLOListElement>(steps.length, steps.at(-1)?.eventName === '')
  return (
    <div class="stack tight">
      <ol role="list" class="steps" ref={list}>
        {steps.map((step, index) => (
          <StepItem
            key={index}
            step={step}
            index={index}
            isLast={index === steps.length - 1}
            names={names}
            properties={properties.get(step.eventName) ?? []}
            change={(changes) => change(index, changes)}
            move={(by) => swap(index, index + by)}
            remove={() => put(steps.filter((_, at) => at !== index))}
          />
        ))}
      </ol>
      <div class="row">
        <GuardedButton
          reason={steps.length >= MAX_STEPS ? `A funnel has at most ${MAX_STEPS} steps` : undefined}
          onClick={() => put([...steps, emptyStep])}
        >
          Add step
        </GuardedButton>
      </div>
    </div>
  )
}

function StepItem(props: {
  readonly step: DraftStep
  readonly index: number
  readonly isLast: boolean
  readonly names: EventNames
  readonly properties: readonly EventProperty[]
  readonly change: (changes: Partial<DraftStep>) => void
  readonly move: (by: 1 | -1) => void
  readonly remove: () => void
}) {
  const { step, index, isLast, change } = props
  const name = step.eventName || 'empty step'
  return (
    <li class="step">
      <div class="step-line">
        <EventNameField
          label={`Step ${index + 1}`}
          value={step.eventName}
          names={props.names}
          onChange={(eventName) => change({ eventName })}
        />
        <div class="step-tools">
          <Tool
            sign="↑"
            label={`Move ${name} up`}
            reason={index === 0 && 'It is the first step'}
            onClick={() => props.move(-1)}
          />
          <Tool
            sign="↓"
            label={`Move ${name} down`}
            reason={isLast && 'It is the last step'}
            onClick={() => props.move(1)}
          />
          <Tool
            sign="×"
            label={`Remove ${name}`}
            reason={isLast && index === 0 && 'A funnel needs a step'}
            onClick={props.remove}
          />
        </div>
      </div>
      {step.eventName !== '' && <StepMore step={step} properties={props.properties} change={change} />}
    </li>
  )
}

function Tool(props: {
  readonly sign: string
  readonly label: string
  readonly reason: string | false
  readonly onClick: () => void
}) {
  return (
    <GuardedButton tone="quiet" small reason={props.reason || undefined} onClick={props.onClick}>
      <span aria-hidden="true">{props.sign}</span>
      <span class="hidden-text">{props.label}</span>
    </GuardedButton>
  )
}

/** Filters and name of a step. */
function StepMore(props: {
  readonly step: DraftStep
  readonly properties: readonly EventProperty[]
  readonly change: (changes: Partial<DraftStep>) => void
}) {
  const { step, change } = props
  return (
    <div class="step-more">
      <Filters
        filters={step.filters}
        properties={props.properties}
        onChange={(filters) => change({ filters })}
      />
      {step.name !== '' && (
        <Field
          label="Shown as"
          value={step.name.trimStart()}
          maxLength={200}
          onChange={(name) => change({ name })}
        />
      )}
      <div class="row">
        <button
          type="button"
          class="button quiet small"
          onClick={() => change({ filters: [...step.filters, emptyFilter] })}
        >
          Add filter<span class="hidden-text"> on {step.eventName}</span>
        </button>
        {step.name === '' && (
          <button type="button" class="button quiet small" onClick={() => change({ name: step.eventName })}>
            Rename<span class="hidden-text"> {step.eventName}</span>
          </button>
        )}
      </div>
    </div>
  )
}
