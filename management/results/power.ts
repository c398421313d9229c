import type { ExposureEvent, ResultsTarget } from '../../clickhouse/queries/results/index.js'
import type { Baseline, PowerPlan } from '../../domain/statistics/index.js'
import { validationFailed } from '../domain-errors.js'
import type { Services } from '../services.js'
import { isPossible, type MeasuredBaseline, measureBaseline } from './baseline.js'
import type { MeasureOptions } from './measure-options.js'
import { statistics } from './statistics.js'

/** Days for which the smallest effect is told. */
const HORIZONS = [7, 14, 28] as const

export interface PowerQuestion extends Omit<PowerPlan, 'baseline'> {
  readonly target: ResultsTarget
  /** The persons are measured by this event, or given by `baseline`. */
  readonly from: ExposureEvent | Baseline
  readonly personsPerDay: number | undefined
}

export interface PowerAnswer {
  /** Undefined if the baseline was given. */
  readonly measured: MeasuredBaseline | undefined
  readonly baseline: Baseline
  readonly personsPerDay: number | null
  /** In the order of the splits. */
  readonly personsPerVariant: readonly number[]
  readonly personsTotal: number
  readonly days: number | null
  readonly detectable: readonly { readonly days: number; readonly minimumEffect: number | null }[]
}

/**
 * Persons and days that an experiment needs.
 *
 * @throws DomainError VALIDATION_FAILED if no effect can be found from that baseline
 * @throws ClickHouseError
 */
export async function answerPower(
  services: Services,
  workspaceId: string,
  { target, from, splits, minimumEffect, personsPerDay: given, ...levels }: PowerQuestion,
  options: MeasureOptions,
): Promise<PowerAnswer> {
  const measured =
    'eventName' in from
      ? await measureBaseline(services, workspaceId, from, target, services.now(), options)
      : undefined
  const baseline = 'eventName' in from ? measured?.figures : from
  if (baseline === undefined) throw validationFailed([whyNone(measured, target)])
  if (!isPossible(baseline, minimumEffect)) {
    const { rate } = baseline as { readonly rate: number }
    throw validationFailed([
      {
        path: '/minimumEffect',
        message: `is too large for a rate of ${rate}: at most ${1 / rate - 1} is possible`,
      },
    ])
  }
  const { detectableEffect, personsNeeded } = await statistics()
  const plan = { ...levels, splits, baseline }
  const personsPerVariant = personsNeeded({ ...plan, minimumEffect })
  const personsTotal = personsPerVariant.reduce((total, persons) => total + persons, 0)
  const personsPerDay = given ?? measured?.personsPerDay ?? null
  return {
    measured,
    baseline,
    personsPerDay,
    personsPerVariant,
    personsTotal,
    days: personsPerDay === null ? null : Math.ceil(personsTotal / personsPerDay),
    detectable:
      personsPerDay === null
        ? []
        : HORIZONS.map((days) => ({ days, minimumEffect: detectableEffect(plan, days * personsPerDay) })),
  }
}

function whyNone(measured: MeasuredBaseline | undefined, { eventName, metric }: ResultsTarget) {
  if (measured === undefined || measured.persons === 0)
    return {
      path: '/exposureEvent',
      message: 'was received from no person in the last 28 days: give a baseline instead',
    }
  const why =
    metric?.type === 'mean'
      ? `has no values above 0 that differ, for the ${measured.persons} persons`
      : `was received from none or all of the ${measured.persons} persons`
  return {
    path: '/target/eventName',
    message: `${why} of the exposure event in the last 28 days: give a baseline instead of measuring ${eventName}`,
  }
}
