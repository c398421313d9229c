import type { Relevant } from './relevant.js'

/** Steps whose carried starts are worked out in one SELECT: their expressions contain each other, and more of them make it slow to plan. */
const STEPS_A_SELECT = 6

/**
 * The best attempt of each person of `personsSql`: columns `person`, `tied` and `times`, one of each step it reached, in
 * milliseconds on the funnel's clock.
 *
 * Linear in a person's events. Carried along them is, for each step, the latest start whose chain has reached it: the start that
 * leaves most of the window. The first event at which a level is completed within the window belongs to the earliest
 * start of that level too: a start before it can complete no earlier, and any start that lies within the window before
 * this event has completed by it. So the best attempt begins at the first start in that stretch, and walking from there, each
 * time to the earliest next step, gives its times.
 *
 * Few SELECTs with few columns each, as planning is what a funnel of many steps costs.
 */
export function bestAttemptSql(relevant: Relevant, steps: number, windowMs: number, persons: string): string {
  const { codeBits } = relevant
  const isStart = relevant.satisfies('x', 0)
  const reached = reachedSql(relevant, steps, windowMs, persons)
  const bound = `SELECT person, tied, events, level, last,
bitShiftLeft(bitShiftRight(events[last], ${codeBits}) - ${windowMs}, ${codeBits}) AS bound FROM (${reached})`
  const first = `SELECT person, tied, events, level, last,
arrayFirstIndex(x -> ${isStart} AND x >= bound, events) AS first FROM (${bound})`
  let walk = `SELECT person, tied, level, [events[first]] AS walked0,
arraySlice(events, first + 1, last - first) AS rest0 FROM (${first})`
  for (let step = 1; step < steps; step++) {
    const rest = `rest${step - 1}`
    const place = `arrayFirstIndex(x -> ${relevant.satisfies('x', step)}, ${rest})`
    const walked = `arrayPushBack(walked${step - 1}, ${rest}[${place}]) AS walked${step}`
    const left = step === steps - 1 ? '' : `, arraySlice(${rest}, ${place} + 1) AS rest${step}`
    walk = `SELECT person, tied, level, ${walked}${left} FROM (${walk})`
  }
  return `SELECT person, tied,
arrayMap(x -> bitShiftRight(x, ${codeBits}), arraySlice(walked${steps - 1}, 1, level)) AS times FROM (${walk})`
}

/** Adds `level`, how many steps the best attempt reached, and `last`, the place of the first event that completes it. */
function reachedSql(relevant: Relevant, steps: number, windowMs: number, persons: string): string {
  const { codeBits, overlapping, satisfies } = relevant
  const isStart = satisfies('x', 0)
  // An event x lies in the window of a start s when x - s is less than this; the start's code is 1, or cleared.
  const reach = BigInt(windowMs + 1) * BigInt(2 ** codeBits) - (overlapping ? 0n : 1n)
  // An event takes part in a chain once: what it completes rests on the events before it.
  const before = (carried: string) => (overlapping ? `arrayPushFront(arrayPopBack(${carried}), 0)` : carried)
  const starts = overlapping
    ? `arrayFill((s, x) -> ${isStart}, arrayMap(x -> bitAnd(x, bitNot(toUInt64(${2 ** codeBits - 1}))), events), events)`
    : `arrayFill(x -> ${isStart}, events)`
  let sql = `SELECT person, tied, events, ${starts} AS carried0, emptyArrayUInt32() AS ends FROM (${persons})`
  for (let from = 1; from < steps; from += STEPS_A_SELECT) {
    const ends: string[] = []
    const carried: string[] = []
    for (let step = from; step < Math.min(steps, from + STEPS_A_SELECT); step++) {
      const previous = before(`carried${step - 1}`)
      ends.push(
        `arrayFirstIndex((x, s) -> ${satisfies('x', step)} AND x - s < ${reach}, events, ${previous})`,
      )
      if (step < steps - 1)
        carried.push(`arrayFill((s, x) -> ${satisfies('x', step)}, ${previous}, events) AS carried${step}`)
    }
    const inside = carried.slice(0, -1)
    sql = `${inside.length === 0 ? '' : `WITH ${inside.join(', ')}\n`}SELECT ${[
      'person, tied, events',
      `arrayConcat(ends, [${ends.join(', ')}]) AS ends`,
      ...carried.slice(-1),
    ].join(', ')} FROM (${sql})`
  }
  // A level is reached only through the ones before it, so the ends that exist are the first ones.
  return `SELECT person, tied, events, arrayCount(e -> e > 0, ends) + 1 AS level,
if(level = 1, arrayFirstIndex(x -> ${isStart}, events), ends[level - 1]) AS last FROM (${sql})`
}
