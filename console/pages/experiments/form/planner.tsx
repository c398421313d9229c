import './planner.css'
import { useId } from 'preact/hooks'
import { formatCount, formatPercent, pluralize } from '../../../../domain/text/format.js'
import { api, type Schema, unwrap } from '../../../client/api'
import { useResource } from '../../../client/resource'
import { useDebounced } from '../../../components/controls/use-debounced'
import { DataTable } from '../../../components/data-table'
import { formatNumber } from '../../../components/text/format'

type PowerQuestion = Schema<'PowerQuestion'>
type PowerAnswer = Schema<'PowerAnswer'>

const TYPING_MS = 300
const MAX_EFFECT = 50

/** A slider of the smallest effect worth finding, in percent. */
export function EffectSlider(props: {
  readonly percent: string
  readonly problem?: string | undefined
  readonly onChange: (percent: string) => void
}) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>Smallest effect worth finding</label>
      <div class="slider">
        <input
          id={id}
          type="range"
          min={1}
          max={MAX_EFFECT}
          step={0.5}
          value={props.percent}
          aria-valuetext={`${props.percent} percent`}
          aria-describedby={`${id}-hint`}
          onInput={(event) => props.onChange(event.currentTarget.value)}
        />
        <output for={id} class="number">
          {props.percent}%
        </output>
      </div>
      <p id={`${id}-hint`} class={props.problem === undefined ? 'hint' : 'problem'}>
        {props.problem ??
          'Of the control’s figure: 10% lifts a rate of 5% to 5.5%. Smaller effects need more persons.'}
      </p>
    </div>
  )
}

/** Persons and days that the effect needs, from the workspace's own figures. */
export function PowerAnswerView(props: {
  /** Undefined while something is missing; `hint` says what. */
  readonly question: PowerQuestion | undefined
  readonly hint: string
}) {
  const key = useDebounced(props.question === undefined ? null : JSON.stringify(props.question), TYPING_MS)
  const answer = useResource(key, (signal) =>
    unwrap(api.POST('/experiments/power', { body: JSON.parse(key ?? '') as PowerQuestion, signal })),
  )
  if (props.question === undefined) return <p class="muted">{props.hint}</p>
  if (answer.failure !== undefined)
    return (
      <p class="notice warn" role="status">
        {answer.failure.details.length === 0
          ? answer.failure.message
          : answer.failure.details.map(({ message }) => message).join('. ')}
      </p>
    )
  if (answer.data === undefined) return <p class="muted">Computing…</p>
  return (
    <div class={answer.loading ? 'stack busy' : 'stack'} aria-busy={answer.loading}>
      <Answer answer={answer.data} />
    </div>
  )
}

function Answer({ answer }: { readonly answer: PowerAnswer }) {
  const { personsTotal, personsPerVariant, days, baseline, detectable } = answer
  const each = new Set(personsPerVariant).size === 1
  const { rate, mean, persons, personsPerDay } = baseline
  return (
    <>
      <p role="status" class="planned">
        <strong>{pluralize(personsTotal, 'person', 'persons')}</strong>
        {each &&
          personsPerVariant[0] !== undefined &&
          `, ${formatCount(personsPerVariant[0])} for each variant`}
        {days !== null && (
          <>
            : <strong>about {pluralize(days, 'day')}</strong>
          </>
        )}
        .
      </p>
      <p class="small muted">
        {persons !== null && `From ${pluralize(persons, 'person', 'persons')} of the last 28 days: `}
        {rate !== undefined && `${formatPercent(rate)} convert`}
        {mean !== undefined && `the mean is ${formatNumber(mean)}`}
        {personsPerDay !== null && `, about ${formatCount(personsPerDay)} persons come a day`}.
      </p>
      {detectable.length > 0 && (
        <DataTable
          label="Smallest effect that can be found"
          rows={detectable}
          keyOf={({ days: within }) => within}
          columns={[
            { title: 'In', isHeading: true, cell: ({ days: within }) => pluralize(within, 'day') },
            {
              title: 'Finds an effect of at least',
              class: 'number',
              cell: ({ minimumEffect }) => (minimumEffect === null ? 'none' : formatPercent(minimumEffect)),
            },
          ]}
        />
      )}
    </>
  )
}
