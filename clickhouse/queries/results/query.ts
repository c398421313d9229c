import type { JsonValue } from '../../../domain/funnel.js'
import type {
  ExperimentCounts,
  Moments,
  QualityCounts,
  TargetCounts,
} from '../../../domain/statistics/index.js'
import { pooled } from '../../../domain/statistics/moments.js'
import { type ClickHouse, ClickHouseError, type ClickHouseErrorCode, type SettingValue } from '../../port.js'
import { type ExposedOptions, SLICES, variantSql } from '../exposures.js'
import { canonicalText, MAX_COMPOSITES } from '../funnel/breakdown.js'
import { FunnelQueryError } from '../funnel/funnel-query-error.js'
import { Parameters } from '../parameters.js'
import { resultPersonsSql } from './persons.js'
import { isComposite, type Quality, readQuality } from './quality.js'
import type { ResultsBounds, ResultsRequest, ResultsTarget } from './request.js'

const DEFAULT_BOUNDS: ResultsBounds = {
  maxSeconds: 60,
  maxMemoryBytes: 2_147_483_648,
  maxRows: 1_000_000_000,
  maxThreads: 2,
}

export interface ReadResults {
  readonly counts: ExperimentCounts
  readonly rowsRead: number
  readonly elapsedMs: number
}

export interface Breakdown {
  /** A dotted path into the properties of exposures. */
  readonly property: string
  readonly limit: number
}

export interface Segment {
  readonly value: JsonValue
  readonly counts: ExperimentCounts
}

export interface ReadSegments {
  readonly segments: readonly Segment[]
  readonly rowsRead: number
  readonly elapsedMs: number
}

/**
 * Counts of an experiment by docs/experiments/results.md. Persons are resolved at the time of the query, so
 * links apply to the past. Runs one query after the other, to use one slot of the store.
 * @throws ClickHouseError
 */
export async function readResults(clickhouse: ClickHouse, request: ResultsRequest): Promise<ReadResults> {
  const groups = await readGroups(clickhouse, request, undefined)
  const multipleVariants = personsOf(groups.rows.filter(({ variant }) => variant === ''))
  const quality = await readQuality(clickhouse, request, multipleVariants > 0, optionsOf(request))
  return {
    counts: countsOf(request, groups.rows, qualityOf(multipleVariants, quality.rows)),
    rowsRead: groups.rowsRead + quality.rowsRead,
    elapsedMs: groups.elapsedMs + quality.elapsedMs,
  }
}

/** Only the variants' counts, at half the cost. Throws ClickHouseError. */
export async function readVariantCounts(
  clickhouse: ClickHouse,
  request: ResultsRequest,
): Promise<ExperimentCounts> {
  const { rows } = await readGroups(clickhouse, request, undefined)
  return countsOf(request, rows, qualityOf(0, []))
}

/**
 * The same by the value of a property at each person's first exposure, largest first, ties by JSON text.
 * @throws FunnelQueryError if too many values are lists and objects
 * @throws ClickHouseError
 */
export async function readSegments(
  clickhouse: ClickHouse,
  request: ResultsRequest,
  breakdown: Breakdown,
): Promise<ReadSegments> {
  const groups = await readGroups(clickhouse, request, breakdown)
  const largest = largestSegments(groups.rows, breakdown.limit)
  const selected = {
    property: breakdown.property,
    texts: largest.flatMap(({ rows }) => rows.map(({ segment }) => segment)),
  }
  const quality = await readQuality(clickhouse, request, true, optionsOf(request), selected)
  const byText = bySegment(quality.rows)
  return {
    segments: largest.map(({ text, rows, multipleVariants }) => ({
      value: JSON.parse(text) as JsonValue,
      counts: countsOf(request, rows, qualityOf(multipleVariants, byText.get(text) ?? [])),
    })),
    rowsRead: groups.rowsRead + quality.rowsRead,
    elapsedMs: groups.elapsedMs + quality.elapsedMs,
  }
}

interface SegmentRows {
  /** Canonical JSON of the value. */
  readonly text: string
  readonly rows: readonly GroupRow[]
  readonly multipleVariants: number
}

