import './results.css'
import { formatCount } from '../../../../domain/text/format.js'
import type { Schema } from '../../../client/api'
import { Fact } from '../../../components/text/fact'
import { Time } from '../../../components/text/time'
import { dataQualityNotes } from './data-quality'
import { TargetIntervals } from './target-intervals'

type Variant = Pick<Schema<'Variant'>, 'key' | 'displayName'>

const STATES = {
  no_data: ['No data yet', ''],
  collecting: ['Collecting', 'warn'],
  ready: ['Enough to read', 'good'],
} as const

export function ResultsView(props: {
  readonly results: Schema<'Results'>
  readonly variants: readonly Variant[]
  readonly targets: readonly Pick<Schema<'ConversionTarget'>, 'name'>[]
  readonly frozen?: boolean
}) {
  const { results, variants } = props
  const variantName = (key: string): string => variants.find((one) => one.key === key)?.displayName ?? key
  return (
    <div class="stack">
      {/* Evidence of earlier versions has none. */}
      {results.verdict !== undefined && (
        <p>
          <strong>{results.verdict.text}</strong>
        </p>
      )}
      <dl class="facts">
        <Fact name="Persons exposed" class="big">
          {formatCount(results.exposed)}
        </Fact>
        <Fact name="State">
          <span class={`badge ${results.srm.ok ? STATES[results.state][1] : 'bad'}`}>
            {results.srm.ok ? STATES[results.state][0] : 'Not to be trusted'}
          </span>
        </Fact>
        <Fact name={props.frozen === true ? 'Frozen' : 'As of'}>
          <Time at={results.asOf} />
        </Fact>
      </dl>
      <ul role="list" class="remarks" aria-label="Quality of the data">
        {dataQualityNotes(results).map(({ tone, text }) => (
          <li key={text} class={tone}>
            {text}
          </li>
        ))}
      </ul>
      {results.state !== 'no_data' &&
        results.targets.map((target, index) => (
          <section key={`${target.eventName}-${index}`} class="card" aria-label={`Target ${index + 1}`}>
            <div class="row">
              <h3>
                <bdi>{props.targets[index]?.name ?? target.eventName}</bdi>
              </h3>
              <span class="badge plain">{target.primary ? 'Primary' : 'Secondary'}</span>
              {target.direction === 'decrease' && <span class="badge plain">Less is better</span>}
            </div>
            <TargetIntervals target={target} variantName={variantName} />
          </section>
        ))}
      {results.state !== 'no_data' && (
        <p class="hint">
          Lift is relative to the control. The thick line is its 95% interval if you look once; the thin one
          holds however often you look. If a line leaves out 0, the difference is unlikely to be chance.
        </p>
      )}
    </div>
  )
}
