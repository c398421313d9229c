import { isBucketComplete, nextBucket } from '../../../domain/funnel.js'
import type { RetentionCohort, RetentionQuery } from '../../../domain/retention.js'
import type { ClickHouse } from '../../port.js'
import { Parameters } from '../parameters.js'
import { filterSql, JSON_TEXT } from '../property-filter.js'
import { rangeConditions } from '../range-conditions.js'
import { bucketIndexSql, bucketsOf } from './buckets.js'
import { type InsightRequest, insightSettings } from './insight-request.js'

/** Persons of a cohort, by the index of its bucket, and those who returned by period. */
interface CohortRow {
  readonly cohort: number
  readonly persons: number
  readonly returned: readonly [periods: readonly number[], persons: readonly number[]]
}

/** Later than any start event. */
const NEVER = '9223372036854775807'

/**
 * Answers a query of retention as API.md section 11 defines it.
 *
 * @throws ClickHouseError
 */
export async function queryRetention(
  clickhouse: ClickHouse,
  { workspaceId, query, now, limits, signal }: InsightRequest<RetentionQuery>,
): Promise<{
  readonly cohorts: readonly RetentionCohort[]
  readonly rowsRead: number
  readonly elapsedMs: number
}> {
  const parameters = new Parameters()
  const person = clickhouse.personKeySql('person_key')
  const sql = retentionSql(workspaceId, query, person, parameters)
  const { rows, rowsRead, elapsedMs } = await clickhouse.query<CohortRow>(sql, {
    params: parameters.values,
    settings: insightSettings(limits),
    signal,
  })
  const byBucket = new Map(rows.map((row) => [row.cohort, row]))
  const cohorts = bucketsOf(query.from, query.to, query.interval).map((at, bucket) =>
    cohortOf(query, at, byBucket.get(bucket), now),
  )
  return { cohorts, rowsRead, elapsedMs }
}

function cohortOf(
  { from, to, interval, periods }: RetentionQuery,
  at: number,
  row: CohortRow | undefined,
  now: number,
): RetentionCohort {
  const [indexes, counts] = row?.returned ?? [[], []]
  let end = at
  const returned = Array.from({ length: periods }, (_, period) => {
    end = nextBucket(end, interval)
    return end > now ? null : (counts[indexes.indexOf(period)] ?? 0)
  })
  return {
    at,
    persons: row?.persons ?? 0,
    complete: isBucketComplete(at, interval, { from, to }, now),
    returned,
  }
}

/**
 * SQL of `CohortRow`s. Per person and bucket it keeps the first start and the last return. In the cohort's
 * bucket a person returned if the last return is not before the first start; later, any return counts.
 */
function retentionSql(
  workspaceId: string,
  query: RetentionQuery,
  person: string,
  parameters: Parameters,
): string {
  const { from, to, interval, periods } = query
  const buckets = bucketsOf(from, to, interval)
  let end = buckets.at(-1) ?? to
  for (let period = 0; period < periods; period++) end = nextBucket(end, interval)
  const isEvent = (name: string, filters: RetentionQuery['startFilters']) =>
    [
      `event = ${parameters.bind('String', name)}`,
      ...filters.map((filter) => filterSql(filter, parameters)),
    ].join(' AND ')
  const isFiltered = query.startFilters.length + query.returnFilters.length > 0
  const names = parameters.bind('Array(String)', [...new Set([query.startEvent, query.returnEvent])])
  const rows = `SELECT timestamp, person_key, event${isFiltered ? `, properties, ${JSON_TEXT} AS json` : ''} FROM events
WHERE workspace_id = ${parameters.bind('UUID', workspaceId)} AND event IN ${names}
AND ${rangeConditions(from, end - 1, parameters).join(' AND ')}`
  const events = `SELECT ${person} AS person, ${bucketIndexSql(from, interval, parameters)} AS bucket,
toUnixTimestamp64Milli(timestamp) AS time,
${isEvent(query.startEvent, query.startFilters)} AND time < ${parameters.bind('Int64', to)} AS starts,
${isEvent(query.returnEvent, query.returnFilters)} AS returns FROM (${rows}) WHERE starts OR returns`
  const byBucket = `SELECT person, bucket, min(if(starts, time, ${NEVER})) AS start, max(if(returns, time, 0)) AS last
FROM (${events}) GROUP BY person, bucket`
  const byPerson = `SELECT min(start) AS first, argMin(bucket, start) AS cohort, groupArray((bucket, last)) AS cells
FROM (${byBucket}) GROUP BY person HAVING first < ${NEVER}`
  const returned = `arrayMap(c -> toUInt16(c.1 - cohort), arrayFilter(c -> c.2 >= first AND c.1 < cohort + ${periods}, cells))`
  return `SELECT cohort, count() AS persons, sumMap(periods, arrayMap(p -> toUInt64(1), periods)) AS returned
FROM (SELECT cohort, ${returned} AS periods FROM (${byPerson})) GROUP BY cohort`
}
