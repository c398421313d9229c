import type { Schema } from '../../../client/api'
import { Checkbox } from '../../../components/controls/checkbox'
import { Select } from '../../../components/controls/select'
import { isEventName } from '../../../components/query/event-name'
import { EventNameField } from '../../../components/query/event-name-field'
import type { EventNames } from '../../../components/query/suggestions'
import { type ExperimentDraft, effectOf, numberOf, shareOf, targetBody } from './experiment-draft'
import { EffectSlider, PowerAnswerView } from './planner'
import type { ProblemAt } from './problems'

/** How many persons the experiment is to have. */
export function PlanningFields(props: {
  readonly draft: ExperimentDraft
  readonly names: EventNames
  readonly problemAt: ProblemAt
  readonly change: (changes: Partial<ExperimentDraft>) => void
}) {
  const { draft, problemAt, change } = props
  return (
    <section class="card" aria-label="Planning">
      <h2>Planning</h2>
      <Checkbox checked={draft.isPlanned} onChange={(isPlanned) => change({ isPlanned })}>
        Say how long it has to run
      </Checkbox>
      {draft.isPlanned && (
        <>
          <div class="columns">
            <EffectSlider
              percent={draft.minimumEffect}
              problem={problemAt('/sizing/minimumEffect')}
              onChange={(minimumEffect) => change({ minimumEffect })}
            />
            <EventNameField
              label="Event of those who take part"
              value={draft.exposureEvent}
              names={props.names}
              hint="Such as the view of the page that it changes. Its last 28 days tell how many come."
              problem={problemAt('/sizing/exposureEvent')}
              onChange={(exposureEvent) => change({ exposureEvent })}
            />
            <Select
              label="Chance to find the effect"
              value={draft.power}
              options={
                ['80', '90', '95'].includes(draft.power)
                  ? POWERS
                  : { ...POWERS, [draft.power]: `${draft.power}%` }
              }
              onChange={(power) => change({ power })}
            />
          </div>
          <PowerAnswerView
            question={questionOf(draft)}
            hint="With a primary target and the event of those who take part, this tells how many persons and days it needs."
          />
        </>
      )}
    </section>
  )
}

const POWERS: Readonly<Record<string, string>> = { 80: '80%', 90: '90%', 95: '95%' }

/** Undefined while a name or a share is missing. */
function questionOf(draft: ExperimentDraft): Schema<'PowerQuestion'> | undefined {
  const [primary] = draft.targets
  const splits = draft.variants.map(({ trafficSplit }) => numberOf(trafficSplit))
  const isSplit = splits.reduce((sum, split) => sum + split, 0) === 100
  if (primary === undefined || !isEventName(primary.eventName) || !isSplit) return undefined
  if (!isEventName(draft.exposureEvent) || (primary.isMean && primary.property === '')) return undefined
  const { eventName, filters, windowHours, metric } = targetBody(primary)
  return {
    target: {
      eventName,
      ...(filters === undefined ? {} : { filters }),
      ...(windowHours === undefined ? {} : { windowHours }),
      ...(metric === undefined ? {} : { metric }),
    },
    splits,
    minimumEffect: effectOf(draft),
    power: shareOf(draft.power),
    ...(draft.alpha === undefined ? {} : { alpha: draft.alpha }),
    exposureEvent: draft.exposureEvent,
  }
}
