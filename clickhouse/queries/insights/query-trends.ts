import { isBucketComplete, type JsonValue } from '../../../domain/funnel.js'
import type { TrendFigures, TrendGroup, TrendsQuery, TrendsResult } from '../../../domain/trends.js'
import type { ClickHouse } from '../../port.js'
import { canonicalText, compareGroups, MAX_COMPOSITES } from '../funnel/breakdown.js'
import { FunnelRefusal } from '../funnel/index.js'
import { Parameters } from '../parameters.js'
import { bucketsOf } from './buckets.js'
import { type InsightRequest, insightSettings } from './insight-request.js'
import { type SameTexts, type TrendRow, trendsSql } from './trends-sql.js'

type TrendsRequest = InsightRequest<TrendsQuery>

export interface TrendsAnswer {
  readonly result: TrendsResult
  readonly rowsRead: number
  readonly elapsedMs: number
}

/**
 * Answers a query of trends as API.md section 11 defines it, in one statement.
 *
 * Equal objects may have different texts, because their keys keep the order in which they were sent. Persons
 * and quantiles of two texts cannot be added up, so the statement runs again with one text for both.
 *
 * @throws FunnelRefusal if the answer is larger than one query may be
 * @throws ClickHouseError
 */
export async function queryTrends(clickhouse: ClickHouse, request: TrendsRequest): Promise<TrendsAnswer> {
  let rowsRead = 0
  let elapsedMs = 0
  let same: SameTexts = new Map()
  for (;;) {
    const answer = await readRows(clickhouse, request, same)
    rowsRead += answer.rowsRead
    elapsedMs += answer.elapsedMs
    const found = sameTextsOf(answer.rows)
    if ([...found.keys()].every((text) => same.has(text)))
      return { result: resultOf(request, answer.rows), rowsRead, elapsedMs }
    same = new Map([...same, ...found])
  }
}

function readRows(
  clickhouse: ClickHouse,
  { workspaceId, query, limits, signal }: TrendsRequest,
  same: SameTexts,
) {
  const parameters = new Parameters()
  const person = clickhouse.personSql(parameters.bind('UUID', workspaceId))
  const sql = trendsSql({ workspaceId, query, person, same, parameters })
  return clickhouse.query<TrendRow>(sql, {
    params: parameters.values,
    settings: insightSettings(limits),
    signal,
  })
}

/** Texts of values that another text is equal to, with the one for both. */
function sameTextsOf(rows: readonly TrendRow[]): SameTexts {
  const byValue = new Map<string, Set<string>>()
  for (const [text] of rows.flatMap(({ groups = [] }) => groups)) {
    if (!/^[[{]/.test(text)) continue
    const canonical = canonicalText(JSON.parse(text) as JsonValue)
    byValue.set(canonical, (byValue.get(canonical) ?? new Set()).add(text))
  }
  return new Map(
    [...byValue].flatMap(([canonical, texts]) =>
      texts.size === 1 ? [] : [...texts].map((text): [string, string] => [text, canonical]),
    ),
  )
}

function resultOf({ query, now }: TrendsRequest, rows: readonly TrendRow[]): TrendsResult {
  const { from, to, interval, breakdown } = query
  const buckets = bucketsOf(from, to, interval).map((at) => ({
    at,
    complete: isBucketComplete(at, interval, { from, to }, now),
  }))
  return {
    series: query.series.map(({ measure }, index) => {
      const empty = measure === 'average' || measure === 'p90' ? null : 0
      const figuresOf = (total: number | null, cells: TrendRow['cells']): TrendFigures => {
        const values = new Map(cells)
        return {
          total: cells.length === 0 ? empty : total,
          data: buckets.map(({ at, complete }, bucket) => {
            const value = values.get(bucket)
            return { at, value: value === undefined ? empty : value, complete }
          }),
        }
      }
      const {
        total,
        cells,
        groups = [],
      } = rows.find((row) => row.series === index) ?? { total: null, cells: [] }
      return {
        ...figuresOf(total, cells),
        breakdown: breakdown === undefined ? null : groupsOf(groups, breakdown.limit, figuresOf),
      }
    }),
  }
}

function groupsOf(
  rows: NonNullable<TrendRow['groups']>,
  limit: number,
  figuresOf: (total: number | null, cells: TrendRow['cells']) => TrendFigures,
): TrendGroup[] {
  const groups = rows.map(([text, size, total, cells]) => ({
    value: text === '' ? null : inOrder(JSON.parse(text) as JsonValue),
    size,
    figures: [total, cells] as const,
  }))
  if (groups.filter(({ value }) => typeof value === 'object' && value !== null).length > MAX_COMPOSITES)
    throw new FunnelRefusal(
      `has more than ${MAX_COMPOSITES} different lists and objects as values: break down by a property inside them`,
      'breakdown/property',
    )
  return groups
    .sort(compareGroups)
    .slice(0, limit)
    .map(({ value, figures }) => ({ value, ...figuresOf(...figures) }))
}

/** Objects with their keys in order, because equal ones may differ in that. */
function inOrder(value: JsonValue): JsonValue {
  return JSON.parse(canonicalText(value)) as JsonValue
}
