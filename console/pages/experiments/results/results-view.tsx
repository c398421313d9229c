import './results.css'
import type { Schema } from '../../../client/api'
import { isComparable } from './comparable'
import { dataQualityNotes } from './data-quality'
import { TargetCard } from './target-card'
import { VerdictCard } from './verdict-card'

type Results = Schema<'Results'>

export interface NamedResults {
  readonly results: Results
  readonly variants: readonly Pick<Schema<'Variant'>, 'key' | 'displayName'>[]
  readonly targets: readonly Pick<Schema<'ConversionTarget'>, 'name'>[]
}

const variantNames =
  ({ variants }: Pick<NamedResults, 'variants'>) =>
  (key: string): string =>
    variants.find((one) => one.key === key)?.displayName ?? key

export function VerdictView(
  props: NamedResults & {
    readonly sizing: Schema<'ExperimentDetail'>['sizing']
    readonly refreshSeconds: number | undefined
  },
) {
  const { results, targets, sizing, refreshSeconds } = props
  const primary = results.targets.findIndex((target) => target.primary)
  return (
    <VerdictCard
      results={results}
      targetName={targets[primary]?.name ?? results.targets[primary]?.eventName ?? ''}
      variantName={variantNames(props)}
      sizing={sizing}
      refreshSeconds={refreshSeconds}
    />
  )
}

/** The figures of one kind of targets: the primary one, or all others. */
export function Targets(props: NamedResults & { readonly primary: boolean }) {
  const { results, targets, primary } = props
  if (results.state === 'no_data') return null
  return (
    <>
      {results.targets.map(
        (target, index) =>
          target.primary === primary && (
            <TargetCard
              key={`${target.eventName}-${index}`}
              target={target}
              name={targets[index]?.name ?? target.eventName}
              variantName={variantNames(props)}
            />
          ),
      )}
      {primary && results.targets.some((target) => target.primary && isComparable(target)) && (
        <p class="hint">
          Lift is relative to the control. The thick line is its 95% interval if you look once; the thin one
          holds however often you look. If a line leaves out 0, the difference is unlikely to be chance.
        </p>
      )}
    </>
  )
}

export function DataQualityNotes({ results }: { readonly results: Results }) {
  return (
    <ul role="list" class="remarks" aria-label="Quality of the data">
      {dataQualityNotes(results).map(({ tone, text }) => (
        <li key={text} class={tone}>
          {text}
        </li>
      ))}
    </ul>
  )
}

/** All of the results that a learning froze. */
export function FrozenResultsView(props: NamedResults) {
  return (
    <div class="stack">
      <VerdictView {...props} sizing={null} refreshSeconds={undefined} />
      <Targets {...props} primary />
      <Targets {...props} primary={false} />
      <DataQualityNotes results={props.results} />
    </div>
  )
}
