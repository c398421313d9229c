import { formatChange, formatPercent, pluralize } from '../../../../domain/text/format.js'
import type { Schema } from '../../../client/api'
import { Time } from '../../../components/text/time'
import { isComparable } from './comparable'
import { dataQualityNotes } from './data-quality'

type Results = Schema<'Results'>
type Sizing = Schema<'ExperimentDetail'>['sizing']

const TONES: Readonly<Record<Results['verdict']['code'], string>> = {
  not_started: '',
  no_data: '',
  collecting: '',
  undecided: '',
  no_difference: '',
  winner: 'good',
  loser: 'bad',
  harmed: 'bad',
  broken_split: 'bad',
}

/** The verdict in one sentence, and the lift behind it. */
export function VerdictCard(props: {
  readonly results: Results
  readonly targetName: string
  readonly variantName: (variant: string) => string
  readonly sizing: Sizing
  /** Seconds from one refresh to the next; undefined if the results are final. */
  readonly refreshSeconds: number | undefined
}) {
  const { results, sizing, refreshSeconds } = props
  const { exposed } = results
  // Evidence of earlier versions has none.
  const verdict: Results['verdict'] | undefined = results.verdict
  const primary = results.targets.find((target) => target.primary)
  return (
    <section class={`card verdict ${TONES[verdict?.code ?? 'undecided']}`} aria-label="Verdict">
      {verdict !== undefined && <p class="verdict-text">{verdict.text}</p>}
      {primary !== undefined && results.srm.ok && isComparable(primary) && (
        <ul role="list">
          {primary.variants.map(({ key, vsControl }) =>
            vsControl?.lift == null ? null : (
              <li key={key}>
                <bdi>{props.variantName(key)}</bdi>: <strong>{formatChange(vsControl.lift)}</strong>{' '}
                <bdi>{props.targetName}</bdi>
                {vsControl.liftCi !== null && (
                  <span class="muted">
                    , most likely between {formatChange(vsControl.liftCi[0])} and{' '}
                    {formatChange(vsControl.liftCi[1])}
                  </span>
                )}
              </li>
            ),
          )}
        </ul>
      )}
      {dataQualityNotes(results)
        .filter(({ tone }) => tone === 'bad')
        .map(({ text }) => (
          <p key={text}>{text}</p>
        ))}
      <Progress sizing={isOpen(verdict?.code) ? sizing : null} exposed={exposed} />
      <p class="small muted">
        {refreshSeconds === undefined ? (
          <>
            Frozen <Time at={results.asOf} />
          </>
        ) : (
          <>
            As of <Time at={results.asOf} as="clock" />, refreshed every {refreshSeconds} seconds
          </>
        )}
      </p>
    </section>
  )
}

/** Whether more persons may change the verdict. */
function isOpen(code: Results['verdict']['code'] | undefined): boolean {
  return code === 'no_data' || code === 'collecting' || code === 'undecided'
}

function Progress(props: { readonly sizing: Sizing; readonly exposed: number }) {
  const { sizing, exposed } = props
  // The verdict says that there are no persons.
  if (sizing?.personsNeeded == null) return exposed === 0 ? null : <p>{persons(exposed)} took part.</p>
  const { personsSoFar, personsNeeded, daysLeft } = sizing
  const share = Math.min(1, personsSoFar / personsNeeded)
  return (
    <div class="stack tight">
      <p>
        {daysLeft !== null && daysLeft > 0 && (
          <>
            <strong>About {pluralize(daysLeft, 'day')} left</strong>:{' '}
          </>
        )}
        {formatPercent(share)} of the {persons(personsNeeded)} that it needs took part.
      </p>
      <progress class="sizing" value={share} max={1} aria-label="Persons of those that it needs" />
    </div>
  )
}

const persons = (count: number): string => pluralize(count, 'person', 'persons')