/** The largest segments by persons who count. */
function largestSegments(rows: readonly GroupRow[], limit: number): SegmentRows[] {
  const counted = rows.filter(({ variant }) => variant !== '')
  if (counted.filter(({ segment }) => isComposite(segment)).length > MAX_COMPOSITES)
    throw new FunnelQueryError(
      `has more than ${MAX_COMPOSITES} different lists and objects as values: break down by a property inside them`,
      'breakdown',
    )
  const multiple = bySegment(rows.filter(({ variant }) => variant === ''))
  return [...bySegment(counted)]
    .sort(([a, some], [b, others]) => personsOf(others) - personsOf(some) || compareTexts(a, b))
    .slice(0, limit)
    .map(([text, some]) => ({ text, rows: some, multipleVariants: personsOf(multiple.get(text) ?? []) }))
}

/** Rows by the canonical JSON of their segment's value, which is `null` if it is missing. */
function bySegment<Row extends { readonly segment: string }>(rows: readonly Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const text = row.segment === '' ? 'null' : canonicalText(JSON.parse(row.segment) as JsonValue)
    const group = groups.get(text)
    if (group === undefined) groups.set(text, [row])
    else group.push(row)
  }
  return groups
}

function personsOf(rows: readonly GroupRow[]): number {
  return rows.reduce((sum, { exposed }) => sum + exposed, 0)
}

/** The persons of a variant, or of a segment of it; persons of several variants have none. */
interface GroupRow {
  readonly variant: string
  readonly segment: string
  readonly exposed: number
  /**
   * Persons whose events at the time of their exposure may count and were not counted: none, or all of the
   * group; of more than `MAX_APART` only some.
   */
  readonly tied: readonly string[]
  readonly targets: readonly (readonly [
    converted: number,
    mean: Sum,
    variance: Sum,
    meanBefore: Sum,
    varianceBefore: Sum,
    covariance: Sum,
  ])[]
}

/** Null if the sum is too large for a number. */
type Sum = number | null

interface Groups {
  readonly rows: GroupRow[]
  readonly rowsRead: number
  readonly elapsedMs: number
}

/** Persons that are read again by name, at most. */
const MAX_APART = 10_000

/**
 * Without positions first: only persons who did something in the millisecond of their exposure need them.
 * Those are read again, alone if their figures can be merged.
 */
async function readGroups(
  clickhouse: ClickHouse,
  request: ResultsRequest,
  breakdown: Breakdown | undefined,
): Promise<Groups> {
  const { startedAt } = request
  if (startedAt === null) return { rows: [], rowsRead: 0, elapsedMs: 0 }
  const started = { ...request, startedAt }
  const first = await askInParts(clickhouse, started, breakdown, { placed: false })
  const tied = first.rows.flatMap((row) => row.tied)
  if (tied.length === 0) return first
  const apart = tied.length <= MAX_APART && breakdown === undefined && capsOf(request.targets).length === 0
  const again = await askInParts(clickhouse, started, breakdown, {
    placed: true,
    ...(apart ? { only: tied.map(BigInt) } : {}),
  })
  return {
    rows: apart ? [...first.rows.filter((row) => row.tied.length === 0), ...again.rows] : again.rows,
    rowsRead: first.rowsRead + again.rowsRead,
    elapsedMs: first.elapsedMs + again.elapsedMs,
  }
}

async function askGroups(
  clickhouse: ClickHouse,
  request: ResultsRequest & { readonly startedAt: number },
  breakdown: Breakdown | undefined,
  options: ExposedOptions,
): Promise<Groups> {
  const parameters = new Parameters()
  const persons = resultPersonsSql(
    request,
    clickhouse.personSql(parameters.bind('UUID', request.workspaceId)),
    { ...options, breakdown: breakdown?.property },
    parameters,
  )
  const groups = groupsSql(cappedSql(persons, request.targets), request, breakdown !== undefined, parameters)
  const sql =
    breakdown === undefined
      ? groups
      : largestSql(groups, breakdown.limit, capsOf(request.targets).length > 0, parameters)
  const { settings, ...others } = optionsOf(request)
  return clickhouse.query<GroupRow>(sql, {
    params: parameters.values,
    // Positions are compared only if times are equal. Everything else is cheaper without.
    settings: options.placed ? { ...settings, short_circuit_function_evaluation: 'force_enable' } : settings,
    ...others,
  })
}

