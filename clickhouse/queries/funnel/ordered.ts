import type { Relevant } from './relevant.js'
import { type AttemptOptions, before, cleared, STEPS_A_SELECT, walkSql } from './walk.js'

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
export function orderedAttemptSql(relevant: Relevant, options: AttemptOptions): string {
  const { codeBits } = relevant
  const { handedOn, windowMs } = options
  const bound = `SELECT ${handedOn}, events, level, last,
bitShiftLeft(bitShiftRight(events[last], ${codeBits}) - ${windowMs}, ${codeBits}) AS bound FROM (${reachedSql(relevant, options)})`
  const first = `SELECT ${handedOn}, events, level, last,
arrayFirstIndex(x -> ${relevant.isStart('x')} AND x >= bound, events) AS first FROM (${bound})`
  return walkSql(relevant, options, first)
}

/** Adds `level`, how many steps the best attempt reached, and `last`, the place of the first event that completes it. */
function reachedSql(relevant: Relevant, { steps, windowMs, persons, handedOn }: AttemptOptions): string {
  const { codeBits, overlapping, satisfies, startCode } = relevant
  const isStart = relevant.isStart('x')
  // An event x lies in the window of a start s when x - s is less than this, where the code of s is known or cleared.
  const reach = BigInt(windowMs + 1) * BigInt(2 ** codeBits) - BigInt(startCode ?? 0)
  // An event takes part in a chain once: what it completes rests on the events before it.
  const previousOf = (carried: string) => (overlapping ? before(carried) : carried)
  const starts =
    startCode === undefined
      ? `arrayFill((s, x) -> ${isStart}, arrayMap(x -> ${cleared(relevant, 'x')}, events), events)`
      : `arrayFill(x -> ${isStart}, events)`
  let sql = `SELECT ${handedOn}, events, ${starts} AS carried0, emptyArrayUInt32() AS ends FROM (${persons})`
  for (let from = 1; from < steps; from += STEPS_A_SELECT) {
    const ends: string[] = []
    const carried: string[] = []
    for (let step = from; step < Math.min(steps, from + STEPS_A_SELECT); step++) {
      const previous = previousOf(`carried${step - 1}`)
      ends.push(
        `arrayFirstIndex((x, s) -> ${satisfies('x', step)} AND x - s < ${reach}, events, ${previous})`,
      )
      if (step < steps - 1)
        carried.push(`arrayFill((s, x) -> ${satisfies('x', step)}, ${previous}, events) AS carried${step}`)
    }
    const inside = carried.slice(0, -1)
    sql = `${inside.length === 0 ? '' : `WITH ${inside.join(', ')}\n`}SELECT ${[
      `${handedOn}, events`,
      `arrayConcat(ends, [${ends.join(', ')}]) AS ends`,
      ...carried.slice(-1),
    ].join(', ')} FROM (${sql})`
  }
  // A level is reached only through the ones before it, so the ends that exist are the first ones.
  return `SELECT ${handedOn}, events, arrayCount(e -> e > 0, ends) + 1 AS level,
if(level = 1, arrayFirstIndex(x -> ${isStart}, events), ends[level - 1]) AS last FROM (${sql})`
}
