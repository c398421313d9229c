import type { FunnelExperiment } from '../../../domain/funnel.js'
import type { PersonSql } from '../../port.js'
import { exposedSql, POSITION_COLUMNS, variantSql } from '../exposures.js'
import type { Parameters } from '../parameters.js'
import type { EventSelection } from './selection/event-selection.js'
import { ORDER_COLUMNS } from './selection/order-key.js'

/**
 * A limit that is never reached, because nothing moves past a LIMIT. ClickHouse would move only some of the
 * arrays that are built from each other behind the join that reads them (SIZES_OF_ARRAYS_DONT_MATCH).
 */
const KEPT_APART = 'LIMIT 18446744073709551615'

const AT_EXPOSURE = 'event at the time of the exposure'

/** The persons of an experiment's results, and how a funnel by variant uses them. */
export interface Exposed {
  /** SQL of those rows of `EventSelection.rowsSql` that count. Their `person_key` is the person. */
  rowsSql(columns: readonly string[]): string
  /** SQL of attempts with `value`, the JSON text of the variant. */
  valuedSql(attempts: string): string
}

/**
 * The events that count are a person's exposure and those after it, until measuring ended.
 * @param placed whether positions decide between events of one time. Without them the query fails with
 * `assertion` at an event that has the time of the exposure
 */
export function exposedPersons(
  workspaceId: string,
  experiment: FunnelExperiment,
  relevant: EventSelection,
  person: PersonSql,
  placed: boolean,
  parameters: Parameters,
): Exposed {
  const { startedAt, measuredUntil } = experiment
  const exposed =
    startedAt === null
      ? "SELECT toUInt64(0) AS person, toUInt8(0) AS arms, toDateTime64(0, 3, 'UTC') AS first_at, toUInt256(0) AS first_place WHERE 0"
      : exposedSql({ workspaceId, ...experiment, startedAt }, person, { placed }, parameters)
  const persons = `SELECT person, ${variantSql(experiment, parameters)} AS variant, toUnixTimestamp64Milli(first_at) AS exposed_at${placed ? ', first_place' : ''} FROM (
${exposed})
WHERE variant != ''`
  const at = relevant.epoch('time')
  const after = placed
    ? `(${at} > exposed_at OR (${at} = exposed_at AND ${POSITION_COLUMNS} >= first_place))`
    : `${at} >= exposed_at AND throwIf(${at} = exposed_at, '${AT_EXPOSURE}') = 0`
  const until = measuredUntil === null ? '' : ` AND ${at} <= ${parameters.bind('Int64', measuredUntil)}`
  return {
    rowsSql(columns) {
      const kept = [...new Set(columns)].map((column) =>
        column === 'person_key' ? 'events.person AS person_key' : column,
      )
      const read = [...new Set([...columns, ...(placed ? ORDER_COLUMNS : [])])]
      return `SELECT ${kept.join(', ')}, time, code FROM (
SELECT ${read.join(', ')}, time, code, ${person.key} AS person FROM (${person.linked(relevant.rowsSql(read))})) AS events
INNER JOIN (${persons}) AS exposed ON events.person = exposed.person
WHERE ${after}${until}`
    },
    valuedSql: (
      attempts,
    ) => `SELECT attempts.person AS person, tied, times, toJSONString(variant) AS value FROM (${attempts}
${KEPT_APART}) AS attempts
INNER JOIN (${persons}) AS exposed ON attempts.person = exposed.person`,
  }
}
