import { isDeepStrictEqual } from 'node:util'
import { bucketStart, isBucketComplete, nextBucket } from '../../../domain/funnel.js'
import type { RetentionCohort, RetentionQuery } from '../../../domain/retention.js'
import type { ClickHouse, PersonSql } from '../../port.js'
import { Parameters } from '../parameters.js'
import { filterSql, JSON_TEXT } from '../property-filter.js'
import { rangeConditions } from '../range-conditions.js'
import { bucketBitsSql, bucketIndexSql, bucketsOf, hasBucketSql, WORD_BITS } from './buckets.js'
import { type InsightRequest, insightSettings } from './insight-request.js'

/** Persons of a cohort, by the index of its bucket, and those who returned, by period. */
interface CohortRow {
  readonly cohort: number
  readonly persons: number
  readonly returned: readonly number[]
}

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
  const person = clickhouse.personSql(parameters.bind('UUID', workspaceId))
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
  let end = at
  const returned = Array.from({ length: periods }, (_, period) => {
    end = nextBucket(end, interval)
    return end > now ? null : (row?.returned[period] ?? 0)
  })
  return {
    at,
    persons: row?.persons ?? 0,
    complete: isBucketComplete(at, interval, { from, to }, now),
    returned,
  }
}

/** SQL of `CohortRow`s. */
function retentionSql(
  workspaceId: string,
  query: RetentionQuery,
  person: PersonSql,
  parameters: Parameters,
): string {
  const { from, to, interval, periods } = query
  const buckets = bucketsOf(from, to, interval).length
  let end = bucketStart(from, interval)
  for (let period = 0; period < buckets + periods - 1; period++) end = nextBucket(end, interval)
  const events = (name: string, filters: RetentionQuery['startFilters'], until: number) => {
    const conditions = filters.map((filter) => filterSql(filter, parameters))
    const json = conditions.length === 0 ? '' : `, properties, ${JSON_TEXT} AS json`
    const rows = `SELECT timestamp, person_key${json} FROM events
WHERE workspace_id = ${parameters.bind('UUID', workspaceId)} AND event = ${parameters.bind('String', name)}
AND ${rangeConditions(from, until - 1, parameters).join(' AND ')}`
    return `SELECT ${person.key} AS person, toUnixTimestamp64Milli(timestamp) AS time,
${bucketIndexSql(from, interval, parameters)} AS bucket FROM (
${person.linked(rows)})${conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`}`
  }
  const { startEvent, startFilters, returnEvent, returnFilters } = query
  const isSame = isDeepStrictEqual([startEvent, startFilters], [returnEvent, returnFilters])
  return isSame
    ? sameEventSql(events(startEvent, startFilters, end), buckets + periods - 1, query, parameters)
    : twoEventsSql(events(startEvent, startFilters, to), events(returnEvent, returnFilters, end), periods)
}

/**
 * For returns by the start event itself. Reads the events once: a person is the buckets with events, as bits,
 * and the first of them is the cohort.
 */
function sameEventSql(
  events: string,
  buckets: number,
  { to, periods }: RetentionQuery,
  parameters: Parameters,
): string {
  const words = Math.ceil(buckets / WORD_BITS)
  const persons = `SELECT min(bucket) AS cohort, ${bucketBitsSql(words)}
FROM (${events}) GROUP BY person HAVING min(time) < ${parameters.bind('Int64', to)}`
  const returned = Array.from({ length: periods }, (_, period) =>
    period === 0 ? 'count()' : `sum(${hasBucketSql(words, `cohort + ${period}`)})`,
  )
  return `SELECT cohort, count() AS persons, [${returned.join(', ')}] AS returned FROM (${persons}) GROUP BY cohort`
}

/**
 * For two events. Returns are joined to the persons' first starts; a person is the periods with returns, as
 * bits. Persons without returns stay, with a return at time 0.
 */
function twoEventsSql(starts: string, returns: string, periods: number): string {
  const period = 'greatest(toInt32(back.bucket) - toInt32(begun.cohort), 0)'
  const joined = `SELECT begun.person AS person, begun.cohort AS cohort,
if(back.time >= begun.first AND ${period} < ${periods}, bitShiftLeft(toUInt32(1), ${period}), 0) AS bit
FROM (${returns}) AS back
RIGHT JOIN (SELECT person, min(time) AS first, min(bucket) AS cohort FROM (${starts}) GROUP BY person) AS begun
ON back.person = begun.person`
  const returned = Array.from({ length: periods }, (_, index) => `sum(bitTest(bits, ${index}))`)
  return `SELECT cohort, count() AS persons, [${returned.join(', ')}] AS returned FROM (
SELECT any(cohort) AS cohort, groupBitOr(bit) AS bits FROM (${joined}) GROUP BY person) GROUP BY cohort`
}
