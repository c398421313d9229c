import type { FunnelQuery, FunnelStep } from '../../../../domain/funnel.js'
import { type ClickHouse, ClickHouseError, type SettingValue } from '../../../port.js'
import { Parameters } from '../../parameters.js'
import { type FiguresRow, MAX_TIED } from '../figures.js'
import { type EventSelection, selectEvents } from '../selection/event-selection.js'
import { ORDER_COLUMNS } from '../selection/order-key.js'
import { type EventsByPerson, eventsByPerson } from './events-by-person.js'
import { SequenceMatcher, type SequenceRules } from './sequence-matcher.js'
import { StepCounter } from './step-counter.js'
import { yieldingLoop } from './yielding-loop.js'

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
  // Time and code must fit into one number.
  if (relevant.timeBits + relevant.codeBits > 53) return undefined
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
  private readonly origin: number
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
    this.origin = query.from - windowMs - 1
    this.rules = {
      tests: steps.map((_, step) => relevant.testOf(step)),
      windowMs,
      startsBefore: query.to - this.origin,
      scale: 2 ** relevant.codeBits,
    }
    this.tally = new StepCounter(
      steps.length,
      query.interval === undefined ? undefined : { interval: query.interval, origin: this.origin },
    )
  }

  /** Persons for whom timestamps alone leave a relevant order open are read again in the exact order. */
  async answer() {
    const person = this.clickhouse.personKeySql('person_key')
    const tied = await this.count(
      await this.read(
        this.relevant.codedSql([`${person} AS person`, 'timestamp'], ['person_key', 'timestamp']),
      ),
      true,
    )
    if (tied.length > 0) {
      const coded = this.relevant.codedSql(
        [`${person} AS person`, ...ORDER_COLUMNS],
        ['person_key', ...ORDER_COLUMNS],
      )
      const named =
        tied.length > MAX_TIED ? '' : `WHERE person IN ${this.parameters.bind('Array(UInt64)', tied)}`
      await this.count(
        await this.read(
          `SELECT person, timestamp, satisfied FROM (${coded}) ${named} ORDER BY ${[...ORDER_COLUMNS, 'satisfied'].join(', ')}`,
        ),
        false,
        tied.length > MAX_TIED ? new Set(tied) : undefined,
      )
    }
    return { figures: this.tally.figures(), rows: this.rows }
  }

  private async read(sql: string): Promise<EventsByPerson> {
    const { signal } = this.request
    const answer = await this.clickhouse.native(sql, {
      params: this.parameters.values,
      settings: this.settings,
      signal,
    })
    const events = await eventsByPerson(answer, this.origin, this.rules.scale, signal)
    this.rows += events.packed.length
    return events
  }

  /**
   * Counts the best attempts.
   * @param unordered whether the events must be sorted by time first
   * @param only persons to count; the others have been counted
   * @returns the tied persons of unordered events, who are not counted
   */
  private async count(
    { persons, begins, packed, keyOf }: EventsByPerson,
    unordered: boolean,
    only?: ReadonlySet<bigint>,
  ): Promise<bigint[]> {
    const run = new SequenceMatcher(this.rules)
    const tied: bigint[] = []
    await yieldingLoop(persons, this.request.signal, (from, to) => {
      for (let person = from; person < to; person++) {
        const begin = begins[person] ?? 0
        const end = begins[person + 1] ?? 0
        if (only !== undefined && !only.has(keyOf(person))) continue
        if (unordered) sortBetween(packed, begin, end)
        const level = run.find(packed, begin, end)
        if (level === 0) continue
        if (unordered && this.isTied(packed, begin, end)) tied.push(keyOf(person))
        else this.tally.add(level, run.times)
      }
    })
    return tied
  }

  /** Whether two events of one time satisfy different steps. */
  private isTied(events: Float64Array, begin: number, end: number): boolean {
    const { scale } = this.rules
    for (let place = begin + 1; place < end; place++) {
      const event = events[place] ?? 0
      const previous = events[place - 1] ?? 0
      if (
        event - previous < scale &&
        event !== previous &&
        Math.floor(event / scale) === Math.floor(previous / scale)
      )
        return true
    }
    return false
  }
}

/** Insertion sort: most persons have two or three events. */
function sortBetween(events: Float64Array, begin: number, end: number): void {
  if (end - begin > 24) {
    events.subarray(begin, end).sort()
    return
  }
  for (let place = begin + 1; place < end; place++) {
    const event = events[place] ?? 0
    let free = place
    for (; free > begin && (events[free - 1] ?? 0) > event; free--) events[free] = events[free - 1] ?? 0
    events[free] = event
  }
}
