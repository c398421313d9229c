import type { FunnelQuery, FunnelResult } from '../../../domain/funnel.js'
import { LruCache } from '../../../runtime/concurrency/lru-cache.js'
import { memoizePerClient } from '../../../runtime/memoize-per-client.js'
import { type ClickHouse, ClickHouseError, type PersonSql, type SettingValue } from '../../port.js'
import { Parameters } from '../parameters.js'
import { orderedAttemptSql } from './attempts/ordered.js'
import type { AttemptOptions } from './attempts/step-times.js'
import { strictAttemptSql } from './attempts/strict.js'
import { unorderedAttemptSql } from './attempts/unordered.js'
import { valuedAttemptsSql } from './breakdown.js'
import { exposedPersons } from './exposed.js'
import { type FiguresRow, figuresSql, groupedFiguresSql, MAX_TIED } from './figures.js'
import { type InMemoryRequest, queryInMemory } from './in-memory/query-in-memory.js'
import { inlineBreakdown } from './inline-breakdown.js'
import { type PersonsOptions, personColumns, personsSql } from './persons.js'
import { resultOf } from './result.js'
import { type EventSelection, selectEvents } from './selection/event-selection.js'
import { fitsNarrowKey, NARROW_GUARD, orderKey } from './selection/order-key.js'
import { bucketSql } from './trend.js'

/** Limits of a funnel query. The engine stops it at a limit with a `ClickHouseError` that names it. */
export interface FunnelBounds {
  readonly maxSeconds: number
  readonly maxMemoryBytes: number
  readonly maxRows: number
  readonly maxThreads: number
}

/** A query needs some 40 bytes of memory for each of them. */
const MAX_IN_MEMORY_ROWS = 1_000_000

export const DEFAULT_BOUNDS: FunnelBounds = {
  maxSeconds: 30,
  maxMemoryBytes: 1_073_741_824,
  maxRows: 1_000_000_000,
  maxThreads: 2,
}

export interface FunnelRequest extends InMemoryRequest {
  /** Milliseconds; decides which buckets of a trend are complete. */
  readonly now: number
  readonly limits?: FunnelBounds
  /**
   * If more rows match, the engine computes the funnel instead of `queryInMemory`. 0 always uses the engine.
   * @default 1,000,000
   */
  readonly maxInMemoryRows?: number
}

interface FunnelAnswer {
  readonly result: FunnelResult
  readonly rowsRead: number
  readonly elapsedMs: number
}

/**
 * Answers a funnel query as docs/funnels.md defines it.
 *
 * Events are first ordered by timestamp alone, in 64-bit numbers. Persons with ties that matter are left out,
 * computed in the exact order, and both answers are merged. If there are many ties, or groups would have to
 * be merged, everything is computed in the exact order (docs/decisions/007-funnel-compiler.md).
 *
 * @throws FunnelQueryError if the answer is larger than one query may be
 * @throws ClickHouseError
 */
export async function queryFunnel(clickhouse: ClickHouse, request: FunnelRequest): Promise<FunnelAnswer> {
  if (request.steps.length === 0) throw new RangeError('a funnel has at least one step')
  if (request.query.breakdown !== undefined && request.query.experiment !== undefined)
    throw new RangeError('a funnel is broken down by a property or by variant')
  const inMemory = await answerInMemory(clickhouse, request)
  if (inMemory !== undefined) return inMemory
  const run = new FunnelRun(clickhouse, request)
  const untied = await run.queryByTimestamp()
  const tied = untied.tiedPersons
  if (tied.length === 0) return run.toAnswer([untied])
  const { breakdown, experiment } = request.query
  if (tied.length > MAX_TIED || breakdown !== undefined || experiment !== undefined)
    return run.toAnswer([await run.queryInExactOrder()])
  return run.toAnswer([untied, await run.queryInExactOrder(tied)])
}

