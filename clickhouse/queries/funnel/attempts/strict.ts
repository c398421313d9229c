import type { FunnelQuery } from '../../../../domain/funnel.js'
import type { EventSelection } from '../selection/event-selection.js'
import {
  type AttemptOptions,
  carriedBeforeSql,
  reachedSql,
  stepTimesSql,
  withoutFlagsSql,
} from './step-times.js'

/** Steps whose stages share a SELECT. */
const STEPS_A_SELECT = 3

/**
 * The best attempt of each person if events in between can end one: `strict` order and exclusions (columns:
 * `stepTimesSql`).
 *
 * Attempts never overtake each other: an earlier start has reached as much or more. So those that wait for
 * one step are carried as one, by their latest start, which leaves most of the window; they arrive, continue
 * and end together. The first event at which a level is reached within the window ends the best attempt. Its
 * start is the earliest one in that window that survives to this event; a backward pass over that span finds
 * it.
 */
export function strictAttemptSql(
  relevant: EventSelection,
  options: AttemptOptions,
  query: FunnelQuery,
): string {
  const { steps, windowMs, handedOn } = options
  const { codeBits, isStart } = relevant
  const transitions = transitionsOf(relevant, query)
  const reach = BigInt(windowMs + 1) * BigInt(2 ** codeBits)

  // Forward: carriedN, the latest start of attempts that wait for the step after N; 0 if there is none.
  const carriedSql = (step: number, arrived: string) =>
    `arrayFill((s, x) -> s > 0 OR ${transitions.leaves('x', step)}, ${arrived}, events)`
  const starts = `arrayMap(x -> if(${isStart('x')}, ${withoutFlagsSql(relevant, 'x')}, 0), events)`
  let sql = reachedSql(relevant, options, carriedSql(0, starts), STEPS_A_SELECT, (step, carried) => {
    const waiting = carriedBeforeSql(carried)
    const arrives = transitions.arrives('x', step)
    return {
      end: `arrayFirstIndex((x, s) -> ${arrives} AND x - s < ${reach}, events, ${waiting})`,
      carried: carriedSql(step, `arrayMap((x, s) -> if(${arrives}, s, 0), events, ${waiting})`),
    }
  })
  sql = `SELECT ${handedOn}, events, level, last,
arrayFirstIndex(x -> x >= bitShiftLeft(bitShiftRight(events[last], ${codeBits}) - ${windowMs}, ${codeBits}), events) AS opened FROM (${sql})`

  // Backward: throughN, whether an attempt at step N after an event completes `level` by the last event.
  const behindSql = (step: number, through: string) =>
    `arrayPushBack(arrayPopFront(${through}), level = ${step + 1})`
  sql = `SELECT ${handedOn}, events, level, last, opened, arraySlice(events, opened, last - opened + 1) AS stretch,
arrayMap(x -> toUInt8(0), stretch) AS through${steps - 1} FROM (${sql})`
  for (let from = steps - 2; from >= 0; from -= STEPS_A_SELECT) {
    const through: string[] = []
    for (let step = from; step > Math.max(-1, from - STEPS_A_SELECT); step--) {
      const next = behindSql(step + 1, `through${step + 1}`)
      const outcome = `arrayMap((x, t) -> toUInt8(${transitions.arrives('x', step + 1)} AND t), stretch, ${next})`
      through.push(
        `arrayReverseFill((t, x) -> ${transitions.leaves('x', step)}, ${outcome}, stretch) AS through${step}`,
      )
    }
    const inside = through.slice(0, -1)
    sql = `${inside.length === 0 ? '' : `WITH ${inside.join(', ')}\n`}SELECT ${handedOn}, events, level, last, opened, stretch, ${through.at(-1)} FROM (${sql})`
  }
  const first = `SELECT ${handedOn}, events, level, last,
opened - 1 + arrayFirstIndex((x, t) -> ${isStart('x')} AND t, stretch, ${behindSql(0, 'through0')}) AS first FROM (${sql})`
  return stepTimesSql(relevant, options, first)
}

/** SQL of the effect of an event on the attempts that wait for a step. */
interface Transitions {
  /** Whether the event advances attempts that wait for this step. */
  arrives(x: string, step: number): string
  /** Whether no attempt at this step waits for the next one after the event: it has advanced or ended. */
  leaves(x: string, step: number): string
}

function transitionsOf(relevant: EventSelection, query: FunnelQuery): Transitions {
  const { satisfies, satisfiesSome, isNamed } = relevant
  /** Names that end an attempt at a step: even as its next step, or all. */
  const ending = (step: number, evenArriving: boolean) =>
    query.exclusions
      .filter(
        ({ fromStep, toStep }) =>
          // The event that ends the span is not in between.
          fromStep <= step && step < toStep && !(evenArriving && toStep === step + 1),
      )
      .map((exclusion) => exclusion.eventName)
  return {
    arrives(x, step) {
      const names = ending(step - 1, true)
      return names.length === 0 ? satisfies(x, step) : `(${satisfies(x, step)} AND NOT ${isNamed(x, names)})`
    },
    leaves(x, step) {
      const arrived = query.order === 'strict' ? satisfiesSome(x) : satisfies(x, step + 1)
      const names = ending(step, false)
      return names.length === 0 ? arrived : `(${arrived} OR ${isNamed(x, names)})`
    },
  }
}
