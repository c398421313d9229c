import type { EventSelection } from '../selection/event-selection.js'
import {
  type AttemptOptions,
  carriedBeforeSql,
  reachedSql,
  STEPS_PER_SELECT,
  stepTimesSql,
  withoutFlagsSql,
} from './step-times.js'

/**
 * The best attempt of each person for steps in order, with nothing that ends an attempt (columns:
 * `stepTimesSql`).
 *
 * Linear in a person's events. For each step it carries the latest start whose chain has reached it, which
 * leaves most of the window. The first event that completes a level within the window also completes it for
 * the earliest start of that level: an earlier start cannot complete sooner, and every start within the
 * window before that event has completed by then. So the best attempt begins at the first start in that span,
 * and taking the earliest next step each time gives its times.
 *
 * Few SELECTs with few columns, because planning dominates funnels with many steps.
 */
export function orderedAttemptSql(relevant: EventSelection, options: AttemptOptions): string {
  const { codeBits } = relevant
  const { handedOn, windowMs } = options
  const bound = `SELECT ${handedOn}, events, level, last,
bitShiftLeft(bitShiftRight(events[last], ${codeBits}) - ${windowMs}, ${codeBits}) AS bound FROM (${latestStartsSql(relevant, options)})`
  const first = `SELECT ${handedOn}, events, level, last,
arrayFirstIndex(x -> ${relevant.isStart('x')} AND x >= bound, events) AS first FROM (${bound})`
  return stepTimesSql(relevant, options, first)
}

function latestStartsSql(relevant: EventSelection, options: AttemptOptions): string {
  const { codeBits, overlapping, satisfies, startCode } = relevant
  const isStart = relevant.isStart('x')
  // An event x is in the window of a start s if x - s is less than this; the code of s is known or cleared.
  const reach = BigInt(options.windowMs + 1) * BigInt(2 ** codeBits) - BigInt(startCode ?? 0)
  const starts =
    startCode === undefined
      ? `arrayFill((s, x) -> ${isStart}, arrayMap(x -> ${withoutFlagsSql(relevant, 'x')}, events), events)`
      : `arrayFill(x -> ${isStart}, events)`
  return reachedSql(relevant, options, starts, STEPS_PER_SELECT, (step, carried) => {
    // An event takes part in a chain once: what it completes depends on earlier events only.
    const previous = overlapping ? carriedBeforeSql(carried) : carried
    return {
      end: `arrayFirstIndex((x, s) -> ${satisfies('x', step)} AND x - s < ${reach}, events, ${previous})`,
      carried: `arrayFill((s, x) -> ${satisfies('x', step)}, ${previous}, events)`,
    }
  })
}