async function answerInMemory(
  clickhouse: ClickHouse,
  request: FunnelRequest,
): Promise<FunnelAnswer | undefined> {
  const bounds = request.limits ?? DEFAULT_BOUNDS
  const startedAt = performance.now()
  const maxRows = Math.min(bounds.maxRows, request.maxInMemoryRows ?? MAX_IN_MEMORY_ROWS)
  const answer = await queryInMemory(clickhouse, request, boundsToSettings(bounds), maxRows)
  if (answer === undefined) return undefined
  return {
    result: resultOf(request.steps, request.query, request.now, [answer.figures]),
    rowsRead: answer.rows,
    elapsedMs: performance.now() - startedAt,
  }
}

/** Runs the statements of one request and adds up their cost. */
class FunnelRun {
  private rowsRead = 0
  private elapsedMs = 0
  /**
   * Whether positions decide between the exposure and events of the same time. Required from the start if a
   * step is the exposure itself.
   */
  private placed: boolean

  constructor(
    private readonly clickhouse: ClickHouse,
    private readonly request: FunnelRequest,
  ) {
    const { steps, query } = request
    this.placed = [...steps, ...query.exclusions].some(({ eventName }) => eventName === '$exposure')
  }

  /** All persons, ordered by timestamp alone. */
  async queryByTimestamp(): Promise<FiguresRow> {
    const { workspaceId, steps, query } = this.request
    if (query.experiment !== undefined) return this.queryAfterExposure()
    if (query.breakdown === undefined) return this.select()
    const starts = query.order === 'any' ? steps : steps.slice(0, 1)
    const property = JSON.stringify([
      workspaceId,
      query.breakdown.property,
      ...starts.map(({ eventName }) => eventName),
    ])
    const failedInline = failedInlineOf(this.clickhouse)
    const failedAt = failedInline.get(property) ?? Number.NEGATIVE_INFINITY
    if (performance.now() - failedAt < RETRY_INLINE_MS) return this.select()
    try {
      return await this.select(undefined, undefined, true)
    } catch (error) {
      if (!(error instanceof ClickHouseError && error.code === 'assertion')) throw error
      failedInline.set(property, performance.now(), 0)
      return this.select()
    }
  }

  /** Positions cost more than everything else, so they are read only if an event has an exposure's time. */
  private async queryAfterExposure(): Promise<FiguresRow> {
    if (!this.placed)
      try {
        return await this.select()
      } catch (error) {
        if (!(error instanceof ClickHouseError && error.code === 'assertion')) throw error
        this.placed = true
      }
    return this.select()
  }

  /** All persons, or those named, in the exact order. */
  async queryInExactOrder(persons?: readonly string[]): Promise<FiguresRow> {
    this.placed = true
    try {
      return await this.select(128, persons)
    } catch (error) {
      if (!(error instanceof ClickHouseError && error.code === 'assertion')) throw error
      return this.select(256, persons)
    }
  }

  toAnswer(answers: readonly FiguresRow[]): FunnelAnswer {
    return {
      result: resultOf(this.request.steps, this.request.query, this.request.now, answers),
      rowsRead: this.rowsRead,
      elapsedMs: this.elapsedMs,
    }
  }

