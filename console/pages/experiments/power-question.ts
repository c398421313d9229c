import type { components } from '../../../contract/operations.js'

type Schemas = components['schemas']
type Experiment = Pick<
  Schemas['ExperimentDetail'],
  'status' | 'conversionTargets' | 'variants' | 'results' | 'sizing' | 'startedAt'
>

const DAY_MS = 86_400_000
const MIN_PERSONS = 100

/** Whether more persons may still take part. */
export function mayGainPersons({ status }: Pick<Experiment, 'status'>): boolean {
  return ['proposed', 'approved', 'generating_pr', 'pr_open', 'ready', 'running', 'paused'].includes(status)
}

/**
 * The question for the power of an experiment: from the control's own figures while it runs, else from the
 * event of those who will take part. Undefined while there is neither.
 *
 * @param now milliseconds
 */
export function powerQuestion(
  { conversionTargets, variants, results, sizing, startedAt }: Experiment,
  effect: number,
  now: number,
): Schemas['PowerQuestion'] | undefined {
  const [primary] = conversionTargets
  if (primary === undefined) return undefined
  const { eventName, filters, windowHours, metric, direction } = primary
  const question = {
    target: { eventName, filters, windowHours, ...(metric === undefined ? {} : { metric }) },
    splits: variants.map(({ trafficSplit }) => trafficSplit),
    minimumEffect: direction === 'decrease' ? -effect : effect,
    ...(sizing === null ? {} : { power: sizing.power, alpha: sizing.alpha }),
  }
  if (startedAt === null)
    return sizing?.exposureEvent == null ? undefined : { ...question, exposureEvent: sizing.exposureEvent }
  const baseline = measuredBaseline(results)
  const days = Math.max(1, (now - Date.parse(startedAt)) / DAY_MS)
  return baseline === undefined
    ? undefined
    : { ...question, baseline, personsPerDay: (results?.exposed ?? 0) / days }
}

/** The control's rate or mean, if it has enough persons and can become better and worse. */
function measuredBaseline(results: Experiment['results']): Schemas['PowerQuestion']['baseline'] {
  const control = results?.targets[0]?.variants[0]
  if (control === undefined || control.exposed < MIN_PERSONS) return undefined
  const { rate, mean = null, standardDeviation = null } = control
  if (rate !== null) return rate > 0 && rate < 1 ? { rate } : undefined
  return mean !== null && mean > 0 && standardDeviation !== null && standardDeviation > 0
    ? { mean, standardDeviation }
    : undefined
}
