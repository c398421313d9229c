import { formatCount, formatPercent } from '../../../../domain/text/format.js'
import type { Schema } from '../../../client/api'
import { isComparable } from './comparable'
import { TargetIntervals } from './target-intervals'

type Target = Schema<'TargetResults'>

const GUARDRAIL = {
  ok: ['Not harmed', 'good'],
  harmed: ['Harmed', 'bad'],
  unclear: ['Not clear yet', ''],
} as const

/** The figures of a target: counts alone while they are too few to compare. */
export function TargetCard(props: {
  readonly target: Target
  readonly name: string
  readonly variantName: (variant: string) => string
}) {
  const { target, variantName } = props
  return (
    <section class="card" aria-label={`Target ${props.name}`}>
      <div class="row">
        <h3>
          <bdi>{props.name}</bdi>
        </h3>
        <span class="badge plain">
          {target.role === 'guardrail' ? 'Guardrail' : target.primary ? 'Primary' : 'Secondary'}
        </span>
        {target.direction === 'decrease' && <span class="badge plain">Less is better</span>}
        {target.role === 'guardrail' && <GuardrailStates target={target} variantName={variantName} />}
      </div>
      {target.role === 'guardrail' && (
        <p class="small muted">
          It may become worse by at most {formatPercent(target.margin)} of the control.
        </p>
      )}
      {isComparable(target) ? (
        <TargetIntervals target={target} variantName={variantName} />
      ) : (
        <Counts target={target} variantName={variantName} />
      )}
    </section>
  )
}

function GuardrailStates(props: {
  readonly target: Target
  readonly variantName: (variant: string) => string
}) {
  const judged = props.target.variants.filter(({ guardrail }) => guardrail !== undefined)
  return (
    <>
      {judged.map(({ key, guardrail = 'unclear' }) => (
        <span key={key} class={`badge ${GUARDRAIL[guardrail][1]}`}>
          {judged.length > 1 && `${props.variantName(key)}: `}
          {GUARDRAIL[guardrail][0]}
        </span>
      ))}
    </>
  )
}

function Counts(props: { readonly target: Target; readonly variantName: (variant: string) => string }) {
  return (
    <>
      <dl class="facts">
        {props.target.variants.map(({ key, converted, exposed }) => (
          <div key={key}>
            <dt>
              <bdi>{props.variantName(key)}</bdi>
            </dt>
            <dd class="number">
              {formatCount(converted)} of {formatCount(exposed)} persons
            </dd>
          </div>
        ))}
      </dl>
      <p class="small muted">These are too few to compare the variants.</p>
    </>
  )
}
