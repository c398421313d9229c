import type { FunnelExperiment } from '../../../domain/funnel.js'
import { exposedSql, variantSql } from '../exposures.js'
import type { Parameters } from './parameters.js'
import type { EventSelection } from './selection/event-selection.js'

/**
 * A limit that is never reached, because nothing moves past a LIMIT. ClickHouse would move only some of the
 * arrays that are built from each other behind the join that reads them (SIZES_OF_ARRAYS_DONT_MATCH).
 */
const KEPT_APART = 'LIMIT 18446744073709551615'

/** The persons of an experiment's results, and how a funnel by variant uses them. */
export interface Exposed {
  /** SQL of the rows of `EventSelection.rowsSql` that belong to them and do not precede the exposure. */
  rowsSql(columns: readonly string[]): string
  /** SQL of attempts with `value`, the JSON text of the variant. */
  valuedSql(attempts: string): string
}

/**
 * Events before a person's exposure are left out: an attempt never looks before its first event. An event at
 * the time of the exposure is kept.
 * @param person SQL of the person of a `person_key`, with links applied
 */
export function exposedPersons(
  workspaceId: string,
  experiment: FunnelExperiment,
  relevant: EventSelection,
  person: string,
  parameters: Parameters,
): Exposed {
  const { startedAt } = experiment
  const exposed =
    startedAt === null
      ? "SELECT toUInt64(0) AS person, toUInt8(0) AS arms, toDateTime64(0, 3, 'UTC') AS first_at WHERE 0"
      : exposedSql({ workspaceId, ...experiment, startedAt }, person, { placed: false }, parameters)
  const persons = `SELECT person, ${variantSql(experiment, parameters)} AS variant, toUnixTimestamp64Milli(first_at) AS exposed_at FROM (
${exposed})
WHERE variant != ''`
  return {
    rowsSql(columns) {
      const kept = [...new Set(columns)].join(', ')
      return `SELECT ${kept}, time, code FROM (
SELECT ${kept}, time, code, ${person} AS person FROM (${relevant.rowsSql(columns)})) AS events
INNER JOIN (${persons}) AS exposed ON events.person = exposed.person
WHERE ${relevant.epoch('time')} >= exposed_at`
    },
    valuedSql: (
      attempts,
    ) => `SELECT attempts.person AS person, tied, times, toJSONString(variant) AS value FROM (${attempts}
${KEPT_APART}) AS attempts
INNER JOIN (${persons}) AS exposed ON attempts.person = exposed.person`,
  }
}
