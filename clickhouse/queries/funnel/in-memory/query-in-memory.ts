import type { FunnelQuery, FunnelStep } from '../../../../domain/funnel.js'
import { type ClickHouse, ClickHouseError, type SettingValue } from '../../../port.js'
import { Parameters } from '../../parameters.js'
import { type FiguresRow, MAX_TIED } from '../figures.js'
import { type EventSelection, selectEvents } from '../selection/event-selection.js'
import { ORDER_COLUMNS } from '../selection/order-key.js'
import { type Attempt, findAttempts, type SequenceRules } from './attempt-finder.js'
import { StepCounter } from './step-counter.js'

/** The parts of a `FunnelRequest` that this form answers. */
export interface InMemoryRequest {
  readonly workspaceId: string
  readonly steps: readonly FunnelStep[]
  readonly query: FunnelQuery
  readonly signal?: AbortSignal
}

/**
 * Answers the plain funnel (ordered steps, filters, a trend) by reading the matching events and walking them
 * here. Planning costs a tenth of the single statement's, which is most of a small funnel
 * (docs/decisions/024-funnels-over-few-events.md).
 *
 * Undefined for other funnels, and if the engine would have to read more than `mostRows` rows, which it knows
 * before it reads any.
 * @param mostRows 0 for never
 */
export async function queryInMemory(
  clickhouse: ClickHouse,
  request: InMemoryRequest,
  settings: Readonly<Record<string, SettingValue>>,
  mostRows: number,
): Promise<{ readonly figures: FiguresRow; readonly rows: number } | undefined> {
  const { steps, query } = request
  if (mostRows === 0 || !isPlain(query)) return undefined
  const parameters = new Parameters()
  const relevant = selectEvents(request.workspaceId, steps, query, parameters)
  try {
    return await new FewRun(clickhouse, request, relevant, parameters, {
      ...settings,
      max_rows_to_read: mostRows,
    }).answer()
  } catch (error) {
    if (error instanceof ClickHouseError && error.code === 'rows') return undefined
    throw error
  }
}

function isPlain({ order, exclusions, breakdown, experiment }: FunnelQuery): boolean {
  return order === 'ordered' && exclusions.length === 0 && breakdown === undefined && experiment === undefined
}

class FewRun {
  private readonly rules: SequenceRules
  private readonly tally: StepCounter
  private rows = 0

  constructor(
    private readonly clickhouse: ClickHouse,
    private readonly request: InMemoryRequest,
    private readonly relevant: EventSelection,
    private readonly parameters: Parameters,
    private readonly settings: Readonly<Record<string, SettingValue>>,
  ) {
    const { steps, query } = request
    const windowMs = query.windowSeconds * 1_000
    const origin = query.from - windowMs - 1
    this.rules = {
      tests: steps.map((_, step) => relevant.testOf(step)),
      origin,
      windowMs,
      startsBefore: query.to - origin,
    }
    this.tally = new StepCounter(
      steps.length,
      query.interval === undefined ? undefined : { interval: query.interval, origin },
    )
  }

  /** Persons for whom timestamps alone leave a relevant order open are read again in the exact order. */
  async answer() {
    const person = this.clickhouse.personSql(this.parameters.bind('UUID', this.request.workspaceId))
    const tied: bigint[] = []
    await this.read(this.relevant.codedSql(person, ['timestamp']), false, (attempt, keyOf) => {
      if (attempt.isTied) tied.push(keyOf())
      else this.tally.add(attempt)
    })
    if (tied.length > 0) {
      const coded = this.relevant.codedSql(person, ORDER_COLUMNS)
      const named =
        tied.length > MAX_TIED ? '' : `WHERE person IN ${this.parameters.bind('Array(UInt64)', tied)}`
      const only = tied.length > MAX_TIED ? new Set(tied) : undefined
      await this.read(
        `SELECT person, timestamp, satisfied FROM (${coded}) ${named} ORDER BY ${[...ORDER_COLUMNS, 'satisfied'].join(', ')}`,
        true,
        (attempt, keyOf) => {
          if (only === undefined || only.has(keyOf())) this.tally.add(attempt)
        },
      )
    }
    return { figures: this.tally.figures(), rows: this.rows }
  }

  private async read(
    sql: string,
    isOrdered: boolean,
    onAttempt: (attempt: Attempt, keyOf: () => bigint) => void,
  ): Promise<void> {
    const { signal } = this.request
    const answer = await this.clickhouse.native(sql, {
      params: this.parameters.values,
      settings: this.settings,
      signal,
    })
    this.rows += await findAttempts(answer, this.rules, isOrdered, signal, onAttempt)
  }
}