  /**
   * Runs one statement.
   * @param width bits of the key that orders events exactly; undefined orders them by timestamp alone
   * @param persons only these; undefined for all
   * @param isInline whether the breakdown's values travel with the events instead of being joined
   */
  private async select(
    width?: 128 | 256,
    persons?: readonly string[],
    isInline = false,
  ): Promise<FiguresRow> {
    const { workspaceId, steps, query, signal } = this.request
    const parameters = new Parameters()
    const events = selectEvents(workspaceId, steps, query, parameters)
    const person = this.clickhouse.personSql(parameters.bind('UUID', workspaceId))
    const { experiment } = query
    const exposed =
      experiment === undefined
        ? undefined
        : exposedPersons(workspaceId, experiment, events, person, this.placed, parameters)
    const relevant = exposed === undefined ? events : { ...events, rowsSql: exposed.rowsSql }
    const where: string[] = []
    if (persons !== undefined)
      where.push(`person IN ${parameters.bind('Array(UInt64)', persons.map(BigInt))}`)
    const narrow = width === 128 && fitsNarrowKey(relevant)
    if (narrow) where.push(NARROW_GUARD)
    const { breakdown, interval } = query
    const carried =
      isInline && breakdown !== undefined ? inlineBreakdown(relevant, breakdown, parameters) : undefined
    const options: PersonsOptions = {
      carried,
      person: exposed === undefined ? person : RESOLVED,
      where,
      order: width === undefined ? undefined : orderKey(relevant, narrow ? 128 : 256),
      identified: breakdown !== undefined,
      orderMatters: orderMatters(query),
    }
    const attempts = attemptSql(query)(
      relevant,
      {
        steps: steps.length,
        windowMs: query.windowSeconds * 1_000,
        persons: personsSql(relevant, options),
        ...personColumns(options),
      },
      query,
    )
    const trend =
      interval === undefined
        ? undefined
        : { bucket: bucketSql(relevant.epoch('times[1]'), interval), steps: steps.length }
    const sql =
      exposed !== undefined
        ? groupedFiguresSql(exposed.valuedSql(attempts), trend, MAX_VARIANTS, undefined)
        : breakdown === undefined
          ? figuresSql(attempts, trend, persons !== undefined)
          : groupedFiguresSql(
              carried === undefined
                ? valuedAttemptsSql(attempts, relevant, breakdown, options, parameters)
                : attempts,
              trend,
              breakdown.limit,
              carried,
            )
    const answer = await this.clickhouse.query<FiguresRow>(sql, {
      params: parameters.values,
      settings: boundsToSettings(this.request.limits ?? DEFAULT_BOUNDS),
      signal,
    })
    this.rowsRead += answer.rowsRead
    this.elapsedMs += answer.elapsedMs
    const [row] = answer.rows
    if (row === undefined) throw new RangeError('an aggregate without GROUP BY has one row')
    return row
  }
}

/** Of rows whose `person_key` is the person. */
const RESOLVED: PersonSql = { key: 'person_key', linked: (rows) => rows, joins: false }

/** Maximum number of groups; above the number of variants that an experiment can have. */
const MAX_VARIANTS = 50

/** When a property's values could not be carried inline. Tried again later: they may have aged out. */
const failedInlineOf = memoizePerClient(() => new LruCache<number>(256 * 1024))
const RETRY_INLINE_MS = 600_000

/** The number of distinct steps within a time depends on their order only if something ends the attempt. */
export function orderMatters({ order, exclusions }: FunnelQuery): boolean {
  return order !== 'any' || exclusions.length > 0
}

/** Chooses how attempts are computed: in order, strictly, or in any order. */
export function attemptSql(
  query: FunnelQuery,
): (relevant: EventSelection, options: AttemptOptions, query: FunnelQuery) => string {
  if (query.order === 'any') return unorderedAttemptSql
  return query.order === 'strict' || query.exclusions.length > 0 ? strictAttemptSql : orderedAttemptSql
}

export function boundsToSettings(bounds: FunnelBounds): Record<string, SettingValue> {
  return {
    max_execution_time: bounds.maxSeconds,
    max_memory_usage: bounds.maxMemoryBytes,
    max_rows_to_read: bounds.maxRows,
    max_threads: bounds.maxThreads,
    // The persons' attempts are the side of a join that is kept in memory; events stream past them.
    query_plan_join_swap_table: 'false',
    // Few large groups (`personsSql`): from here on, groups are processed in parallel.
    group_by_two_level_threshold_bytes: 4_194_304,
    // Exposures that were stored twice have one time of receipt.
    do_not_merge_across_partitions_select_final: 1,
    // Costs a fifth of planning, and our conditions have no chains of comparisons.
    optimize_and_compare_chain: 0,
  }
}
