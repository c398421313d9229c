import { useState } from 'preact/hooks'
import type { Schema } from '../../client/api'
import { EffectSlider, PowerAnswerView } from './form/planner'
import { mayGainPersons, powerQuestion } from './power-question'

const DEFAULT_PERCENT = '10'

/** How long the experiment takes for an effect of a size, before it starts and while it runs. */
export function Planning({ experiment }: { readonly experiment: Schema<'ExperimentDetail'> }) {
  const { sizing, startedAt } = experiment
  const [percent, setPercent] = useState(
    sizing === null ? DEFAULT_PERCENT : `${Number((Math.abs(sizing.minimumEffect) * 100).toPrecision(3))}`,
  )
  if (!mayGainPersons(experiment)) return null
  return (
    <section class="section">
      <h2>How long it takes</h2>
      <div class="card">
        <EffectSlider percent={percent} onChange={setPercent} />
        <PowerAnswerView
          question={powerQuestion(experiment, Number(percent) / 100, Date.now())}
          hint={
            startedAt === null
              ? 'Edit the experiment and name the event of those who take part: its figures tell how long it takes.'
              : 'Once the control has a hundred persons and some conversions, its own figures tell how long it takes.'
          }
        />
      </div>
    </section>
  )
}
