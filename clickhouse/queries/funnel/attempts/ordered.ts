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
 * The best attempt of each person, the steps one after the other and nothing ending a run (columns: `walkSql`).
 *
 * Linear in a person's events. Carried along them is, for each step, the latest start whose chain has reached it: the start that
 * leaves most of the window. The first event at which a level is completed within the window belongs to the earliest
 * start of that level too: a start before it can complete no earlier, and any start that lies within the window before
 * this event has completed by it. So the best attempt begins at the first start in that stretch, and walking from there, each
 * time to the earliest next step, gives its times.
 *
 * Few SELECTs with few columns each, as planning is what a funnel of many steps costs.
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
  // An event x lies in the window of a start s when x - s is less than this, where the code of s is known or cleared.
  const reach = BigInt(options.windowMs + 1) * BigInt(2 ** codeBits) - BigInt(startCode ?? 0)
  const starts =
    startCode === undefined
      ? `arrayFill((s, x) -> ${isStart}, arrayMap(x -> ${withoutFlagsSql(relevant, 'x')}, events), events)`
      : `arrayFill(x -> ${isStart}, events)`
  return reachedSql(relevant, options, starts, STEPS_PER_SELECT, (step, carried) => {
    // An event takes part in a chain once: what it completes rests on the events before it.
    const previous = overlapping ? carriedBeforeSql(carried) : carried
    return {
      end: `arrayFirstIndex((x, s) -> ${satisfies('x', step)} AND x - s < ${reach}, events, ${previous})`,
      carried: `arrayFill((s, x) -> ${satisfies('x', step)}, ${previous}, events)`,
    }
  })
}
