import { type Choice, Combobox } from '../../parts/combobox'
import { Field } from '../../parts/field'
import { type Draft, emptyStep, type Step } from './draft'
import { emptyFilter, Filters } from './filters'

const MOST_STEPS = 20

export function Steps(props: {
  readonly draft: Draft
  readonly names: readonly Choice[]
  readonly properties: readonly Choice[]
  readonly onChange: (changes: Partial<Draft>) => void
}) {
  const { names, properties, onChange } = props
  const { steps } = props.draft
  const put = (next: readonly Step[]): void => onChange({ steps: next })
  const change = (index: number, changes: Partial<Step>): void =>
    put(steps.map((step, at) => (at === index ? { ...step, ...changes } : step)))
  const swap = (a: number, b: number): void => {
    const next = [...steps]
    const [one, other] = [next[a], next[b]]
    if (one === undefined || other === undefined) return
    next[a] = other
    next[b] = one
    put(next)
  }

  return (
    <div class="stack tight">
      <ol role="list" class="steps">
        {steps.map((step, index) => (
          <li key={index} class="step">
            <div class="step-line">
              <Combobox
                label={`Step ${index + 1}`}
                value={step.eventName}
                choices={names}
                placeholder="event name"
                onChange={(eventName) => change(index, { eventName })}
              />
              <div class="step-tools">
                <button
                  type="button"
                  class="button quiet small"
                  disabled={index === 0}
                  onClick={() => swap(index, index - 1)}
                >
                  <span aria-hidden="true">↑</span>
                  <span class="hidden-text">Move {step.eventName || 'empty step'} up</span>
                </button>
                <button
                  type="button"
                  class="button quiet small"
                  disabled={index === steps.length - 1}
                  onClick={() => swap(index, index + 1)}
                >
                  <span aria-hidden="true">↓</span>
                  <span class="hidden-text">Move {step.eventName || 'empty step'} down</span>
                </button>
                <button
                  type="button"
                  class="button quiet small"
                  disabled={steps.length === 1}
                  onClick={() => put(steps.filter((_, at) => at !== index))}
                >
                  <span aria-hidden="true">×</span>
                  <span class="hidden-text">Remove {step.eventName || 'empty step'}</span>
                </button>
              </div>
            </div>
            {step.eventName !== '' && (
              <div class="step-more">
                <Filters
                  filters={step.filters}
                  properties={properties}
                  onChange={(filters) => change(index, { filters })}
                />
                {step.name !== '' && (
                  <Field
                    label="Shown as"
                    value={step.name.trimStart()}
                    maxLength={200}
                    onChange={(name) => change(index, { name })}
                  />
                )}
                <div class="row">
                  <button
                    type="button"
                    class="button quiet small"
                    onClick={() => change(index, { filters: [...step.filters, emptyFilter] })}
                  >
                    Where…<span class="hidden-text"> for {step.eventName}</span>
                  </button>
                  {step.name === '' && (
                    <button
                      type="button"
                      class="button quiet small"
                      onClick={() => change(index, { name: step.eventName })}
                    >
                      Rename<span class="hidden-text"> {step.eventName}</span>
                    </button>
                  )}
                </div>
              </div>
            )}
          </li>
        ))}
      </ol>
      <div class="row">
        <button
          type="button"
          class="button"
          disabled={steps.length >= MOST_STEPS}
          onClick={() => put([...steps, emptyStep])}
        >
          Add step
        </button>
      </div>
    </div>
  )
}
