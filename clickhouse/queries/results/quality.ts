import type { ClickHouse, PersonSql, QueryOptions } from '../../port.js'
import {
  atSql,
  CLAMPED,
  exposedSql,
  exposuresOnceSql,
  knownVariantSql,
  measuredPeriodSql,
} from '../exposures.js'
import { Parameters } from '../parameters.js'
import { valueTextSql } from '../value-text.js'
import type { ResultsRequest } from './request.js'

/** Exposures that tell how good the data is, of one segment or of all. */
export interface Quality {
  /** JSON text of the segment's value; empty if it is missing, or without segments. */
  readonly segment: string
  readonly unknownVariants: number
  readonly beforeStart: number
  /** Exposures of persons who count, and those among them whose time was clamped. */
  readonly exposures: number
  readonly clamped: number
}

interface ReadQuality {
  readonly rows: readonly Quality[]
  readonly rowsRead: number
  readonly elapsedMs: number
}

/** Segments by their texts; every list and object is read, because equal ones may have other texts. */
interface SelectedSegments {
  readonly property: string
  readonly texts: readonly string[]
}

/**
 * An exposure that does not count belongs to the segment of its own property, one that counts to that of the
 * person's first.
 * @param someLeftOut whether persons are left out, whose exposures do not count
 * @throws ClickHouseError
 */
export async function readQuality(
  clickhouse: ClickHouse,
  request: ResultsRequest,
  someLeftOut: boolean,
  options: QueryOptions,
  segments?: SelectedSegments,
): Promise<ReadQuality> {
  const ask = (sql: string, { values }: Parameters) =>
    clickhouse.query<Quality>(sql, { params: values, ...options })
  const parameters = new Parameters()
  const all = await ask(exposureQualitySql(request, segments, parameters), parameters)
  const { startedAt } = request
  const clamped = all.rows.some((row) => row.clamped > 0)
  // A person's clamped exposure may have the property of another segment.
  const isExact = segments === undefined && (!clamped || !someLeftOut)
  if (startedAt === null || isExact) return all
  const ofPersons = new Parameters()
  const counted = await ask(
    countedExposuresSql(
      { ...request, startedAt },
      clickhouse.personSql(ofPersons.bind('UUID', request.workspaceId)),
      segments,
      ofPersons,
    ),
    ofPersons,
  )
  return {
    rows: [...all.rows.map((row) => ({ ...row, exposures: 0, clamped: 0 })), ...counted.rows],
    rowsRead: all.rowsRead + counted.rowsRead,
    elapsedMs: all.elapsedMs + counted.elapsedMs,
  }
}

/** All exposures; `exposures` and `clamped` also have those of persons who are left out. */
function exposureQualitySql(
  request: ResultsRequest,
  segments: SelectedSegments | undefined,
  parameters: Parameters,
): string {
  const { startedAt } = request
  const during = startedAt === null ? '0' : measuredPeriodSql({ ...request, startedAt }, parameters)
  const early = startedAt === null ? '1' : `timestamp < ${atSql(startedAt, parameters)}`
  const columns = `adjustment, ${during} AS during, ${early} AS early, ${knownVariantSql(request, parameters)} AS known`
  const rows = exposuresOnceSql(
    segments === undefined ? columns : `${columns}, properties`,
    request,
    parameters,
  )
  const valued =
    segments === undefined
      ? rows
      : valueTextSql(rows, 'adjustment, during, early, known', 'segment', segments.property, parameters)
  return `SELECT ${segments === undefined ? "'' AS segment" : 'segment'}, countIf(during AND NOT known) AS unknownVariants, countIf(early) AS beforeStart,
  countIf(during AND known) AS exposures, countIf(during AND known AND adjustment IN ${CLAMPED}) AS clamped
FROM (${valued})${bySegmentSql(segments, 'WHERE', parameters)}`
}

function countedExposuresSql(
  request: ResultsRequest & { readonly startedAt: number },
  person: PersonSql,
  segments: SelectedSegments | undefined,
  parameters: Parameters,
): string {
  const options = { placed: false, breakdown: segments?.property, counted: true }
  return `SELECT ${segments === undefined ? "'' AS segment" : 'segment'}, 0 AS unknownVariants, 0 AS beforeStart,
  sum(seen) AS exposures, sum(clamped) AS clamped
FROM (${exposedSql(request, person, options, parameters)})
WHERE bitCount(arms) = 1${bySegmentSql(segments, ' AND', parameters)}`
}

/** Conditions on segments and their grouping; nothing without segments. */
function bySegmentSql(
  segments: SelectedSegments | undefined,
  keyword: string,
  parameters: Parameters,
): string {
  if (segments === undefined) return ''
  const single = segments.texts.filter((text) => !isComposite(text))
  const composite = single.length < segments.texts.length ? " OR match(segment, '^[\\\\[{]')" : ''
  return `${keyword} (segment IN ${parameters.bind('Array(String)', single)}${composite}) GROUP BY segment`
}

export function isComposite(text: string): boolean {
  return text.startsWith('[') || text.startsWith('{')
}