const OUT_OF_MEMORY: ReadonlySet<ClickHouseErrorCode> = new Set(['memory', 'overloaded'])

/**
 * If it does not fit into memory, asks again for one part of the persons after the other, provided that
 * figures of parts can be merged.
 */
async function askInParts(
  clickhouse: ClickHouse,
  request: ResultsRequest & { readonly startedAt: number },
  breakdown: Breakdown | undefined,
  options: ExposedOptions,
): Promise<Groups> {
  try {
    return await askGroups(clickhouse, request, breakdown, options)
  } catch (error) {
    const whole = breakdown !== undefined || capsOf(request.targets).length > 0 || options.only !== undefined
    if (whole || !(error instanceof ClickHouseError && OUT_OF_MEMORY.has(error.code))) throw error
  }
  const parts: Groups[] = []
  for (let slice = 0; slice < SLICES; slice++)
    parts.push(await askGroups(clickhouse, request, undefined, { ...options, slice }))
  return {
    rows: parts.flatMap(({ rows }) => rows),
    rowsRead: parts.reduce((sum, part) => sum + part.rowsRead, 0),
    elapsedMs: parts.reduce((sum, part) => sum + part.elapsedMs, 0),
  }
}

/** The means that are capped. */
function capsOf(targets: readonly ResultsTarget[]) {
  return targets.flatMap(({ metric }, index) =>
    metric?.type === 'mean' && metric.percentile !== undefined && metric.percentile < 1
      ? [{ index, percentile: metric.percentile, cuped: metric.cuped === true }]
      : [],
  )
}

/**
 * Caps values at the percentile of the non-zero values of all persons who count, and values before exposure
 * at the same number.
 */
function cappedSql(persons: string, targets: readonly ResultsTarget[]): string {
  const caps = capsOf(targets)
  if (caps.length === 0) return persons
  const bounds = caps.map(
    ({ index, percentile }) =>
      `quantileExactInclusiveIf(${literal(percentile)})(value_${index}, value_${index} != 0 AND bitCount(arms) = 1) OVER () AS bound_${index}`,
  )
  // Without such values the bound is not a number, and below 0 it caps nothing.
  const capped = caps.flatMap(({ index, cuped }) =>
    [`value_${index}`, ...(cuped ? [`before_${index}`] : [])].map(
      (column) => `if(bound_${index} >= 0, least(${column}, bound_${index}), ${column}) AS ${column}`,
    ),
  )
  return `SELECT * REPLACE (${capped.join(', ')}) FROM (
SELECT *, ${bounds.join(', ')} FROM (
${persons}))`
}

/**
 * Means and variances over the persons of a group, by an algorithm that keeps digits for large and similar
 * values.
 */
function groupsSql(
  persons: string,
  request: ResultsRequest,
  segments: boolean,
  parameters: Parameters,
): string {
  const { targets } = request
  const figures = targets.map(({ metric }, index) => {
    const converted = `countIf(converted_${index})`
    if (metric?.type !== 'mean') return `(${converted}, 0., 0., 0., 0., 0.)`
    const value = `toFloat64(value_${index})`
    const before = metric.cuped === true ? `toFloat64(before_${index})` : '0.'
    // One person has no sample variance.
    const sample = (moment: string) => `if(exposed < 2, 0., ${moment})`
    return `(${converted}, avg(${value}), ${sample(`varSampStable(${value})`)}, avg(${before}), ${sample(`varSampStable(${before})`)}, ${sample(`covarSampStable(${value}, ${before})`)})`
  })
  // Above this number it only matters that there are more.
  const tied = `arrayMap(person -> toString(person), groupArrayIf(${MAX_APART + 1})(person, unplaced))`
  return `SELECT ${variantSql(request, parameters)} AS variant, ${segments ? 'segment' : "'' AS segment"}, count() AS exposed, [${figures.join(', ')}] AS targets, ${tied} AS tied
FROM (
${persons})
GROUP BY arms, unplaced${segments ? ', segment' : ''}`
}

/**
 * The largest segments: the requested number of single values, and all lists and objects, whose texts do not
 * show which are equal. With capped values also segments with persons who are read again, because the cap is
 * that of all.
 */
