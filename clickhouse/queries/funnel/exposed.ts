import type { FunnelExperiment } from '../../../domain/funnel.js'
import { exposedSql, variantSql } from '../exposures.js'
import type { Parameters } from './parameters.js'
import type { EventSelection } from './selection/event-selection.js'

/**
 * A bound that nothing reaches. ClickHouse moves what a SELECT computes behind the join that reads it, and of arrays that are made of each other some and not
 * all: they are then of different rows (SIZES_OF_ARRAYS_DONT_MATCH). Nothing moves past a LIMIT.
 */
const KEPT_APART = 'LIMIT 18446744073709551615'

/** The persons of an experiment's results, and what a funnel by variant does with them. */
export interface Exposed {
  /** SQL of the rows of `Relevant.rowsSql` that belong to one of them and are not before the exposure. */
  rowsSql(columns: readonly string[]): string
  /** SQL of attempts with `value`, the JSON text of the variant. */
  valuedSql(attempts: string): string
}

/**
 * What lies before a person's exposure is left out altogether: a run begins with its first event and looks at none before. An event at the time of the exposure is
 * not before it.
 *
 * @param person SQL of the person of a `person_key`, links applied
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