function largestSql(groups: string, limit: number, capped: boolean, parameters: Parameters): string {
  const most = parameters.bind('UInt64', limit)
  const composite = `match(segment, '^[\\\\[{]')`
  return `SELECT * EXCEPT (persons, composite, place) FROM (
SELECT *, ${composite} AS composite, dense_rank() OVER (PARTITION BY composite ORDER BY persons DESC, if(segment = '', 'null', segment)) AS place FROM (
SELECT *, sumIf(exposed, variant != '') OVER (PARTITION BY segment) AS persons FROM (
${groups})))
WHERE ${capped ? 'notEmpty(tied) OR ' : ''}place <= if(composite, ${MAX_COMPOSITES + 1}, ${most})`
}

/** @param rows several are added */
function qualityOf(multipleVariants: number, rows: readonly Quality[]): QualityCounts {
  const sum = (of: (row: Quality) => number) => rows.reduce((total, row) => total + of(row), 0)
  const exposures = sum((row) => row.exposures)
  return {
    multipleVariants,
    unknownVariants: sum((row) => row.unknownVariants),
    beforeStart: sum((row) => row.beforeStart),
    clampedShare: exposures === 0 ? 0 : sum((row) => row.clamped) / exposures,
  }
}

/** @param rows several per variant are merged */
function countsOf(
  { variants, targets }: ResultsRequest,
  rows: readonly GroupRow[],
  quality: QualityCounts,
): ExperimentCounts {
  return {
    quality,
    variants: variants.map((key) => {
      const own = rows.filter(({ variant }) => variant === key)
      return {
        key,
        exposed: own.reduce((sum, { exposed }) => sum + exposed, 0),
        targets: targets.map((target, index) => targetCounts(own, target, index)),
      }
    }),
  }
}

function targetCounts(rows: readonly GroupRow[], { metric }: ResultsTarget, index: number): TargetCounts {
  const converted = rows.reduce((sum, row) => sum + (row.targets[index]?.[0] ?? 0), 0)
  if (metric?.type !== 'mean') return { converted }
  const nobody: Moments =
    metric.cuped === true
      ? { n: 0, mean: 0, variance: 0, before: { mean: 0, variance: 0, covariance: 0 } }
      : { n: 0, mean: 0, variance: 0 }
  const values = rows.map((row): Moments => {
    const [, mean, variance, meanBefore, varianceBefore, covariance] = row.targets[index] ?? []
    const plain = { n: row.exposed, mean: numberOf(mean), variance: numberOf(variance) }
    return metric.cuped === true
      ? {
          ...plain,
          before: {
            mean: numberOf(meanBefore),
            variance: numberOf(varianceBefore),
            covariance: numberOf(covariance),
          },
        }
      : plain
  })
  return { converted, values: values.reduce(pooled, nobody) }
}

function numberOf(sum: Sum | undefined): number {
  return sum ?? Number.NaN
}

/** A quantile's level, which cannot be a bound value. */
function literal(percentile: number): string {
  if (!(percentile >= 0 && percentile <= 1)) throw new RangeError(`${percentile} is no percentile`)
  return String(percentile)
}

function compareTexts(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

function optionsOf({ limits = DEFAULT_BOUNDS, signal, upToDate = false }: ResultsRequest): {
  settings: Record<string, SettingValue>
  readYourWrites: boolean
  signal?: AbortSignal
} {
  return {
    settings: {
      max_execution_time: limits.maxSeconds,
      max_memory_usage: limits.maxMemoryBytes,
      max_rows_to_read: limits.maxRows,
      max_threads: limits.maxThreads,
      // Blocks of full length even if properties are long: joining many short ones costs a fifth more.
      preferred_block_size_bytes: 16_777_216,
      // The exposed persons are the side of the join that is kept in memory; events stream past them.
      query_plan_join_swap_table: 'false',
      // Values of properties are read from their text.
      precise_float_parsing: 1,
      // Rows that were stored twice have one time of receipt.
      do_not_merge_across_partitions_select_final: 1,
    },
    readYourWrites: upToDate,
    ...(signal === undefined ? {} : { signal }),
  }
}
